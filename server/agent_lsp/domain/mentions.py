"""`@` mentions in the user's words: what they name, and how a path is written so that it is read back. Pure.

What stands in code is no mention, nor is what follows a letter (`ada@example.org`) or a backslash. A word that only
might be one (`@app.route`, `@scope/package`) is a path that is not sure: whoever looks it up says nothing if it leads
nowhere.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from agent_lsp.domain.mention_places import QUOTES, opening_before, prose

Name = Literal["problems", "terminal", "git-changes"]
NAMES: tuple[Name, ...] = get_args(Name)


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to read the path of a mention; lines count from 1, both included."""

    path: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class PathMention:
    """A file or a folder. `/` at its beginning is the workspace's, then the machine's."""

    text: str
    """As it was written, the `@` included."""
    spellings: tuple[Spelling, ...]
    """The likeliest first: a stop at its end may be the sentence's or the name's."""
    is_sure: bool
    """It can hardly be anything but a path."""


@dataclass(frozen=True, slots=True)
class NamedMention:
    """Something that the editor or git knows."""

    text: str
    name: Name


@dataclass(frozen=True, slots=True)
class CommitMention:
    text: str
    commit: str


@dataclass(frozen=True, slots=True)
class PageMention:
    text: str
    url: str


Mention = PathMention | NamedMention | CommitMention | PageMention


@dataclass(frozen=True, slots=True)
class UnfinishedMention:
    """What the user is just writing: from `start` on in the line, and the path that it says so far."""

    start: int
    path: str


_MARK = r"(?<![A-Za-z0-9\\`@/=$#%^])@"
_QUOTED = r"""(?:"((?:\\"|[^"\n])+)"|'((?:\\'|[^'\n])+)')"""
_ESCAPED = r"\\[^\S\r\n]"
_SIGNS = r"[^\s@|~—…→、，。；：！？（）［］【】《》「」『』]"
"""What a name is made of without quotes; the others end it, and so does an `@` that begins the next."""
_PIECE = rf"(?:{_ESCAPED}|(?![-=]>|[+&]@){_SIGNS}|~(?!~)|(?<=[\w/\\])@|(?<=[-.])@(?![/~.]))"
_LINES = r"(?::|#)[Ll]?(\d{1,9})(?:[Cc:]\d{1,9})?(?:[-–][Ll]?(\d{1,9})(?:[Cc:]\d{1,9})?)?"
_MENTION = re.compile(rf"{_MARK}(?:{_QUOTED}(?:{_LINES}(?!\d))?|({_PIECE}{{1,4096}}))")
_UNFINISHED = re.compile(rf"""{_MARK}(?:"((?:\\"|[^"\n])*)|'((?:\\'|[^'\n])*)|((?:(?!["']){_PIECE})*))$""")
_WITH_LINES = re.compile(rf"(.+?){_LINES}", re.DOTALL)
_LINES_BEHIND = re.compile(rf"[\"'”’»*_)\]}}>]{{1,8}}{_LINES}(?!\w)")
_CLOSING_QUOTE = re.compile(r"[\"”»“]")
_NAME_WITHIN = re.compile(r"\.[A-Za-z0-9]{1,10}(?=[\u0e00-\u0eff\u3040-\u9fff\uac00-\ud7af])")
"""The end of a file's name where a language without blanks goes on."""
_BRACKET = re.compile(r"[()\[\]{}<>]")
_OPENED_BY = {"'": ("'",), "’": ("‘", "‚"), "*": ("*",)}
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_PAGE = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_STOPS = ".,;:!?)]}>*_\"'\u2019\u201d\u00bb"
_ROOTED = re.compile(r"/|\.\.?/|~/|file:///|[A-Za-z]:[\\/]")
_LIKE_FILE = re.compile(r"[^\s\"'()<>{}|*?=,@]+/[^\s\"'()<>{}|*?=,@/]*\.[A-Za-z]\w{0,9}")
_LIKE_QUOTED = re.compile(r"[\\/]|\.\w{1,10}$")
"""Some languages write their strings as `@"text"`."""
_CODE_QUOTES = frozenset("\"'")
_MOST_STOPS = 16
_LONGEST = 1_000
"""Characters of a line that are looked at for what the user is just writing."""


def mentions(text: str) -> tuple[Mention, ...]:
    """All that a text mentions, in order, each once."""
    found = (_read(match) for line in prose(text) for match in _MENTION.finditer(line))
    return tuple(dict.fromkeys(mention for mention in found if mention))


def as_mention(path: str, *, is_rooted: bool = True) -> str | None:
    """Write a path of the workspace as the mention that is read back as just it; None where no such can be written."""
    full = f"/{path}" if is_rooted else path
    escaped = re.sub(r"([^\S\r\n])", r"\\\1", full)
    quoted = full.replace('"', '\\"')
    written = (f"@{escaped}", f'@"{quoted}"')
    return next((one for one in written if _paths(one) == [Spelling(full)]), None)


def unfinished_mention(before: str) -> UnfinishedMention | None:
    """Tell what mention the user is writing, from the part of the line before the cursor."""
    found = _UNFINISHED.search(before, max(0, len(before) - _LONGEST))
    while found and opening_before(before, found.start()) is None:
        found = _UNFINISHED.search(before, found.start() + 1)
    if found is None:
        return None
    double, single, word = found.groups()
    return UnfinishedMention(found.start(), _unescaped(double, '"') or _unescaped(single, "'") or _unescaped(word))


def _read(match: re.Match[str]) -> Mention | None:
    opening = opening_before(match.string, match.start())
    double, single, first, last, word = match.groups()
    if opening is None:
        return None
    if word is None:
        path = _unescaped(double, '"') or _unescaped(single, "'")
        return PathMention(match[0], (_spelling(path, first, last),), bool(first or _LIKE_QUOTED.search(path)))
    inner = _inner(word, opening)
    stripped = _stripped(inner)
    if _PAGE.match(stripped):
        return PageMention(f"@{stripped}", stripped)
    if not stripped.strip("\\") or _is_alias(inner, stripped, opening):
        return None
    if stripped in NAMES:
        return NamedMention(f"@{stripped}", stripped)
    if _COMMIT.fullmatch(stripped):
        return CommitMention(f"@{stripped}", stripped)
    return _path(word, inner, stripped, match.string[: match.start()][-1:])


def _path(word: str, inner: str, stripped: str, before: str) -> PathMention:
    """Read a word as a path: with lines, without, and with the stops and all else at its end."""
    spellings = list[Spelling]()
    if found := _WITH_LINES.fullmatch(stripped):
        spellings.append(_spelling(_unescaped(found[1]), found[2], found[3]))
    elif found := _LINES_BEHIND.match(word, len(stripped)):
        spellings.append(_spelling(_unescaped(stripped), found[1], found[2]))
    spellings += [Spelling(_unescaped(stripped)), Spelling(_unescaped(inner)), Spelling(_unescaped(word))]
    return PathMention(f"@{stripped}", tuple(dict.fromkeys(spellings)), _is_sure(spellings[0].path, before))


def _is_sure(path: str, before: str) -> bool:
    """Whether it can be no module, as programs and their errors name them: `'@/a.ts'`, `npm:@scope/a`."""
    if _ROOTED.match(path):
        return before not in _CODE_QUOTES or not path.startswith("/")
    return before not in {":", *_CODE_QUOTES} and bool(_LIKE_FILE.fullmatch(path))


def _inner(word: str, opening: str) -> str:
    """The part of a word before what closes something that was opened before it; what it opened itself is its own."""
    ends = [found.start()] if (found := _CLOSING_QUOTE.search(word)) else []
    ends += [found.end()] if (found := _NAME_WITHIN.search(word)) else []
    ends += [word.find(sign) for sign in ("'", "’", "*") if opening.endswith(_OPENED_BY[sign]) and sign in word]
    return word[: min([*ends, _first_unopened(word)])]


def _first_unopened(word: str) -> int:
    """Where the first bracket stands that closes none of the word's own."""
    is_open = dict.fromkeys(_PAIRS.values(), 0)
    for bracket in _BRACKET.finditer(word):
        if (opened := _PAIRS.get(bracket[0])) is None:
            is_open[bracket[0]] += 1
        elif is_open[opened] == 0:
            return bracket.start()
        else:
            is_open[opened] -= 1
    return len(word)


def _is_alias(inner: str, stripped: str, opening: str) -> bool:
    """Whether settings of a program were pasted, where `"@/*"` or `"@/"` stands for all of its modules."""
    if not opening or opening[-1] not in QUOTES:
        return False
    return not stripped.strip("/") or (inner.endswith("/*") and opening[-1] in _CODE_QUOTES)


def _spelling(path: str, first: str | None, last: str | None) -> Spelling:
    if first is None:
        return Spelling(path)
    low, high = sorted((max(1, int(first)), max(1, int(last or first))))
    return Spelling(path, low, high)


def _stripped(word: str) -> str:
    """A word without the stops of the sentence; a bracket that it opened itself is its own."""
    for _ in range(_MOST_STOPS):
        if not word or word[-1] not in _STOPS:
            break
        opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(word[-1])
        if opening and opening in word[:-1] and word.count(opening) >= word.count(word[-1]):
            break
        word = word[:-1]
    return word


def _unescaped(text: str | None, quote: str = "") -> str:
    if text is None:
        return ""
    return text.replace(f"\\{quote}", quote) if quote else re.sub(r"\\([^\S\r\n])", r"\1", text)


def _paths(text: str) -> list[Spelling]:
    return [one.spellings[0] for one in mentions(text) if isinstance(one, PathMention) and one.text == text]
