"""Patterns for names of files, as search tools take them: gitignore's rules, and braces for alternatives."""

import re
from collections.abc import Iterator

from agent_lsp.workspace.ignore import IgnoreRules

MOST_ALTERNATIVES = 100

_INNER_BRACES = re.compile(r"\{([^{}]*)\}")


class Glob:
    """Which paths a search looks into; hidden ones only where the pattern names a hidden part."""

    def __init__(self, pattern: str | None) -> None:
        pattern = (pattern or "").strip()
        self._is_negative = pattern.startswith("!")
        self._rules = IgnoreRules(_expanded(pattern.removeprefix("!").removeprefix("./")))
        self._takes_hidden = any(part.startswith(".") for part in pattern.split("/"))

    def takes(self, path: str) -> bool:
        if not self._takes_hidden and any(part.startswith(".") for part in path.split("/")):
            return False
        return not self._rules or self._rules.matches(path) is not self._is_negative


def _expanded(pattern: str) -> Iterator[str]:
    """Write alternatives out, the innermost first; a pattern with too many of them is taken as it stands."""
    patterns = [pattern]
    while any(map(_INNER_BRACES.search, patterns)):
        patterns = [choice for one in patterns for choice in _choices(one)]
        if len(patterns) > MOST_ALTERNATIVES:
            return iter((pattern,))
    return iter(patterns)


def _choices(pattern: str) -> list[str]:
    match = _INNER_BRACES.search(pattern)
    if match is None:
        return [pattern]
    return [pattern[: match.start()] + choice + pattern[match.end() :] for choice in match[1].split(",")]
