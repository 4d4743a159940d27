"""Settings as lines that the user reads before a decision: whole enough to judge by, and never a key of theirs."""

import json
from collections.abc import Iterator
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.settings.checks import printable

MOST_LINES = 50
_LONGEST_VALUE = 200
_SECRET = ("apiKey", "headers")


def worded(settings: Json) -> tuple[str, ...]:
    """Each setting as `key = value`, groups one by one."""
    lines = [f"{printable(key)} = {_value(key, value)}" for key, value in _leaves(settings, "")]
    left_out = len(lines) - MOST_LINES
    return tuple(lines) if left_out <= 0 else (*lines[:MOST_LINES], f"{left_out} more")


def _leaves(settings: Json, prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in settings.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict) and value and name not in _SECRET:
            yield from _leaves(cast("Json", value), f"{path}.")  # A JSON object has strings for keys.
        else:
            yield path, value


def _value(key: str, value: object) -> str:
    if key.rpartition(".")[2] in _SECRET and not _is_reference(value):
        return "…"
    text = json.dumps(value, default=str)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _is_reference(value: object) -> bool:
    return isinstance(value, str) and value.startswith("$ENV:")
