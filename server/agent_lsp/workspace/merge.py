"""Three-way merge of texts by lines, pure: what two sides made of one base, together, or where they collide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agent_lsp.workspace.alignment import Gap, align, gaps
from agent_lsp.workspace.texts import split_lines


@dataclass(frozen=True, slots=True)
class Collision:
    """Lines of the base, counted from 1, that both sides changed differently, and what each made of them."""

    start_line: int
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    our_line: int = field(default=1, compare=False)
    """Where that is in ours."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The text of both sides; where they collide it has ours."""

    text: str
    collisions: tuple[Collision, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.collisions


def merge(base: str, ours: str, theirs: str) -> Merged:
    """Join two changes of one base. Changes that touch collide, unless they are the same.

    Lines that one side puts in right above or below lines that the other changes stay there, above or below; both sides
    at once at one place have no order, and collide.
    """
    if ours in (base, theirs):
        return Merged(theirs)
    if base == theirs:
        return Merged(ours)
    return _Merge(split_lines(base), split_lines(ours), split_lines(theirs)).merged()


@dataclass(frozen=True, slots=True)
class _Region:
    """A range of the base that at least one side changed, and the range each side has in its place."""

    base: range
    ours: range
    theirs: range


class _Merge:
    """One merge, by lines."""

    def __init__(self, base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> None:
        self._base = base
        self._ours = ours
        self._theirs = theirs

    def merged(self) -> Merged:
        lines, collisions, at = list[str](), list[Collision](), 0
        for region in self._regions():
            lines += self._base[at : region.base.start]
            chosen = self._choose(region)
            if isinstance(chosen, Collision):
                collisions.append(chosen)
                lines += chosen.ours
            else:
                lines += chosen
            at = region.base.stop
        lines += self._base[at:]
        return Merged("".join(lines), tuple(collisions))

    def _choose(self, region: _Region) -> Sequence[str] | Collision:
        base = tuple(self._base[region.base.start : region.base.stop])
        ours = tuple(self._ours[region.ours.start : region.ours.stop])
        theirs = tuple(self._theirs[region.theirs.start : region.theirs.stop])
        if theirs in (base, ours):
            return ours
        return theirs if ours == base else Collision(region.base.start + 1, base, ours, theirs, region.ours.start + 1)

    def _regions(self) -> Iterator[_Region]:
        """Name the changed ranges as they stand in each of the three texts."""
        our_shift = their_shift = 0
        for span in self._spans():
            start, end = span.start, span.end
            yield _Region(
                range(start, end),
                range(start + our_shift, end + our_shift + span.our_growth),
                range(start + their_shift, end + their_shift + span.their_growth),
            )
            our_shift += span.our_growth
            their_shift += span.their_growth

    def _spans(self) -> Iterator["_Span"]:
        """The changes of both sides in order, those that overlap or cannot be told apart made one."""
        ours, theirs = _changes(self._base, self._ours), _changes(self._base, self._theirs)
        spans = [_Span(gap.before_start, gap.before_end, _growth(gap), 0) for gap in ours]
        spans += [_Span(gap.before_start, gap.before_end, 0, _growth(gap)) for gap in theirs]
        current: _Span | None = None
        for span in sorted(spans, key=lambda span: (span.start, span.end)):
            if current and self._is_one(current, span):
                current = current.joined(span)
                continue
            if current:
                yield current
            current = span
        if current:
            yield current

    def _is_one(self, span: "_Span", later: "_Span") -> bool:
        if later.start != span.end:
            return later.start < span.end
        return later.is_put_in == span.is_put_in or (later.is_put_in and self._is_left_open(later))

    def _is_left_open(self, put_in: "_Span") -> bool:
        """Whether the line above what one side puts in at the end has lost its newline on the other."""
        other = self._theirs if put_in.our_growth else self._ours
        return put_in.start == len(self._base) and bool(other) and not other[-1].endswith("\n")


@dataclass(frozen=True, slots=True)
class _Span:
    """A range of the base that holds changes, and by how many lines each side is longer there."""

    start: int
    end: int
    our_growth: int
    their_growth: int

    @property
    def is_put_in(self) -> bool:
        return self.start == self.end

    def joined(self, other: "_Span") -> "_Span":
        return _Span(
            self.start,
            max(self.end, other.end),
            self.our_growth + other.our_growth,
            self.their_growth + other.their_growth,
        )


def _changes(base: Sequence[str], side: Sequence[str]) -> list[Gap]:
    return list(gaps(align(base, side), len(base), len(side)))


def _growth(gap: Gap) -> int:
    return (gap.after_end - gap.after_start) - (gap.before_end - gap.before_start)
