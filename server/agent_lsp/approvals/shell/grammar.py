"""Bash's grammar: lists, pipelines, compound commands and simple ones. Every simple command becomes a part.

Read by hand, since whoever approves a script must know that bash reads it in the same way: what this does not know for
certain is unreadable. Tests hold it to bash itself.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from agent_lsp.approvals.shell.cursor import Cursor
from agent_lsp.approvals.shell.lines import skip_lines
from agent_lsp.approvals.shell.redirections import Inputs, read_redirection
from agent_lsp.approvals.shell.simple import read_simple
from agent_lsp.approvals.shell.syntax import Part, Unreadable, Word
from agent_lsp.approvals.shell.words import read_word

_KEYWORD = re.compile(r"(?:[a-z]+|!|\{|\}|\[\[)(?=[ \t\n;&|<>()]|$)")
_OTHER_KEYWORDS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "in", "}", "!", "function"})
_COMPOUND_BEHIND_TIME = re.compile(r"time(?=[ \t]+(-p[ \t]+)?([({!]|\[\[|(if|for|while|until|case|select)\b))")
_NAME = re.compile(r"[A-Za-z_][\w.-]*(?=[ \t\n(]|$)", re.ASCII)
_PARENTHESES = re.compile(r"[ \t]*\([ \t]*\)")
_FUNCTION = re.compile(r"([^ \t\n;&|<>()$`\"'\\={}*?\[~!#]+)[ \t]*\([ \t]*\)")
_COPROCESS = re.compile(r"coproc(?=[ \t])[ \t]+(?:[A-Za-z_]\w*(?=[ \t]+[({]))?", re.ASCII)
_CASE_ENDS = frozenset({";;", ";&", ";;&", "esac"})
_ARITHMETIC_TESTS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R", "=~"})
_TEST_SYNTAX = re.compile(r"&&|\|\||[()<>]")
_TEST_END = re.compile(r"\]\](?=[ \t\n;&|<>)]|$)")
_TIME_OPTION = re.compile(r"[ \t]+(?:-p[ \t]+)?")
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
        is_compound = _read_and_or(cursor)
        is_empty, is_separate = False, _read_separator(cursor) or is_compound


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


def _read_and_or(cursor: Cursor) -> bool:
    is_compound = _read_pipeline(cursor)
    cursor.skip_blanks()
    while cursor.starts_with("&&", "||"):
        cursor.position += 2
        skip_lines(cursor)
        is_compound = _read_pipeline(cursor)
        cursor.skip_blanks()
    return is_compound


def _read_pipeline(cursor: Cursor) -> bool:
    is_compound = _read_command(cursor)
    cursor.skip_blanks()
    while cursor.peek() == "|" and not cursor.starts_with("||"):
        cursor.position += 2 if cursor.starts_with("|&") else 1
        skip_lines(cursor)
        start = len(cursor.findings.parts)
        is_compound = _read_command(cursor)
        cursor.findings.feed(start)
        cursor.skip_blanks()
    return is_compound


def _read_command(cursor: Cursor) -> bool:
    """Read one command; whether it is a compound one, behind which no separator is needed."""
    if cursor.starts_with("(("):
        cursor.findings.object("it calculates with what bash evaluates")
    if cursor.peek() == "(":
        return _with_redirections(cursor, _read_subshell)
    if match := cursor.take(_COMPOUND_BEHIND_TIME):
        cursor.findings.parts.append(Part(match[0], words=(Word(match[0], match[0]),)))
        cursor.take(_TIME_OPTION)
        return _read_command(cursor)
    if cursor.take(_COPROCESS):
        cursor.findings.object("it starts a coprocess")
        return _read_command(cursor)
    keyword = _KEYWORD.match(cursor.text, cursor.position)
    if keyword and (keyword[0] in _COMPOUNDS or keyword[0] in _OTHER_KEYWORDS):
        return _read_compound(cursor, keyword[0])
    if match := _FUNCTION.match(cursor.text, cursor.position):
        cursor.position = match.end()
        return _read_function_body(cursor, match[1])
    read_simple(cursor)
    return False


def _read_compound(cursor: Cursor, keyword: str) -> bool:
    cursor.position += len(keyword)
    if keyword == "!":
        cursor.skip_blanks()
        return _read_command(cursor)
    if keyword == "function":
        return _read_function(cursor)
    if keyword not in _COMPOUNDS:
        raise Unreadable(f"has `{keyword}` in a place where it cannot stand")
    return _with_redirections(cursor, _COMPOUNDS[keyword])


def _with_redirections(cursor: Cursor, read: "_Reader") -> bool:
    start = len(cursor.findings.parts)
    read(cursor)
    inputs = Inputs()
    cursor.skip_blanks()
    while read_redirection(cursor, inputs):
        cursor.skip_blanks()
    if inputs.is_fed:
        cursor.findings.feed(start)
    return True


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


def _read_function(cursor: Cursor) -> bool:
    cursor.skip_blanks()
    name = cursor.take(_NAME)
    if not name:
        raise Unreadable("names a function in an unusual way")
    cursor.take(_PARENTHESES)
    return _read_function_body(cursor, name[0])


def _read_function_body(cursor: Cursor, name: str) -> bool:
    """Read a function's body as if it ran; one that calls a function may never end, and is objected to elsewhere."""
    skip_lines(cursor)
    keyword = _KEYWORD.match(cursor.text, cursor.position)
    if not (cursor.starts_with("(") or (keyword and keyword[0] in _COMPOUNDS)):
        raise Unreadable("has a function with an unusual body")
    cursor.findings.functions.add(name)
    outer, cursor.enclosing = cursor.enclosing, (*cursor.enclosing, name)
    _read_command(cursor)
    cursor.enclosing = outer
    return True


def _read_test(cursor: Cursor) -> None:
    """Read `[[ … ]]`, which is judged as a part like any other, though it runs nothing."""
    start, words = cursor.position - 2, [Word("[[", "[[")]
    place = len(cursor.findings.parts)
    skip_lines(cursor)
    while not cursor.take(_TEST_END):
        if cursor.take(_TEST_SYNTAX):
            skip_lines(cursor)
            continue
        word = read_word(cursor)
        if word.text in _ARITHMETIC_TESTS:
            cursor.findings.object(f"`{word.text}` evaluates what it compares")
        words.append(word)
        skip_lines(cursor)
    text = cursor.text[start : cursor.position]
    cursor.findings.parts.insert(place, Part(text, words=tuple(words)))


_Reader = Callable[[Cursor], None]
_COMPOUNDS: Mapping[str, _Reader] = MappingProxyType(
    {
        "{": _read_group,
        "[[": _read_test,
        "if": _read_if,
        "while": _read_while,
        "until": _read_while,
        "for": _read_for,
        "select": _read_for,
        "case": _read_case,
    }
)
