"""What apply_patch makes of one text: its hunks put where they belong, all or none."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from agent_lsp.tools.matching.hunk_places import HunkFinder, HunkPlaces
from agent_lsp.tools.matching.lines import Replacement, read_lines, replace_lines
from agent_lsp.tools.matching.numbers import NAMED, named_lines
from agent_lsp.tools.matching.patches import PatchHunk
from agent_lsp.tools.matching.places import Match
from agent_lsp.tools.matching.revision import Refusal, Revision

FAULT_LIMIT = 1000
"""Characters that a hunk without a place may cost."""
_FAULTS_TOLD = 20


def apply_hunks(text: str, sections: Sequence[Sequence[PatchHunk]], *, may_quote: bool = True) -> Revision:
    """Put in all hunks. Refusal tells of every one that has no place, or more than one."""
    lines = read_lines(text)
    finder = HunkFinder(lines.texts, may_quote=may_quote)
    faults: list[str] = []
    placed = [hunk for section in sections for hunk in _placed(_found(section, finder, faults), faults)]
    if not faults:
        placed.sort(key=lambda hunk: hunk.changed)
        faults += _overlaps(placed)
    if faults:
        more = [f"{len(faults) - _FAULTS_TOLD} more hunks have faults."] if len(faults) > _FAULTS_TOLD else []
        raise Refusal("\n".join(faults[:_FAULTS_TOLD] + more))
    return Revision(replace_lines(lines, [change for hunk in placed for change in hunk.changes()]))


@dataclass(frozen=True, slots=True)
class _Placed:
    """A hunk where it belongs."""

    places: HunkPlaces
    match: Match

    @property
    def changed(self) -> tuple[int, int]:
        first, end = self.places.changed()
        return self.match.start + first, self.match.start + end

    def changes(self) -> Iterator[Replacement]:
        """Replace only what changes: the lines that stay are the file's own, in its own spelling."""
        start = self.match.start
        for is_kept, group in groupby(self.places.lines, key=lambda line: line.mark == " "):
            lines = list(group)
            end = start + sum(line.mark != "+" for line in lines)
            if not is_kept:
                added = self.match.shift.moved([line.text for line in lines if line.mark == "+"])
                yield Replacement(start, end, added or ())
            start = end


def _found(section: Sequence[PatchHunk], finder: HunkFinder, faults: list[str]) -> list[HunkPlaces]:
    found: list[HunkPlaces] = []
    for hunk in section:
        try:
            found.append(finder.find(hunk))
        except Refusal as refusal:
            faults.append(_fault(hunk, str(refusal)))
    return found


def _placed(found: Sequence[HunkPlaces], faults: list[str]) -> list[_Placed]:
    """Put hunks in their order into the file. Only what can be done in one way is done."""
    earliest, latest = _earliest(found), _latest(found)
    placed: list[_Placed] = []
    for index, places in enumerate(found):
        # Without a way that keeps the order, each hunk has to be clear by itself.
        first, last = (earliest[index], latest[index]) if earliest else (0, len(places.matches) - 1)
        if first == last:
            placed.append(_Placed(places, places.matches[first]))
        else:
            faults.append(_fault(places.hunk, _ambiguity(places.matches[first : last + 1])))
    return placed


def _earliest(found: Sequence[HunkPlaces]) -> list[int]:
    """Choose for each hunk the first place behind the one before it; nothing, if that is not possible."""
    chosen: list[int] = []
    limit = 0
    for places in found:
        first, end = places.changed()
        index = bisect_left(places.matches, limit - first, key=_start)
        if index == len(places.matches):
            return []
        chosen.append(index)
        limit = places.matches[index].start + end
    return chosen


def _latest(found: Sequence[HunkPlaces]) -> list[int]:
    """Choose for each hunk the last place in front of the one behind it."""
    chosen: list[int] = []
    limit = None
    for places in reversed(found):
        first, end = places.changed()
        fitting = len(places.matches) if limit is None else bisect_right(places.matches, limit - end, key=_start)
        if not fitting:
            return []
        chosen.append(fitting - 1)
        limit = places.matches[fitting - 1].start + first
    return chosen[::-1]


def _start(match: Match) -> int:
    return match.start


def _overlaps(placed: Sequence[_Placed]) -> list[str]:
    return [
        _fault(after.places.hunk, f"it changes lines that the one at line {before.places.hunk.patch_line} changes too.")
        for before, after in pairwise(placed)
        if after.changed[0] < before.changed[1]
    ]


def _ambiguity(matches: Sequence[Match]) -> str:
    starts = [match.start for match in matches[:NAMED]]
    return (
        f"its lines stand at {named_lines(starts, len(matches))}. Add lines around them, "
        "or above the hunk `@@ ` with a line of the file that stands above only one of them."
    )


def _fault(hunk: PatchHunk, fault: str) -> str:
    return f"The hunk at line {hunk.patch_line} of the patch: {fault}"[:FAULT_LIMIT]
