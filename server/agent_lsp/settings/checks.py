"""One layer of settings, held against the model: what fits is kept in its wire form, the rest is remarked upon."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agent_lsp.domain.encoding import Json
from agent_lsp.settings.model import Settings

MOST_REMARKS = 20
"""For one layer: a hostile file must not flood whoever reads them."""
_LONGEST_KEY = 100

_Location = tuple[str | int, ...]


def checked(layer: Json, source: str) -> tuple[Json, tuple[str, ...]]:
    """Take out what is unknown or invalid, with a remark for each; one bad value never costs the others."""
    rest = deepcopy(layer)
    remarks: list[str] = []
    while True:
        try:
            settings = Settings.model_validate(rest, extra="forbid")
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False)
            remarks += [_remark(problem, source) for problem in problems]
            _take_out(rest, [problem["loc"] for problem in problems])
        else:
            return settings.model_dump(by_alias=True, exclude_unset=True), shortened(remarks, source)


def shortened(remarks: Sequence[str], source: str) -> tuple[str, ...]:
    left_out = len(remarks) - MOST_REMARKS
    if left_out <= 0:
        return tuple(remarks)
    return (*remarks[:MOST_REMARKS], f"{source}: {left_out} more settings are ignored.")


def _take_out(layer: Json, locations: Sequence[_Location]) -> None:
    """Delete what the locations lead to; for something that is missing, what it is missing from."""
    existing = dict.fromkeys(_existing_part(layer, location) for location in locations)
    for location in reversed(existing):  # From the back, so that the places of a list's items stay right.
        if _existing_part(layer, location) == location:
            holder: Any = layer  # Any: JSON of whatever shape the user gave it.
            for part in location[:-1]:
                holder = holder[part]
            del holder[location[-1]]


def _existing_part(value: Any, location: _Location) -> _Location:  # Any: as above.
    for depth, part in enumerate(location):
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return location[:depth]
    return location


def _remark(problem: ErrorDetails, source: str) -> str:
    key = printable(".".join(map(str, problem["loc"])))
    if problem["type"] == "extra_forbidden":
        return f"{source}: there is no setting `{key}`; it is ignored."
    reason = "Input should be an object" if problem["type"] == "model_type" else problem["msg"]
    return f"{source}: `{key}` is ignored: {reason}."


def printable(key: str) -> str:
    """A key as it may be shown: a project can call its keys what it likes."""
    shown = "".join(character if character.isprintable() else "?" for character in key)
    return shown if len(shown) <= _LONGEST_KEY else f"{shown[:_LONGEST_KEY]}…"
