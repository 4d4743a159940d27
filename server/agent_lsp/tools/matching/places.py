"""Where the lines of a search text stand in a file: exactly, but for blanks and quotes, or with another indentation."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

NEARBY = 40
"""How far, in lines, a hint may be off and still settle which of several places is meant."""

BLANKS = " \t"
_PLAIN = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
"""Typographic quotes and dashes; each becomes one character, so that positions stay."""


@dataclass(frozen=True, slots=True)
class Shift:
    """The same blanks put before every line, or taken from it."""

    added: str = ""
    removed: str = ""

    def moved(self, lines: Sequence[str]) -> tuple[str, ...] | None:
        """Shift lines; blank ones stay. None where a line has not the blanks that are to go."""
        if not all(line.startswith(self.removed) for line in lines if line.strip(BLANKS)):
            return None
        cut = len(self.removed)
        return tuple(self.added + line[cut:] if line.strip(BLANKS) else line for line in lines)


@dataclass(frozen=True, slots=True)
class Match:
    """A place, counted from 0, and how its indentation differs from the search text's."""

    start: int
    shift: Shift = Shift()


class Haystack:
    """The lines of one file, prepared once for each way of looking at them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._found: dict[tuple[str, tuple[str, ...]], list[Match]] = {}

    def find(self, search: Sequence[str]) -> list[Match]:
        """Find all places in the first way that finds any."""
        return next((matches for matches in self.ways(search) if matches), list[Match]())

    def ways(self, search: Sequence[str]) -> Iterator[list[Match]]:
        """Find all places in one way after the other, the narrowest first."""
        wanted = tuple(search)
        yield self._once("exact", wanted, self._find_exact)
        yield self._once("loose", wanted, self._find_loose)
        yield self._once("shifted", wanted, self._find_shifted)

    @cached_property
    def loose_lines(self) -> list[str]:
        return [loosened(line) for line in self.lines]

    def _once(self, way: str, search: tuple[str, ...], find: Callable[[Sequence[str]], list[Match]]) -> list[Match]:
        """Look for equal lines once: a call may have hundreds of equal hunks."""
        if (way, search) not in self._found:
            self._found[way, search] = find(search)
        return self._found[way, search]

    def _find_exact(self, search: Sequence[str]) -> list[Match]:
        return [Match(start) for start in self._exact.find(search)]

    def _find_loose(self, search: Sequence[str]) -> list[Match]:
        return [Match(start) for start in self._loose.find([loosened(line) for line in search])]

    def _find_shifted(self, search: Sequence[str]) -> list[Match]:
        search = [loosened(line) for line in search]
        stripped = [line.lstrip(BLANKS) for line in search]
        if not any(stripped):
            return []
        first = next(index for index, line in enumerate(stripped) if line)
        shifts = {_shift(self.loose_lines[start + first], search[first]) for start in self._stripped.find(stripped)}
        moved = ((shift, shift.moved(search)) for shift in shifts)
        matches = [Match(start, shift) for shift, lines in moved if lines for start in self._loose.find(lines)]
        return sorted(matches, key=lambda match: match.start)

    @cached_property
    def _exact(self) -> "_View":
        return _View(self.lines)

    @cached_property
    def _loose(self) -> "_View":
        return _View(self.loose_lines)

    @cached_property
    def _stripped(self) -> "_View":
        return _View([line.lstrip(BLANKS) for line in self.loose_lines])


def loosened(line: str) -> str:
    """A line without what models get wrong unseen: blanks at its end, typographic quotes and dashes."""
    return plain_quotes(line.rstrip(BLANKS))


def plain_quotes(text: str) -> str:
    return text if text.isascii() else text.translate(_PLAIN)


def settle(starts: Sequence[int], hint: int | None) -> int | None:
    """Choose among places: the hint's own, else the only one near it, else the only one. None: it is not settled."""
    if hint is not None and hint in starts:
        return hint
    near = [start for start in starts if hint is not None and abs(start - hint) <= NEARBY]
    if len(near) == 1:
        return near[0]
    return starts[0] if len(starts) == 1 else None


class _View:
    """Lines joined into one string, in which whole lines are found at the speed of `str.find`."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._text = _enclosed(lines)

    def find(self, lines: Sequence[str]) -> list[int]:
        needle = _enclosed(lines)
        starts: list[int] = []
        offset, last = self._text.find(needle), -len(needle)
        while offset >= 0:
            if offset - last < len(needle) - 1:
                return _overlapping_starts(self._lines, lines)
            starts.append(bisect_left(self._offsets, offset))
            offset, last = self._text.find(needle, offset + 1), offset
        return starts

    @cached_property
    def _offsets(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self._lines), initial=0))


def _enclosed(lines: Sequence[str]) -> str:
    """Join lines, each with a line feed on both sides: so only whole lines are found in one another."""
    return "\n".join(["", *lines, ""])


def _overlapping_starts(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Find all places by Knuth, Morris and Pratt: in linear time, however much the lines repeat themselves."""
    sequence = [*wanted, None, *lines]
    lengths = [0] * len(sequence)
    for index in range(1, len(sequence)):
        length = lengths[index - 1]
        while length and sequence[index] != sequence[length]:
            length = lengths[length - 1]
        lengths[index] = length + (sequence[index] == sequence[length])
    return [index - 2 * len(wanted) for index, length in enumerate(lengths) if length == len(wanted)]


def _shift(have: str, want: str) -> Shift:
    """Tell how a line would have to be shifted; whether that makes it the other one is not said."""
    return Shift(have[: max(0, len(have) - len(want))], want[: max(0, len(want) - len(have))])
