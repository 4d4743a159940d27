"""How readers look into JSON that a service wrote."""

from typing import cast

from agent_lsp.domain.encoding import Json


def inner(outer: Json, name: str) -> Json:
    """Give the object of that name; an empty one where something else stands there, or nothing."""
    value: object = outer.get(name)
    return cast("Json", value) if isinstance(value, dict) else {}  # A JSON object has strings for keys.
