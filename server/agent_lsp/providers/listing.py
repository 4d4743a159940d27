"""Where a service lists its models, and what its list says. Fetching one is `probing.py`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from agent_lsp.domain.encoding import Json

_WINDOWS = ("loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length")
"""What services call a model's window; the vendors of the APIs do not tell it. What it was loaded with comes first."""


@dataclass(frozen=True, slots=True)
class ModelList:
    path: str
    signing: Callable[[str], Mapping[str, str]]
    is_beside_v1: bool = False
    """The path lies beside the `/v1` that the base URL ends in, not below it."""

    def url(self, base_url: str) -> str:
        whole, mark, query = base_url.partition("?")
        base = whole.rstrip("/")
        return (base.removesuffix("/v1") if self.is_beside_v1 else base) + self.path + mark + query


@dataclass(frozen=True, slots=True)
class ListedModel:
    name: str
    window: int | None = None


def listed_models(content: bytes) -> tuple[ListedModel, ...]:
    """Read a list of models, in whichever of the usual shapes; ValueError where it is none."""
    try:
        rows = _rows(json.loads(content))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    models = [_model(cast("Json", row)) for row in rows if isinstance(row, dict)]  # A JSON object has strings for keys.
    return tuple(dict.fromkeys(model for model in models if model))


def _rows(whole: object) -> list[object]:
    if isinstance(whole, dict):
        shape = cast("Json", whole)  # As above.
        whole = next((shape[key] for key in ("data", "models") if key in shape), None)
    if not isinstance(whole, list):
        raise ValueError("it is no list of models")  # noqa: TRY004 - what a service sent has no type to be wrong about
    return cast("list[object]", whole)  # What they are is looked at next.


def _model(row: Json) -> ListedModel | None:
    name: object = row.get("id") or row.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        return None
    # Gemini's list names resources; requests take either form, people the short one.
    return ListedModel(name.removeprefix("models/"), _window(row))


def _window(row: Json) -> int | None:
    meta: object = row.get("meta")
    # llama.cpp tells the window that a model was loaded with only there.
    places = (row, cast("Json", meta)) if isinstance(meta, dict) else (row,)
    found = (place.get(key) for place in places for key in (*_WINDOWS, "n_ctx"))
    return next((value for value in found if type(value) is int and value > 0), None)
