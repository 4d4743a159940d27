"""Line numbers as read_file prints them (`12 | code`), and how to take them off again."""

import re
from collections.abc import Sequence

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
