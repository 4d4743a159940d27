"""Colours for a terminal, and text made safe to show in one. What is shown is the business of `rows.py`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO


class Tone(StrEnum):
    """Only tones that can be read on light and on dark grounds alike; the value is what the terminal is told."""

    BOLD = "1"
    DIM = "2"
    RED = "31"
    GREEN = "32"
    MAGENTA = "35"
    CYAN = "36"


@dataclass(frozen=True, slots=True)
class Paint:
    is_on: bool

    def __call__(self, tone: Tone, text: str) -> str:
        """Colour a text; each line for itself, so that a pager can show any of them alone."""
        if not self.is_on or not text:
            return text
        return "\n".join(f"\x1b[{tone}m{line}\x1b[0m" if line else line for line in text.split("\n"))

    def diff(self, lines: Iterable[str]) -> Iterator[str]:
        """Colour the lines of a unified diff."""
        for line in lines:
            tone = _DIFF_TONES.get(line[:1])
            yield self(tone, line) if tone else line


_DIFF_TONES: Mapping[str, Tone] = {"+": Tone.GREEN, "-": Tone.RED, "@": Tone.CYAN, "\\": Tone.DIM}

# Control characters steer the terminal, and the invisible ones turn text around: with either, what a person says yes
# to could be something else than what they see.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def clean(text: str) -> str:
    """Spell out whatever in a text would steer the terminal or hide in it."""
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text.replace("\r\n", "\n"))


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; one that the process was started without is none."""
    return stream is not None and stream.isatty()


def colours_wanted(environment: Mapping[str, str], output: TextIO | None) -> bool:
    """Whether to colour: never with NO_COLOR, always with FORCE_COLOR, else on a terminal that can."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return is_terminal(output) and environment.get("TERM") != "dumb"
