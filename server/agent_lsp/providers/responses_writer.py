"""Writes requests of the Responses API (openai-responses). Nothing is stored there: each request carries all."""

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
    image_of,
    plain_id,
    with_cache_key,
    without_last_thoughts,
)


class ResponsesWriter:
    """`parameters` are the fields of every request that do not change: model, reasoning, a limit of the output."""

    def __init__(self, parameters: Json, origin: str, *, sees_images: bool) -> None:
        self._parameters = parameters
        self._origin = origin
        self._sees_images = sees_images

    def envelope(self, request: ModelRequest) -> Envelope:
        fields = with_cache_key(self._parameters | {"stream": True, "store": False}, request)
        if request.system.strip():
            fields["instructions"] = request.system
        if request.tools:
            fields["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    # Strict schemas have no optional parameters; ours do.
                    "strict": False,
                }
                for tool in request.tools
            ]
        return Envelope(dump(fields)[:-1] + b',"input":[')

    def encode(self, item: HistoryItem) -> Encoded:
        match item:
            case Words(texts, images):
                content = [*_texts(texts), *map(self._image, images)]
                return Encoded(rest=(dump({"role": "user", "content": content}),) if content else ())
            case Result():
                return Encoded(first=(dump(self._result(item)),))
            case Reply(parts, origin):
                is_own = origin == self._origin
                blocks = (_part(part, is_own=is_own) for part in without_last_thoughts(parts))
                return Encoded(rest=tuple(block for block in blocks if block))

    def message(self, first: Sequence[bytes], rest: Sequence[bytes], *, is_reply: bool, is_marked: bool) -> bytes:
        del is_reply, is_marked  # Items stand for themselves here, and the service finds what it has cached.
        return b",".join([*first, *rest])

    def _result(self, result: Result) -> Json:
        output = [*_texts((result.text,)), *map(self._image, result.images)] if result.images else result.text
        return {"type": "function_call_output", "call_id": plain_id(result.call_id), "output": output}

    def _image(self, url: str) -> Json:
        if not self._sees_images or image_of(url) is None:
            return {"type": "input_text", "text": IMAGE_LEFT_OUT}
        return {"type": "input_image", "image_url": url, "detail": "auto"}


def _texts(texts: Sequence[str]) -> list[Json]:
    return [{"type": "input_text", "text": text} for text in texts if text.strip()]


def _part(part: Part, *, is_own: bool) -> bytes | None:
    match part:
        case Spoken(text):
            # The type is what llama.cpp knows an item by; without it, the vendor alone does.
            return dump({"type": "message", "role": "assistant", "content": text}) if text.strip() else None
        case Call(id_, name):
            arguments = arguments_of(part).decode()
            return dump({"type": "function_call", "call_id": plain_id(id_), "name": name, "arguments": arguments})
        case Thought(_, seal):
            # The item goes back byte for byte: the seal is its JSON.
            return seal.encode("utf-8", "replace") if seal and is_own else None
