"""Which lines of a file are most like a search text that is not in it.

Never compares everything with everything: lines and words in common vote for a few places, and only these are measured.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, islice

from agent_lsp.tools.matching.lines import shared_start
from agent_lsp.tools.matching.places import BLANKS, loosened

_VOTES = 200
"""What occurs more often says nothing about the place."""
_KNOWN_LINES = 100
_WORDS = 12
_MEASURED_LINES = 25
"""How many unlike lines of one place are compared letter by letter; the rest counts as wholly unlike."""
_LEAST_PLACES = 3
_MEASURED_LETTERS = 100
_READ_LETTERS = 2000
"""So much of a very long line is looked at for words and letters."""
_LOOKED_THROUGH = 400
"""Without a line or word in common, so many lines around the hint are tried, one by one."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A place, counted from 0, and how like it is: 1.0 is the same but for blanks at line ends and quotes."""

    start: int
    similarity: float


class Likenesses:
    """The loosened lines of one file, indexed once for all searches."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def of(self, search: Sequence[str], hint: int | None) -> list[Likeness]:
        """Measure the likeliest places, the best first; of equals the one nearest to the hint."""
        wanted = [loosened(line) for line in search]
        starts = self._candidates(wanted, hint) or self._around(wanted, hint or 0)
        found = [Likeness(start, _similarity(self._lines[start : start + len(wanted)], wanted)) for start in starts]
        return sorted(found, key=lambda like: (-like.similarity, abs(like.start - (hint or 0))))

    def _candidates(self, wanted: Sequence[str], hint: int | None) -> list[int]:
        votes: Counter[int] = Counter()
        for start, weight in self._votes(wanted):
            votes[max(0, start)] += weight
        if hint is not None and 0 <= hint < len(self._lines):
            votes[hint] += 1
        return [start for start, _ in votes.most_common(max(_LEAST_PLACES, _MEASURED_LINES // len(wanted)))]

    def _votes(self, wanted: Sequence[str]) -> Iterator[tuple[int, int]]:
        unknown: list[tuple[str, int]] = []
        known: list[tuple[list[int], int]] = []
        for offset, line in enumerate(wanted):
            if places := self._index.get(line.strip(BLANKS)):
                known.append((places, offset))
            else:
                unknown += [(word, offset) for word in re.findall(r"\w{3,}", line[:_READ_LETTERS])]
        # The rarer a line is, the more it says.
        for places, offset in sorted(known, key=lambda pair: len(pair[0]))[:_KNOWN_LINES]:
            yield from ((place - offset, 8) for place in places[:_VOTES])
        for word, offset in sorted(unknown, key=lambda pair: -len(pair[0]))[:_WORDS]:
            places = list(islice(self._lines_with(word), _VOTES + 1))
            yield from ((place - offset, 1) for place in places if len(places) <= _VOTES)

    def _lines_with(self, word: str) -> Iterator[int]:
        offset = self._text.find(word)
        while offset >= 0:
            line = bisect_right(self._offsets, offset) - 1
            yield line
            offset = self._text.find(word, self._offsets[line + 1])

    def _around(self, wanted: Sequence[str], hint: int) -> list[int]:
        """Find the one line that is most like the longest wanted one, by its letters."""
        longest = max(range(len(wanted)), key=lambda index: len(wanted[index]), default=0)
        first = max(0, min(hint, len(self._lines)) - _LOOKED_THROUGH // 2)
        near = range(first, min(len(self._lines), first + _LOOKED_THROUGH))
        letters = Counter(wanted[longest][:_READ_LETTERS]) if wanted else Counter[str]()
        best = max(near, key=lambda index: _shared_letters(self._lines[index], letters), default=None)
        return [] if best is None else [max(0, best - longest)]

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        index: defaultdict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(self._lines):
            if text := line.strip(BLANKS):
                index[text].append(number)
        return dict(index)

    @cached_property
    def _text(self) -> str:
        return "\n".join(self._lines)

    @cached_property
    def _offsets(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self._lines), initial=0))


def _shared_letters(line: str, letters: Counter[str]) -> int:
    return (Counter(line[:_READ_LETTERS]) & letters).total()


def _similarity(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Compare line with line, each weighed by its length."""
    unlike = 0
    same = total = 0.0
    for have, want in zip([*found, *[""] * (len(wanted) - len(found))], wanted, strict=True):
        weight = max(len(have), len(want), 1)
        total += weight
        if have == want:
            same += weight
        elif unlike < _MEASURED_LINES:
            unlike += 1
            same += weight * _line_similarity(have, want)
    return same / total if total else 0.0


def _line_similarity(have: str, want: str) -> float:
    """Measure what differs between the common beginning and end; of very long lines only a part counts as like."""
    head = shared_start(have, want)
    have_rest, want_rest = have[head:], want[head:]
    tail = shared_start(have_rest[::-1], want_rest[::-1])
    middles = [rest[: len(rest) - tail][:_MEASURED_LETTERS] for rest in (have_rest, want_rest)]
    blocks = SequenceMatcher(None, middles[0], middles[1], autojunk=False).get_matching_blocks()
    same = head + tail + sum(block.size for block in blocks)
    return 2 * same / max(1, len(have) + len(want))
