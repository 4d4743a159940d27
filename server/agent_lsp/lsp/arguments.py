"""The arguments of a command: strings in order, each of which may be left out, or a number where one is meant."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_lsp.domain.errors import BadParams

MAX_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Arguments:
    command: str
    values: Sequence[object] = ()

    def text(self, index: int) -> str:
        """Give the argument, empty where it is left out."""
        value = self.values[index] if index < len(self.values) else None
        if value is None:
            return ""
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise BadParams(f"The arguments of {self.command} are strings.")
        return str(value)

    def needed_text(self, index: int = 0, meaning: str = "words") -> str:
        text = self.text(index)
        if not text.strip():
            raise BadParams(f"Give {self.command} the {meaning} as argument {index + 1}.")
        return text

    def ts(self, index: int) -> int | None:
        """Give the ts of a message, None where it is left out."""
        text = self.text(index).strip()
        if not text:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
            raise BadParams(f"The ts of a message is a number; {self.command} cannot do with {text[:40]!r}.")
        return int(text)

    def lines(self, index: int) -> tuple[int, int] | None:
        """Give a range of lines that count from 1, both included, written as `3-7` or `3`."""
        text = self.text(index).strip()
        if not text:
            return None
        first, _, last = text.partition("-")
        numbers = [first, last or first]
        if not all(n.isascii() and n.isdecimal() and len(n) <= MAX_DIGITS and int(n) for n in numbers):
            raise BadParams(f"Lines are given as 3-7, or as 3; {self.command} cannot do with {text[:40]!r}.")
        return int(numbers[0]), max(int(numbers[0]), int(numbers[1]))
