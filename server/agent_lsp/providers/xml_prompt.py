"""Tools in words, made from their own schemas, and calls as a model is told to write them. No I/O."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.model import ToolSpec
from agent_lsp.providers.xml_values import is_file_text, is_verbatim

_FORM = """\
# Tools
Call a tool by writing its name as a tag, with a tag inside for each parameter:

<read_file>
<path>src/main.py</path>
</read_file>

- Write calls as plain text, not in a code fence. Whole, with all closing tags: a call without them is not run.
- Values are taken as they are: write < and & as themselves, never as entities. Text of several lines begins on the \
line after its tag, and ends on the line before the closing one.
- Several calls may follow one another in one answer. End the answer after the last one: the results come as the next \
message, each under the name of its tool. Never write results yourself.
- A parameter with ? may be left out. JSON parameters hold JSON."""


def with_tools(system: str, tools: Sequence[ToolSpec]) -> str:
    """Add the tools to a system prompt."""
    if not tools:
        return system
    return "\n\n".join([part for part in (system.strip(), _FORM, *map(_described, tools)) if part])


def _described(tool: ToolSpec) -> str:
    return "\n".join([f"## {tool.name}", tool.description, *_parameters(tool.parameters)])


def _parameters(schema: Json) -> Iterator[str]:
    required = schema.get("required", ())
    for name, parameter in _properties(schema).items():
        mark = "" if name in required else "?"
        notes = [note for note in (_kind(parameter), parameter.get("description", ""), _bounds(parameter)) if note]
        yield f"<{name}>{mark}{' ' if notes else ''}{'. '.join(notes)}"


def _properties(schema: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", schema.get("properties") or {})  # a JSON Schema's own shape


def _kind(parameter: Json) -> str:
    match parameter.get("type"):
        case "array" | "object":
            return f"JSON, as {json.dumps(_example(parameter), ensure_ascii=False)}"
        case "integer" | "number":
            return "Number"
        case "boolean":
            return "true or false"
        case _:
            return ""


def _bounds(parameter: Json) -> str:
    if choices := parameter.get("enum"):
        return f"One of {', '.join(map(str, choices))}"
    return f"Default {parameter['default']}" if parameter.get("default") not in (None, "", [], {}) else ""


def _example(schema: Json) -> Any:  # Any: JSON of whatever shape the schema says
    match schema.get("type"):
        case "array":
            return [_example(schema.get("items") or {})]
        case "object":
            return {name: _example(inner) for name, inner in _properties(schema).items()}
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case _:
            return "…"


def written(name: str, arguments: Json) -> str:
    """Write a call as a model is told to write it."""
    return "\n".join([f"<{name}>", *(_element(key, value) for key, value in arguments.items()), f"</{name}>"])


def _element(name: str, value: object) -> str:
    if not isinstance(value, str):
        return f"<{name}>{json.dumps(value, ensure_ascii=False)}</{name}>"
    if "\n" not in value:
        return f"<{name}>{value}</{name}>"
    if is_file_text(name):
        return f"<{name}>\n{value}</{name}>"
    return f"<{name}>\n{value}\n</{name}>" if is_verbatim(name) else f"<{name}>{value}</{name}>"
