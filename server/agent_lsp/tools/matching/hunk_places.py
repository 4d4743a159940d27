"""Where the hunks of a patch may belong in a text: each by itself, by its lines and by the lines it names with @@."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from agent_lsp.tools.matching.differences import first_difference
from agent_lsp.tools.matching.likeness import Likenesses
from agent_lsp.tools.matching.numbers import named_lines, quoted_lines
from agent_lsp.tools.matching.patches import PatchHunk, PatchLine
from agent_lsp.tools.matching.places import BLANKS, Haystack, Match, Shift, loosened, settle
from agent_lsp.tools.matching.revision import Refusal


@dataclass(frozen=True, slots=True)
class HunkPlaces:
    """All the places of a hunk, in order, and the reading of its lines that led to them."""

    hunk: PatchHunk
    lines: tuple[PatchLine, ...]
    matches: Sequence[Match]

    def changed(self) -> tuple[int, int]:
        """Tell the first line that changes, and the one behind the last, counted from the start of the hunk."""
        offset = 0
        spans: list[tuple[int, int]] = []
        for line in self.lines:
            end = offset + (line.mark != "+")
            if line.mark != " ":
                spans.append((offset, end))
            offset = end
        return (spans[0][0], spans[-1][1]) if spans else (0, 0)


class HunkFinder:
    """Looks for hunks in the lines of one file."""

    def __init__(self, lines: Sequence[str], *, may_quote: bool) -> None:
        self._lines = lines
        self._may_quote = may_quote
        self._haystack = Haystack(lines)

    def find(self, hunk: PatchHunk) -> HunkPlaces:
        """Find the places of a hunk. None at all is a Refusal."""
        anchors = self._anchor_lines(hunk)
        elsewhere: list[int] = []
        for lines in _readings(hunk.lines):
            search = _old_texts(lines)
            for matches in self._haystack.ways(search):
                if fitting := self._fitting(hunk, matches, len(search), anchors):
                    return HunkPlaces(hunk, lines, self._shiftable(fitting, lines))
                elsewhere = elsewhere or [match.start for match in matches]
        lean = _without_blanks(hunk.lines)
        if not _old_texts(lean):
            return HunkPlaces(hunk, lean, self._insertions(hunk, anchors))
        raise Refusal(self._miss(hunk, elsewhere))

    def _insertions(self, hunk: PatchHunk, anchors: Sequence[int] | None) -> tuple[Match, ...]:
        """Put lines in behind the named one, at the numbered one, or at the end of the file."""
        count = len(self._lines)
        match hunk:
            case PatchHunk(is_at_end=False) if anchors is not None:
                return tuple(Match(anchor + 1) for anchor in anchors)
            case PatchHunk(is_at_end=False, insert_at=int(line)) if 1 <= line <= count + 1:
                return (Match(line - 1),)
            case PatchHunk(is_at_end=False, hint=int()) if count:
                raise Refusal("it only puts lines in, and names no line of the file that they belong behind.")
            case _:
                return (Match(count),)

    def _fitting(
        self, hunk: PatchHunk, matches: Sequence[Match], length: int, anchors: Sequence[int] | None
    ) -> Sequence[Match]:
        """Choose the places that are where the hunk says that it is."""
        fitting = matches
        if hunk.is_at_end:
            fitting = [match for match in fitting if match.start + length == len(self._lines)]
        if anchors is not None:
            fitting = _behind(fitting, length, anchors)
        start = settle([match.start for match in fitting], hunk.hint - 1) if hunk.hint is not None else None
        return fitting if start is None else [match for match in fitting if match.start == start]

    def _shiftable(self, matches: Sequence[Match], lines: Sequence[PatchLine]) -> Sequence[Match]:
        """Choose the places to whose indentation the new lines can be shifted."""
        if matches[0].shift == Shift():
            return matches  # Places of one kind come together: none is shifted.
        added = [line.text for line in lines if line.mark == "+"]
        shifts = {shift for shift in {match.shift for match in matches} if shift.moved(added) is not None}
        shiftable = tuple(match for match in matches if match.shift in shifts)
        if not shiftable:
            start = matches[0].start + 1
            raise Refusal(f"its lines stand at line {start} with less indentation, which the new ones lack.")
        return shiftable

    def _anchor_lines(self, hunk: PatchHunk) -> list[int] | None:
        """Tell where the last of the named lines may be: each stands behind the one named before it."""
        anchors: list[int] | None = None
        for anchor in hunk.anchors:
            lines = self._lines_like(anchor)
            if anchors is not None:
                nexts = (bisect_right(lines, before) for before in anchors)
                lines = sorted({lines[index] for index in nexts if index < len(lines)})
            if not lines:
                raise Refusal(f"the line of its @@ is not in the file: {anchor[:200]}")
            anchors = lines
        return anchors

    def _lines_like(self, anchor: str) -> list[int]:
        """Find the lines that are the anchor; if there are none, those that begin with it."""
        bare = loosened(anchor).strip(BLANKS)
        begins = re.compile(re.escape(bare) + r"(?!\w)")
        for lines, is_like in (
            (self._lines, anchor.__eq__),
            (self._bare_lines, bare.__eq__),
            (self._bare_lines, begins.match),
        ):
            if found := [index for index, line in enumerate(lines) if is_like(line)]:
                return found
        return []

    @cached_property
    def _bare_lines(self) -> list[str]:
        return [line.lstrip(BLANKS) for line in self._haystack.loose_lines]

    @cached_property
    def _likenesses(self) -> Likenesses:
        return Likenesses(self._haystack.loose_lines)

    def _miss(self, hunk: PatchHunk, elsewhere: Sequence[int]) -> str:
        if elsewhere:
            wanted = "at the end of the file" if hunk.is_at_end else "behind the line of its @@"
            return f"its lines stand at {named_lines(elsewhere)}, which is not {wanted}."
        fault = "its lines that stay or go are not in the file."
        search = _old_texts(hunk.lines)
        likenesses = self._likenesses.of(search, hunk.hint) if self._may_quote else []
        if not likenesses:
            return fault
        start = likenesses[0].start
        difference = first_difference(self._lines[start : start + len(search)], search, start)
        return f"{fault} {difference} Most like them:\n{quoted_lines(self._lines, start, len(search))}"


def _behind(matches: Sequence[Match], length: int, anchors: Sequence[int]) -> list[Match]:
    """Choose, for each line that was named, the first place behind it; a place may begin with that line, or hold it."""
    ends = [match.start + length for match in matches]
    firsts = sorted({bisect_right(ends, anchor) for anchor in anchors})
    return [matches[index] for index in firsts if index < len(matches)]


def _readings(lines: tuple[PatchLine, ...]) -> Iterator[tuple[PatchLine, ...]]:
    """The lines of a hunk as the grammar has them, and then as models write them; only those that name old lines."""
    lean = _without_blanks(lines)
    if not _old_texts(lean):
        # Blank lines above new ones may be the file's; those below them only set off what follows.
        if lean and _is_blank(lines[0]):
            yield lines
            yield (*takewhile(_is_blank, lines), *lean)
        return
    yield lines
    if lean != lines:
        yield lean
    if any(line.mark == " " and not line.is_bare for line in lean):
        # The blank in front was left out, and what looks like it is the first of the indentation.
        yield tuple(replace(line, text=" " + line.text) if _has_blank(line) else line for line in lean)


def _without_blanks(lines: tuple[PatchLine, ...]) -> tuple[PatchLine, ...]:
    """Take off the lines that only set off what is around the hunk."""
    filled = [index for index, line in enumerate(lines) if not _is_blank(line)]
    return lines[filled[0] : filled[-1] + 1] if filled else ()


def _is_blank(line: PatchLine) -> bool:
    """Whether a line may be none of the file's: that one would have a mark."""
    return line.is_bare and not line.text.strip(BLANKS)


def _has_blank(line: PatchLine) -> bool:
    return line.mark == " " and not line.is_bare and bool(line.text.strip(BLANKS))


def _old_texts(lines: Sequence[PatchLine]) -> list[str]:
    return [line.text for line in lines if line.mark != "+"]
