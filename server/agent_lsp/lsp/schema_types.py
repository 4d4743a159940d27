"""The protocol's shapes as types of the languages that clients are written in, printed from the JSON Schema."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from agent_lsp.domain.encoding import Json

_HEADER = "Printed by `agent-lsp schema --format {language}`. A test holds this file equal to what that prints."


def typescript(schema: Json) -> str:
    """Interfaces for every shape, and four tables: method to parameters and result."""
    definitions = cast("dict[str, Json]", schema["$defs"])
    lines = [f"// {_HEADER.format(language='typescript')}", "", "/* eslint-disable */"]
    for name, shape in definitions.items():
        lines += ["", *_interface(name, shape)]
    for title, side, kind in (
        ("ClientRequests", "clientToServer", "request"),
        ("ClientNotifications", "clientToServer", "notification"),
        ("ServerRequests", "serverToClient", "request"),
        ("ServerNotifications", "serverToClient", "notification"),
    ):
        lines += ["", f"export interface {title} {{"]
        lines += [f"  {line}" for line in _method_rows(cast("dict[str, Json]", schema[side]), kind)]
        lines += ["}"]
    return "\n".join(lines) + "\n"


def lua(schema: Json) -> str:
    """Annotations of LuaLS for every shape."""
    definitions = cast("dict[str, Json]", schema["$defs"])
    lines = ["---@meta", f"-- {_HEADER.format(language='lua')}"]
    for name, shape in definitions.items():
        lines += ["", *_lua_class(name, shape)]
    return "\n".join(lines) + "\n"


def _interface(name: str, shape: Json) -> Iterator[str]:
    if "anyOf" in shape or shape.get("type") != "object":
        # A union with fields beside it, as a snapshot is: either of them, and those.
        own = f" & {_inline_object(shape)}" if "properties" in shape else ""
        parts = " | ".join(_typescript_type(part) for part in cast("list[Json]", shape.get("anyOf", [])))
        yield f"export type {name} = ({parts or _TYPESCRIPT.type_of(shape)}){own};"
        return
    yield f"export interface {name} {{"
    for field, value, is_optional in _fields(shape):
        yield f"  {field}{'?' if is_optional else ''}: {_typescript_type(value)};"
    yield "}"


def _inline_object(shape: Json) -> str:
    rows = (
        f"{field}{'?' if is_optional else ''}: {_typescript_type(value)}"
        for field, value, is_optional in _fields(shape)
    )
    return "{ " + "; ".join(rows) + " }"


def _method_rows(methods: dict[str, Json], kind: str) -> Iterator[str]:
    for name, method in methods.items():
        if method["kind"] == kind:
            params = _typescript_type(cast("Json", method["params"]))
            result = f", {_typescript_type(cast('Json', method['result']))}" if kind == "request" else ""
            yield f'"{name}": [{params}{result}];'


def _lua_class(name: str, shape: Json) -> Iterator[str]:
    parents = [_LUA.type_of(part) for part in cast("list[Json]", shape.get("anyOf", [])) if "$ref" in part]
    yield f"---@class agent_lsp.{name}{': ' + ', '.join(parents) if parents else ''}"
    for field, value, is_optional in _fields(shape):
        yield f"---@field {field}{'?' if is_optional else ''} {_LUA.type_of(value)}"


def _fields(shape: Json) -> Iterator[tuple[str, Json, bool]]:
    """Name, shape, and whether it may be left out; what is null only when it is left out is not null here."""
    required = cast("list[str]", shape.get("required", []))
    for name, value in cast("dict[str, Json]", shape.get("properties", {})).items():
        is_optional = name not in required
        yield name, _not_null(value) if is_optional else value, is_optional


def _not_null(shape: Json) -> Json:
    parts = cast("list[Json]", shape.get("anyOf", []))
    kept = [part for part in parts if part != {"type": "null"}]
    if len(kept) == len(parts):
        return shape
    return kept[0] if len(kept) == 1 else {"anyOf": kept}


@dataclass(frozen=True, slots=True)
class _Language:
    """How one language writes what all have: names, alternatives, and a table of values."""

    scalars: Mapping[str, str]
    unknown: str
    reference: str
    bar: str
    table: str

    def type_of(self, shape: Json) -> str:
        if "$ref" in shape:
            return self.reference.format(str(shape["$ref"]).rsplit("/", 1)[1])
        if "const" in shape:
            return json.dumps(shape["const"])
        if "enum" in shape:
            return self.bar.join(json.dumps(value) for value in cast("list[str]", shape["enum"]))
        if "anyOf" in shape:
            return self.bar.join(dict.fromkeys(self.type_of(part) for part in cast("list[Json]", shape["anyOf"])))
        return self._container(shape) or self.scalars.get(str(shape.get("type")), self.unknown)

    def _container(self, shape: Json) -> str | None:
        if shape.get("type") == "array":
            item = self.type_of(cast("Json", shape.get("items", {})))
            return f"({item})[]" if self.bar in item else f"{item}[]"
        if shape.get("type") == "object" and "properties" not in shape:
            values = shape.get("additionalProperties")
            return self.table.format(self.type_of(cast("Json", values)) if isinstance(values, dict) else self.unknown)
        return None


_TYPESCRIPT = _Language(
    {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"},
    unknown="unknown",
    reference="{}",
    bar=" | ",
    table="Record<string, {}>",
)
_LUA = _Language(
    {"integer": "integer", "number": "number", "string": "string", "boolean": "boolean", "null": "vim.NIL"},
    unknown="any",
    reference="agent_lsp.{}",
    bar="|",
    table="table<string, {}>",
)


def _typescript_type(shape: Json) -> str:
    return _inline_object(shape) if "properties" in shape and "anyOf" not in shape else _TYPESCRIPT.type_of(shape)
