"""The shapes that a script is read into: words, parts, and the whole with what speaks against it."""

from dataclasses import dataclass

QUOTED, VARIABLE, OPEN, HELD = "\x01", "\x02", "\x03", "\x04"
"""Marks in a word's outline: quoted text, a variable that is known to be harmless, whatever else is filled in, and that
in quotes, where it stays one word."""

_FILLED_IN = frozenset({VARIABLE, OPEN, HELD})


@dataclass(frozen=True, slots=True)
class Word:
    """A word as a program gets it, quotes removed. What bash fills in stands in `text` as it is written.

    `outline` is as long as `text` and keeps only what was not quoted; the rest of it are marks.
    """

    text: str
    outline: str = ""
    is_spelled: bool = False
    """Escapes like `\\x41` spell it."""

    @property
    def is_literal(self) -> bool:
        """Whether the text is exactly what the program gets."""
        return not self.is_filled_in and not self.has_glob and not self.has_braces and not self.outline.startswith("~")

    @property
    def is_filled_in(self) -> bool:
        return not _FILLED_IN.isdisjoint(self.outline)

    @property
    def has_glob(self) -> bool:
        bracket = self.outline.find("[")
        return "*" in self.outline or "?" in self.outline or (bracket >= 0 and self.outline.find("]", bracket + 2) >= 0)

    @property
    def has_braces(self) -> bool:
        behind_brace = self.outline.partition("{")[2]
        return "," in behind_brace or ".." in behind_brace

    @property
    def may_be_option(self) -> bool:
        """Whether what is filled in, or a file's name, may make it an option, alone or as one of several words."""
        if OPEN in self.outline or self.outline.startswith(HELD):
            return True
        if self.text.startswith("-") and HELD in self.outline[: (self.text + "=").index("=")]:
            return True
        return self.has_glob and self.outline.startswith(("*", "?", "["))

    @staticmethod
    def literal(text: str) -> "Word":
        return Word(text, text and QUOTED * len(text))


@dataclass(frozen=True, slots=True)
class Part:
    """A simple command: the assignments in front of it and its words."""

    text: str
    assignments: tuple[Word, ...] = ()
    words: tuple[Word, ...] = ()
    is_fed: bool = False
    """Its input comes from another command, from a file or from the script itself."""
    inputs: tuple[str, ...] = ()
    """Texts of the script that it gets as input, and the numbers of here-documents that it gets besides."""
    documents: tuple[int, ...] = ()
    problems: tuple[str, ...] = ()
    """What was found while it was read that no rule lifts."""
    moves: tuple[tuple[Word, ...], ...] = ()
    """For a `cd`: the words of those that have led here for certain, each a command of its own joined by `&&`."""


@dataclass(frozen=True, slots=True)
class Script:
    """All parts of a command, in order. A problem means that the whole is not plain; without parts it runs nothing."""

    parts: tuple[Part, ...] = ()
    problems: tuple[str, ...] = ()
    is_broken: bool = False
    """It could not be read to its end, or not for certain: there may be more parts."""


class Unreadable(Exception):
    """The text is no script, or none that can be read for certain. Its words continue `it …`."""
