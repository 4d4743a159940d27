"""Texts as lines that keep their endings. A line ends at LF or CR LF, and nowhere else."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

MARK = "\ufeff"
"""A byte-order mark, where an editor hands it over as text."""


class Line(NamedTuple):
    text: str
    ending: str


@dataclass(frozen=True, slots=True)
class Lines:
    """A whole text. Only the last line may lack an ending."""

    lines: tuple[Line, ...]
    mark: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines)

    @property
    def is_ended(self) -> bool:
        return bool(self.lines) and self.lines[-1].ending != ""

    @property
    def usual_ending(self) -> str:
        """The ending most lines have; of two equally common, the first."""
        endings = Counter(line.ending for line in self.lines if line.ending)
        return max(endings, key=lambda ending: endings[ending], default="\n")


class Replacement(NamedTuple):
    """Lines to stand for those from `start` up to `end`, counted from 0."""

    start: int
    end: int
    texts: tuple[str, ...]


def read_lines(text: str) -> Lines:
    mark = MARK if text.startswith(MARK) else ""
    *whole, rest = text.removeprefix(mark).split("\n")
    lines = [Line(line[:-1], "\r\n") if line.endswith("\r") else Line(line, "\n") for line in whole]
    if rest:
        lines.append(Line(rest, ""))
    return Lines(tuple(lines), mark)


def replace_lines(old: Lines, replacements: Iterable[Replacement]) -> str:
    """Put in the replacements (they must not overlap); all other lines, and whether the last one is ended, stay."""
    return _text(_replaced(old, replacements), old, is_ended=old.is_ended or not old.lines)


def rewrite(old: Lines, text: str) -> str:
    """Let `text` take the old one's place, with its endings. A final newline changes only if nothing else does."""
    new = read_lines(text)
    if not old.lines:
        return (old.mark or new.mark) + "\n".join(new.texts) + ("\n" if new.is_ended else "")
    lines = _replaced(old, [Replacement(0, len(old.lines), new.texts)])
    is_same = [line.text for line in lines] == list(old.texts)
    return _text(lines, old, is_ended=new.is_ended if is_same else old.is_ended)


def _replaced(old: Lines, replacements: Iterable[Replacement]) -> list[Line]:
    lines: list[Line] = []
    position = 0
    usual = old.usual_ending
    for start, end, texts in sorted(replacements, key=lambda replacement: replacement[:2]):
        lines += old.lines[position:start]
        lines += _with_endings(old.lines[start:end], texts, usual)
        position = end
    return lines + list(old.lines[position:])


def _with_endings(old: Sequence[Line], texts: Sequence[str], usual: str) -> list[Line]:
    """Give new lines the usual ending; those that were there before keep their own."""
    lines = [Line(text, usual) for text in texts]
    if all(line.ending == usual for line in old):
        return lines
    for old_start, new_start, length in _equal_runs([line.text for line in old], texts):
        lines[new_start : new_start + length] = old[old_start : old_start + length]
    return lines


def _equal_runs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """Align two texts. Equal beginnings and ends are taken off first: what is between is mostly small."""
    head = shared_start(old, new)
    tail = shared_start(old[head:][::-1], new[head:][::-1])
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail])
    middle = [(head + a, head + b, length) for a, b, length in matcher.get_matching_blocks()]
    return [(0, 0, head), *middle, (len(old) - tail, len(new) - tail, tail)]


def shared_start(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the items (letters, lines) that are the same from the start."""
    pairs = zip(first, second, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _text(lines: Sequence[Line], old: Lines, *, is_ended: bool) -> str:
    if not lines:
        return old.mark
    usual = old.usual_ending
    pieces = [text + (ending or usual) for text, ending in lines]
    last = lines[-1]
    pieces[-1] = last.text + ((last.ending or usual) if is_ended else "")
    return old.mark + "".join(pieces)
