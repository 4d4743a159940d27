"""How large what a model is told is, in bytes: what services count in tokens grows with that. Pure."""

import json
from collections.abc import Iterable, Sequence

from agent_lsp.domain.history import Call, HistoryItem, Part, Reply, Result, Spoken, Thought, Words
from agent_lsp.domain.model import ToolSpec

IMAGE_BYTES = 5_000
"""What services count a picture as, some 1,600 tokens, in bytes of text."""

_ITEM_BYTES = 24
"""What stands around each item: its role, its ids."""


def size_of_text(text: str) -> int:
    # Most text is ASCII, of which Python knows the length without looking at it.
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def size_of_item(item: HistoryItem) -> int:
    match item:
        case Words(texts, images):
            return _ITEM_BYTES + sum(map(size_of_text, texts)) + IMAGE_BYTES * len(images)
        case Result(text=text, images=images):
            return _ITEM_BYTES + size_of_text(text) + IMAGE_BYTES * len(images)
        case Reply(parts):
            return _ITEM_BYTES + sum(map(_size_of_part, parts))


def size_of_items(items: Iterable[HistoryItem]) -> int:
    return sum(map(size_of_item, items))


def size_of_frame(system: str, tools: Sequence[ToolSpec]) -> int:
    """What stands before the history in every request."""
    return size_of_text(system) + sum(
        size_of_text(tool.name) + size_of_text(tool.description) + size_of_text(json.dumps(tool.parameters))
        for tool in tools
    )


def _size_of_part(part: Part) -> int:
    match part:
        case Spoken(text):
            return size_of_text(text)
        case Call(_, name, arguments):
            return _ITEM_BYTES + size_of_text(name) + size_of_text(arguments)
        case Thought(text, seal):
            return size_of_text(text) + size_of_text(seal) if seal else 0
