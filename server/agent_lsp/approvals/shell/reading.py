"""From the text of a command to its script: characters first, then the grammar; and loosely where the grammar fails."""

import re
from collections.abc import Iterator
from dataclasses import replace

from agent_lsp.approvals.shell.characters import unseen_character
from agent_lsp.approvals.shell.cursor import Cursor, Findings
from agent_lsp.approvals.shell.grammar import read_list
from agent_lsp.approvals.shell.syntax import Part, Script, Unreadable

MOST_CHARACTERS = 60_000

_JOINED_IN_A_WORD = re.compile(r"(?<![ \t;|&\\])\\\n")
_LOOSE_ENDS = re.compile(r"[;&|(){}`\n]|\$\(|\b(?:then|else|elif|do|if|while|until)\s")
_QUOTES = re.compile(r"[\"'\\]")
_END_OF_TEXT = frozenset({""})


def read_script(command: str) -> Script:
    """Find the parts of a command, also those in branches, functions and substitutions."""
    if len(command) > MOST_CHARACTERS:
        return Script(problems=("it is too long to be checked",), is_broken=True)
    unseen = unseen_character(command)
    script = _read(command)
    return replace(script, problems=(unseen, *script.problems)) if unseen else script


def loose_commands(command: str) -> Iterator[tuple[str, ...]]:
    """Whatever may be a command in a text that cannot be read for certain, in small letters: too many, not too few."""
    for text in dict.fromkeys(_LOOSE_ENDS.split(command.casefold())):
        if words := _QUOTES.sub("", text).split():
            yield tuple(words)


def _read(command: str) -> Script:
    findings = Findings()
    text = command
    if command.startswith(("-", "+")):
        findings.object("it begins like an option of bash")
    if _JOINED_IN_A_WORD.search(command):
        findings.object("it breaks a line in the middle of a word")
        text = command.replace("\\\n", "")
    cursor = Cursor(text, findings, read_list)
    is_broken = True
    try:
        _read_to_end(cursor)
        is_broken = False
    except Unreadable as reason:
        findings.problems.append(f"it {reason}")
    if findings.functions & findings.called_by_functions:
        findings.object("a function in it may call itself")
    return Script(tuple(_with_inputs(findings)), tuple(findings.problems), is_broken)


def _read_to_end(cursor: Cursor) -> None:
    read_list(cursor, _END_OF_TEXT)
    if cursor.waiting:
        raise Unreadable("holds a here-document without an end")


def _with_inputs(findings: Findings) -> Iterator[Part]:
    for each in findings.parts:
        # A function may lead anywhere.
        part = replace(each, moves=()) if each.moves and findings.functions else each
        bodies = tuple(findings.bodies[number] for number in part.documents if number in findings.bodies)
        yield replace(part, inputs=part.inputs + bodies) if bodies else part
