"""The values between tags, as the JSON that a call's arguments are made of. No I/O."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from agent_lsp.domain.encoding import Json

Write = Callable[[str], None]

_FILE_TEXTS = frozenset({"content", "contents", "file_text"})
"""Whole files: the line end before the closing tag is the file's own."""
_PASSAGES = frozenset(
    {"diff", "patch", "patch_text", "old_string", "old_str", "old_text", "new_string", "new_str", "new_text"}
)
_CDATA = "<![CDATA["
_OPENING = re.compile(r"\s*<!\[CDATA\[")
_FIRST_LINE_END = re.compile(r"[ \t]*(\r?\n)")
_LAST_LINE_END = re.compile(r"(\r?\n)[ \t]*\Z")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&apos;": "'", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?")
_CHILD = re.compile(r"<(\w{1,64})((?:\s+\w{1,64}=\"[^\"<>]*\")*)\s*>(.*?)</\1\s*>", re.DOTALL)
_ATTRIBUTE = re.compile(r"(\w+)=\"([^\"]*)\"")
_LONGEST_LIST = 100_000
"""Characters in which elements of a list are looked for; no list of arguments is as long."""


class Value(Protocol):
    """What comes between a parameter's tags."""

    def feed(self, text: str) -> None: ...

    def end(self) -> None: ...


def value_of(name: str, schema: Json, write: Write) -> Value:
    """Begin a parameter's value; `write` takes the JSON of it as that comes to be known."""
    if is_verbatim(name):
        return Verbatim(write, keeps_line_end=name in _FILE_TEXTS)
    return Whole(schema, write)


def is_verbatim(name: str) -> bool:
    """Whether a parameter is text of files, in which every character counts."""
    return name in _FILE_TEXTS or name in _PASSAGES


def is_file_text(name: str) -> bool:
    return name in _FILE_TEXTS


class Verbatim:
    """Text of files, told while it grows. The tags' own lines are not part of it; entities and all else are.

    Only white space at its end is held back, until it is known to be in the middle.
    """

    def __init__(self, write: Write, *, keeps_line_end: bool) -> None:
        self._write = write
        self._keeps_line_end = keeps_line_end
        self._lead: list[str] | None = []
        """What has come before anything but white space did; None once that is settled."""
        self._held: list[str] = []
        self._held_signs = " \t\r\n"
        write('"')

    def feed(self, text: str) -> None:
        if self._lead is not None:
            self._lead.append(text)
            if text.isspace():
                return
            text = "".join(self._lead)
            if _CDATA.startswith(text.lstrip()):
                self._lead = [text]
                return
            text = self._without_lead(text)
        self._grow(text)

    def end(self) -> None:
        if self._lead is not None:
            self._grow(self._without_lead("".join(self._lead)))
        tail = "".join(self._held)
        if "]" in self._held_signs:
            tail = tail.rstrip().removesuffix("]]>") if tail.rstrip().endswith("]]>") else tail
        if match := _LAST_LINE_END.search(tail, max(0, tail.rfind("\n") - 1)):
            tail = tail[: match.end(1) if self._keeps_line_end else match.start()]
        self._write(_escaped(tail) + '"')

    def _without_lead(self, text: str) -> str:
        self._lead = None
        if match := _OPENING.match(text):
            self._held_signs += "]>"
            text = text[match.end() :]
        match = _FIRST_LINE_END.match(text)
        return text[match.end() :] if match else text

    def _grow(self, text: str) -> None:
        core = text.rstrip(self._held_signs)
        if core:
            self._write(_escaped("".join([*self._held, core])))
            self._held.clear()
        if len(core) < len(text):
            self._held.append(text[len(core) :])


class Whole:
    """Any other value: told when it is whole, without the white space around it, as what its schema wants."""

    def __init__(self, schema: Json, write: Write) -> None:
        self._schema = schema
        self._write = write
        self._pieces: list[str] = []

    def feed(self, text: str) -> None:
        self._pieces.append(text)

    def end(self) -> None:
        self._write(typed("".join(self._pieces).strip(), self._schema))


def typed(text: str, schema: Json) -> str:
    """Give a value as JSON. What does not fit stays text: whoever reads the arguments says what is wrong with it."""
    if text.startswith(_CDATA) and text.endswith("]]>"):
        text = text[len(_CDATA) : -3].strip()
    match schema.get("type"):
        case "integer" | "number" if _NUMBER.fullmatch(text) and not re.match(r"-?0\d", text):
            return text
        case "boolean" if text.lower() in ("true", "false"):
            return text.lower()
        case "array" | "object":
            return _structured(text, schema)
        case _:
            return dumped(_decoded(text))


def dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _escaped(text: str) -> str:
    return dumped(text)[1:-1]


def _decoded(text: str) -> str:
    """Take entities for what they stand for, if the model wrote the whole value so: raw signs show that it did not."""
    bare = _ENTITY.sub("", text)
    if bare == text or any(sign in bare for sign in "<>&"):
        return text
    return _ENTITY.sub(lambda match: _ENTITIES[match[0]], text)


def _structured(text: str, schema: Json) -> str:
    """Read a list or an object: as JSON, or as elements, one for each."""
    try:
        return dumped(json.loads(text, strict=False))
    except (ValueError, RecursionError):
        pass
    if schema.get("type") == "array" and len(text) <= _LONGEST_LIST:
        children = _CHILD.findall(text)
        if children:
            wanted: Json = schema.get("items") or {}
            return dumped([_element(attributes, inner, wanted) for _, attributes, inner in children])
    return dumped(text)


def _element(attributes: str, inner: str, wanted: Json) -> object:
    properties = cast("Mapping[str, Any]", wanted.get("properties") or {})  # a schema's: names and what they are
    if not properties:
        return _decoded(inner.strip())
    named = {name: value for name, value in _ATTRIBUTE.findall(attributes) if name in properties}
    parts = {name: _decoded(text.strip()) for name, _, text in _CHILD.findall(inner) if name in properties}
    return named | (parts or {next(iter(properties)): _decoded(inner.strip())})
