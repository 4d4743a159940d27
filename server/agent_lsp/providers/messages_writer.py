"""Writes requests of the Messages API (anthropic)."""

import json
from collections.abc import Sequence

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.history import Call, HistoryItem, Part, Reply, Result, Spoken, Thought, Words
from agent_lsp.domain.model import ModelRequest
from agent_lsp.providers.encoding import (
    IMAGE_LEFT_OUT,
    Encoded,
    Envelope,
    arguments_of,
    dump,
    dump_all,
    image_of,
    plain_id,
    without_last_thoughts,
)

_MARK: Json = {"cache_control": {"type": "ephemeral"}}
_MARK_TAIL = b"," + dump(_MARK)[1:]
"""Put in place of the closing brace of a block. A service takes four: on the tools, the system and two messages."""


class MessagesWriter:
    """`parameters` are the fields of every request that do not change: model, max_tokens, thinking."""

    def __init__(self, parameters: Json, origin: str, *, sees_images: bool) -> None:
        self._parameters = parameters
        self._origin = origin
        self._sees_images = sees_images

    def envelope(self, request: ModelRequest) -> Envelope:
        fields = self._parameters | {"stream": True}
        if request.system.strip():
            fields["system"] = [{"type": "text", "text": request.system} | _MARK]
        if request.tools:
            tools: list[Json] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
            tools[-1] |= _MARK
            fields["tools"] = tools
        return Envelope(dump(fields)[:-1] + b',"messages":[')

    def encode(self, item: HistoryItem) -> Encoded:
        match item:
            case Words(texts, images):
                return Encoded(rest=dump_all([*_texts(texts), *map(self._image, images)]))
            case Result():
                return Encoded(first=(dump(self._result(item)),))
            case Reply(parts, origin):
                is_own = origin == self._origin
                blocks = (_part(part, is_own=is_own) for part in without_last_thoughts(parts))
                return Encoded(rest=tuple(block for block in blocks if block))

    def message(self, first: Sequence[bytes], rest: Sequence[bytes], *, is_reply: bool, is_marked: bool) -> bytes:
        blocks = [*first, *rest]
        if is_marked:
            blocks[-1] = blocks[-1][:-1] + _MARK_TAIL
        head = b'{"role":"assistant","content":[' if is_reply else b'{"role":"user","content":['
        return head + b",".join(blocks) + b"]}"

    def _result(self, result: Result) -> Json:
        block: Json = {"type": "tool_result", "tool_use_id": plain_id(result.call_id)}
        if result.images:
            block["content"] = [*_texts((result.text,)), *map(self._image, result.images)]
        elif result.text.strip():
            block["content"] = result.text
        return block | ({"is_error": True} if result.is_error else {})

    def _image(self, url: str) -> Json:
        image = image_of(url) if self._sees_images else None
        if image is None:
            return {"type": "text", "text": IMAGE_LEFT_OUT}
        media_type, data = image
        return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def _texts(texts: Sequence[str]) -> list[Json]:
    """Blank text blocks are refused by the service, and say nothing."""
    return [{"type": "text", "text": text} for text in texts if text.strip()]


def _part(part: Part, *, is_own: bool) -> bytes | None:
    match part:
        case Spoken(text):
            return dump({"type": "text", "text": text}) if text.strip() else None
        case Call(id_, name):
            head = dump({"type": "tool_use", "id": plain_id(id_), "name": name})
            return head[:-1] + b',"input":' + arguments_of(part) + b"}"
        case Thought(text, seal):
            return _thought(text, seal) if seal and is_own else None


def _thought(text: str, seal: str) -> bytes:
    block: Json = json.loads(seal)
    return dump(block | {"thinking": text} if block["type"] == "thinking" else block)
