import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.checkpoints import Restoration
from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.files import Change
from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice
from agent_lsp.domain.requests import (
    Answered,
    ExportedTask,
    ForkedTask,
    QueueList,
    Sent,
    Snapshot,
    TaskList,
    TaskReference,
)
from agent_lsp.domain.status import PermissionMode, State, Status
from agent_lsp.lsp.capabilities import COMMANDS, FEATURES, METHODS, SCHEMA_HASH
from agent_lsp.lsp.schema import schema, schema_hash
from agent_lsp.lsp.wire.results import snapshot_to_wire

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
SCHEMA = schema()
SHAPES: dict[str, Json] = {name: shape for name, shape in SCHEMA["$defs"].items() if shape.get("type") == "object"}
NOTHING: Json = {"anyOf": []}
KINDS = {
    "null": type(None),
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def fits(value: Any, shape: Json, *, is_open: bool = False) -> bool:
    """The part of JSON Schema that our schema uses; other fields than the named ones only fit where it `is_open`."""
    if "$ref" in shape:
        return fits(value, SCHEMA["$defs"][shape["$ref"].removeprefix("#/$defs/")], is_open=is_open)
    if "anyOf" in shape and not any(fits(value, option, is_open="properties" in shape) for option in shape["anyOf"]):
        return False
    if "enum" in shape and value not in shape["enum"]:
        return False
    if "const" in shape and value != shape["const"]:
        return False
    if "type" in shape and not isinstance(value, KINDS[shape["type"]]):
        return False
    if isinstance(value, list):
        return all(fits(item, shape["items"]) for item in value)
    return fits_object(value, shape, is_open=is_open) if isinstance(value, dict) else True


def fits_object(value: Json, shape: Json, *, is_open: bool) -> bool:
    properties: Json = shape.get("properties", {})
    others = [item for name, item in value.items() if name not in properties]
    return (
        all(name in value for name in shape.get("required", ()))
        and all(fits(item, properties[name]) for name, item in value.items() if name in properties)
        and (
            "anyOf" in shape
            or is_open
            or all(fits(item, shape.get("additionalProperties", NOTHING)) for item in others)
        )
    )


@pytest.mark.parametrize(
    "shape",
    [
        Status,
        Message,
        MessageNotice,
        DeletionNotice,
        DeltaNotice,
        Change,
        TaskList,
        TaskReference,
        Answered,
        Sent,
        Answer,
        QueueList,
        ForkedTask,
        ExportedTask,
        Restoration,
    ],
)
@given(st.data())
def test_whatever_is_sent_fits_the_schema(shape: type[Any], data: st.DataObject) -> None:
    value = data.draw(st.from_type(shape))

    assert fits(to_wire(value), {"$ref": f"#/$defs/{shape.__name__}"})


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({}, "Status"),
        ({"ts": 1, "type": "ask", "text": None}, "Message"),
        ({"ts": 1, "type": "question"}, "Message"),
        ({"ts": "1", "type": "ask"}, "Message"),
        ({"taskId": "t", "instanceId": "i", "more": 1}, "TaskReference"),
    ],
)
def test_schema_tells_wrong_from_right(value: Json, name: str) -> None:
    assert not fits(value, {"$ref": f"#/$defs/{name}"})


def test_state_fits_with_and_without_a_task() -> None:
    rest = {"messages": [], "seq": 0, "hasMore": False}
    status = to_wire(Status("t", "i", 1, State.IDLE))

    assert fits({"state": "no_task", **rest}, {"$ref": "#/$defs/Snapshot"})
    assert fits({**status, **rest}, {"$ref": "#/$defs/Snapshot"})
    assert not fits({**status, "messages": []}, {"$ref": "#/$defs/Snapshot"})


def test_what_is_not_shown_any_more_stands_among_the_messages() -> None:
    status = Status("t", "i", 1, State.IDLE)
    messages = (Message(2, "say", say=Say.TEXT, text="a"), Message(4, "say", say=Say.TEXT, text="b"))

    wire = snapshot_to_wire(Snapshot(status, messages, 9, has_more=False, deleted=(1, 3)))

    assert [(message["ts"], message.get("deleted")) for message in wire["messages"]] == [
        (1, True),
        (2, None),
        (3, True),
        (4, None),
    ]
    assert fits(wire, {"$ref": "#/$defs/Snapshot"})


def test_announced_hash_is_the_schemas() -> None:
    assert schema_hash() == SCHEMA_HASH, "the wire has changed: write the new hash into lsp/capabilities.py"


def test_schema_has_every_method() -> None:
    assert tuple(SCHEMA["clientToServer"]) == METHODS


# The page


def tables() -> dict[str, dict[str, bool]]:
    """The fields of each shape as the page has them, and whether they may be left out."""
    found: dict[str, dict[str, bool]] = {}
    for section in re.split(r"^#+ ", PAGE.read_text(), flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        for name in re.findall(r"`([A-Z]\w+)`", heading):
            rows = re.findall(r"^\| `(\w+)(\??)` \|", body, flags=re.MULTILINE)
            found[name] = {field: mark == "?" for field, mark in rows}
    return found


def rows() -> Mapping[str, tuple[str, str]]:
    """The parameters and the result of each method as the page has them."""
    lines = re.findall(r"^\| `((?:agent/|\$)\w+)` \| (.*?) \| (.*?) \|", PAGE.read_text(), flags=re.MULTILINE)
    return {f"{name} {params} {result}": (params, result) for name, params, result in lines}


def test_page_has_every_shape() -> None:
    assert sorted(tables()) == sorted(SHAPES)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_page_has_every_field_and_no_other(name: str) -> None:
    shape = SHAPES[name]
    required = shape.get("required", [])

    assert tables()[name] == {field: field not in required for field in shape.get("properties", {})}


def test_page_has_every_method_with_its_shapes() -> None:
    expected = {
        f"{name} `{_name(method['params'])}` {_result(method)}"
        for direction in ("clientToServer", "serverToClient")
        for name, method in SCHEMA[direction].items()
    }

    assert set(rows()) == expected


@pytest.mark.parametrize(
    "word",
    sorted(
        {*COMMANDS, *FEATURES}
        | {member.value for words in (Ask, Say, State, PermissionMode, Response) for member in words}
    ),
)
def test_page_has_every_word(word: str) -> None:
    assert f"`{word}`" in PAGE.read_text()


def _name(reference: Json) -> str:
    if "anyOf" in reference:
        return "` or `".join(map(_name, reference["anyOf"]))
    return reference["$ref"].removeprefix("#/$defs/")


def _result(method: Json) -> str:
    if method["kind"] == "notification":
        return "(notification)"
    result: Json = method["result"]
    return f"`{_name(result)}`" if "$ref" in result else f"`{result['type']}`"
