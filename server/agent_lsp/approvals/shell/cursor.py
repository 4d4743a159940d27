"""The place in a text up to which it was read, and what was found so far. Knows no grammar but blanks and newlines."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from agent_lsp.approvals.shell.syntax import Part, Unreadable

MOST_WORDS = 3_000
"""Reading takes some 10 microseconds a word; a judgement has 50 milliseconds. Who needs more is asked about."""
MOST_DEPTH = 40

_BLANKS = re.compile(r"(?:[ \t]|\\\n)*")
_COMMENT = re.compile(r"#[^\n]*")


@dataclass(slots=True)
class HereDocument:
    """A here-document whose body begins behind the next end of a line."""

    delimiter: str
    is_literal: bool
    strips_tabs: bool
    number: int


@dataclass(slots=True)
class Findings:
    """What was found in a script and in all scripts within it."""

    parts: list[Part] = field(default_factory=list[Part])
    problems: list[str] = field(default_factory=list[str])
    functions: set[str] = field(default_factory=set[str])
    called_by_functions: set[str] = field(default_factory=set[str])
    bodies: dict[int, str] = field(default_factory=dict[int, str])
    """The here-documents' bodies, by number."""
    literal_bodies: set[int] = field(default_factory=set[int])
    """Those in which bash fills in nothing."""
    words: int = 0

    def object(self, problem: str) -> None:
        if problem not in self.problems[-3:]:
            self.problems.append(problem)

    def count_word(self) -> None:
        self.words += 1
        if self.words > MOST_WORDS:
            raise Unreadable("is too long to be checked")

    def feed(self, start: int, end: int | None = None) -> None:
        """Note that the parts from one place on get their input from elsewhere."""
        self.parts[start:end] = [replace(part, is_fed=True) for part in self.parts[start:end]]


@dataclass(slots=True)
class Cursor:
    """Reads one text. Scripts within it are read by `read_commands`, in place or by a cursor of their own."""

    text: str
    findings: Findings
    read_commands: "Callable[[Cursor, frozenset[str]], str]"
    position: int = 0
    depth: int = 0
    waiting: list[HereDocument] = field(default_factory=list[HereDocument])
    enclosing: tuple[str, ...] = ()
    """The functions whose bodies are being read."""

    def peek(self, length: int = 1) -> str:
        return self.text[self.position : self.position + length]

    def starts_with(self, *beginnings: str) -> bool:
        return self.text.startswith(beginnings, self.position)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what a pattern matches right here."""
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()
        return match

    def expect(self, text: str) -> None:
        if not self.starts_with(text):
            raise Unreadable("cannot be read as a bash script")
        self.position += len(text)

    def skip_blanks(self) -> None:
        """Skip blanks, and a comment where one may begin."""
        self.take(_BLANKS)
        self.take(_COMMENT)

    def within(self, text: str) -> "Cursor":
        """A cursor for a text of its own inside this one."""
        if self.depth >= MOST_DEPTH:
            raise Unreadable("is too deep to be checked")
        return Cursor(text, self.findings, self.read_commands, depth=self.depth + 1, enclosing=self.enclosing)

    def go_deeper(self) -> None:
        """Count one more level; whoever comes back takes it off again."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise Unreadable("is too deep to be checked")

    def descend(self, ends: frozenset[str]) -> str:
        """Read the commands of a script that stands inside this one, up to its end."""
        if self.waiting:
            raise Unreadable("mixes here-documents with other scripts")
        self.go_deeper()
        end = self.read_commands(self, ends)
        self.depth -= 1
        if self.waiting:
            raise Unreadable("mixes here-documents with other scripts")
        return end
