"""Writes requests of Chat Completions (openai and compatible servers)."""

import json
from collections.abc import Iterator, Sequence

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Thought, Words
from agent_lsp.domain.model import ModelRequest
from agent_lsp.providers.chat_ways import ChatWays
from agent_lsp.providers.encoding import (
    IMAGE_LEFT_OUT,
    Encoded,
    Envelope,
    arguments_of,
    dump,
    dump_all,
    image_of,
    with_cache_key,
)


class ChatWriter:
    """`parameters` are the fields of every request that do not change: model, effort, a limit of the output."""

    def __init__(self, parameters: Json, origin: str, ways: ChatWays, *, sees_images: bool) -> None:
        self._parameters = parameters
        self._ways = ways
        self._origin = origin
        self._sees_images = sees_images

    def envelope(self, request: ModelRequest) -> Envelope:
        fields = self._parameters | {"stream": True, "stream_options": {"include_usage": True}}
        fields = with_cache_key(fields, request)
        if request.tools:
            fields["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in request.tools
            ]
        system = (dump({"role": "system", "content": request.system}),) if request.system.strip() else ()
        return Envelope(dump(fields)[:-1] + b',"messages":[', system)

    def encode(self, item: HistoryItem) -> Encoded:
        """Encode texts of the user as JSON strings, images as parts, all else as whole messages."""
        match item:
            case Words(texts, images):
                return Encoded(rest=dump_all([text for text in texts if text.strip()] + [*map(self._image, images)]))
            case Result(_, text, images):
                call_id = self._ways.call_id(item.call_id)
                message = dump({"role": "tool", "tool_call_id": call_id, "content": text})
                # A tool message is text alone here: its images follow in the user's message.
                shown = [f"The image of the result of {call_id}:", *map(self._image, images)] if images else []
                return Encoded(first=(message,), rest=dump_all(shown))
            case Reply():
                message = self._reply(item)
                return Encoded(rest=(message,) if message else ())

    def message(self, first: Sequence[bytes], rest: Sequence[bytes], *, is_reply: bool, is_marked: bool) -> bytes:
        del is_marked  # The service finds the prefix it has cached by itself.
        if is_reply or not rest:
            return b",".join([*first, *rest])
        bridge = [dump({"role": "assistant", "content": self._ways.bridge})] if first and self._ways.bridge else []
        return b",".join([*first, *bridge, b'{"role":"user","content":' + _content(rest) + b"}"])

    def _reply(self, reply: Reply) -> bytes | None:
        if not reply.calls and not reply.text.strip():
            return None
        is_own = reply.origin == self._origin
        thoughts = _thoughts(reply) if is_own else {}
        head = dump({"role": "assistant", "content": reply.text or None} | thoughts)
        if not reply.calls:
            return head
        return head[:-1] + b',"tool_calls":' + dump(list(self._calls(reply, is_own=is_own))) + b"}"

    def _calls(self, reply: Reply, *, is_own: bool) -> Iterator[Json]:
        """Write calls with what stands before them: what the service wants to see again of each."""
        extra: Json = {}
        for part in reply.parts:
            match part:
                case Thought(_, seal) if seal and is_own:
                    extra = extra | _part_of(seal, "extra_content")
                case Call(id_, name):
                    function = {"name": name, "arguments": arguments_of(part).decode()}
                    call = {"id": self._ways.call_id(id_), "type": "function", "function": function}
                    yield call | (extra if is_own else self._ways.unsigned_call or {})
                    extra = {}
                case _:
                    pass

    def _image(self, url: str) -> Json | str:
        if not self._sees_images or image_of(url) is None:
            return IMAGE_LEFT_OUT
        return {"type": "image_url", "image_url": {"url": url}}


def _thoughts(reply: Reply) -> Json:
    """Give thoughts back under the name they came by: servers that think between calls want to see them again."""
    seals = [(part.text, part.seal) for part in reply.parts if isinstance(part, Thought) and part.seal]
    details = [_part_of(seal, "reasoning_details") for _, seal in seals]
    if given := next(filter(None, details), None):
        return given
    named = [(_part_of(seal, "field"), text) for text, seal in seals]
    texts = [text for field, text in named if field]
    return {next(field["field"] for field, _ in named if field): "".join(texts)} if texts else {}


def _part_of(seal: str, name: str) -> Json:
    """What of a seal is called so; seals of this API are objects of one field each."""
    kept: Json = json.loads(seal)
    return {name: kept[name]} if name in kept else {}


def _content(parts: Sequence[bytes]) -> bytes:
    """Join texts into one string, which every server takes; a list of parts is written only where there are images."""
    if all(part.startswith(b'"') for part in parts):
        return b'"' + b"\\n\\n".join(part[1:-1] for part in parts) + b'"'
    return b"[" + b",".join(_as_part(part) for part in parts) + b"]"


def _as_part(part: bytes) -> bytes:
    return b'{"type":"text","text":' + part + b"}" if part.startswith(b'"') else part
