"""What credentials look like when nobody has said that they are some: a table. Taking them out is `secrets.py`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern whose group `secret`, or all of it, is a credential; looked for only where `hint` is in the text."""

    hint: str
    """In lower case, as the text is when it is looked for."""
    pattern: re.Pattern[str]
    is_mixed: bool = False
    """It has letters and digits, and nothing is called by its name. Looked at behind a match: what is no credential
    is then passed over whole, where a pattern would begin anew at each of its characters."""

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where credentials of this shape lie."""
        group = "secret" if "secret" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            if not self.is_mixed or _is_mixed(match[group], match.groupdict().get("call")):
                yield match.span(group)


def _is_mixed(secret: str, call: str | None) -> bool:
    beginning = secret[:200]
    return not call and _DIGIT.search(beginning) is not None and _LETTER.search(beginning) is not None


def _token(start: str, rest: str, *, is_mixed: bool = False) -> Shape:
    """Make a shape that begins with a text of its own, and not in the middle of a word.

    The text stands first in the pattern: so the search for it is as quick as one for a text.
    """
    literal = re.escape(start)
    # The text may be JSON, where a line feed before it ends in a letter.
    begins = rf"(?:(?<![A-Za-z0-9_]{literal})|(?<=\\[nrtbf]{literal}))"
    return Shape(start.lower(), re.compile(f"{literal}{begins}{rest}"), is_mixed)


def _named(hint: str, pattern: str, *, is_mixed: bool = False) -> Shape:
    return Shape(hint, re.compile(pattern, re.IGNORECASE), is_mixed)


_DIGIT, _LETTER = re.compile("[0-9]"), re.compile("[A-Za-z]")
_WORD = r"[A-Za-z0-9_-]"

_TOKENS = (
    # Models' services
    _token("sk-", r"[A-Za-z0-9_-]{20,}+", is_mixed=True),
    _token("gsk_", r"[A-Za-z0-9]{30,}"),
    _token("xai-", r"[A-Za-z0-9]{40,}"),
    _token("pplx-", r"[A-Za-z0-9]{32,}"),
    _token("hf_", r"[A-Za-z0-9]{30,}"),
    _token("r8_", r"[A-Za-z0-9]{30,}"),
    # Code hosts and package registries
    *(_token(f"gh{kind}_", r"[A-Za-z0-9_]{20,}") for kind in "oprsu"),
    _token("github_pat_", r"[A-Za-z0-9_]{20,}"),
    *(_token(f"{kind}-", rf"{_WORD}{{20,}}") for kind in ("glpat", "gldt", "glrt", "glptt", "glcbt")),
    _token("npm_", r"[A-Za-z0-9]{36}"),
    _token("pypi-", r"AgE[A-Za-z0-9_-]{40,}"),
    _token("dckr_pat_", rf"{_WORD}{{20,}}"),
    _token("rubygems_", r"[0-9a-f]{40,}"),
    # Clouds
    *(_token(kind, r"[A-Z0-9]{16}(?![A-Za-z0-9])") for kind in ("AKIA", "ASIA")),
    _token("AIza", r"[A-Za-z0-9_-]{30,}"),
    _token("ya29.", rf"{_WORD}{{20,}}"),
    _token("GOCSPX-", rf"{_WORD}{{20,}}"),
    _token("dop_v1_", r"[0-9a-f]{40,}"),
    _token("HRKU-", rf"{_WORD}{{30,}}"),
    _token("hvs.", rf"{_WORD}{{20,}}"),
    _token("dapi", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _token("sbp_", r"[0-9a-f]{40}"),
    _token("fo1_", rf"{_WORD}{{30,}}"),
    _token("pscale_tkn_", rf"{_WORD}{{20,}}"),
    _token("dp.pt.", r"[A-Za-z0-9]{30,}"),
    # Chats, mail, payment, work
    *(_token(f"xox{kind}-", r"[A-Za-z0-9-]{10,}+", is_mixed=True) for kind in "abeoprs"),
    _token("xapp-", r"[0-9]-[A-Za-z0-9-]{20,}"),
    _token("hooks.slack.com/services/", r"T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{16,}"),
    *(_token(f"{kind}_{stage}_", r"[A-Za-z0-9]{16,}") for kind in ("sk", "rk") for stage in ("live", "test")),
    _token("whsec_", r"[A-Za-z0-9+/=]{20,}"),
    _token("SG.", rf"{_WORD}{{16,}}\.{_WORD}{{16,}}"),
    _token("key-", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _token("SK", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    *(_token(f"shp{kind}_", r"[0-9a-fA-F]{32}") for kind in ("at", "ca", "pa", "ss")),
    *(_token(f"sq0{kind}-", rf"{_WORD}{{20,}}") for kind in ("atp", "csp")),
    _token("lin_api_", r"[A-Za-z0-9]{30,}"),
    _token("ntn_", r"[A-Za-z0-9]{30,}"),
    _token("figd_", rf"{_WORD}{{30,}}"),
    _token("PMAK-", r"[0-9a-f]{24}-[0-9a-f]{30,}"),
    _token("NRAK-", r"[A-Z0-9]{27}"),
    _token("glsa_", r"[A-Za-z0-9]{32}_[0-9a-f]{8}"),
    _token("sntrys_", r"[A-Za-z0-9+/=_-]{40,}"),
    _token("AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
    Shape(":aa", re.compile(r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}")),
    # Signed tokens and keys
    _token("eyJ", rf"{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}\.{_WORD}{{16,}}"),
    Shape(
        "-----begin ",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
)

# Nothing here looks further ahead than a credential is long: a line may be megabytes.
# What a value must be to be one: a letter, a digit and some length; no call, no variable, no path.
_VALUE = r"(?P<secret>[A-Za-z0-9._~+/=!@#%^*?$-]{8,}+)(?P<call>[\w(\[{<])?"

_NAMED = (
    _named("bearer ", r"bearer (?P<secret>(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{8,})"),
    _named("basic ", r"basic (?P<secret>(?=[A-Za-z+/=]{0,200}[0-9A-Z])[A-Za-z0-9+/]{12,}={0,2})(?![\w ])"),
    _named("api-key", r"api-key[\"']?\s*[:=]\s*\\?[\"']?" + _VALUE, is_mixed=True),
    _named("authorization", r"authorization[\"']?\s*[:=]\s*\\?[\"']?(?!basic |bearer )(?P<secret>[^\s\"'\\,]{8,})"),
    *(
        _named(name, rf"{name}[\"']?\s*[:=]\s*\\?[\"']?" + _VALUE, is_mixed=True)
        for name in (
            "password",
            "passwd",
            "secret",
            "apikey",
            "api_key",
            "access_key",
            "accountkey",
            "token",
            "_authtoken",
        )
    ),
    _named("://", r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}://[^/\s:@\"']{0,200}:(?P<secret>[^/\s@\"'$<{]{3,})@"),
    _named("sig=", r"[?&]sig=(?P<secret>[A-Za-z0-9%+/=]{20,})"),
)

SHAPES = (*_TOKENS, *_NAMED)
