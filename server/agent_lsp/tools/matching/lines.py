"""Texts as lines that keep their endings. A line ends at LF or CR LF, and nowhere else."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

MARK = "\ufeff"
"""A byte-order mark, where an editor hands it over as text."""
_MOST_COMPARED = 500_000
"""Of more pairs of lines, none are aligned between a beginning and an end: that takes time by the square."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A whole text, taken apart: as many endings as texts, of which only the last may be empty."""

    texts: tuple[str, ...]
    endings: tuple[str, ...]
    mark: str = ""

    @property
    def is_ended(self) -> bool:
        return bool(self.endings) and self.endings[-1] != ""

    @property
    def usual_ending(self) -> str:
        """The ending most lines have; of two equally common, the first."""
        endings = Counter(self.endings)
        del endings[""]
        return max(endings, key=lambda ending: endings[ending], default="\n")


class Replacement(NamedTuple):
    """Lines to stand for those from `start` up to `end`, counted from 0."""

    start: int
    end: int
    texts: tuple[str, ...]


def read_lines(text: str) -> Lines:
    mark = MARK if text.startswith(MARK) else ""
    texts = text.removeprefix(mark).split("\n")
    endings = ["\n"] * (len(texts) - 1)
    rest = texts.pop()
    if "\r" in text:
        endings = ["\r\n" if line.endswith("\r") else "\n" for line in texts]
        texts = [line.removesuffix("\r") for line in texts]
    if rest:
        texts.append(rest)
        endings.append("")
    return Lines(tuple(texts), tuple(endings), mark)


def replace_lines(old: Lines, replacements: Iterable[Replacement]) -> str:
    """Put in the replacements (they must not overlap); all other lines, and whether the last one is ended, stay."""
    return _text(_replaced(old, replacements), is_ended=old.is_ended or not old.texts)


def rewrite(old: Lines, text: str) -> str:
    """Let `text` take the old one's place, with its endings. A final newline changes only if nothing else does."""
    new = read_lines(text)
    if not old.texts:
        return (old.mark or new.mark) + "\n".join(new.texts) + ("\n" if new.is_ended else "")
    lines = _replaced(old, [Replacement(0, len(old.texts), new.texts)])
    return _text(lines, is_ended=new.is_ended if lines.texts == old.texts else old.is_ended)


def shared_start(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the items (letters, lines) that are the same from the start, by halves: long slices compare fast."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _replaced(old: Lines, replacements: Iterable[Replacement]) -> Lines:
    """Put the lines together anew, those without an ending with the usual one."""
    texts: list[str] = []
    endings: list[str] = []
    position = 0
    usual = old.usual_ending
    for start, end, new in sorted(replacements, key=lambda replacement: replacement[:2]):
        texts += (*old.texts[position:start], *new)
        endings += (*old.endings[position:start], *_endings(old, start, end, new, usual))
        position = end
    texts += old.texts[position:]
    endings += old.endings[position:]
    return Lines(tuple(texts), tuple(ending or usual for ending in endings), old.mark)


def _endings(old: Lines, start: int, end: int, texts: Sequence[str], usual: str) -> list[str]:
    """Give new lines the usual ending; those that were there before keep their own."""
    replaced = old.endings[start:end]
    endings = [usual] * len(texts)
    if all(ending == usual for ending in replaced):
        return endings
    for old_start, new_start, length in _equal_runs(old.texts[start:end], texts):
        endings[new_start : new_start + length] = replaced[old_start : old_start + length]
    return endings


def _equal_runs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """Align two texts. Equal beginnings and ends are taken off first: what is between is mostly small."""
    head = shared_start(old, new)
    tail = shared_start(old[head:][::-1], new[head:][::-1])
    ends = [(0, 0, head), (len(old) - tail, len(new) - tail, tail)]
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(middle_old) * len(middle_new) > _MOST_COMPARED:
        return ends  # Where the change is proposed, all kept lines are found, with more care.
    blocks = SequenceMatcher(None, middle_old, middle_new, autojunk=False).get_matching_blocks()
    return [*ends, *((head + old_start, head + new_start, length) for old_start, new_start, length in blocks)]


def _text(lines: Lines, *, is_ended: bool) -> str:
    pieces = [text + ending for text, ending in zip(lines.texts, lines.endings, strict=True)]
    if pieces and not is_ended:
        pieces[-1] = lines.texts[-1]
    return lines.mark + "".join(pieces)
