"""How a tool is described to a model: the JSON Schema of its arguments, without what only costs tokens."""

from functools import cache
from typing import Any, cast

from pydantic import BaseModel

from agent_lsp.domain.encoding import Json


@cache
def schema_of(model: type[BaseModel]) -> Json:
    """Make the schema of a model: inlined, without titles, and an optional value is not `null` but left out."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    lean = _lean(schema, definitions)
    lean.setdefault("properties", {})
    return lean


def _lean(node: Json, definitions: Json) -> Json:
    if "$ref" in node:
        return _lean(definitions[node["$ref"].rpartition("/")[2]], definitions)
    options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return _lean(rest | options[0], definitions)
    return {key: _lean_value(key, value, definitions) for key, value in node.items() if not _is_noise(key, value)}


def _lean_value(key: str, value: Any, definitions: Json) -> Any:  # Any: JSON
    match value:
        case dict():
            node = cast("Json", value)  # the checker does not follow the keys of JSON
            if key == "properties":
                return {name: _lean(field, definitions) for name, field in node.items()}
            return _lean(node, definitions)
        case _:
            return value


def _is_noise(key: str, value: object) -> bool:
    return (key == "title" and isinstance(value, str)) or key == "minLength" or (key == "default" and not value)
