"""Reads one word: quotes and escapes are taken off, expansions are left as written and marked."""

import re

from agent_lsp.approvals.shell.cursor import Cursor
from agent_lsp.approvals.shell.expansions import read_backtick, read_dollar, read_process
from agent_lsp.approvals.shell.outputs import document_shown
from agent_lsp.approvals.shell.syntax import HELD, OPEN, QUOTED, VARIABLE, Unreadable, Word

_PLAIN = re.compile(r"[^ \t\n;&|<>()$`\"'\\]+")
_PLAIN_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_ENDS = frozenset(" \t\n;&|()")
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ANSI_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_ANSI_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class _Spelling:
    """A word as far as it was read."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._outlines: list[str] = []
        self.is_spelled = False

    def add(self, text: str, mark: str | None = None) -> None:
        self._texts.append(text)
        self._outlines.append(text if mark is None else mark * len(text))

    def word(self) -> Word:
        return Word("".join(self._texts), "".join(self._outlines), self.is_spelled)


def read_word(cursor: Cursor) -> Word:
    """Read the word that begins right here; there has to be one."""
    start, spelling = cursor.position, _Spelling()
    while not _ends(cursor):
        if plain := cursor.take(_PLAIN):
            spelling.add(plain[0])
        else:
            _read_piece(cursor, spelling)
    if cursor.position == start:
        raise Unreadable("cannot be read as a bash script")
    if cursor.waiting and "\n" in cursor.text[start : cursor.position]:
        raise Unreadable("mixes here-documents with longer words")
    cursor.findings.count_word()
    word = spelling.word()
    if word.has_braces:
        cursor.findings.object("it makes words of braces")
    return word


def _ends(cursor: Cursor) -> bool:
    char = cursor.peek()
    if char in ("<", ">"):
        return not cursor.starts_with("<(", ">(")
    return not char or char in _ENDS


def _read_piece(cursor: Cursor, spelling: _Spelling) -> None:
    start = cursor.position
    match cursor.peek():
        case "'":
            end = cursor.text.find("'", start + 1)
            if end < 0:
                raise Unreadable("has a quote that is not closed")
            cursor.position = end + 1
            spelling.add(cursor.text[start + 1 : end], QUOTED)
        case '"':
            _read_double_quoted(cursor, spelling)
        case "\\":
            _read_escape(cursor, spelling)
        case "`":
            spelling.add(*_raw(cursor, start, read_backtick(cursor, is_quoted=False)))
        case "<" | ">":
            spelling.add(*_raw(cursor, start, read_process(cursor)))
        case _:
            _read_dollar(cursor, spelling)


def _raw(cursor: Cursor, start: int, mark: str) -> tuple[str, str]:
    return cursor.text[start : cursor.position], mark


def _held(filled_in: tuple[str, str]) -> tuple[str, str]:
    text, mark = filled_in
    return text, HELD if mark == OPEN else mark


def _read_escape(cursor: Cursor, spelling: _Spelling) -> None:
    escaped = cursor.text[cursor.position + 1 : cursor.position + 2]
    if not escaped:
        raise Unreadable("ends in a backslash")
    cursor.position += 2
    if escaped != "\n":
        spelling.add(escaped, QUOTED)


def _read_double_quoted(cursor: Cursor, spelling: _Spelling) -> None:
    cursor.position += 1
    while not cursor.starts_with('"'):
        if plain := cursor.take(_PLAIN_IN_QUOTES):
            spelling.add(plain[0], QUOTED)
            continue
        start = cursor.position
        match cursor.peek():
            case "\\":
                _read_escape_in_quotes(cursor, spelling)
            case "$":
                spelling.add(*_read_dollar_in_quotes(cursor))
            case "`":
                spelling.add(*_held(_raw(cursor, start, read_backtick(cursor, is_quoted=True))))
            case _:
                raise Unreadable("has a quote that is not closed")
    cursor.position += 1


def _read_dollar_in_quotes(cursor: Cursor) -> tuple[str, str]:
    start, before = cursor.position, len(cursor.findings.parts)
    text, mark = _held(_raw(cursor, start, read_dollar(cursor, is_quoted=True)))
    shown = document_shown(text, cursor.findings.parts[before:], cursor.findings)
    return (text, mark) if shown is None else (shown, VARIABLE)


def _read_escape_in_quotes(cursor: Cursor, spelling: _Spelling) -> None:
    escaped = cursor.text[cursor.position + 1 : cursor.position + 2]
    cursor.position += 2
    if escaped != "\n":
        spelling.add(escaped if escaped in '$`"\\' else f"\\{escaped}", QUOTED)


def _read_dollar(cursor: Cursor, spelling: _Spelling) -> None:
    start = cursor.position
    if cursor.starts_with('$"'):
        cursor.findings.object("it translates a text")
        cursor.position += 1
        _read_double_quoted(cursor, spelling)
    elif match := cursor.take(_ANSI):
        spelling.is_spelled = True
        text = _without_escapes(match[1])
        if not all(char.isprintable() or char in "\n\t" for char in text):
            cursor.findings.object("it spells characters that cannot be seen")
        spelling.add(text, QUOTED)
    elif cursor.starts_with("$'"):
        raise Unreadable("has a quote that is not closed")
    else:
        spelling.add(*_raw(cursor, start, read_dollar(cursor, is_quoted=False)))


def _without_escapes(text: str) -> str:
    return _ANSI_ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    hexadecimal = match[1] or match[2] or match[3]
    if hexadecimal:
        return _character(int(hexadecimal, 16))
    if match[4]:
        return _character(int(match[4], 8) & 0xFF)
    if match[5]:
        return _character(ord(match[5]) & 0x1F)
    return _ANSI_LETTERS.get(match[6], match[6] if match[6] in "\\'\"?" else f"\\{match[6]}")


def _character(code: int) -> str:
    return chr(code) if 0 < code < 0x110000 else "\0"
