"""Line numbers: as read_file prints them (`12 | code`), how to take them off again, and how places are named."""

import re
from collections.abc import Sequence

_QUOTED = 20
NAMED = 100
"""So many places are named; of more, it is said how many."""
_NUMBERED = re.compile(r"[ \t]*(\d{1,9}) \|(?: (.*))?", re.DOTALL)


def without_numbers(lines: Sequence[str]) -> tuple[list[int], tuple[str, ...]] | None:
    """Split numbers and texts; None unless every line has a number."""
    numbers: list[int] = []
    texts: list[str] = []
    for line in lines:
        match = _NUMBERED.fullmatch(line)
        if match is None:
            return None
        numbers.append(int(match[1]))
        texts.append(match[2] or "")
    return numbers, tuple(texts)


def is_consecutive(numbers: Sequence[int]) -> bool:
    return bool(numbers) and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))


def quoted_lines(lines: Sequence[str], start: int, count: int) -> str:
    """Show a model a few lines from `start`, counted from 0; very long ones in part."""
    shown = lines[start : start + min(count, _QUOTED)]
    return "\n".join(f"{number} | {line[:200]}" for number, line in enumerate(shown, start + 1))


def named_lines(starts: Sequence[int], count: int | None = None) -> str:
    """Name places, counted from 0, by their line numbers; `count` tells how many there are if not all are given."""
    count = len(starts) if count is None else count
    named = ", ".join(str(start + 1) for start in starts[:NAMED])
    more = f" and {count - NAMED} more" if count > NAMED else ""
    return f"line{'s' * (count > 1)} {named}{more}"
