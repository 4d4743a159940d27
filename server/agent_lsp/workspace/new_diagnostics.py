"""Which diagnostics an edit has brought: those whose place and words were not there before. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agent_lsp.domain.diagnostics import Diagnostic
from agent_lsp.workspace.alignment import Gap, align, gaps
from agent_lsp.workspace.texts import split_lines

_LINE_NUMBER = re.compile(r"(?i)\bline \d+")

_Mark = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """A text, and all that was found in it."""

    text: str
    diagnostics: tuple[Diagnostic, ...]


def new_diagnostics(before: Diagnosed, after: Diagnosed) -> tuple[Diagnostic, ...]:
    """Leave out what only moved with its line, or still stands in a place that was rewritten."""
    old, new = split_lines(before.text), split_lines(after.text)
    gaps_between = tuple(gaps(align(old, new), len(old), len(new)))
    known = Counter(_mark(each, _place_before(each.line, gaps_between)) for each in before.diagnostics)
    found = list[Diagnostic]()
    for diagnostic in after.diagnostics:
        mark = _mark(diagnostic, _place_after(diagnostic.line, gaps_between))
        if known[mark] > 0:
            known[mark] -= 1
        else:
            found.append(diagnostic)
    return tuple(found)


def _mark(diagnostic: Diagnostic, place: int) -> _Mark:
    # Words may name another line, which has moved as well.
    words = _LINE_NUMBER.sub("line", diagnostic.message)
    return place, diagnostic.severity, diagnostic.source, diagnostic.code, words


def _place_before(line: int, between: Sequence[Gap]) -> int:
    """Name a place of the old text by the line it has now; one that was rewritten, by its whole passage."""
    shift = 0
    for number, gap in enumerate(between, start=1):
        if line < gap.before_start:
            break
        if line < gap.before_end:
            return -number
        shift = gap.after_end - gap.before_end
    return line + shift


def _place_after(line: int, between: Sequence[Gap]) -> int:
    for number, gap in enumerate(between, start=1):
        if gap.after_start <= line < gap.after_end:
            return -number
    return line
