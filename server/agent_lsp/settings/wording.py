"""Settings as lines that the user reads before a decision: whole, and never a key of theirs."""

import json
from collections.abc import Iterator
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.settings.checks import printable

MOST_LINES = 200
MOST_CHARACTERS = 1_000
"""Of one line. Nobody reads more than this before they say yes."""


def worded(settings: Json) -> tuple[str, ...] | None:
    """Each setting as `key = value`, groups and lists one by one; None where that is more than anybody would read."""
    lines = list[str]()
    for key, value in _leaves(settings, ""):
        lines.append(f"{printable(key)} = {_value(key, value)}")
        if len(lines) > MOST_LINES or len(lines[-1]) > MOST_CHARACTERS:
            return None
    return tuple(lines)


def _leaves(value: object, key: str) -> Iterator[tuple[str, object]]:
    match value:
        case dict() if value:
            for name, item in cast("Json", value).items():  # A JSON object has strings for keys.
                yield from _leaves(item, f"{key}.{name}" if key else name)
        case list() | tuple() if value:
            for number, item in enumerate(cast("list[object]", value)):  # What they are is looked at next.
                yield from _leaves(item, f"{key}[{number}]")
        case _:
            yield key, value


def _value(key: str, value: object) -> str:
    is_secret = key.endswith(".apiKey") or ".headers." in key
    return "…" if is_secret and not _is_reference(value) else json.dumps(value, default=str)


def _is_reference(value: object) -> bool:
    """Whether a value says which of the user's own secrets it means."""
    return isinstance(value, str) and value.startswith(("$ENV:", "$KEYRING:"))
