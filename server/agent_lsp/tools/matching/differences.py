"""Where a text that is not in a file parts from the lines most like it, so that a model sees what it got wrong."""

from collections.abc import Sequence
from unicodedata import normalize

from agent_lsp.tools.matching.lines import shared_start
from agent_lsp.tools.matching.places import loosened

_BEFORE = 30
_BEHIND = 50
"""So many characters of a line are shown around the first one that differs."""


def first_difference(found: Sequence[str], wanted: Sequence[str], start: int) -> str:
    """Name the first line, counted from `start`, that is not as wanted. Tabs and signs nobody sees are spelled out."""
    for number, (have, want) in enumerate(zip(found, wanted, strict=False), start + 1):
        if loosened(have) != loosened(want):
            return f"Line {number} of the file is {_around(have, want)}, not {_around(want, have)}."
    return "The file ends there." if len(found) < len(wanted) else ""


def _around(line: str, other: str) -> str:
    """Show what is around the difference; letters that look alike, by their codes."""
    first = max(0, shared_start(line, other) - _BEFORE)
    part = line[first : first + _BEFORE + _BEHIND]
    looks_alike = normalize("NFKC", line[:1000]) == normalize("NFKC", other[:1000])
    shown = ascii(part) if looks_alike else repr(part)
    return "..." * (first > 0) + shown + "..." * (first + len(part) < len(line))
