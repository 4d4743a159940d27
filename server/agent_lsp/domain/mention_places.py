"""Where in the user's words an `@` may begin a mention: in prose, and where a word begins. Pure.

What a mention names is read in `mentions.py`.
"""

import re
import unicodedata
from collections.abc import Iterator

_FENCE = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(```+(?=[^`]*$)|~~~+)")
_FENCE_END = re.compile(r"[\s>]*(```+|~~~+)\s*$")
_TICKS = re.compile(r"`+")
_IMPORT = re.compile(
    r"\s*(?:@?(?:import|export|use|forward)\b|\}\s*from\b|from(?=\s*[\"'])"
    r"|(?:const|let|var)\s[^=\"']*=\s*(?:await\s+)?(?:import|require)\s*\()"
    r"[^\"'@]*(?:\"[^\"]*\"|'[^']*')\)?\s*;?\s*(?://.*)?"
)
"""A line of a program that names a module, outside of any fence."""

QUOTES = frozenset("\"'“‘„‚«‹")
_EMPHASIS = frozenset("*_~")
_BRACKETS = frozenset("([{<（［【《「『")
_OPENING = QUOTES | _EMPHASIS | _BRACKETS
_SEPARATORS = frozenset(",;:|—–…→•·、，。；：！？）］】》」』")
_CLOSING = frozenset("-+&.!?)]}>’”»›")
"""What only a path may follow that cannot be the rest of an address."""
_ROOTED = re.compile(r"/|\.\.?/|~/")
_MOST_OPENING = 8
_LONGEST_ADDRESS = 256


def prose(text: str) -> Iterator[str]:
    """The lines that are no code, with what is code within them blotted out."""
    fence = ""
    for line in text.split("\n"):
        if fence:
            mark = _FENCE_END.match(line)
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark := _FENCE.match(line):
            fence = mark[1]
        elif not _IMPORT.fullmatch(line):
            yield _without_code(line)


def opening_before(line: str, at: int) -> str | None:
    """Give the quotes, marks of emphasis and brackets directly before an `@`; None where no mention can begin there."""
    start = at
    while start > max(0, at - _MOST_OPENING) and line[start - 1] in _OPENING:
        start -= 1
    opening, before = line[start:at], line[start - 1] if start else " "
    if _is_in_address(line, at) or _is_string_of_code(opening, before, line[at + 1 : at + 2]):
        return None
    if before.isspace() or before in _SEPARATORS or not _BRACKETS.isdisjoint(opening):
        return opening
    # Languages without blanks between their words have letters without case.
    is_behind_word = opening or before in _CLOSING or unicodedata.category(before) == "Lo"
    return opening if is_behind_word and before not in "\\`=" and _ROOTED.match(line, at + 1) else None


def _is_in_address(line: str, at: int) -> bool:
    """Whether the word before belongs to a URL that is not mentioned itself."""
    words = line[max(0, at - _LONGEST_ADDRESS) : at].rsplit(None, 1)
    scheme, mark, _ = words[-1].partition("://") if words and not line[at - 1].isspace() else ("", "", "")
    return bool(mark) and "@" not in scheme


def _is_string_of_code(opening: str, before: str, after: str) -> bool:
    """Whether an `@` stands alone between quotes, or begins what a function is given."""
    if not opening or opening[-1] not in QUOTES:
        return False
    return after == opening[-1] or (opening[-2:-1] == "(" and (before.isalnum() or before == "_"))


def _without_code(line: str) -> str:
    """Blot out what stands between two runs of as many backticks."""
    runs = list(_TICKS.finditer(line))
    ends, newest = dict[int, int](), dict[int, int]()
    for place in reversed(range(len(runs))):
        length = len(runs[place][0])
        if length in newest:
            ends[place] = newest[length]
        newest[length] = place
    kept, kept_to, place = list[str](), 0, 0
    while place < len(runs):
        if place in ends:
            begin, place = runs[place].end(), ends[place]
            kept += [line[kept_to:begin], " " * (runs[place].start() - begin)]
            kept_to = runs[place].start()
        place += 1
    return "".join(kept) + line[kept_to:]
