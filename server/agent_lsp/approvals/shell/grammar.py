"""Bash's grammar: lists, pipelines, compound commands and simple ones. Every simple command becomes a part.

Read by hand, since whoever approves a script must know that bash reads it in the same way: what this does not know for
certain is unreadable. Tests hold it to bash itself.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from agent_lsp.approvals.shell.cursor import Cursor
from agent_lsp.approvals.shell.double_brackets import read_test
from agent_lsp.approvals.shell.lines import skip_lines
from agent_lsp.approvals.shell.outputs import KNOWN_PROGRAMS
from agent_lsp.approvals.shell.redirections import Inputs, read_redirection
from agent_lsp.approvals.shell.simple import read_simple
from agent_lsp.approvals.shell.syntax import Part, Unreadable, Word
from agent_lsp.approvals.shell.words import read_word
from agent_lsp.approvals.tables import words_of

_Moves = tuple[tuple[Word, ...], ...]
_KEYWORD = re.compile(r"(?:[a-z]+|!|\{|\}|\[\[|\]\])(?=[ \t\n;&|<>()]|$)")
_OTHER_KEYWORDS = words_of("then elif else fi do done esac in } ]] ! function coproc")
_SHELL_WORD_BEHIND_PIPE = re.compile(
    r"!(?=[ \t\n;&|<>()]|$)|time[ \t]+(?:-p[ \t]+)?(?:[({!]|\[\[|(?:if|for|while|until|case|select)\b)"
)
_COMPOUND_BEHIND_TIME = re.compile(r"time(?=[ \t]+(-p[ \t]+)?([({!]|\[\[|(if|for|while|until|case|select)\b))")
_TIME_WITHOUT_COMMAND = re.compile(
    r"time[ \t]*(?:[|&)]|[ \t](?:-p[ \t]+)?"
    r"(?:then|elif|else|fi|do|done|esac|in|\}|\]\]|coproc|function)(?=[ \t\n;&|<>()]|$))"
)
_NAME = re.compile(r"[A-Za-z_][\w.-]*(?=[ \t\n(]|$)", re.ASCII)
_PARENTHESES = re.compile(r"[ \t]*\([ \t]*\)")
_FUNCTION = re.compile(r"([^ \t\n;&|<>()$`\"'\\={}*?\[~!#]+)[ \t]*\([ \t]*\)")
_COPROCESS = re.compile(r"coproc(?=[ \t])[ \t]+(?:[A-Za-z_]\w*(?=[ \t]+[({]))?", re.ASCII)
_CASE_ENDS = frozenset({";;", ";&", ";;&", "esac"})
_TIME_OPTION = re.compile(r"[ \t]+(?:-p[ \t]+)?")
_MOVERS = words_of("cd pushd popd")
_IN = re.compile(r"in(?=[ \t\n;])")
_ESAC = re.compile(r"esac(?=[ \t\n;&|<>)]|$)")


def read_list(cursor: Cursor, ends: frozenset[str]) -> str:
    """Read commands up to one of the ends, and that too; which one it was. The empty end is the end of the text."""
    is_empty, is_separate = True, True
    while True:
        skip_lines(cursor)
        end = _end_here(cursor, ends)
        if end is not None:
            if is_empty and not ends & {"", ")", ";;"}:
                raise Unreadable("has a place for commands with none in it")
            cursor.position += len(end)
            return end
        if not is_separate:
            raise Unreadable("cannot be read as a bash script")
        _read_and_or(cursor)
        is_empty, is_separate = False, _read_separator(cursor)


def _end_here(cursor: Cursor, ends: frozenset[str]) -> str | None:
    if not cursor.peek():
        if "" not in ends:
            raise Unreadable("breaks off before its end")
        return ""
    for mark in (")", ";;&", ";;", ";&"):
        if mark in ends and cursor.starts_with(mark):
            return mark
    keyword = _KEYWORD.match(cursor.text, cursor.position)
    return keyword[0] if keyword and keyword[0] in ends else None


def _read_separator(cursor: Cursor) -> bool:
    cursor.skip_blanks()
    if cursor.peek() == "\n":
        return True
    if cursor.starts_with(";;", ";&"):
        return True
    if cursor.peek() in (";", "&"):
        cursor.position += 1
        return True
    return cursor.peek() in ("", ")")


def _read_and_or(cursor: Cursor) -> None:
    moves = _read_moving_pipeline(cursor, ())
    cursor.skip_blanks()
    is_certain = True
    while cursor.starts_with("&&", "||"):
        is_certain = is_certain and cursor.starts_with("&&")
        cursor.position += 2
        skip_lines(cursor)
        moves = _read_moving_pipeline(cursor, moves if is_certain else ())
        cursor.skip_blanks()


def _read_moving_pipeline(cursor: Cursor, moves: _Moves) -> _Moves:
    """Read a pipeline behind these moves to other folders; those that have led to what follows it."""
    begin, before = cursor.position, len(cursor.findings.parts)
    _read_pipeline(cursor)
    added = cursor.findings.parts[before:]
    if not any(word.text in _MOVERS for part in added for word in part.words):
        return moves
    text = cursor.text[begin : cursor.position].strip()
    if len(added) != 1 or added[0].text != text or added[0].words[0].text != "cd":
        return ()
    cursor.findings.parts[before] = replace(added[0], moves=moves)
    return (*moves, added[0].words)


def _read_pipeline(cursor: Cursor) -> None:
    _read_command(cursor)
    cursor.skip_blanks()
    while cursor.peek() == "|" and not cursor.starts_with("||"):
        cursor.position += 2 if cursor.starts_with("|&") else 1
        skip_lines(cursor)
        if _SHELL_WORD_BEHIND_PIPE.match(cursor.text, cursor.position):
            raise Unreadable("has a word of the shell behind a pipe")
        start = len(cursor.findings.parts)
        _read_command(cursor)
        cursor.findings.feed(start)
        cursor.skip_blanks()


def _read_command(cursor: Cursor) -> None:
    if cursor.starts_with("(("):
        cursor.findings.object("it calculates with what bash evaluates")
    if cursor.take(_TIME_WITHOUT_COMMAND):
        raise Unreadable("times no command")
    keyword = _KEYWORD.match(cursor.text, cursor.position)
    if cursor.peek() == "(":
        _with_redirections(cursor, _read_subshell)
    elif match := cursor.take(_COMPOUND_BEHIND_TIME):
        if cursor.depth:  # Within a substitution bash refuses some of these.
            raise Unreadable("times a group of commands inside others")
        cursor.findings.parts.append(Part(match[0], words=(Word(match[0], match[0]),)))
        cursor.take(_TIME_OPTION)
        _read_prefixed(cursor)
    elif cursor.take(_COPROCESS):
        cursor.findings.object("it starts a coprocess")
        _read_prefixed(cursor)
    elif keyword and (keyword[0] in _COMPOUNDS or keyword[0] in _OTHER_KEYWORDS):
        cursor.position = keyword.end()
        _read_behind_keyword(cursor, keyword[0])
    elif match := cursor.take(_FUNCTION):
        _read_function_body(cursor, match[1])
    else:
        read_simple(cursor)


def _read_prefixed(cursor: Cursor) -> None:
    """Read the command behind a word of the shell that stands in front of one."""
    cursor.go_deeper()
    _read_command(cursor)
    cursor.depth -= 1


def _read_behind_keyword(cursor: Cursor, keyword: str) -> None:
    match keyword:
        case "!":
            cursor.skip_blanks()
            _read_prefixed(cursor)
        case "function":
            _read_function(cursor)
        case _ if keyword in _COMPOUNDS:
            _with_redirections(cursor, _COMPOUNDS[keyword])
        case _:
            raise Unreadable(f"has `{keyword}` in a place where it cannot stand")


def _with_redirections(cursor: Cursor, read: "_Reader") -> None:
    start = len(cursor.findings.parts)
    read(cursor)
    inputs = Inputs()
    cursor.skip_blanks()
    while read_redirection(cursor, inputs):
        cursor.skip_blanks()
    if inputs.is_fed:
        cursor.findings.feed(start)


def _read_subshell(cursor: Cursor) -> None:
    cursor.position += 1
    before = len(cursor.findings.parts)
    cursor.descend(frozenset({")"}))
    if len(cursor.findings.parts) == before:
        cursor.findings.object("it holds a subshell that runs nothing")


def _read_group(cursor: Cursor) -> None:
    cursor.descend(frozenset({"}"}))


def _read_if(cursor: Cursor) -> None:
    end = "elif"
    while end == "elif":
        cursor.descend(frozenset({"then"}))
        end = cursor.descend(frozenset({"elif", "else", "fi"}))
    if end == "else":
        cursor.descend(frozenset({"fi"}))


def _read_while(cursor: Cursor) -> None:
    cursor.descend(frozenset({"do"}))
    cursor.descend(frozenset({"done"}))


def _read_for(cursor: Cursor) -> None:
    cursor.findings.object("it sets a loop variable")
    cursor.skip_blanks()
    if cursor.starts_with("(("):
        raise Unreadable("calculates with what bash evaluates")
    if not cursor.take(_NAME):
        raise Unreadable("cannot be read as a bash script")
    skip_lines(cursor)
    if cursor.take(_IN):
        cursor.skip_blanks()
        while cursor.peek() not in ("", ";", "\n"):
            read_word(cursor)
            cursor.skip_blanks()
    if cursor.starts_with(";"):
        cursor.position += 1
    skip_lines(cursor)
    cursor.expect("do")
    cursor.descend(frozenset({"done"}))


def _read_case(cursor: Cursor) -> None:
    cursor.skip_blanks()
    read_word(cursor)
    skip_lines(cursor)
    if not cursor.take(_IN):
        raise Unreadable("cannot be read as a bash script")
    skip_lines(cursor)
    while not cursor.take(_ESAC):
        _read_patterns(cursor)
        if cursor.descend(_CASE_ENDS) == "esac":
            return
        skip_lines(cursor)


def _read_patterns(cursor: Cursor) -> None:
    if cursor.starts_with("("):
        cursor.position += 1
    while True:
        cursor.skip_blanks()
        read_word(cursor)
        cursor.skip_blanks()
        if cursor.starts_with(")"):
            break
        cursor.expect("|")
    cursor.position += 1


def _read_function(cursor: Cursor) -> None:
    cursor.skip_blanks()
    name = cursor.take(_NAME)
    if not name:
        raise Unreadable("names a function in an unusual way")
    cursor.take(_PARENTHESES)
    _read_function_body(cursor, name[0])


def _read_function_body(cursor: Cursor, name: str) -> None:
    """Read a function's body as if it ran; one that calls a function may never end, and is objected to elsewhere."""
    skip_lines(cursor)
    keyword = _KEYWORD.match(cursor.text, cursor.position)
    if not (cursor.starts_with("(") or (keyword and keyword[0] in _COMPOUNDS)):
        raise Unreadable("has a function with an unusual body")
    if name in KNOWN_PROGRAMS:
        cursor.findings.object(f"it makes `{name}` mean something else")
    cursor.findings.functions.add(name)
    outer, cursor.enclosing = cursor.enclosing, (*cursor.enclosing, name)
    _read_command(cursor)
    cursor.enclosing = outer


_Reader = Callable[[Cursor], None]
_COMPOUNDS: Mapping[str, _Reader] = MappingProxyType(
    {
        "{": _read_group,
        "[[": read_test,
        "if": _read_if,
        "while": _read_while,
        "until": _read_while,
        "for": _read_for,
        "select": _read_for,
        "case": _read_case,
    }
)
