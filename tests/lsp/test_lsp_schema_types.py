"""The types that clients are compiled against are those of the server's own models."""

import re
from pathlib import Path

import pytest

from agent_lsp.domain.encoding import Json
from agent_lsp.lsp.schema import schema
from agent_lsp.lsp.schema_types import lua, typescript

EDITORS = Path(__file__).parents[2] / "editors"


def shapes(**definitions: Json) -> Json:
    return {"$defs": definitions, "clientToServer": {}, "serverToClient": {}}


@pytest.mark.parametrize(
    ("field", "in_typescript", "in_lua"),
    [
        ({"type": "integer"}, "number", "integer"),
        ({"type": "string", "enum": ["a", "b"]}, '"a" | "b"', '"a"|"b"'),
        ({"const": "x"}, '"x"', '"x"'),
        ({"$ref": "#/$defs/Message"}, "Message", "agent_lsp.Message"),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "number | null", "number|vim.NIL"),
        ({"type": "array", "items": {"type": "string"}}, "string[]", "string[]"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, '("a" | "b")[]', '("a"|"b")[]'),
        (
            {"type": "object", "additionalProperties": {"type": "boolean"}},
            "Record<string, boolean>",
            "table<string, boolean>",
        ),
        ({"type": "object"}, "Record<string, unknown>", "table<string, any>"),
        ({}, "unknown", "any"),
    ],
)
def test_each_form_of_the_schema_is_a_type(field: Json, in_typescript: str, in_lua: str) -> None:
    one = shapes(One={"type": "object", "properties": {"it": field}, "required": ["it"]})

    assert f"  it: {in_typescript};\n" in typescript(one)
    assert f"---@field it {in_lua}\n" in lua(one)


def test_what_may_be_left_out_is_marked_and_is_not_null() -> None:
    field = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
    one = shapes(One={"type": "object", "properties": {"it": field}})

    assert "  it?: string;\n" in typescript(one)
    assert "---@field it? string\n" in lua(one)


def test_every_shape_and_method_of_the_protocol_is_printed() -> None:
    whole = schema()

    printed = typescript(whole)

    assert set(re.findall(r"^export (?:interface|type) (\w+)", printed, re.MULTILINE)) >= set(whole["$defs"])
    assert set(re.findall(r'^  "(agent/\w+)": \[', printed, re.MULTILINE)) == {
        *whole["clientToServer"],
        *whole["serverToClient"],
    }
    assert set(re.findall(r"^---@class agent_lsp\.(\w+)", lua(whole), re.MULTILINE)) == set(whole["$defs"])


@pytest.mark.parametrize(
    ("language", "file"),
    [("typescript", "vscode/src/protocol.ts"), ("lua", "nvim/lua/agent_lsp/types.lua")],
)
def test_clients_have_the_types_of_this_protocol(language: str, file: str) -> None:
    printed = {"typescript": typescript, "lua": lua}[language](schema())

    assert (EDITORS / file).read_text(encoding="utf-8") == printed, f"agent-lsp schema --format {language} > {file}"
