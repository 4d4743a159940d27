"""Enough of YAML to read the files that people write for agents: mappings, lists, texts in all forms. Pure.

What is rarely written there (anchors, tags, several documents) is refused with its line, never guessed at.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from agent_lsp.extensions.yaml_flow import NotYaml, Value, flow, plain, quoted

__all__ = ["NotYaml", "Value", "read_yaml"]

_DEEPEST = 30
_LONGEST_VALUE_LINES = 200
"""Of a quoted text or a bracket over several lines, which is read anew with each."""
_BLOCK = re.compile(r"([|>])([+-]?)([1-9]?)([+-]?)(?:\s+#.*)?")
_COLON = re.compile(r":(?=\s|$)")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_MARKS = ("---", "...")
_NO_KEY_BEGINS = "#&*!|>%@`\"'[]{},"


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    indent: int
    text: str
    """Without the indent, and without blanks at the end."""

    @property
    def is_empty(self) -> bool:
        return not self.text or self.text.startswith("#")

    @property
    def is_item(self) -> bool:
        return self.text == "-" or self.text.startswith("- ")


def read_yaml(text: str) -> Value:
    """Read one document; NotYaml names the line where that ends."""
    reader = _Reader([_line(number, line) for number, line in enumerate(text.removesuffix("\n").split("\n"), 1)])
    try:
        return reader.document()
    except NotYaml as fault:
        raise NotYaml(f"line {reader.line_number}: {fault}") from None


def _line(number: int, line: str) -> _Line:
    text = line.rstrip()
    return _Line(number, len(text) - len(text.lstrip(" ")), text.lstrip(" "))


class _Reader:
    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0

    @property
    def line_number(self) -> int:
        return self._lines[min(self._at, len(self._lines) - 1)].number

    def document(self) -> Value:
        if (first := self._peek()) and first.text == "---":
            self._at += 1
        value = self._node(0, 0)
        rest = self._peek()
        if rest and rest.text not in _MARKS:
            raise NotYaml(f"`{rest.text[:40]}` stands where nothing can")
        if rest:
            self._at += 1
            if self._peek():
                raise NotYaml("only one document can be read")
        return value

    def _peek(self) -> _Line | None:
        """The next line that says something."""
        while self._at < len(self._lines) and self._lines[self._at].is_empty:
            self._at += 1
        line = self._lines[self._at] if self._at < len(self._lines) else None
        if line and line.text.startswith("\t"):
            raise NotYaml("it is indented with a tab; blanks are needed")
        return line

    def _node(self, least_indent: int, depth: int) -> Value:
        line = self._peek()
        if line is None or line.indent < least_indent or line.text in _MARKS:
            return None
        if depth > _DEEPEST:
            raise NotYaml("it is nested too deeply")
        if line.is_item:
            return self._sequence(line.indent, depth)
        if _parted(line.text):
            return self._mapping(line.indent, depth)
        self._at += 1
        read = self._block if _BLOCK.fullmatch(line.text) else self._inline
        return read(line.text, line.indent - 1)

    def _sequence(self, indent: int, depth: int) -> list[Value]:
        items: list[Value] = []
        while (line := self._peek()) and line.indent == indent and line.is_item:
            rest = line.text[1:].lstrip()
            if not rest or rest.startswith("#"):
                self._at += 1
                items.append(self._node(indent + 1, depth + 1))
            elif _BLOCK.fullmatch(rest):
                self._at += 1
                items.append(self._block(rest, indent))
            else:
                # What stands behind the dash is a node of its own, as far in as it stands.
                inner = indent + len(line.text) - len(rest)
                self._lines[self._at] = replace(line, indent=inner, text=rest)
                items.append(self._node(indent + 1, depth + 1))
        return items

    def _mapping(self, indent: int, depth: int) -> dict[str, Value]:
        pairs: dict[str, Value] = {}
        while (line := self._peek()) and line.indent == indent and (parts := _parted(line.text)):
            key, rest = parts
            if key in pairs:
                raise NotYaml(f"`{key[:40]}` stands there twice")
            self._at += 1
            pairs[key] = self._value(rest, indent, depth)
        return pairs

    def _value(self, rest: str, indent: int, depth: int) -> Value:
        if rest and not rest.startswith("#"):
            return self._block(rest, indent) if _BLOCK.fullmatch(rest) else self._inline(rest, indent)
        below = self._peek()
        if below and below.indent == indent and below.is_item:
            return self._sequence(indent, depth + 1)
        return self._node(indent + 1, depth + 1)

    def _inline(self, text: str, indent: int) -> Value:
        match text[0]:
            case '"' | "'":
                return self._whole(quoted, text, "a closing quote is missing")
            case "[" | "{":
                return self._whole(flow, text, "a closing bracket is missing")
            case "&" | "*" | "!":
                raise NotYaml("anchors, aliases and tags are not understood here")
            case "%" | "@" | "`":
                raise NotYaml(f"a text that begins with `{text[0]}` needs quotes")
            case _:
                return self._plain(text, indent)

    def _whole(self, read: Callable[[str], tuple[Value, str] | None], text: str, missing: str) -> Value:
        """Read a value that says itself where it ends, over as many lines as it takes."""
        begun = self._at
        while (found := read(text)) is None:
            if self._at >= len(self._lines) or self._at - begun > _LONGEST_VALUE_LINES:
                self._at = begun - 1
                raise NotYaml(missing)
            text = f"{text}\n{self._lines[self._at].text}"
            self._at += 1
        value, behind = found
        if _COMMENT.sub("", behind).strip():
            raise NotYaml(f"`{behind.strip()[:40]}` stands behind a value")
        return value

    def _plain(self, text: str, indent: int) -> Value:
        """Read an unquoted text, which goes on in lines that stand further in."""
        lines = [_without_comment(text)]
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.text and (line.indent <= indent or line.text.startswith("#") or line.text in _MARKS):
                break
            if line.text and _parted(line.text):
                raise NotYaml("it stands too far in")
            lines.append(_without_comment(line.text))
            self._at += 1
        while not lines[-1]:
            lines.pop()
        return plain(lines[0]) if len(lines) == 1 else _folded(lines).rstrip("\n")

    def _block(self, head: str, indent: int) -> str:
        """Read `|` and `>`: all lines that stand further in, as they are or filled."""
        found = _BLOCK.fullmatch(head)
        style, ending, width = (found[1], found[2] or found[4], found[3]) if found else ("|", "", "")
        taken: list[_Line] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.text and line.indent <= indent:
                break
            taken.append(line)
            self._at += 1
        first = next((line.indent for line in taken if line.text), 0)
        begin = max(indent, 0) + int(width) if width else first
        lines = [" " * (line.indent - begin) + line.text if line.text else "" for line in taken]
        return _ended(lines, ending, is_folded=style == ">")


def _parted(text: str) -> tuple[str, str] | None:
    """Part `key: rest`; None for a line that is none."""
    if text[0] in "\"'":
        read = quoted(text)
        behind = read[1].lstrip() if read else ""
        return (read[0], behind[1:].lstrip()) if read and _COLON.match(behind) else None
    found = _COLON.search(text)
    if found is None or text[0] in _NO_KEY_BEGINS or text.startswith(("- ", "? ", ":")):
        return None
    key = text[: found.start()].rstrip()
    return None if " #" in key else (key, text[found.end() :].lstrip())


def _without_comment(text: str) -> str:
    return _COMMENT.sub("", text).rstrip()


def _ended(lines: list[str], ending: str, *, is_folded: bool) -> str:
    """Join the lines of a block, with as many line feeds at its end as its head says."""
    kept = len(lines)
    while kept and not lines[kept - 1]:
        kept -= 1
    if not kept:
        return "\n" * len(lines) if ending == "+" else ""
    text = _folded(lines[:kept]) if is_folded else "\n".join(lines[:kept])
    match ending:
        case "-":
            return text
        case "+":
            return text + "\n" * (1 + len(lines) - kept)
        case _:
            return text + "\n"


def _folded(lines: list[str]) -> str:
    """Fill lines into paragraphs; lines that stand further in, as lists and code do, stay lines."""
    text = lines[0]
    for before, line in pairwise(lines):
        is_joined = before and line and not before[0].isspace() and not line[0].isspace()
        is_after_break = not before and line and not line[0].isspace()
        text += f" {line}" if is_joined else line if is_after_break else f"\n{line}"
    return text
