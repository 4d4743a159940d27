"""Chat Completions, as the many compatible servers write it."""

from collections.abc import Callable
from typing import Any

import pytest

from agent_lsp.domain.errors import ModelFault
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
from support.models import usage_of


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
    "an id that is a number": (
        [chunk({"tool_calls": [{"index": 0, "id": 7, "function": {"name": "f", "arguments": "{}"}}]})],
        [("7", "f", "{}")],
    ),
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
        [UsageKnown(Usage(1, 1, cost=None)), UsageKnown(Usage(1, 2, cost=None))],
    ),
    "a call that is signed": (
        [
            chunk(
                {
                    "tool_calls": [
                        {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"g": 1}}
                    ]
                }
            )
        ],
        [
            ThoughtSealed(Thought("", '{"extra_content": {"g": 1}}')),
            CallBegan(0, "a", "f"),
            CallGrew(0, "{}"),
            CallEnded(0),
            Stopped(StopReason.CALLS),
        ],
    ),
    "reasoning in details": (
        [
            chunk({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "a", "id": None}]}),
            chunk({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "b", "signature": "s"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "x", "id": "i"}]}),
        ],
        [
            ThoughtSealed(
                Thought(
                    "",
                    '{"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"}, '
                    '{"type": "reasoning.encrypted", "index": 1, "id": "i", "data": "x"}]}',
                )
            )
        ],
    ),
}


@pytest.mark.parametrize(("chunks", "expected"), CHUNKS.values(), ids=CHUNKS.keys())
def test_chunks_of_compatible_servers_are_understood(chunks: list[Any], expected: list[ModelEvent]) -> None:
    stop = [] if expected and isinstance(expected[-1], Stopped) else [Stopped(StopReason.END)]

    assert shown(decoded("openai", sse(*chunks, chunk({}, "stop"), b"[DONE]"))) == shown(expected + stop)


def test_a_stream_without_a_finish_reason_ends_with_its_mark() -> None:
    assert decoded("openai", sse(chunk({"content": "x"}), b"[DONE]")) == [TextDelta("x"), Stopped(StopReason.END)]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("model_length", StopReason.LENGTH),
        ("MAX_TOKENS", StopReason.LENGTH),
        ("SAFETY", StopReason.REFUSAL),
        ("sensitive", StopReason.REFUSAL),
        ("eos", StopReason.END),
    ],
)
def test_reasons_of_compatible_servers_are_understood(finish: str, reason: StopReason) -> None:
    assert decoded("openai", sse(chunk({"content": "x"}, finish)))[-1] == Stopped(reason)


@pytest.mark.parametrize(
    "finish", ["error", "network_error", "insufficient_system_resource", "malformed_function_call"]
)
def test_an_answer_that_came_to_nothing_is_worth_another_try(finish: str) -> None:
    with pytest.raises(ModelFault, match="gave up") as caught:
        decoded("openai", sse(chunk({"content": "x"}, finish), b"[DONE]"))

    assert caught.value.is_passing


@pytest.mark.parametrize(
    "event",
    [
        {"error": {"message": "words"}},
        {"error": "words"},
        {"object": "error", "message": "words", "code": 500},
        {"message": "words"},
        {"detail": "words"},
        {"type": "error", "error": {"message": "words"}},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}], "error": {"code": 502, "message": "words"}},
    ],
)
def test_errors_are_found_wherever_a_server_puts_them(event: Any) -> None:
    with pytest.raises(ModelFault, match="words"):
        decoded("openai", sse(chunk({"content": "x"}), event, b"[DONE]"))


FIGURES = {
    "the vendor's own": (
        {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
        Usage(10, 2, 4, cost=None),
    ),
    "of DeepSeek": (
        {"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 6},
        Usage(10, 2, 4, cost=None),
    ),
    "of LiteLLM": (
        {
            "prompt_tokens": 10,
            "completion_tokens": 2,
            "cache_read_input_tokens": 4,
            "cache_creation_input_tokens": 3,
        },
        Usage(10, 2, 4, 3, None),
    ),
    "of OpenRouter, with what it cost": (
        {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12, "cost": 0.25},
        Usage(10, 2, cost=0.25),
    ),
    "thoughts beside the completion": (
        {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 30},
        Usage(10, 20, cost=None),
    ),
    "more cached than there was": (
        {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 99}},
        Usage(10, 2, 10, cost=None),
    ),
    "as text": ({"prompt_tokens": "10", "completion_tokens": "2"}, Usage(10, 2, cost=None)),
    "with a fraction": ({"prompt_tokens": 10.0, "completion_tokens": 2.5}, Usage(10, 2, cost=None)),
    "less than none": ({"prompt_tokens": -10, "completion_tokens": 2, "cost": -1}, Usage(0, 2, cost=None)),
    "beyond all sense": ({"prompt_tokens": 10**18, "completion_tokens": 2}, Usage(0, 2, cost=None)),
    "nothing but zeros": ({"prompt_tokens": 0, "completion_tokens": 0}, None),
    "of odd shapes": ({"prompt_tokens": [], "completion_tokens": True, "prompt_tokens_details": 3, "cost": "x"}, None),
    "no object": (["x"], None),
}


@pytest.mark.parametrize(("told", "usage"), FIGURES.values(), ids=FIGURES.keys())
def test_figures_are_read_as_far_as_they_make_sense(told: Any, usage: Usage | None) -> None:
    events = decoded("openai", sse(chunk({"content": "x"}, "stop"), {"choices": [], "usage": told}, b"[DONE]"))

    assert usage_of(events) == usage


@pytest.mark.parametrize(
    "place", [lambda told: chunk({}, x_groq={"usage": told}), lambda told: {"choices": [{"delta": {}, "usage": told}]}]
)
def test_figures_are_found_where_servers_put_them(place: Callable[[Any], Any]) -> None:
    events = decoded("openai", sse(place({"prompt_tokens": 1, "completion_tokens": 2}), b"[DONE]"))

    assert usage_of(events) == Usage(1, 2, cost=None)
