"""What readers make of the events of services; no network. Chat Completions' dialects have a file of their own."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.history import Thought
from agent_lsp.domain.model import (
    CallBegan,
    CallEnded,
    CallGrew,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ThoughtSealed,
    UsageKnown,
)
from agent_lsp.domain.status import Usage
from support import model_script as script
from support.decoding import decoded, shown, sse, stream_of
from support.model_server import APIS, CallTool, RawCall, Say, Think
from support.models import parts_of, said

ANSWER = script.Answer((Think("Hm 漢"), Say("Well… 😀"), CallTool("a", x="é"), RawCall("b", "[1]")), piece=3)


@pytest.mark.parametrize("api", APIS)
def test_a_stream_cut_in_two_at_every_byte_says_the_same(api: str) -> None:
    stream = stream_of(api, ANSWER)
    whole = said(parts_of(decoded(api, stream)))

    assert whole == [("think", "Hm 漢"), ("say", "Well… 😀"), ("call", "a", '{"x": "é"}'), ("call", "b", "[1]")]
    assert all(said(parts_of(decoded(api, stream[:n], stream[n:]))) == whole for n in range(len(stream)))


@pytest.mark.parametrize("api", APIS)
@given(data=st.data())
def test_any_answer_in_any_pieces_says_the_same(api: str, data: st.DataObject) -> None:
    text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
    parts = data.draw(
        st.lists(st.one_of(text.map(Say), text.map(Think), text.map(lambda t: RawCall("n", t))), max_size=5)
    )
    stream = stream_of(api, script.Answer(tuple(parts), piece=data.draw(st.integers(1, 5))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert said(parts_of(decoded(api, *pieces))) == said(parts_of(decoded(api, stream)))


@pytest.mark.parametrize("api", APIS)
def test_a_stream_that_ends_before_its_finish_mark_is_cut_off(api: str) -> None:
    stream = stream_of(api, ANSWER)
    finish = max(
        stream.find(mark) for mark in (b'tool_use", "stop_seq', b'"finish_reason": "tool', b'"response.completed"')
    )

    for length in range(finish):
        with pytest.raises(ModelFault, match="cut off") as caught:
            decoded(api, stream[:length])
        assert caught.value.is_passing


@pytest.mark.parametrize("api", APIS)
def test_an_answer_with_its_finish_mark_is_whole_without_the_rest(api: str) -> None:
    stream = stream_of(api, script.Answer((Say("x"),)))
    marks = {"anthropic": b"event: message_stop", "openai": b"data: [DONE]", "openai-responses": b"\n\n"}
    cut = stream.rfind(marks[api])

    assert decoded(api, stream[:cut])[-1] == Stopped(StopReason.END)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("event", [b"{oops", b"[1]", b"null", b'"text"', b"", b"[DONE"])
def test_an_event_that_is_no_json_object_may_come_whole_the_next_time(api: str, event: bytes) -> None:
    with pytest.raises(ModelFault) as caught:
        decoded(api, sse(event))

    assert caught.value.is_passing


NO_TEXTS: tuple[Any, ...] = (5, True, [5], ["x"], {"a": 1})


def odd_events(api: str, odd: Any) -> list[Any]:
    """Events in which something else stands where text belongs."""
    match api:
        case "anthropic":
            deltas = [("text_delta", "text"), ("thinking_delta", "thinking")]
            grown = [{"type": "content_block_delta", "delta": {"type": kind, key: odd}} for kind, key in deltas]
            names = {"type": "content_block_start", "content_block": {"type": "tool_use", "name": odd}}
            return [*grown, names]
        case "openai":
            return [{"choices": [{"delta": {name: odd}}]} for name in ("refusal", "reasoning")]
        case _:
            kinds = ("output_text", "refusal", "reasoning_text")
            return [{"type": f"response.{kind}.delta", "delta": odd} for kind in kinds]


@pytest.mark.parametrize("odd", NO_TEXTS, ids=repr)
@pytest.mark.parametrize("api", APIS)
def test_an_event_of_an_unknown_shape_is_a_lasting_fault(api: str, odd: Any) -> None:
    for event in odd_events(api, odd):
        with pytest.raises(ModelFault, match="unknown shape") as caught:
            decoded(api, sse(event))

        assert not caught.value.is_passing


def chat_events(*deltas: str) -> list[bytes]:
    """Chunks whose deltas are written as JSON text, half pairs and all."""
    return [b'data: {"choices": [{"index": 0, "delta": %s}]}\n\n' % delta.encode() for delta in deltas]


HALVES = {
    "alone at the end": (['{"content": "a\\ud83d"}'], [("say", "a\ufffd")]),
    "first half last": (['{"content": "\\ude00\\ud83d"}'], [("say", "\ufffd\ufffd")]),
    "over two deltas": (['{"content": "a\\ud83d"}', '{"content": "\\ude00b"}'], [("say", "a😀b")]),
    "over three": (['{"content": "\\ud83d"}', '{"content": ""}', '{"content": "\\ude00"}'], [("say", "😀")]),
    "with something else": (['{"content": "\\ud83d"}', '{"content": "x\\ude00"}'], [("say", "\ufffdx\ufffd")]),
    "before a call": (
        ['{"content": "\\ud83d"}', '{"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f"}}]}'],
        [("say", "\ufffd"), ("call", "f", "")],
    ),
    "in arguments of two calls at once": (
        [
            '{"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "\\ud83d"}}]}',
            '{"tool_calls": [{"index": 1, "id": "d", "function": {"name": "g", "arguments": "\\ud83c"}}]}',
            '{"tool_calls": [{"index": 0, "function": {"arguments": "\\ude00"}}]}',
            '{"tool_calls": [{"index": 1, "function": {"arguments": "\\udf0d"}}]}',
        ],
        [("call", "f", "😀"), ("call", "g", "🌍")],
    ),
    "in a name": (
        ['{"tool_calls": [{"index": 0, "id": "\\ud83d", "function": {"name": "f\\ud83d", "arguments": "{}"}}]}'],
        [("call", "f\ufffd", "{}")],
    ),
}


@pytest.mark.parametrize("is_in_one_read", [True, False])
@pytest.mark.parametrize(("deltas", "parts"), HALVES.values(), ids=HALVES.keys())
def test_halves_of_a_character_find_each_other(
    deltas: list[str], parts: list[tuple[str, ...]], is_in_one_read: bool
) -> None:
    pieces = [*chat_events(*deltas), b"data: [DONE]\n\n"]

    events = decoded("openai", b"".join(pieces)) if is_in_one_read else decoded("openai", *pieces)

    assert said(parts_of(events)) == parts


def test_halves_of_a_character_meet_in_a_thought_too() -> None:
    pieces = chat_events('{"reasoning_content": "a\\ud83d"}', '{"reasoning_content": "\\ude00"}', '{"content": "x"}')

    events = decoded("openai", *pieces, b"data: [DONE]\n\n")

    assert said(parts_of(events)) == [("think", "a😀"), ("say", "x")]
    assert [event.text for event in events if isinstance(event, ThoughtDelta)] == ["a", "😀"]


def test_an_answer_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_lsp.providers.decoder.LONGEST_ANSWER_BYTES", 5000)

    with pytest.raises(ModelFault, match="an answer without an end"):
        decoded("openai", *[sse({"choices": []})] * 1000)


def test_an_event_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_lsp.providers.sse.LONGEST_EVENT_BYTES", 5000)

    with pytest.raises(ModelFault, match="an event too large"):
        decoded("openai", *[b"data: x"] * 1000)


def test_what_follows_the_end_mark_is_not_read() -> None:
    stream = stream_of("openai", script.Answer((Say("x"),), usage=None)) + sse(b"{oops")

    assert decoded("openai", stream) == [TextDelta("x"), Stopped(StopReason.END)]


# Messages


def test_redacted_thoughts_are_kept_sealed() -> None:
    block = {"type": "redacted_thinking", "data": "opaque"}
    start = {"type": "content_block_start", "index": 0, "content_block": block}

    events = decoded("anthropic", sse(start, {"type": "content_block_stop", "index": 0}, {"type": "message_stop"}))

    assert shown(events) == shown([ThoughtSealed(Thought("", json.dumps(block))), Stopped(StopReason.END)])


def test_a_thought_without_a_signature_has_no_seal() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "hm"}}

    events = decoded("anthropic", sse(start, {"type": "content_block_stop", "index": 0}, {"type": "message_stop"}))

    assert shown(events) == shown([ThoughtDelta("hm"), ThoughtSealed(Thought("hm")), Stopped(StopReason.END)])


def test_a_thought_that_is_only_a_signature_is_kept() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}
    sign = {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}}

    events = decoded(
        "anthropic", sse(start, sign, {"type": "content_block_stop", "index": 0}, {"type": "message_stop"})
    )

    assert shown(events[:1]) == shown([ThoughtSealed(Thought("", '{"type": "thinking", "signature": "sig"}'))])


def test_arguments_that_come_whole_with_the_start_are_taken() -> None:
    block = {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}
    start = {"type": "content_block_start", "index": 0, "content_block": block}

    events = decoded("anthropic", sse(start, {"type": "content_block_stop", "index": 0}, {"type": "message_stop"}))

    assert events == [CallBegan(0, "a", "f"), CallGrew(0, '{"x": 1}'), CallEnded(0), Stopped(StopReason.CALLS)]


def test_a_thought_that_is_still_open_at_the_end_is_sealed() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "hm"}}

    events = decoded("anthropic", sse(start, {"type": "message_stop"}))

    assert shown(events) == shown([ThoughtDelta("hm"), ThoughtSealed(Thought("hm")), Stopped(StopReason.END)])


def test_errors_among_the_events_of_messages_are_faults() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    with pytest.raises(ModelFault, match="Overloaded") as caught:
        decoded("anthropic", sse(error))

    assert caught.value.is_passing


def test_a_block_of_an_unknown_kind_is_passed_over() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "server_tool_use", "id": "s"}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}}

    assert decoded("anthropic", sse(start, delta, {"type": "message_stop"})) == [Stopped(StopReason.END)]


def test_later_figures_replace_earlier_ones() -> None:
    first = {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": None, "output_tokens": 1}
    start = {"type": "message_start", "message": {"usage": first}}
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}

    events = decoded("anthropic", sse(start, end, {"type": "message_stop"}))

    assert [e.usage for e in events if isinstance(e, UsageKnown)] == [
        Usage(15, 1, 5, cost=None),
        Usage(15, 7, 5, cost=None),
    ]


# Responses


def test_a_call_that_comes_only_as_a_whole_item_is_taken() -> None:
    item = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}

    events = decoded("openai-responses", sse(done, {"type": "response.completed", "response": {}}))

    assert events == [CallBegan(0, "a", "f"), CallGrew(0, "{}"), CallEnded(0), Stopped(StopReason.CALLS)]


def test_reasoning_goes_back_as_it_came() -> None:
    item = {
        "id": "rs",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "ä"}],
        "encrypted_content": "x",
    }
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}

    events = decoded("openai-responses", sse(done, {"type": "response.completed", "response": {}}))

    assert shown(events[:1]) == shown([ThoughtSealed(Thought("ä", json.dumps(item, ensure_ascii=False)))])


def test_reasoning_that_cannot_be_sent_back_has_no_seal() -> None:
    item = {"id": "rs", "type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}

    events = decoded("openai-responses", sse(done, {"type": "response.completed", "response": {}}))

    assert shown(events) == shown([ThoughtSealed(Thought("hm")), Stopped(StopReason.END)])


def test_a_refusal_is_told_as_one() -> None:
    delta = {"type": "response.refusal.delta", "output_index": 0, "delta": "no"}

    events = decoded("openai-responses", sse(delta, {"type": "response.completed", "response": {}}))

    assert events == [TextDelta("no"), Stopped(StopReason.REFUSAL)]


def test_paragraphs_of_a_summary_stay_apart() -> None:
    added = {"type": "response.reasoning_summary_part.added", "output_index": 0}
    delta = {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "one"}

    events = decoded(
        "openai-responses", sse(added, delta, added, delta | {"delta": "two"}, {"type": "response.completed"})
    )

    assert events == [ThoughtDelta("one\n\ntwo"), Stopped(StopReason.END)]


@pytest.mark.parametrize(
    ("event", "message", "is_passing"),
    [
        ({"type": "error", "code": "server_error", "message": "oh"}, "oh", True),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "bad"}}, "bad", False),
        (
            {"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "slow"}}},
            "slow",
            True,
        ),
        (
            {"type": "response.failed", "response": {"error": {"code": "context_length_exceeded", "message": "long"}}},
            "long",
            False,
        ),
        ({"type": "response.cancelled", "response": {}}, "gave up", True),
    ],
)
def test_errors_among_the_events_are_faults(event: Any, message: str, is_passing: bool) -> None:
    with pytest.raises(ModelFault, match=message) as caught:
        decoded("openai-responses", sse(event))

    assert caught.value.is_passing is is_passing


def test_words_without_an_end_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_lsp.providers.answer.LONGEST_ANSWER", 5000)

    with pytest.raises(ModelFault, match="an answer without an end"):
        decoded("openai", *chat_events('{"content": "words"}') * 1001)


WHOLE_ANSWER = [
    {"type": "reasoning", "summary": [{"text": "hm"}], "encrypted_content": "e"},
    {"type": "message", "content": [{"type": "output_text", "text": "I look."}]},
    {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
]


def test_an_answer_that_comes_only_with_the_last_event_is_taken() -> None:
    last = {"type": "response.completed", "response": {"output": WHOLE_ANSWER}}

    events = decoded("openai-responses", sse(last))

    assert said(parts_of(events)) == [("think", "hm"), ("say", "I look."), ("call", "f", "{}")]


@pytest.mark.parametrize("has_places", [True, False])
def test_what_came_piece_by_piece_is_not_taken_again_with_the_last_event(has_places: bool) -> None:
    places = [{"output_index": at} if has_places else {} for at in range(len(WHOLE_ANSWER))]
    pieces = [
        {"type": f"response.output_item.{step}", "item": item, **place}
        for item, place in zip(WHOLE_ANSWER, places, strict=True)
        for step in ("added", "done")
    ]
    last = {"type": "response.completed", "response": {"output": WHOLE_ANSWER}}

    events = decoded("openai-responses", sse(*pieces, last))

    assert said(parts_of(events)) == [("think", "hm"), ("say", "I look."), ("call", "f", "{}")]


@pytest.mark.parametrize("api", ["anthropic", "openai-responses"])
def test_an_error_without_its_type_is_a_fault(api: str) -> None:
    with pytest.raises(ModelFault, match="words"):
        decoded(api, sse({"error": {"message": "words"}}))


FULL = {"type": "message_delta", "delta": {"stop_reason": "model_context_window_exceeded"}}


def test_a_window_that_is_full_before_the_answer_is_an_overflow() -> None:
    with pytest.raises(ContextOverflow, match="no room for an answer"):
        decoded("anthropic", sse({"type": "message_start", "message": {}}, FULL, {"type": "message_stop"}))


def test_a_window_that_is_full_within_the_answer_cuts_it_off() -> None:
    begun = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "so far"}}

    events = decoded("anthropic", sse(begun, FULL, {"type": "message_stop"}))

    assert (said(parts_of(events)), events[-1]) == ([("say", "so far")], Stopped(StopReason.LENGTH))
