"""The settings as an editor's own page shows them: a flat table, made from the model and the words in it."""

import ast
import inspect
from collections.abc import Iterator
from typing import Any, cast

from pydantic import BaseModel

from agent_lsp.domain.encoding import Json
from agent_lsp.settings import model
from agent_lsp.settings.model import Settings

PREFIX = "agent."
_SCOPE = "machine"
"""Where VS Code may find them: the user's own settings only. What a folder asks for stands in the folder's own file."""


def editor_settings() -> dict[str, Json]:
    """One entry for each setting, as VS Code's `contributes.configuration.properties` has them."""
    schema = Settings.model_json_schema(by_alias=True)
    definitions = cast("dict[str, Json]", schema.get("$defs", {}))
    words = _docstrings()
    return {PREFIX + name: row for name, row in _rows("", Settings, schema, definitions, words)}


def _rows(
    prefix: str, shape: type[BaseModel], schema: Json, definitions: dict[str, Json], words: dict[tuple[str, str], str]
) -> Iterator[tuple[str, Json]]:
    for name, field in shape.model_fields.items():
        alias = field.alias or name
        inner = field.annotation
        value = _inlined(cast("dict[str, Json]", schema["properties"])[alias], definitions)
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _rows(f"{prefix}{alias}.", inner, definitions[inner.__name__], definitions, words)
            continue
        description = words.get((shape.__name__, name), "")
        default = _default(field.get_default(call_default_factory=True))
        row = {"scope": _SCOPE, **value, "default": default, "markdownDescription": description}
        yield prefix + alias, {key: item for key, item in row.items() if key != "title" and item not in (None, "")}


def _default(value: Any) -> Any:  # Any: whatever JSON the setting takes.
    if isinstance(value, tuple):
        return list(cast("tuple[object, ...]", value))
    return value


def _inlined(value: Any, definitions: dict[str, Json]) -> Any:  # Any: JSON.
    """The same schema without references, which an editor's page of settings does not follow."""
    if isinstance(value, list):
        return [_inlined(item, definitions) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    pairs = cast("Json", value)
    reference = pairs.get("$ref")
    target = definitions[str(reference).rsplit("/", 1)[1]] if reference else {}
    merged = {**target, **{key: item for key, item in pairs.items() if key != "$ref"}}
    match merged:
        case {"anyOf": [kept, {"type": "null"}]}:
            # Left out is how a setting says nothing.
            return _inlined(kept, definitions)
        case _:
            pass
    return {key: _inlined(item, definitions) for key, item in merged.items() if key not in ("title", "description")}


def _docstrings() -> dict[tuple[str, str], str]:
    """The words under each field of the model, and with an empty name those of its class."""
    words: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(model)).body:
        if isinstance(node, ast.ClassDef):
            words[node.name, ""] = ast.get_docstring(node) or ""
            for field, after in zip(node.body, node.body[1:], strict=False):
                match field, after:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                        words[node.name, name] = " ".join(text.split())
                    case _:
                        continue
    return words
