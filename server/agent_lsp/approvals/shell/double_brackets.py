"""Bash's `[[ … ]]`: a grammar of its own. It is judged as a part like any other, though it runs nothing."""

import re

from agent_lsp.approvals.shell.cursor import Cursor
from agent_lsp.approvals.shell.lines import skip_lines
from agent_lsp.approvals.shell.syntax import Part, Unreadable, Word
from agent_lsp.approvals.shell.words import read_word
from agent_lsp.approvals.tables import words_of

_EVALUATING = words_of("-eq -ne -lt -le -gt -ge -v -R =~")
_UNARY = words_of("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z -G -L -N -O -R -S")
_BINARY = words_of("= == != =~ -eq -ne -lt -le -gt -ge -nt -ot -ef")
_END = re.compile(r"\]\](?=[ \t\n;&|<>)]|$)")
_ORDER = re.compile(r"[<>](?=[ \t])")


def read_test(cursor: Cursor) -> None:
    """Read a test behind its brackets, and add it to the parts in front of those that stand in its words."""
    start, words = cursor.position - 2, [Word("[[", "[[")]
    place = len(cursor.findings.parts)
    _read_expression(cursor, words)
    if not cursor.take(_END):
        raise Unreadable("tests more than it joins")
    text = cursor.text[start : cursor.position]
    cursor.findings.parts.insert(place, Part(text, words=tuple(words)))


def _read_expression(cursor: Cursor, words: list[Word]) -> None:
    cursor.go_deeper()
    while True:
        _read_term(cursor, words)
        skip_lines(cursor)
        if not cursor.starts_with("&&", "||"):
            break
        cursor.position += 2
    cursor.depth -= 1


def _read_term(cursor: Cursor, words: list[Word]) -> None:
    skip_lines(cursor)
    if cursor.starts_with("("):
        cursor.position += 1
        _read_expression(cursor, words)
        cursor.expect(")")
        return
    word = _read_operand(cursor, words)
    if word.outline == "!":
        _read_term(cursor, words)
        return
    cursor.skip_blanks()
    if word.outline in _UNARY and not _END.match(cursor.text, cursor.position):
        _read_operand(cursor, words)
    elif cursor.take(_ORDER):
        cursor.skip_blanks()
        _read_operand(cursor, words)
    elif not _ends(cursor):
        if _read_operand(cursor, words).outline not in _BINARY:
            raise Unreadable("tests more than it joins")
        cursor.skip_blanks()
        _read_operand(cursor, words)


def _read_operand(cursor: Cursor, words: list[Word]) -> Word:
    if _END.match(cursor.text, cursor.position):
        raise Unreadable("tests nothing")
    word = read_word(cursor)
    if word.text in _EVALUATING:
        cursor.findings.object(f"`{word.text}` evaluates what it compares")
    words.append(word)
    return word


def _ends(cursor: Cursor) -> bool:
    return cursor.starts_with("&&", "||", ")", "\n") or bool(_END.match(cursor.text, cursor.position))
