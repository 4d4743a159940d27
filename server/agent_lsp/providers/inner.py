"""How readers look into JSON that a service wrote."""

from agent_lsp.domain.encoding import Json


def inner(outer: Json, name: str) -> Json:
    """Give the object of that name; an empty one where it is missing or null."""
    return outer.get(name) or {}
