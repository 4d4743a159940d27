"""Which patterns for paths are taken: those that cost little whatever they are held against. Pure.

A pattern comes from whoever wrote the project, and the engine behind `re` can take longer than anyone lives.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

LONGEST = 500
MOST_REPEATS = 4
"""In one alternative: each multiplies what a pattern can cost by the length of the path."""

_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[^:)(]*[:)]?|[*+?]|\{\d*,?\d*\}|[()|]|.", re.DOTALL)
_REPEAT = re.compile(r"[*+?]|\{\d*,?\d*\}")


def problem_of(pattern: str) -> str | None:
    """Tell why a pattern is not taken; None for one that is."""
    if not pattern or len(pattern) > LONGEST:
        return f"it has to be 1 to {LONGEST} characters long"
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        return f"it is no regular expression ({fault})"
    if re.search(r"\\[1-9]|\(\?P=|\(\?\(", pattern):
        return "references to groups are not taken"
    return _cost_problem(_PIECE.findall(pattern))


@dataclass(slots=True)
class _Group:
    """What was seen of a group so far."""

    repeats: int = 0
    """In its present alternative."""
    most: int = 0
    """The same, in whichever alternative has most."""
    chooses: bool = False

    def close(self) -> None:
        self.most = max(self.most, self.repeats)
        self.repeats = 0


def _cost_problem(pieces: Iterable[str]) -> str | None:
    """Look for repeats of what repeats or chooses, and for too many of them side by side."""
    open_groups = [_Group()]
    closed: _Group | None = None
    for piece in pieces:
        repeated, closed = closed, None
        inner = open_groups[-1]
        if piece.startswith("("):
            open_groups.append(_Group())
        elif piece == ")" and len(open_groups) > 1:
            inner.close()
            closed = open_groups.pop()
            open_groups[-1].repeats += closed.most
        elif piece == "|":
            inner.close()
            inner.chooses = True
        elif _REPEAT.fullmatch(piece) and piece != "?":
            if repeated and (repeated.most or repeated.chooses):
                return "it repeats what repeats or chooses in itself"
            inner.repeats += 1
        if open_groups[-1].repeats > MOST_REPEATS:
            return f"it has more than {MOST_REPEATS} repeats side by side"
    return None
