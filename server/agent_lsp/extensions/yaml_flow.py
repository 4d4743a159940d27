"""The part of YAML that stands within a line: quoted texts, `[…]` and `{…}`, and what plain words mean. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]

_DEEPEST = 30
_PLAIN_END = re.compile(r"[,\[\]{}]|:(?=\s|$)|:(?=[,\[\]{}])")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)'", re.DOTALL)
_MARKED = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\n+|.)|\n+", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b", "b": "\b", "a": "\a", "f": "\f", "v": "\v"}
_BREAKS = re.compile(r"\n+")
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}")
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class NotYaml(ValueError):
    """The text is not YAML, or more of it than is understood here; says what and where."""


def plain(text: str) -> Value:
    """What an unquoted word means."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def quoted(text: str) -> tuple[str, str] | None:
    """Read a quoted text; it and what stands behind it, or None while its end is missing. Its lines are stripped."""
    is_double = text[0] == '"'
    found = (_DOUBLE if is_double else _SINGLE).match(text)
    if found is None:
        return None
    value = _MARKED.sub(_meant, found[1]) if is_double else _BREAKS.sub(_meant, found[1]).replace("''", "'")
    return value, text[found.end() :]


def flow(text: str) -> tuple[Value, str] | None:
    """Read `[…]` or `{…}`; it and what stands behind it, or None while its end is missing."""
    reader = _Flow(text)
    try:
        value = reader.value(0)
    except _Unfinished:
        return None
    return value, text[reader.at :]


class _Unfinished(Exception):
    """The text ends before the value does."""


@dataclass(slots=True)
class _Flow:
    text: str
    at: int = 0

    def value(self, depth: int) -> Value:
        if depth > _DEEPEST:
            raise NotYaml("it is nested too deeply")
        match self._next():
            case "[":
                return self._sequence(depth + 1)
            case "{":
                return self._mapping(depth + 1)
            case '"' | "'":
                return self._quoted()
            case "&" | "*" | "!":
                raise NotYaml("anchors, aliases and tags are not understood here")
            case _:
                return plain(self._plain())

    def _sequence(self, depth: int) -> list[Value]:
        self.at += 1
        items: list[Value] = []
        while self._next() != "]":
            items.append(self.value(depth))
            self._separator("]")
        self.at += 1
        return items

    def _mapping(self, depth: int) -> dict[str, Value]:
        self.at += 1
        pairs: dict[str, Value] = {}
        while self._next() != "}":
            key = self._quoted() if self._next() in "\"'" else self._plain()
            if self._next() == ":":
                self.at += 1
                pairs[key] = None if self._next() in ",}" else self.value(depth)
            else:
                pairs[key] = None
            self._separator("}")
        self.at += 1
        return pairs

    def _separator(self, end: str) -> None:
        mark = self._next()
        if mark == ",":
            self.at += 1
        elif mark != end:
            raise NotYaml(f"a comma or `{end}` is missing before `{self.text[self.at : self.at + 20]}`")

    def _next(self) -> str:
        """The next character that is no blank."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        if self.at >= len(self.text):
            raise _Unfinished
        return self.text[self.at]

    def _quoted(self) -> str:
        is_double = self.text[self.at] == '"'
        found = (_DOUBLE if is_double else _SINGLE).match(self.text, self.at)
        if found is None:
            raise _Unfinished
        self.at = found.end()
        read = quoted(found[0])
        return read[0] if read else ""

    def _plain(self) -> str:
        found = _PLAIN_END.search(self.text, self.at)
        if found is None:
            raise _Unfinished
        if found.start() == self.at:
            raise NotYaml(f"a value is missing before `{self.text[self.at : self.at + 20]}`")
        word = " ".join(self.text[self.at : found.start()].split())
        self.at = found.start()
        return word


def _meant(found: re.Match[str]) -> str:
    """What an escape, or a number of line breaks, stands for."""
    if found[0].startswith("\n"):
        return " " if len(found[0]) == 1 else found[0][1:]
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise NotYaml(f"`\\{code}` is no character")
        return chr(number)
    return "" if code[0] == "\n" else _ESCAPES.get(code, code)
