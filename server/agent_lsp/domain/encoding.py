"""How a frozen value becomes wire JSON: field names in camelCase, absent where there is no value.

One rule for the wire and the journal. Decoding is each type's own business.
"""

import re
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, cast

Json = dict[str, Any]  # Any: JSON has no closed type that the checker could follow usefully.

KEEP = {"keep": True}
"""Field metadata: the field stays on the wire also when it is None or empty (`| null` in the protocol)."""

UNTOLD = {"untold": True}
"""Field metadata: the field is on no wire and in no journal; it is for who listens in this process."""


def to_wire(value: Any) -> Any:
    """Encode a frozen value (or a container of them) as JSON-ready dicts, lists and scalars."""
    if value is None or isinstance(value, str | int | float):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return {key: to_wire(item) for key, item in pairs}
    if isinstance(value, tuple | list):
        return [to_wire(item) for item in cast("list[Any]", value)]
    return {
        name: to_wire(item)
        for attribute, name, keep in _plan(cast("type[Any]", type(value)))
        if ((item := getattr(value, attribute)) is not None and item != ()) or keep
    }


def camel(name: str) -> str:
    """`tokens_in` → `tokensIn`; a trailing underscore, there to dodge a keyword, goes."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name.rstrip("_"))


@cache
def _plan(cls: type[Any]) -> tuple[tuple[str, str, bool], ...]:
    if not is_dataclass(cls):
        raise TypeError(f"{cls.__name__} has no wire form")
    return tuple(
        (field.name, field.metadata.get("name", camel(field.name)), field.metadata.get("keep", False))
        for field in told_fields(cls)
    )


def told_fields(cls: type[Any]) -> tuple[Field[Any], ...]:
    """The fields of a dataclass that its wire form may have."""
    return tuple(field for field in fields(cls) if not field.metadata.get("untold", False))
