"""Minimal edits between two texts: lines are compared, then what two lines have in common is left alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from agent_lsp.lsp.client import Encoding
from agent_lsp.lsp.documents import Place
from agent_lsp.lsp.positions import split_lines, units_before

MAX_COMPARED_LINES = 2_000
"""Comparing takes up to the square of this; more changed lines than that are replaced as one block."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Places count in the text as it was."""

    start: Place
    end: Place
    text: str


def text_edits(before: str, after: str, encoding: Encoding) -> list[TextEdit]:
    """The edits, in order and apart from each other, that make `after` of `before`."""
    old, new = split_lines(before), split_lines(after)
    old_starts, new_starts = [0, *accumulate(map(len, old))], [0, *accumulate(map(len, new))]
    edits: list[TextEdit] = []
    for first, last, new_first, new_last in _changed_blocks(old, new):
        start, end, new_start, new_end = _narrowed(
            before, after, (old_starts[first], old_starts[last]), (new_starts[new_first], new_starts[new_last])
        )
        places = [_place(old, old_starts, first, offset, encoding) for offset in (start, end)]
        edits.append(TextEdit(places[0], places[1], after[new_start:new_end]))
    return edits


Block = tuple[int, int, int, int]
"""Lines `first` to `last` (exclusive) of the old text, and those of the new that replace them."""


def _changed_blocks(old: list[str], new: list[str]) -> Iterator[Block]:
    start = _common_count(old, new)
    tail = _common_count(old[start:][::-1], new[start:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    if start == old_end and start == new_end:
        return
    if max(old_end, new_end) - start > MAX_COMPARED_LINES:
        yield start, old_end, start, new_end
        return
    matcher = SequenceMatcher(None, old[start:old_end], new[start:new_end], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield start + i1, start + i2, start + j1, start + j2


def _common_count(left: list[str], right: list[str]) -> int:
    shorter = min(len(left), len(right))
    return next((index for index in range(shorter) if left[index] != right[index]), shorter)


def _narrowed(before: str, after: str, old: tuple[int, int], new: tuple[int, int]) -> Block:
    """Take the common beginning and end off both ranges, never parting a carriage return from its line feed."""
    (start, end), (new_start, new_end) = old, new
    while start < end and new_start < new_end and before[start] == after[new_start]:
        start, new_start = start + 1, new_start + 1
    if _is_within_ending(before, start) or _is_within_ending(after, new_start):
        start, new_start = start - 1, new_start - 1
    while end > start and new_end > new_start and before[end - 1] == after[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    if _is_within_ending(before, end) or _is_within_ending(after, new_end):
        end, new_end = end + 1, new_end + 1
    return start, end, new_start, new_end


def _is_within_ending(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n" if offset else False


def _place(lines: list[str], starts: list[int], line: int, offset: int, encoding: Encoding) -> Place:
    while line + 1 < len(lines) and starts[line + 1] <= offset:
        line += 1
    return line, units_before(lines[line], offset - starts[line], encoding)
