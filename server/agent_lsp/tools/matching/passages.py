"""What edit_file makes of a text: passages, which need not be whole lines, replaced by another."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from agent_lsp.tools.matching.likeness import Likenesses
from agent_lsp.tools.matching.lines import Lines, read_lines, rewrite
from agent_lsp.tools.matching.numbers import quoted_lines
from agent_lsp.tools.matching.places import BLANKS, loosened, plain_quotes
from agent_lsp.tools.matching.revision import Malformed, Refusal, Revision

_PLACES_NAMED = 100


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
    spans = _exact(flat, old) or _tolerant(flat, old)
    if not spans:
        raise Refusal("old_string is not in the file. Nothing was changed." + _hint(lines, old, may_quote=may_quote))
    _check_count(flat, spans, passage.expected)
    return Revision(rewrite(lines, _spliced(flat, spans, _with_lf(passage.new))), _times(len(spans)))


def _flat(lines: Lines) -> str:
    return "\n".join(lines.texts) + ("\n" if lines.is_ended else "")


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def _exact(flat: str, old: str) -> list[tuple[int, int]]:
    """Find all places, those that overlap others too."""
    spans: list[tuple[int, int]] = []
    start = flat.find(old)
    while start >= 0:
        spans.append((start, start + len(old)))
        start = flat.find(old, start + 1)
    return spans


def _tolerant(flat: str, old: str) -> list[tuple[int, int]]:
    """Find places that differ in blanks at line ends, or in typographic quotes and dashes."""
    lines = [loosened(line) for line in old.split("\n")]
    if not any(lines):
        return []
    pattern = rf"[{BLANKS}]*\n".join(re.escape(line) for line in lines)
    return [match.span() for match in re.finditer(pattern, plain_quotes(flat))]


def _check_count(flat: str, spans: Sequence[tuple[int, int]], expected: int) -> None:
    named = ", ".join(str(flat.count("\n", 0, start) + 1) for start, _ in spans[:_PLACES_NAMED])
    if any(start < end for (_, end), (start, _) in pairwise(spans)):
        raise Refusal(f"The places of old_string overlap (lines {named}): take in more lines. Nothing was changed.")
    if len(spans) != expected:
        raise Refusal(
            f"old_string is there {_times(len(spans))} (lines {named}), expected {_times(expected)}. "
            "Nothing was changed: take in lines around the one meant, "
            f"or set expected_replacements to {len(spans)} to change all."
        )


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
    return "\nMost like it:\n" + quoted_lines(lines.texts, start, len(wanted))[:1000]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
