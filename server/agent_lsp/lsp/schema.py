"""The JSON Schema of our own methods, made of the models and the domain types: what `agent-lsp schema` prints.

Domain types follow the rule of `to_wire`: a field is optional exactly when it can be left out, and then never null.
"""

import json
from collections.abc import Mapping
from dataclasses import Field, is_dataclass
from enum import Enum
from hashlib import blake2b
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from pydantic.json_schema import models_json_schema

from agent_lsp.domain.encoding import Json, camel, told_fields
from agent_lsp.domain.requests import Snapshot
from agent_lsp.lsp.capabilities import PROTOCOL_VERSION
from agent_lsp.lsp.wire.methods import CLIENT_METHODS, NOTIFICATIONS, QUESTIONS

_PREFIX = "#/$defs/"


def schema() -> Json:
    """The whole protocol: requests, notifications, and the shapes that they are made of."""
    shapes = _Shapes()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "agent-lsp",
        "protocolVersion": PROTOCOL_VERSION,
        "clientToServer": {
            name: _without_none(
                {
                    "kind": "notification" if method.is_notification else "request",
                    "params": shapes.of(method.params),
                    "result": None if method.is_notification else shapes.of(method.result or NoneType),
                }
            )
            for name, method in CLIENT_METHODS.items()
        },
        "serverToClient": {
            **{name: {"kind": "notification", "params": shapes.of(shape)} for name, shape in NOTIFICATIONS.items()},
            **{
                name: {"kind": "request", "params": shapes.of(q.params), "result": shapes.of(q.result or NoneType)}
                for name, q in QUESTIONS.items()
            },
        },
        "$defs": dict(sorted(shapes.definitions.items())),
    }


def schema_hash() -> str:
    """A short name for exactly this protocol. Docstrings are no part of it."""
    text = json.dumps(_without_descriptions(schema()), sort_keys=True)
    return blake2b(text.encode(), digest_size=8).hexdigest()


class _Shapes:
    """Schemas of types; those with a name are gathered in `definitions` and referred to."""

    def __init__(self) -> None:
        models = [method.params for method in CLIENT_METHODS.values()]
        models += [shape for question in QUESTIONS.values() for shape in (question.params, question.result) if shape]
        references, definitions = models_json_schema(
            [(model, "validation") for model in dict.fromkeys(models)], ref_template=_PREFIX + "{model}"
        )
        self._models = {model: reference for (model, _), reference in references.items()}
        self.definitions: Json = dict(definitions["$defs"])

    def of(self, shape: Any) -> Json:  # Any: a type or a form of `typing`, for which there is no type.
        if shape in self._models:
            return dict(self._models[shape])
        if shape is Snapshot:
            return self._snapshot()
        if isinstance(shape, type) and is_dataclass(shape):
            return self._named(shape)
        if isinstance(shape, type) and issubclass(shape, Enum):
            return {"type": "string", "enum": [member.value for member in shape]}
        return _scalar(shape) or self._form(shape)

    def _form(self, shape: Any) -> Json:  # Any: as above.
        arguments = get_args(shape)
        origin = get_origin(shape)
        if origin is Literal:
            return {"type": "string", "enum": list(arguments)}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(argument) for argument in arguments]}
        if origin is tuple:
            return {"type": "array", "items": self.of(arguments[0])}
        if origin is Mapping:
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        raise TypeError(f"{shape} has no schema")

    def _named(self, shape: type[Any]) -> Json:
        if shape.__name__ not in self.definitions:
            # Taken before it is filled: a type may have itself in it.
            self.definitions[shape.__name__] = {}
            self.definitions[shape.__name__] = self._object(shape)
        return {"$ref": _PREFIX + shape.__name__}

    def _object(self, shape: type[Any]) -> Json:
        hints = get_type_hints(shape)
        properties: Json = {}
        required: list[str] = []
        for field in told_fields(shape):
            name = wire_name(field)
            is_kept, arguments = field.metadata.get("keep", False), get_args(hints[field.name])
            can_be_none = NoneType in arguments
            hint = hints[field.name] if is_kept or not can_be_none else _without_none_of(arguments)
            properties[name] = self.of(hint)
            if is_kept or not (can_be_none or get_origin(hint) is tuple):
                required.append(name)
        return {"type": "object", "properties": properties, "required": required}

    def _snapshot(self) -> Json:
        """`agent/state`: a Status, or the bare state `no_task`, with the messages beside it."""
        from agent_lsp.domain.messages import DeletedMessage, Message
        from agent_lsp.domain.status import Status

        no_task = {"type": "object", "properties": {"state": {"const": "no_task"}}, "required": ["state"]}
        own = {
            "messages": {"type": "array", "items": self.of(Message | DeletedMessage)},
            "seq": {"type": "integer"},
            "hasMore": {"type": "boolean"},
        }
        self.definitions["Snapshot"] = {
            "type": "object",
            "anyOf": [self.of(Status), no_task],
            "properties": own,
            "required": list(own),
        }
        return {"$ref": _PREFIX + "Snapshot"}


def wire_name(field: "Field[Any]") -> str:  # Any: of whatever type the field is.
    return field.metadata.get("name", camel(field.name))


def _scalar(shape: Any) -> Json | None:  # Any: a type or a form of `typing`.
    names = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
    return {"type": names[shape]} if shape in names else None


def _without_none_of(arguments: tuple[Any, ...]) -> Any:  # Any: forms of `typing`.
    return Union[tuple(argument for argument in arguments if argument is not NoneType)]  # noqa: UP007  Built at run time.


def _without_none(json_object: Json) -> Json:
    return {key: value for key, value in json_object.items() if value is not None}


def _without_descriptions(value: Any) -> Any:  # Any: JSON.
    if isinstance(value, dict):
        pairs = cast("Json", value).items()
        return {key: _without_descriptions(item) for key, item in pairs if key not in ("description", "title")}
    if isinstance(value, list):
        return [_without_descriptions(item) for item in cast("list[Any]", value)]
    return value
