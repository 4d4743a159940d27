"""What a vendor's API makes of a request: one view for all of them, and what it would refuse.

Written from the vendors' references, so that a wrong encoder does not find a wrong server that understands it.
"""

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SeenWords:
    texts: tuple[str, ...]
    images: int = 0


@dataclass(frozen=True, slots=True)
class SeenCall:
    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class SeenReply:
    text: str
    calls: tuple[SeenCall, ...] = ()
    seals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenResult:
    call_id: str
    text: str
    images: int = 0


SeenItem = SeenWords | SeenReply | SeenResult


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request as it came, and what it says whichever API it came by."""

    api: str
    path: str
    headers: dict[str, str]
    raw: bytes
    body: JsonObject
    system: str
    tools: tuple[str, ...]
    items: tuple[SeenItem, ...]

    @property
    def results(self) -> tuple[SeenResult, ...]:
        """The results of all calls so far, in order."""
        return tuple(item for item in self.items if isinstance(item, SeenResult))

    @property
    def new_results(self) -> tuple[SeenResult, ...]:
        """The results that are new with this request."""
        return tuple(item for item in self._after_last_reply() if isinstance(item, SeenResult))

    @property
    def new_texts(self) -> tuple[str, ...]:
        """The user's texts that are new with this request."""
        return tuple(text for item in self._after_last_reply() if isinstance(item, SeenWords) for text in item.texts)

    @property
    def calls(self) -> tuple[SeenCall, ...]:
        return tuple(call for item in self.items if isinstance(item, SeenReply) for call in item.calls)

    def _after_last_reply(self) -> tuple[SeenItem, ...]:
        last = max((n for n, item in enumerate(self.items) if isinstance(item, SeenReply)), default=-1)
        return self.items[last + 1 :]


def seen(api: str, path: str, headers: dict[str, str], raw: bytes) -> SeenRequest:
    """Read a request; a ValueError says what the API would refuse it for."""
    body = json.loads(raw)
    if body.get("stream") is not True:
        raise ValueError("this server only streams: `stream` must be true")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise ValueError("`model` is missing")
    system, tools, items = _READERS[api](body)
    _check_pairing(items)
    return SeenRequest(api, path, headers, raw, body, system, tools, items)


def _check_pairing(items: tuple[SeenItem, ...]) -> None:
    waiting: list[str] = []
    for item in items:
        match item:
            case SeenResult(call_id=call_id):
                if call_id not in waiting:
                    raise ValueError(f"a result for {call_id!r}, which no call of the last reply has, or a second one")
                waiting.remove(call_id)
            case _ if waiting:
                raise ValueError(f"calls without a result directly after them: {waiting}")
            case SeenReply(calls=calls):
                waiting = [call.id for call in calls]
                if len(set(waiting)) < len(waiting):
                    raise ValueError(f"two calls have one id: {waiting}")
            case SeenWords():
                pass
    if waiting:
        raise ValueError(f"calls without a result: {waiting}")


def _messages(body: JsonObject) -> tuple[str, tuple[str, ...], tuple[SeenItem, ...]]:
    if not body.get("max_tokens"):
        raise ValueError("`max_tokens` is missing")
    system = body.get("system", "")
    text = system if isinstance(system, str) else "".join(block["text"] for block in system)
    items = tuple(item for message in body["messages"] for item in _messages_items(message))
    roles = [message["role"] for message in body["messages"]]
    if roles[:1] != ["user"] or any(one == two for one, two in pairwise(roles)):
        raise ValueError(f"roles must alternate, the user first: {roles}")
    return text, tuple(tool["name"] for tool in body.get("tools", ())), items


def _messages_items(message: JsonObject) -> list[SeenItem]:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
        raise ValueError("an empty message or text block")
    if message["role"] == "assistant":
        return [_messages_reply(blocks)]
    is_result = [block["type"] == "tool_result" for block in blocks]
    if is_result != sorted(is_result, reverse=True):
        raise ValueError("tool_result blocks must come first in their message")
    results: list[SeenItem] = [_messages_result(block) for block in blocks if block["type"] == "tool_result"]
    texts = tuple(block["text"] for block in blocks if block["type"] == "text")
    images = sum(block["type"] == "image" for block in blocks)
    return [*results, SeenWords(texts, images)] if texts or images else results


def _messages_reply(blocks: list[JsonObject]) -> SeenReply:
    calls = [block for block in blocks if block["type"] == "tool_use"]
    if any(not isinstance(call["input"], dict) for call in calls):
        raise ValueError("tool_use.input must be an object")
    return SeenReply(
        "".join(block["text"] for block in blocks if block["type"] == "text"),
        tuple(SeenCall(call["id"], call["name"], call["input"]) for call in calls),
        tuple(block["signature"] for block in blocks if block["type"] == "thinking"),
    )


def _messages_result(block: JsonObject) -> SeenResult:
    content = block.get("content", "")
    if isinstance(content, str):
        return SeenResult(block["tool_use_id"], content)
    text = "".join(part["text"] for part in content if part["type"] == "text")
    return SeenResult(block["tool_use_id"], text, sum(part["type"] == "image" for part in content))


def _chat(body: JsonObject) -> tuple[str, tuple[str, ...], tuple[SeenItem, ...]]:
    roles = ("system", "developer")
    system = "".join(_text_of(message["content"])[0] for message in body["messages"] if message["role"] in roles)
    items = tuple(_chat_item(message) for message in body["messages"] if message["role"] not in roles)
    return system, tuple(tool["function"]["name"] for tool in body.get("tools", ())), items


def _chat_item(message: JsonObject) -> SeenItem:
    content: str | list[JsonObject] = message.get("content") or ""
    match message["role"]:
        case "user":
            texts, images = _parts_of(content)
            return SeenWords(texts, images)
        case "tool":
            return SeenResult(message["tool_call_id"], _text_of(content)[0])
        case "assistant":
            if not content and not message.get("tool_calls"):
                raise ValueError("an assistant message with neither content nor calls")
            functions = [(call["id"], call["function"]) for call in message.get("tool_calls", ())]
            calls = tuple(SeenCall(id_, call["name"], _arguments(call["arguments"])) for id_, call in functions)
            return SeenReply(_text_of(content)[0], calls)
        case role:
            raise ValueError(f"no such role: {role}")


def _responses(body: JsonObject) -> tuple[str, tuple[str, ...], tuple[SeenItem, ...]]:
    items: list[SeenItem] = []
    for item in body["input"]:
        match item:
            case {"type": "function_call"}:
                call = SeenCall(item["call_id"], item["name"], _arguments(item["arguments"]))
                items.append(_joined(items, SeenReply("", (call,))))
            case {"type": "reasoning"}:
                items.append(_joined(items, SeenReply("", (), (item["encrypted_content"],))))
            case {"type": "function_call_output"}:
                text, images = _text_of(item["output"])
                items.append(SeenResult(item["call_id"], text, images))
            case {"role": "assistant"}:
                items.append(_joined(items, SeenReply(_text_of(item["content"])[0])))
            case {"role": "user"}:
                texts, images = _parts_of(item["content"])
                items.append(SeenWords(texts, images))
            case _:
                raise ValueError(f"no such input item: {item}")
    return body.get("instructions", ""), tuple(tool["name"] for tool in body.get("tools", ())), tuple(items)


def _joined(items: list[SeenItem], reply: SeenReply) -> SeenReply:
    """Items of one reply stand apart in the Responses API; seen from here they are one."""
    if not items or not isinstance(items[-1], SeenReply):
        return reply
    before = items.pop()
    assert isinstance(before, SeenReply)
    return SeenReply(before.text + reply.text, before.calls + reply.calls, before.seals + reply.seals)


def _arguments(text: str) -> Any:
    """Arguments travel as text here, and the API takes any: what is no JSON is seen as the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _parts_of(content: str | list[JsonObject]) -> tuple[tuple[str, ...], int]:
    if isinstance(content, str):
        return (content,), 0
    texts = tuple(part["text"] for part in content if "text" in part)
    return texts, sum("image" in part["type"] for part in content)


def _text_of(content: str | list[JsonObject]) -> tuple[str, int]:
    texts, images = _parts_of(content)
    return "".join(texts), images


_READERS = {"anthropic": _messages, "openai": _chat, "openai-responses": _responses}
