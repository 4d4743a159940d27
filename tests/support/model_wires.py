"""How each vendor's API streams a scripted answer. Written from the vendors' references, not from our decoders."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from support.model_script import Answer, Cut, Figures, Hold, Pause, Raw, RawCall, Refusal, Say, StreamError, Think

Wire = bytes | Hold | Pause | Cut
"""What leaves the server: bytes, and what happens between them."""

JsonObject = dict[str, Any]


@dataclass(slots=True)
class Stream:
    """What a dialect keeps while it renders one answer."""

    answer: Answer
    model: str
    call_ids: Iterator[str]
    wants_usage: bool = True
    index: int = 0
    sequence: Iterator[int] = field(default_factory=count)
    output: list[JsonObject] = field(default_factory=list[JsonObject])

    @property
    def usage(self) -> Figures:
        return self.answer.usage or Figures(0, 0)

    def pieces(self, part: Say | Think | RawCall) -> Iterator[str]:
        text = part.arguments if isinstance(part, RawCall) else part.text
        for _ in range(part.times if isinstance(part, Say) else 1):
            for start in range(0, len(text), self.answer.piece):
                yield text[start : start + self.answer.piece]

    def id_of(self, call: RawCall, key: str = "id") -> JsonObject:
        """The id as a field, or no field where the call has none."""
        return {} if call.id is None else {key: call.id or next(self.call_ids)}


def event(body: JsonObject, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def typed(body: JsonObject) -> bytes:
    return event(body, body["type"])


# Messages (anthropic)


def messages_stream(stream: Stream) -> Iterator[Wire]:
    usage = stream.usage
    counted = {
        "input_tokens": usage.tokens_in - usage.cache_reads - usage.cache_writes,
        "cache_creation_input_tokens": usage.cache_writes,
        "cache_read_input_tokens": usage.cache_reads,
    }
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": stream.model, "content": []}
    start_usage = {"usage": counted | {"output_tokens": 1}} if stream.answer.usage else {}
    yield typed(
        {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None} | start_usage}
    )
    yield typed({"type": "ping"})
    for part in stream.answer.parts:
        match part:
            case StreamError():
                yield typed({"type": "error", "error": {"type": part.type, "message": part.message}})
                return
            case Raw():
                yield part.bytes
            case Hold() | Pause() | Cut():
                yield part
            case _:
                yield from _messages_block(stream, part)
    stops = {"end": "end_turn", "calls": "tool_use", "length": "max_tokens", "refusal": "refusal"}
    delta = {"stop_reason": stops[stream.answer.stop_reason], "stop_sequence": None}
    end_usage = {"usage": {"output_tokens": usage.tokens_out}} if stream.answer.usage else {}
    yield typed({"type": "message_delta", "delta": delta} | end_usage)
    yield typed({"type": "message_stop"})


def _messages_block(stream: Stream, part: Say | Think | RawCall) -> Iterator[bytes]:
    match part:
        case Say():
            block, kind, key = {"type": "text", "text": ""}, "text_delta", "text"
        case Think():
            block, kind, key = {"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking"
        case RawCall():
            name = {} if part.name is None else {"name": part.name}
            block = {"type": "tool_use", **stream.id_of(part), **name, "input": {}}
            kind, key = "input_json_delta", "partial_json"
    at = {"index": stream.index}
    stream.index += 1
    yield typed({"type": "content_block_start", **at, "content_block": block})
    for piece in stream.pieces(part):
        yield typed({"type": "content_block_delta", **at, "delta": {"type": kind, key: piece}})
    if isinstance(part, Think):
        seal = {"type": "signature_delta", "signature": part.seal}
        yield typed({"type": "content_block_delta", **at, "delta": seal})
    yield typed({"type": "content_block_stop", **at})


# Chat Completions (openai)


def chat_stream(stream: Stream) -> Iterator[Wire]:
    yield _chunk(stream, {"role": "assistant", "content": ""})
    for part in stream.answer.parts:
        match part:
            case StreamError():
                yield event({"error": {"message": part.message, "type": part.type, "code": None}})
                return
            case Raw():
                yield part.bytes
            case Hold() | Pause() | Cut():
                yield part
            case Say():
                for piece in stream.pieces(part):
                    yield _chunk(stream, {"content": piece})
            case Think():
                for piece in stream.pieces(part):
                    yield _chunk(stream, {"reasoning_content": piece})
            case RawCall():
                yield from _chat_call(stream, part)
    stops = {"end": "stop", "calls": "tool_calls", "length": "length", "refusal": "content_filter"}
    yield _chunk(stream, {}, stops[stream.answer.stop_reason])
    if stream.wants_usage and stream.answer.usage:
        yield event(_chunk_body(stream) | {"choices": [], "usage": _chat_usage(stream.usage)})
    yield b"data: [DONE]\n\n"


def _chat_call(stream: Stream, call: RawCall) -> Iterator[bytes]:
    index = stream.index
    stream.index += 1
    name = {} if call.name is None else {"name": call.name}
    opening = {"index": index, **stream.id_of(call), "type": "function", "function": {**name, "arguments": ""}}
    yield _chunk(stream, {"tool_calls": [opening]})
    for piece in stream.pieces(call):
        yield _chunk(stream, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _chunk_body(stream: Stream) -> JsonObject:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": stream.model}


def _chunk(stream: Stream, delta: JsonObject, finish: str | None = None) -> bytes:
    return event(_chunk_body(stream) | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _chat_usage(usage: Figures) -> JsonObject:
    return {
        "prompt_tokens": usage.tokens_in,
        "completion_tokens": usage.tokens_out,
        "total_tokens": usage.tokens_in + usage.tokens_out,
        "prompt_tokens_details": {"cached_tokens": usage.cache_reads, "cache_write_tokens": usage.cache_writes},
    }


# Responses (openai-responses)


def responses_stream(stream: Stream) -> Iterator[Wire]:
    shell = {"id": "resp_1", "object": "response", "created_at": 1, "model": stream.model, "tools": []}
    shell |= {"parallel_tool_calls": True, "tool_choice": "auto"}
    yield _numbered(stream, {"type": "response.created", "response": shell | {"status": "in_progress", "output": []}})
    for part in stream.answer.parts:
        match part:
            case StreamError():
                failed = {"status": "failed", "error": {"code": part.type, "message": part.message}}
                yield _numbered(stream, {"type": "response.failed", "response": shell | failed | {"output": []}})
                return
            case Raw():
                yield part.bytes
            case Hold() | Pause() | Cut():
                yield part
            case Say():
                yield from _responses_message(stream, part)
            case Think():
                yield from _responses_reasoning(stream, part)
            case RawCall():
                yield from _responses_call(stream, part)
    yield _numbered(stream, _responses_ending(stream, shell))


def _responses_ending(stream: Stream, shell: JsonObject) -> JsonObject:
    usage = {"usage": _responses_usage(stream.usage)} if stream.answer.usage else {}
    reasons = {"length": "max_output_tokens", "refusal": "content_filter"}
    response = shell | {"output": stream.output} | usage
    if reason := reasons.get(stream.answer.stop_reason):
        incomplete = {"status": "incomplete", "incomplete_details": {"reason": reason}}
        return {"type": "response.incomplete", "response": response | incomplete}
    return {"type": "response.completed", "response": response | {"status": "completed"}}


def _responses_message(stream: Stream, say: Say) -> Iterator[bytes]:
    item = {"id": f"msg_{stream.index}", "type": "message", "role": "assistant"}
    at = {"item_id": item["id"], "output_index": stream.index, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": []}
    yield _added(stream, item | {"status": "in_progress", "content": []})
    yield _numbered(stream, {"type": "response.content_part.added", **at, "part": empty})
    for piece in stream.pieces(say):
        yield _numbered(stream, {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []})
    whole = empty | {"text": say.text * say.times}
    yield _numbered(stream, {"type": "response.output_text.done", **at, "text": whole["text"], "logprobs": []})
    yield _numbered(stream, {"type": "response.content_part.done", **at, "part": whole})
    yield _done(stream, item | {"status": "completed", "content": [whole]})


def _responses_reasoning(stream: Stream, think: Think) -> Iterator[bytes]:
    item = {"id": f"rs_{stream.index}", "type": "reasoning"}
    at = {"item_id": item["id"], "output_index": stream.index, "summary_index": 0}
    whole = {"type": "summary_text", "text": think.text}
    yield _added(stream, item | {"summary": [], "encrypted_content": "unfinished"})
    yield _numbered(stream, {"type": "response.reasoning_summary_part.added", **at, "part": whole | {"text": ""}})
    for piece in stream.pieces(think):
        yield _numbered(stream, {"type": "response.reasoning_summary_text.delta", **at, "delta": piece})
    yield _numbered(stream, {"type": "response.reasoning_summary_text.done", **at, "text": think.text})
    yield _numbered(stream, {"type": "response.reasoning_summary_part.done", **at, "part": whole})
    yield _done(stream, item | {"summary": [whole], "encrypted_content": think.seal})


def _responses_call(stream: Stream, call: RawCall) -> Iterator[bytes]:
    named = stream.id_of(call, "call_id") | ({} if call.name is None else {"name": call.name})
    item = {"id": f"fc_{stream.index}", "type": "function_call", **named}
    at = {"item_id": item["id"], "output_index": stream.index}
    yield _added(stream, item | {"status": "in_progress", "arguments": ""})
    for piece in stream.pieces(call):
        yield _numbered(stream, {"type": "response.function_call_arguments.delta", **at, "delta": piece})
    yield _numbered(stream, {"type": "response.function_call_arguments.done", **at, "arguments": call.arguments})
    yield _done(stream, item | {"status": "completed", "arguments": call.arguments})


def _added(stream: Stream, item: JsonObject) -> bytes:
    return _numbered(stream, {"type": "response.output_item.added", "output_index": stream.index, "item": item})


def _done(stream: Stream, item: JsonObject) -> bytes:
    stream.output.append(item)
    index = stream.index
    stream.index += 1
    return _numbered(stream, {"type": "response.output_item.done", "output_index": index, "item": item})


def _numbered(stream: Stream, body: JsonObject) -> bytes:
    return typed(body | {"sequence_number": next(stream.sequence)})


def _responses_usage(usage: Figures) -> JsonObject:
    return {
        "input_tokens": usage.tokens_in,
        "input_tokens_details": {"cached_tokens": usage.cache_reads, "cache_write_tokens": usage.cache_writes},
        "output_tokens": usage.tokens_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.tokens_in + usage.tokens_out,
    }


STREAMS: dict[str, Callable[[Stream], Iterator[Wire]]] = {
    "anthropic": messages_stream,
    "openai": chat_stream,
    "openai-responses": responses_stream,
}


def error_body(api: str, refusal: Refusal) -> bytes:
    """An error as the vendor words it."""
    if refusal.body is not None:
        return refusal.body
    if api == "anthropic":
        error = {
            "type": "error",
            "error": {"type": "scripted_error", "message": refusal.message},
            "request_id": "req_1",
        }
    else:
        error = {"error": {"message": refusal.message, "type": "scripted_error", "param": None, "code": None}}
    return json.dumps(error).encode()
