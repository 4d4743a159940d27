"""What bash fills in: variables, substitutions, arithmetic. Scripts within are read; what may hold secrets objects."""

import re

from agent_lsp.approvals.shell.cursor import Cursor
from agent_lsp.approvals.shell.outputs import is_one_plain_word
from agent_lsp.approvals.shell.syntax import OPEN, QUOTED, VARIABLE, Unreadable

HARMLESS_VARIABLES = frozenset({"HOME", "PWD", "OLDPWD", "USER", "TMPDIR"})

_NUMBERS = frozenset("#?$!-")
_NAME = re.compile(r"\$(?:([A-Za-z_]\w*)|([0-9@*])|([#?$!-]))", re.ASCII)
_BRACED = re.compile(r"\$\{(#?)(?:([A-Za-z_]\w*)|([0-9]+|[@*])|([#?$!-]))", re.ASCII)
_OPERATOR = re.compile(r":?[-+?]|##?|%%?|//?[#%]?|: ?-?[0-9]+(?::-?[0-9]+)?(?=\})")
_NUMBER = r"[ \t]*[-+~!]?[0-9]+[ \t]*"
_BETWEEN_NUMBERS = r"(?:\*\*|<<|>>|&&|\|\||[<>=!]=|[-+*/%<>&|^])"
_SUM = rf"{_NUMBER}(?:{_BETWEEN_NUMBERS}{_NUMBER})*"
_TERM = rf"(?:{_NUMBER}|[ \t]*\({_SUM}\)[ \t]*)"
_PLAIN_ARITHMETIC = re.compile(rf"\$\(\({_TERM}(?:{_BETWEEN_NUMBERS}{_TERM})*\)\)")
_TO_SPECIAL_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_TO_SPECIAL_IN_BODY = re.compile(r"[^\\$`]+")
_TO_SPECIAL_IN_BRACES = re.compile(r"[^}\"'\\$`<>]+")
_TO_SPECIAL_IN_BRACKETS = re.compile(r"[^]()\"'\\$`<>]+")
_BACKTICK = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_ENDS_OF_SUBSTITUTION = frozenset({")"})
_END_OF_TEXT = frozenset({""})


def read_dollar(cursor: Cursor, *, is_quoted: bool) -> str:
    """Read what a dollar begins; the mark that it leaves in a word's outline."""
    start = cursor.position
    if cursor.starts_with("$(("):
        return _read_arithmetic(cursor)
    if cursor.starts_with("$("):
        return _read_substitution(cursor, 2)
    if cursor.starts_with("${"):
        return _read_braced(cursor, is_quoted=is_quoted)
    if cursor.starts_with("$["):
        cursor.position += 2
        cursor.findings.object("it calculates")
        cursor.go_deeper()
        _read_nested(cursor, "]", _TO_SPECIAL_IN_BRACKETS, is_quoted=is_quoted)
        cursor.depth -= 1
        return OPEN
    if match := cursor.take(_NAME):
        if match[0] == "$$" and cursor.peek() in ("(", "{"):
            # Bash looks for the end of a substitution there before it sees that there is none.
            raise Unreadable("cannot be read as a bash script")
        return _mark(cursor, match[1] or "", match[2] or "")
    if not is_quoted and cursor.text[start + 1 : start + 2] in ("'", '"'):
        raise Unreadable("has quotes within an expansion")
    cursor.position += 1
    return QUOTED


def read_backtick(cursor: Cursor, *, is_quoted: bool) -> str:
    """Read a substitution between backticks, which has one level of escapes of its own."""
    match = cursor.take(_BACKTICK)
    if not match:
        raise Unreadable("cannot be read as a bash script")
    escaped = r'\\([$`\\"])' if is_quoted else r"\\([$`\\])"
    inner = cursor.within(re.sub(escaped, r"\1", match[1]))
    before = len(cursor.findings.parts)
    inner.read_commands(inner, _END_OF_TEXT)
    _expect_parts(cursor, before)
    if inner.waiting:
        raise Unreadable("holds a here-document without an end")
    return OPEN


def read_process(cursor: Cursor) -> str:
    """Read a script whose output or input stands in for a file."""
    is_fed, start = cursor.peek() == ">", len(cursor.findings.parts)
    _read_substitution(cursor, 2)
    if is_fed:
        cursor.findings.feed(start)
    return VARIABLE  # It is the path of a descriptor.


def read_here_body(cursor: Cursor) -> None:
    """Read the whole text as the body of a here-document whose delimiter was not quoted."""
    while cursor.position < len(cursor.text):
        if not cursor.take(_TO_SPECIAL_IN_BODY):
            _read_special(cursor, is_quoted=True)


def skip_double_quoted(cursor: Cursor) -> None:
    """Read double quotes whose text matters to nobody, but for the scripts in it."""
    cursor.expect('"')
    while not cursor.starts_with('"'):
        if not cursor.take(_TO_SPECIAL_IN_QUOTES):
            _read_special(cursor, is_quoted=True)
    cursor.position += 1


def skip_single_quoted(cursor: Cursor) -> None:
    end = cursor.text.find("'", cursor.position + 1)
    if end < 0:
        raise Unreadable("has a quote that is not closed")
    cursor.position = end + 1


def _read_special(cursor: Cursor, *, is_quoted: bool) -> None:
    match cursor.peek():
        case "\\":
            cursor.position += 2
        case "$":
            read_dollar(cursor, is_quoted=is_quoted)
        case "`":
            read_backtick(cursor, is_quoted=is_quoted)
        case _:
            raise Unreadable("has a quote or a brace that is not closed")


def _read_substitution(cursor: Cursor, opening: int) -> str:
    cursor.position += opening
    before = len(cursor.findings.parts)
    cursor.descend(_ENDS_OF_SUBSTITUTION)
    _expect_parts(cursor, before)
    parts = cursor.findings.parts[before:]
    return VARIABLE if parts and all(map(is_one_plain_word, parts)) else OPEN


def _expect_parts(cursor: Cursor, before: int) -> None:
    if len(cursor.findings.parts) == before:
        cursor.findings.object("it puts in what stands in a file")


def _read_arithmetic(cursor: Cursor) -> str:
    if cursor.take(_PLAIN_ARITHMETIC):
        return VARIABLE
    cursor.findings.object("it calculates with what bash evaluates")
    # Read as a script: so whatever is substituted in it is found, and so is a subshell that only looks like this.
    return _read_substitution(cursor, 2)


def _read_braced(cursor: Cursor, *, is_quoted: bool) -> str:
    match = cursor.take(_BRACED)
    mark = _mark(cursor, match[2] or "", match[3] or "") if match else OPEN
    if not match:
        cursor.position += 2
        if cursor.peek() in (" ", "\t", "\n", "|"):
            return _read_function_substitution(cursor)
    is_length = bool(match and match[1])
    stands_alone = is_length or bool(match and match[4] == "!")  # What follows `!` makes it another variable's value.
    is_bare = cursor.starts_with("}")
    if not match or (not is_bare and (stands_alone or not cursor.take(_OPERATOR))):
        cursor.findings.object("it fills in a variable in an unusual way")
    elif not is_bare:
        mark = OPEN
    cursor.go_deeper()
    _read_nested(cursor, "}", _TO_SPECIAL_IN_BRACES, is_quoted=is_quoted)
    cursor.depth -= 1
    return VARIABLE if is_length else mark


def _read_function_substitution(cursor: Cursor) -> str:
    """Read `${ …; }`, which newer bashes run and older ones refuse."""
    cursor.findings.object("only some versions of bash can read it")
    cursor.position += 1
    cursor.descend(frozenset({"}"}))
    return OPEN


def _read_nested(cursor: Cursor, end: str, plain: re.Pattern[str], *, is_quoted: bool) -> None:
    while not cursor.starts_with(end):
        if cursor.take(plain):
            continue
        match cursor.peek():
            case "'":
                if is_quoted:  # Whether it quotes there depends on the operator, and on bash's version.
                    raise Unreadable("has quotes within quotes")
                skip_single_quoted(cursor)
            case '"':
                skip_double_quoted(cursor)
            case "<" | ">" if cursor.starts_with("<(", ">("):
                read_process(cursor)  # Bash runs it there as well, if it is not in quotes.
            case "(" | ")" | "[" | "<" | ">":
                cursor.position += 1
            case _:
                _read_special(cursor, is_quoted=is_quoted)
    cursor.position += 1


def _mark(cursor: Cursor, name: str, parameter: str) -> str:
    if name and name not in HARMLESS_VARIABLES:
        cursor.findings.object(f"it fills in the variable {name}")
        return OPEN
    return OPEN if parameter else VARIABLE
