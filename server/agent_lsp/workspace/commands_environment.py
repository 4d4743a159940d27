"""The environment that commands get: the server's own, without secrets and without what changes how bash reads them."""

import re
from collections.abc import Mapping

_SECRET = re.compile(
    r"""(?x)
    ^(ANTHROPIC|OPENAI|AGENT_LSP)_
    | SECRET | PASSWORD | PASSWD | PASSPHRASE | CREDENTIAL | API_?KEY | PRIVATE_?KEY | ACCESS_?KEY | TOKEN
    | (^|_)(KEY|PAT|AUTH|PWD_?HASH|COOKIE)$
    """,
    re.IGNORECASE,
)
_CHANGES_BASH = re.compile(
    r"^(BASH_ENV|ENV|BASHOPTS|SHELLOPTS|BASH_XTRACEFD|PS4|CDPATH|GLOBIGNORE|IFS|POSIXLY_CORRECT|BASH_FUNC_.*)$"
)
_URL_WITH_PASSWORD = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@]*:[^/\s@]+@")
_FIXED = {"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "AGENT_LSP": "1"}


def command_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment a command may see, and the few variables that keep programs from waiting for a person."""
    kept = {name: value for name, value in environment.items() if _may_pass(name, value)}
    if "PATH" in kept:
        kept["PATH"] = ":".join(part for part in kept["PATH"].split(":") if part.startswith("/"))
    return kept | _FIXED


def _may_pass(name: str, value: str) -> bool:
    return not (_SECRET.search(name) or _CHANGES_BASH.match(name) or _URL_WITH_PASSWORD.match(value))
