"""Which lines two texts have in common: the ground that diffs, merges and line endings stand on. Pure and bounded."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_STEPS = 60_000
"""Steps of fine comparison for one pair of texts, some 20 ms; what is left then counts as replaced."""
MOST_EDITS = 256
"""Lines added and removed in one gap between anchors, up to which the shortest edit is looked for."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are equal in both texts."""

    before: int
    after: int
    size: int


@dataclass(frozen=True, slots=True)
class Gap:
    """Two ranges of lines, one in each text, between which nothing has been matched yet."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int

    @property
    def is_one_sided(self) -> bool:
        return self.before_start == self.before_end or self.after_start == self.after_end


def align(before: Sequence[str], after: Sequence[str]) -> list[Block]:
    """Match the lines of two texts, in order, neighbours joined.

    Lines that are unique in both anchor the rest (patience), the gaps between them get the shortest edit (Myers).
    """
    blocks = sorted(_Aligner(before, after).blocks(), key=lambda block: block.before)
    return list(_joined(blocks))


def gaps(blocks: Sequence[Block], before_size: int, after_size: int) -> Iterator[Gap]:
    """What lies between the blocks: the places where the texts differ."""
    at_before, at_after = 0, 0
    for block in (*blocks, Block(before_size, after_size, 0)):
        if block.before > at_before or block.after > at_after:
            yield Gap(at_before, block.before, at_after, block.after)
        at_before, at_after = block.before + block.size, block.after + block.size


def _runs(pairs: Sequence[tuple[int, int]]) -> Iterator[Block]:
    """Put pairs of lines that follow one another in both texts into one block."""
    start = 0
    for end in range(1, len(pairs) + 1):
        first = pairs[start]
        size = end - start
        if end < len(pairs) and pairs[end] == (first[0] + size, first[1] + size):
            continue
        yield Block(*first, size)
        start = end


def _joined(blocks: Sequence[Block]) -> Iterator[Block]:
    last: Block | None = None
    for block in blocks:
        if last and (last.before + last.size, last.after + last.size) == (block.before, block.after):
            last = Block(last.before, last.after, last.size + block.size)
            continue
        if last:
            yield last
        last = block
    if last:
        yield last


class _Aligner:
    """One comparison of two texts, with the steps it has left."""

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        self._before = before
        self._after = after
        self._steps_left = MOST_STEPS

    def blocks(self) -> Iterator[Block]:
        # A stack instead of recursion: the depth of hostile texts is theirs to choose.
        open_gaps = [Gap(0, len(self._before), 0, len(self._after))]
        while open_gaps:
            head, inner, tail = self._trimmed(open_gaps.pop())
            yield from (block for block in (head, tail) if block.size)
            if inner.is_one_sided:
                continue
            if anchors := self._anchors(inner):
                yield from anchors
                open_gaps.extend(_between(anchors, inner))
            else:
                yield from self._shortest(inner)

    def _trimmed(self, gap: Gap) -> tuple[Block, Gap, Block]:
        """Take the equal lines off both ends."""
        most = min(gap.before_end - gap.before_start, gap.after_end - gap.after_start)
        head = 0
        while head < most and self._before[gap.before_start + head] == self._after[gap.after_start + head]:
            head += 1
        most -= head
        tail = 0
        while tail < most and self._before[gap.before_end - tail - 1] == self._after[gap.after_end - tail - 1]:
            tail += 1
        before_end, after_end = gap.before_end - tail, gap.after_end - tail
        inner = Gap(gap.before_start + head, before_end, gap.after_start + head, after_end)
        return Block(gap.before_start, gap.after_start, head), inner, Block(before_end, after_end, tail)

    def _anchors(self, gap: Gap) -> list[Block]:
        """Find the longest rising run of the lines that stand exactly once on either side."""
        places = _once(self._after, gap.after_start, gap.after_end)
        unique = _once(self._before, gap.before_start, gap.before_end)
        pairs = [(at, places[line]) for line, at in unique.items() if line in places]
        return list(_runs(_longest_rising(pairs)))

    def _shortest(self, gap: Gap) -> Iterator[Block]:
        """Find the shortest edit, unless it takes too many steps: then nothing in the gap is equal."""
        width, height = gap.before_end - gap.before_start, gap.after_end - gap.after_start
        furthest, trace = {1: 0}, list[dict[int, int]]()
        for edits in range(min(width + height, MOST_EDITS) + 1):
            trace.append(dict(furthest))
            if self._steps_left <= 0:
                return
            for diagonal in range(-edits, edits + 1, 2):
                is_down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
                x = furthest[diagonal + 1] if is_down else furthest[diagonal - 1] + 1
                x = self._slide(gap, x, x - diagonal)
                furthest[diagonal] = x
                if x >= width and x - diagonal >= height:
                    yield from _walked_back(gap, trace)
                    return

    def _slide(self, gap: Gap, x: int, y: int) -> int:
        start = x
        while (
            gap.before_start + x < gap.before_end
            and gap.after_start + y < gap.after_end
            and self._before[gap.before_start + x] == self._after[gap.after_start + y]
        ):
            x, y = x + 1, y + 1
        self._steps_left -= x - start + 1
        return x


def _walked_back(gap: Gap, trace: Sequence[dict[int, int]]) -> Iterator[Block]:
    """Follow the shortest edit back from its end, and yield what it kept."""
    x, y = gap.before_end - gap.before_start, gap.after_end - gap.after_start
    for edits in range(len(trace) - 1, -1, -1):
        furthest, diagonal = trace[edits], x - y
        is_down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
        came_from = diagonal + 1 if is_down else diagonal - 1
        old_x = furthest[came_from] if edits else 0
        old_y = old_x - came_from if edits else 0
        kept = min(x - old_x, y - old_y)
        if kept:
            yield Block(gap.before_start + x - kept, gap.after_start + y - kept, kept)
        x, y = old_x, old_y


def _between(anchors: Sequence[Block], gap: Gap) -> Iterator[Gap]:
    """The gaps between anchors in which anything can be equal; most anchors have none between them."""
    at_before, at_after = gap.before_start, gap.after_start
    for block in (*anchors, Block(gap.before_end, gap.after_end, 0)):
        if block.before > at_before and block.after > at_after:
            yield Gap(at_before, block.before, at_after, block.after)
        at_before, at_after = block.before + block.size, block.after + block.size


def _once(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The lines that stand exactly once in the range, with their place."""
    places = dict[str, int]()
    for at in range(start, end):
        places[lines[at]] = -1 if lines[at] in places else at
    return {line: at for line, at in places.items() if at >= 0}


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs with rising first parts, the longest choice in which the second parts rise too."""
    tops, ends, before = list[int](), list[int](), list[int]()
    for index, (_, value) in enumerate(pairs):
        pile = bisect_left(tops, value)
        before.append(ends[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [value]
        ends[pile : pile + 1] = [index]
    chosen = list[tuple[int, int]]()
    index = ends[-1] if ends else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]
