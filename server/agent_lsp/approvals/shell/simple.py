"""Reads a simple command: assignments, words and redirections, in the order in which they come."""

import re

from agent_lsp.approvals.shell.cursor import Cursor
from agent_lsp.approvals.shell.redirections import Inputs, read_redirection
from agent_lsp.approvals.shell.syntax import Part, Unreadable, Word
from agent_lsp.approvals.shell.words import read_word

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[.*\])?\+?=", re.ASCII | re.DOTALL)
_INDEXED = re.compile(r"[A-Za-z_]\w*\[", re.ASCII)
_ENDS = frozenset(";&|\n)")
_DECLARING = frozenset({"declare", "typeset", "local", "readonly", "export"})


class _Command:
    """A simple command as far as it was read."""

    def __init__(self) -> None:
        self.assignments: list[Word] = []
        self.words: list[Word] = []
        self.inputs = Inputs()

    def add(self, word: Word) -> None:
        if not self.words and _ASSIGNMENT.match(word.outline):
            self.assignments.append(word)
        elif not self.words and _INDEXED.match(word.outline):
            raise Unreadable("may set one of several values")
        else:
            self.words.append(word)

    def takes_array(self) -> bool:
        """Whether a parenthesis here holds the values of an array."""
        last = (self.words or self.assignments)[-1:]
        is_declared = not self.words or self.words[0].text in _DECLARING
        return bool(last) and last[0].outline.endswith("=") and is_declared


def read_simple(cursor: Cursor) -> None:
    """Read a simple command and add it to the parts, in front of those that stand in its words."""
    findings, start, command = cursor.findings, cursor.position, _Command()
    place, problems = len(findings.parts), len(findings.problems)
    end = start
    while not _ends(cursor):
        if cursor.peek() == "(":
            _read_array(cursor, command)
        elif not read_redirection(cursor, command.inputs):
            command.add(read_word(cursor))
        end = cursor.position
        cursor.skip_blanks()
    if end == start:
        raise Unreadable("has a place for a command with none in it")
    if not command.words and not command.assignments:
        return  # Redirections alone run nothing.
    if command.words and cursor.enclosing:
        findings.called_by_functions.add(command.words[0].text)
    part = _part(cursor.text[start:end], command, tuple(findings.problems[problems:]))
    findings.parts.insert(place, part)


def _ends(cursor: Cursor) -> bool:
    char = cursor.peek()
    return not char or (char in _ENDS and not cursor.starts_with("&>"))


def _part(text: str, command: _Command, problems: tuple[str, ...]) -> Part:
    inputs = command.inputs
    return Part(
        text,
        tuple(command.assignments),
        tuple(command.words),
        inputs.is_fed,
        tuple(inputs.texts),
        tuple(inputs.documents),
        problems,
    )


def _read_array(cursor: Cursor, command: _Command) -> None:
    if not command.takes_array() or cursor.text[cursor.position - 1] != "=":
        raise Unreadable("cannot be read as a bash script")
    cursor.findings.object("it sets several values")
    cursor.position += 1
    cursor.skip_blanks()
    while cursor.peek() != ")":
        if cursor.peek() == "\n":
            cursor.position += 1
        else:
            read_word(cursor)
        cursor.skip_blanks()
    cursor.position += 1
