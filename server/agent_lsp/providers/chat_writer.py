"""Writes requests of Chat Completions (openai and compatible servers)."""

import json
from collections.abc import Sequence

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.history import HistoryItem, Reply, Result, Thought, Words
from agent_lsp.domain.model import ModelRequest
from agent_lsp.providers.encoding import IMAGE_LEFT_OUT, Encoded, Envelope, arguments_of, dump, dump_all, image_of


class ChatWriter:
    """`parameters` are the fields of every request that do not change: model, effort, a limit of the output."""

    def __init__(self, parameters: Json, origin: str, *, sees_images: bool) -> None:
        self._parameters = parameters
        self._origin = origin
        self._sees_images = sees_images

    def envelope(self, request: ModelRequest) -> Envelope:
        fields = self._parameters | {"stream": True, "stream_options": {"include_usage": True}}
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
            case Result(call_id, text, images):
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
        return b",".join([*first, b'{"role":"user","content":' + _content(rest) + b"}"])

    def _reply(self, reply: Reply) -> bytes | None:
        if not reply.calls and not reply.text.strip():
            return None
        head = dump({"role": "assistant", "content": reply.text or None} | self._thoughts(reply))
        if not reply.calls:
            return head
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_of(call).decode()},
            }
            for call in reply.calls
        ]
        return head[:-1] + b',"tool_calls":' + dump(calls) + b"}"

    def _thoughts(self, reply: Reply) -> Json:
        """Give thoughts back under the name they came by: servers that think between calls want to see them again."""
        sealed = [part for part in reply.parts if isinstance(part, Thought) and part.seal]
        if not sealed or reply.origin != self._origin:
            return {}
        seal: Json = json.loads(sealed[0].seal or "{}")
        return {seal["field"]: "".join(thought.text for thought in sealed)}

    def _image(self, url: str) -> Json | str:
        if not self._sees_images or image_of(url) is None:
            return IMAGE_LEFT_OUT
        return {"type": "image_url", "image_url": {"url": url}}


def _content(parts: Sequence[bytes]) -> bytes:
    """Join texts into one string, which every server takes; a list of parts is written only where there are images."""
    if all(part.startswith(b'"') for part in parts):
        return b'"' + b"\\n\\n".join(part[1:-1] for part in parts) + b'"'
    return b"[" + b",".join(_as_part(part) for part in parts) + b"]"


def _as_part(part: bytes) -> bytes:
    return b'{"type":"text","text":' + part + b"}" if part.startswith(b'"') else part
