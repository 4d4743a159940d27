"""What a server on the user's own machine says of a model's window. Asking it is `fetching.py`.

How much fits is decided where the model is loaded, not by the model: a server that cuts what is too long without a word
must not be sent more.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.providers.inner import inner
from agent_lsp.providers.listing import listed_models


@dataclass(frozen=True, slots=True)
class WindowSource:
    """Where to ask. `path` lies beside the `/v1` that the base URL ends in."""

    path: str
    read: Callable[[bytes, str], int | None]
    """Given the answer and the model's name; None where it does not say, ValueError where it is no such answer."""
    is_posted: bool = False
    """The model is named in a body, not found in a list."""

    def url(self, base_url: str) -> str:
        return base_url.partition("?")[0].rstrip("/").removesuffix("/v1") + self.path


def of_list(content: bytes, model: str) -> int | None:
    """Read a list of models, as vLLM and LM Studio have one."""
    return next((row.window for row in listed_models(content) if _is_named(row.name, model)), None)


def of_properties(content: bytes, model: str) -> int | None:
    """Read llama.cpp's `/props`, which are about the one model it has."""
    del model
    return _tokens(inner(_object(content), "default_generation_settings").get("n_ctx"))


def of_loaded(content: bytes, model: str) -> int | None:
    """Read Ollama's list of what is loaded now."""
    whole = _object(content).get("models")
    rows = cast("list[object]", whole) if isinstance(whole, list) else []  # What they are is looked at next.
    loaded = (cast("Json", row) for row in rows if isinstance(row, dict))  # JSON has text for keys.
    own = (row for row in loaded if _is_named(str(row.get("name")), model))
    return next((tokens for row in own if (tokens := _tokens(row.get("context_length")))), None)


def of_description(content: bytes, model: str) -> int | None:
    """Read Ollama's description of a model, which says what it will be loaded with where its author has set that."""
    del model
    found = re.search(r"^num_ctx\s+(\d{1,9})\s*$", str(_object(content).get("parameters")), re.MULTILINE)
    return _tokens(int(found[1])) if found else None


def _is_named(name: str, model: str) -> bool:
    return name.removesuffix(":latest") == model.removesuffix(":latest")


def _tokens(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None


def _object(content: bytes) -> Json:
    try:
        value: object = json.loads(content)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return cast("Json", value) if isinstance(value, dict) else {}  # As above.


OLLAMA = (
    WindowSource("/api/ps", of_loaded),
    WindowSource("/api/show", of_description, is_posted=True),
)
LM_STUDIO = (WindowSource("/api/v0/models", of_list), WindowSource("/v1/models", of_list))
LLAMA_CPP = (WindowSource("/props", of_properties), WindowSource("/v1/models", of_list))
VLLM = (WindowSource("/v1/models", of_list),)
