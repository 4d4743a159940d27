"""What edit_file makes of a text: passages, which need not be whole lines, replaced by another."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from agent_lsp.tools.matching.differences import first_difference
from agent_lsp.tools.matching.likeness import Likenesses
from agent_lsp.tools.matching.lines import Lines, Replacement, read_lines, replace_lines, rewrite
from agent_lsp.tools.matching.numbers import named_lines, quoted_lines
from agent_lsp.tools.matching.places import BLANKS, loosened
from agent_lsp.tools.matching.revision import Malformed, Refusal, Revision

_PLACES_NAMED = 100
_HINT_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Passage:
    """What is to be replaced, by what, and how often it is there."""

    old: str
    new: str
    expected: int = 1


def replace_passage(text: str, passage: Passage, *, may_quote: bool = True) -> Revision:
    """Replace every place of the passage; exact ones if there are any. The count must be the expected one."""
    if passage.old == passage.new:
        raise Malformed("old_string and new_string are the same; there is nothing to change.")
    lines = read_lines(text)
    flat, old = _flat(lines), _with_lf(passage.old)
    spans = _places(flat, old) or _tolerant(lines.texts, old)
    if not spans:
        raise Refusal("old_string is not in the file. Nothing was changed." + _hint(lines, old, may_quote=may_quote))
    _check_count(flat, spans, passage.expected)
    new = _with_lf(passage.new)
    after = replace_lines(lines, _line_changes(lines.texts, flat, spans, new))
    if after == text:
        # The final newline stays as it is, unless it is all that would change.
        after = rewrite(lines, _spliced(flat, spans, new))
    return Revision(after, _times(len(spans)))


def _flat(lines: Lines) -> str:
    return "\n".join(lines.texts) + ("\n" if lines.is_ended else "")


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def _places(text: str, old: str) -> list[tuple[int, int]]:
    """Find as many places as fit beside one another. Where several choices would do, none is made."""
    starts = _starts(text, old)
    # From the end on, each place stands as late as it can: if that changes nothing, there is but one choice.
    latest = [len(text) - start - len(old) for start in _starts(text[::-1], old[::-1])]
    if starts != latest[::-1]:
        raise Refusal(
            f"The places of old_string overlap ({_lines_of(text, starts)}): take in more. Nothing was changed."
        )
    return [(start, start + len(old)) for start in starts]


def _starts(text: str, old: str) -> list[int]:
    starts: list[int] = []
    start = text.find(old)
    while start >= 0:
        starts.append(start)
        start = text.find(old, start + len(old))
    return starts


def _tolerant(lines: Sequence[str], old: str) -> list[tuple[int, int]]:
    """Find places that differ in blanks at line ends, or in typographic quotes and dashes."""
    loose_old = [loosened(line) for line in old.split("\n")]
    if not any(loose_old):
        return []
    loose = _Loosened(lines)
    # What has lost blanks at its end has to end where a line does, not within a word.
    is_cut = old.endswith(tuple(BLANKS))
    spans = _places(loose.text, "\n".join(loose_old) + "\n" * is_cut)
    return [(loose.original(start), loose.original(end) - is_cut) for start, end in spans]


class _Loosened:
    """A text without what models get wrong unseen, all its lines ended, and the way back to the text as it is."""

    def __init__(self, lines: Sequence[str]) -> None:
        loose_lines = [loosened(line) for line in lines]
        self.text = "".join(line + "\n" for line in loose_lines)
        self._offsets = _line_offsets(loose_lines)
        self._original_offsets = _line_offsets(lines)

    def original(self, offset: int) -> int:
        line = bisect_right(self._offsets, offset) - 1
        return self._original_offsets[line] + offset - self._offsets[line]


def _line_offsets(lines: Sequence[str]) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def _check_count(flat: str, spans: Sequence[tuple[int, int]], expected: int) -> None:
    if len(spans) != expected:
        places = _lines_of(flat, [start for start, _ in spans])
        raise Refusal(
            f"old_string is there {_times(len(spans))} ({places}), expected {_times(expected)}. "
            "Nothing was changed: take in lines around the one meant, "
            f"or set expected_replacements to {len(spans)} to change all."
        )


def _lines_of(text: str, starts: Sequence[int]) -> str:
    """Name the lines that the places begin in."""
    lines = sorted({text.count("\n", 0, start) for start in starts[:_PLACES_NAMED]})
    more = f" and {len(starts) - _PLACES_NAMED} more" if len(starts) > _PLACES_NAMED else ""
    return named_lines(lines) + more


def _line_changes(lines: Sequence[str], flat: str, spans: Sequence[tuple[int, int]], new: str) -> Iterator[Replacement]:
    """Replace the lines that the places stand on. All others are not touched, so that they keep their endings."""
    offsets = _line_offsets(lines)
    touched = _touched(offsets, spans, new)
    begins = [index for index in range(len(spans)) if not index or touched[index][0] >= touched[index - 1][1]]
    for begin, end in zip(begins, [*begins[1:], len(spans)], strict=True):
        first, last = touched[begin][0], touched[end - 1][1]
        passage = flat[offsets[first] : offsets[last]]
        inner = [(start - offsets[first], stop - offsets[first]) for start, stop in spans[begin:end]]
        texts = _spliced(passage, inner, new).split("\n")
        yield Replacement(first, last, tuple(texts if texts[-1] else texts[:-1]))


def _touched(offsets: Sequence[int], spans: Sequence[tuple[int, int]], new: str) -> list[tuple[int, int]]:
    """Tell the lines of each place, and the one behind it if that comes to be joined to them."""
    touched: list[tuple[int, int]] = []
    joined_at = None  # What begins here does not begin a line any more: the place in front of it took its end.
    for start, end in spans:
        first, last = (bisect_right(offsets, offset) - 1 for offset in (start, end))
        is_taken_out = not new and start == offsets[first] and start != joined_at
        if end == offsets[last] and (new.endswith("\n") or is_taken_out):
            touched.append((first, last))
        else:
            touched.append((first, min(last + 1, len(offsets) - 1)))
            joined_at = end
    return touched


def _spliced(flat: str, spans: Sequence[tuple[int, int]], new: str) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += (flat[position:start], new)
        position = end
    return "".join([*pieces, flat[position:]])


def _hint(lines: Lines, old: str, *, may_quote: bool) -> str:
    wanted = old.strip("\n").split("\n")
    likenesses = Likenesses([loosened(line) for line in lines.texts]).of(wanted, None) if may_quote else []
    if not likenesses:
        return ""
    start = likenesses[0].start
    quoted = quoted_lines(lines.texts, start, len(wanted))
    return f"{_difference(lines.texts, wanted, start)} Most like it:\n{quoted}"[:_HINT_LIMIT]


def _difference(lines: Sequence[str], wanted: Sequence[str], start: int) -> str:
    """Name the first line that differs. The first may be wanted from its middle on, the last up to its middle."""
    first, *others = lines[start : start + len(wanted)]
    found = [wanted[0] if loosened(first).endswith(loosened(wanted[0])) else first, *others]
    if len(found) == len(wanted) and loosened(found[-1]).startswith(loosened(wanted[-1])):
        found[-1] = wanted[-1]
    difference = first_difference(found, wanted, start)
    return difference and f" {difference}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
