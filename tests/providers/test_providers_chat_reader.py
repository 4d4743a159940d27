"""Chat Completions, as the many compatible servers write it."""

from typing import Any

import pytest

from agent_lsp.domain.history import Thought
from agent_lsp.domain.model import (
    CallBegan,
    CallEnded,
    CallGrew,
    ModelEvent,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ThoughtSealed,
    UsageKnown,
)
from agent_lsp.domain.status import Usage
from support.decoding import decoded, shown, sse


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> Any:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} | more


def piece(index: int | None = None, id: str | None = None, name: str | None = None, arguments: Any = None) -> Any:  # noqa: A002 - the wire's name
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    call = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return chunk({"tool_calls": [call | {"function": function}]})


CALLS = {
    "two, one after the other": (
        [piece(0, "a", "f", ""), piece(0, arguments="{}"), piece(1, "b", "g", ""), piece(1, arguments="[]")],
        [("a", "f", "{}"), ("b", "g", "[]")],
    ),
    "two, interleaved": (
        [
            piece(0, "a", "f"),
            piece(1, "b", "g"),
            piece(0, arguments="{"),
            piece(1, arguments="["),
            piece(0, arguments="}"),
            piece(1, arguments="]"),
        ],
        [("a", "f", "{}"), ("b", "g", "[]")],
    ),
    "two of one index": (
        [piece(0, "a", "f", "{}"), piece(0, "b", "g", "[]")],
        [("a", "f", "{}"), ("b", "g", "[]")],
    ),
    "two of one index without ids": (
        [piece(0, None, "f", "{}"), piece(0, None, "g", "[]")],
        [("minted_0", "f", "{}"), ("minted_1", "g", "[]")],
    ),
    "whole calls without an index": (
        [piece(None, "a", "f", "{}"), piece(None, "b", "f", "[]")],
        [("a", "f", "{}"), ("b", "f", "[]")],
    ),
    "pieces without an index": (
        [piece(None, "a", "f", "{"), piece(arguments="}")],
        [("a", "f", "{}")],
    ),
    "indices that begin at 1 and skip": (
        [piece(1, "a", "f", "{}"), piece(5, "b", "g", "{}")],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "a name in pieces": (
        [piece(0, "a", "rea"), piece(0, None, "d_file"), piece(0, arguments="{}")],
        [("a", "read_file", "{}")],
    ),
    "a name in every piece": (
        [piece(0, "a", "f", ""), piece(0, "a", "f", "{"), piece(0, "a", "f", "}")],
        [("a", "f", "{}")],
    ),
    "a call without arguments": ([piece(0, "a", "f")], [("a", "f", "")]),
    "a call without a name": ([piece(0, "a", None, "{}")], [("a", "", "{}")]),
    "arguments as an object": ([piece(0, "a", "f", {"x": 1})], [("a", "f", '{"x": 1}')]),
    "one id for two calls": (
        [piece(0, "a", "f", "{}"), piece(1, "a", "g", "{}")],
        [("a", "f", "{}"), ("minted_0", "g", "{}")],
    ),
}


@pytest.mark.parametrize(("chunks", "calls"), CALLS.values(), ids=CALLS.keys())
def test_calls_of_compatible_servers_are_put_together(chunks: list[Any], calls: list[tuple[str, str, str]]) -> None:
    events = decoded("openai", sse(*chunks, chunk({}, "tool_calls"), b"[DONE]"))

    texts = {
        n: "".join(e.arguments for e in events if isinstance(e, CallGrew) and e.key == n) for n in range(len(calls))
    }
    assert [(e.id, e.name, texts[e.key]) for e in events if isinstance(e, CallBegan)] == calls
    assert sorted(e.key for e in events if isinstance(e, CallEnded)) == list(range(len(calls)))
    assert events[-1] == Stopped(StopReason.CALLS)


CHUNKS = {
    "null everywhere": (
        [
            chunk({"role": "assistant", "content": None, "tool_calls": None}),
            chunk(None),
            {"choices": None, "usage": None},
        ],
        [],
    ),
    "no choices": ([{"choices": []}, {}], []),
    "another choice": ([{"choices": [{"index": 1, "delta": {"content": "x"}}]}], []),
    "content in parts": (
        [chunk({"content": [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": []}]})],
        [TextDelta("a")],
    ),
    "a refusal": ([chunk({"refusal": "no"})], [TextDelta("no"), Stopped(StopReason.REFUSAL)]),
    "reasoning by the other name": (
        [chunk({"reasoning": "hm"}), chunk({"content": "a"})],
        [ThoughtDelta("hm"), ThoughtSealed(Thought("hm", '{"field": "reasoning"}')), TextDelta("a")],
    ),
    "only reasoning": (
        [chunk({"reasoning_content": "hm"})],
        [ThoughtDelta("hm"), ThoughtSealed(Thought("hm", '{"field": "reasoning_content"}'))],
    ),
    "usage in every chunk": (
        [
            chunk({}, usage={"prompt_tokens": 1, "completion_tokens": 1}),
            chunk({}, usage={"prompt_tokens": 1, "completion_tokens": 2}),
        ],
        [UsageKnown(Usage(1, 1)), UsageKnown(Usage(1, 2))],
    ),
}


@pytest.mark.parametrize(("chunks", "expected"), CHUNKS.values(), ids=CHUNKS.keys())
def test_chunks_of_compatible_servers_are_understood(chunks: list[Any], expected: list[ModelEvent]) -> None:
    stop = [] if expected and isinstance(expected[-1], Stopped) else [Stopped(StopReason.END)]

    assert shown(decoded("openai", sse(*chunks, chunk({}, "stop"), b"[DONE]"))) == shown(expected + stop)


def test_a_stream_without_a_finish_reason_ends_with_its_mark() -> None:
    assert decoded("openai", sse(chunk({"content": "x"}), b"[DONE]")) == [TextDelta("x"), Stopped(StopReason.END)]
