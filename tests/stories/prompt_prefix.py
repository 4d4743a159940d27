"""How much of a request a service has seen before: requests as they went out, held against the ones before them."""

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from support.model_requests import SeenRequest

MARK = b',"cache_control":{"type":"ephemeral"}'
LOOK_BACK = 20
"""So many blocks before a mark the service looks for what it has kept."""
_FIRST = {"anthropic": ("tools", "system"), "openai": ("tools",), "openai-responses": ("tools", "instructions")}
_HISTORY = {"anthropic": "messages", "openai": "messages", "openai-responses": "input"}


def shared_bytes(before: SeenRequest, after: SeenRequest) -> tuple[int, int]:
    """How many bytes of a request are those of the one before, from its beginning on, and how many it has."""
    one, other = before.raw.replace(MARK, b""), after.raw.replace(MARK, b"")
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same, len(other)


def cacheable_share(requests: list[SeenRequest]) -> float:
    """The part of all that was sent, from the second request on, that was the start of the request before."""
    pairs = [shared_bytes(before, after) for before, after in pairwise(requests)]
    return sum(same for same, _ in pairs) / sum(size for _, size in pairs)


def is_start(before: SeenRequest, after: SeenRequest) -> bool:
    """Whether the history of a request is the start of the next one's; only the newest message may have grown."""
    *closed, last = _history(before)
    history = _history(after)
    return history[: len(closed)] == closed and _has_grown(last, history[len(closed)])


def has_same_beginning(before: SeenRequest, after: SeenRequest) -> bool:
    """Whether tools and system prompt are the same."""
    return all(before.body.get(name) == after.body.get(name) for name in _FIRST[before.api])


@dataclass(frozen=True, slots=True)
class Marks:
    """Where the blocks with a cache mark stand, counted over all blocks of the messages."""

    places: tuple[int, ...]
    count: int
    """Of all marks, those on tools and system included."""

    def reach(self, later: "Marks") -> bool:
        """Whether the service finds what it kept at our last mark when it is asked with later ones."""
        return any(0 <= place - self.places[-1] <= LOOK_BACK for place in later.places)


def marks(request: SeenRequest) -> Marks:
    blocks = [block for message in request.body["messages"] for block in message["content"]]
    places = tuple(at for at, block in enumerate(blocks) if "cache_control" in block)
    return Marks(places, request.raw.count(MARK))


def _history(request: SeenRequest) -> list[Any]:
    return json.loads(json.dumps(request.body[_HISTORY[request.api]]), object_hook=_unmarked)


def _unmarked(block: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name != "cache_control"}


def _has_grown(before: Any, after: Any) -> bool:
    """Whether a message says what it said before, and maybe more behind."""
    if before == after:
        return True
    one, other = before.get("content"), after.get("content")
    if before.get("role") != after.get("role") or one is None or other is None:
        return False
    return other[: len(one)] == one
