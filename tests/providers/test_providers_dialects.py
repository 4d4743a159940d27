"""Answers as compatible servers and gateways really write them, over HTTP through the model that a profile describes."""

import json
from typing import Any

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.model import CallBegan, ModelEvent, Stopped, StopReason
from agent_lsp.domain.status import Usage
from agent_lsp.providers.build import build_model
from support.decoding import decoded, sse
from support.model_server import APIS, Refusal, Say, scripted_model
from support.models import events_of, parts_of, profile_for, said, usage_of

Rows = list[tuple[str, ...]]
END, CALLS, LENGTH, REFUSAL = StopReason.END, StopReason.CALLS, StopReason.LENGTH, StopReason.REFUSAL
CALL: Rows = [("call", "read_file", '{"path": "a"}')]
SO: Rows = [("say", "So.")]
ARGUMENTS = '{"path": "a"}'
DONE = b"data: [DONE]\n\n"


async def answered(api: str, body: bytes, content_type: str = "text/event-stream") -> list[ModelEvent]:
    """What the model of a server that answers so says."""
    async with scripted_model([Refusal(200, body=body, content_type=content_type)]) as server:
        model = build_model(profile_for(server, api, tool_format="native"), name="test", environment={})
        try:
            return await events_of(model)
        finally:
            await model.aclose()


def told(events: list[ModelEvent]) -> tuple[Rows, StopReason]:
    (stop,) = [event.reason for event in events if isinstance(event, Stopped)]
    return said(parts_of(events)), stop


def typed(*events: Any) -> bytes:
    """Events with their type as a line of its own, as the vendors write them."""
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


# Chat Completions


def chunk(delta: Any, finish: str | None = None, **more: Any) -> Any:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish} | more],
    }


def called(arguments: Any = ARGUMENTS, **more: Any) -> Any:
    return {"tool_calls": [{"index": 0, "function": {"name": "read_file", "arguments": arguments}} | more]}


def pieces(*arguments: Any, **more: Any) -> list[Any]:
    return [chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}} | more]}) for piece in arguments]


WHOLE_CHAT = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "So."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}

CHAT: dict[str, tuple[bytes, Rows, StopReason]] = {
    "llama.cpp: the finish in a chunk of its own, then usage without choices": (
        sse(
            chunk({"role": "assistant", "content": None}),
            chunk({"content": "So."}),
            chunk({}, "stop"),
            {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}, "timings": {"prompt_n": 1}},
        )
        + DONE,
        SO,
        END,
    ),
    "vLLM: the call's type as null behind its first piece": (
        sse(
            chunk(called("", id="call_1", type="function")),
            *pieces('{"path"', ': "a"}', id=None, type=None, name=None),
            chunk({"content": ""}, "tool_calls", stop_reason=None),
        )
        + DONE,
        CALL,
        CALLS,
    ),
    "Ollama: a whole call, finished as if there were none": (
        sse(chunk({"role": "assistant", "content": "", **called(id="call_1")}), chunk({"content": ""}, "stop")) + DONE,
        CALL,
        CALLS,
    ),
    "Gemini: no index, no id, no mark at the end": (
        sse(chunk({"tool_calls": [{"id": "", "function": {"name": "read_file", "arguments": ARGUMENTS}}]}, "stop")),
        CALL,
        CALLS,
    ),
    "index as null": (
        sse(chunk(called("", index=None, id="x")), *pieces(ARGUMENTS, index=None, id=None), chunk({}, "stop")) + DONE,
        CALL,
        CALLS,
    ),
    "choice without an index": (sse({"choices": [{"index": None, "delta": {"content": "So."}}]}) + DONE, SO, END),
    "two calls told apart by their ids alone": (
        sse(
            *[chunk(called("", index=None, id=id_)) for id_ in ("x", "y")],
            *[piece for id_ in ("x", "y") for piece in pieces(ARGUMENTS, index=None, id=id_)],
        )
        + DONE,
        CALL * 2,
        CALLS,
    ),
    "SGLang: arguments before the name": (
        sse(
            *pieces('{"path": '),
            chunk({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "read_file"}}]}),
            *pieces('"a"}'),
        )
        + DONE,
        CALL,
        CALLS,
    ),
    "arguments as an object": (sse(chunk(called({"path": "a"}, id="x"), "tool_calls")) + DONE, CALL, CALLS),
    "the API's first way of calling": (
        sse(
            chunk({"function_call": {"name": "read_file", "arguments": ""}}),
            chunk({"function_call": {"arguments": '{"path": '}}),
            chunk({"function_call": {"name": "read_file", "arguments": '"a"}'}}),
            chunk({}, "function_call"),
        )
        + DONE,
        CALL,
        CALLS,
    ),
    "messages in place of deltas": (
        sse(
            {"choices": [{"index": 0, "message": {"content": "S"}}]},
            {"choices": [{"index": 0, "message": {"content": "o."}, "finish_reason": "stop"}]},
        ),
        SO,
        END,
    ),
    "a message that repeats the deltas": (
        sse(
            chunk({"content": "So."}),
            {"choices": [{"index": 0, "message": {"content": "So."}, "finish_reason": "stop"}]},
        ),
        SO,
        END,
    ),
    "a whole answer as one event": (sse(WHOLE_CHAT) + DONE, SO, END),
    "no finish but the mark": (sse(chunk({"content": "So."})) + DONE, SO, END),
    "a call cut off by the limit": (
        sse(chunk(called('{"path": "', id="x")), chunk({}, "length")) + DONE,
        [("call", "read_file", '{"path": "')],
        LENGTH,
    ),
    "DeepSeek: reasoning, then text, with null beside each": (
        sse(
            chunk({"content": None, "reasoning_content": "Hm."}),
            chunk({"content": "So.", "reasoning_content": None}, "stop"),
        )
        + DONE,
        [("think", "Hm."), *SO],
        END,
    ),
    "OpenRouter: comments between the events": (
        b": OPENROUTER PROCESSING\n\n" + sse(chunk({"content": "So."}, "stop", native_finish_reason="stop")) + DONE,
        SO,
        END,
    ),
    "Azure: the filter's results before the first choice": (
        sse({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}, chunk({"content": "So."}, "stop")) + DONE,
        SO,
        END,
    ),
    "carriage returns and no blank behind the colon": (
        b"".join(b"data:%s\r\n\r\n" % json.dumps(one).encode() for one in (chunk({"content": "So."}, "stop"), {}))
        + b"data:[DONE]\r\n\r\n",
        SO,
        END,
    ),
    "empty events, events with only a name, blanks behind the mark": (
        b"event: ping\n\ndata:\n\ndata: \n\nid: 7\nretry: 10\n\n"
        + sse(chunk({"content": "So."}))
        + b"data: [DONE] \n\n",
        SO,
        END,
    ),
    "choices, usage and everything as null": (
        sse(
            {"choices": None, "usage": None},
            chunk({"content": "So.", "refusal": None, "tool_calls": None, "function_call": None, "audio": None}),
            chunk(None, "stop", logprobs=None, message=None),
        ),
        SO,
        END,
    ),
    "a finish that is null as a word": (
        sse(chunk({"content": "S"}, "null"), chunk({"content": "o."}, "None"), chunk({}, "length")) + DONE,
        SO,
        LENGTH,
    ),
    "content in parts of every kind": (
        sse(chunk({"content": ["S", {"text": "o"}, {"type": "output_text", "text": "."}, {"type": "image_url"}, None]}))
        + DONE,
        SO,
        END,
    ),
    "a refusal": (sse(chunk({"refusal": "No."}), chunk({}, "stop")) + DONE, [("say", "No.")], REFUSAL),
}


@pytest.mark.parametrize(("body", "rows", "stop"), CHAT.values(), ids=CHAT.keys())
async def test_chunks_are_read_as_they_come(body: bytes, rows: Rows, stop: StopReason) -> None:
    assert told(await answered("openai", body)) == (rows, stop)


@pytest.mark.parametrize(("body", "rows", "stop"), CHAT.values(), ids=CHAT.keys())
def test_chunks_are_read_the_same_byte_by_byte(body: bytes, rows: Rows, stop: StopReason) -> None:
    assert told(decoded("openai", *(body[at : at + 1] for at in range(len(body))))) == (rows, stop)


async def test_a_stream_that_ends_behind_a_finish_that_is_none_was_cut_off() -> None:
    with pytest.raises(ModelFault, match="cut off"):
        await answered("openai", sse(chunk({"content": "So."}, "null")))


@pytest.mark.parametrize("place", [{"choices": []}, {"choices": None}, {}, {"choices": [{"index": 0, "delta": {}}]}])
async def test_usage_is_read_beside_any_choices(place: Any) -> None:
    body = sse(chunk({"content": "So."}, "stop"), place | {"usage": {"prompt_tokens": 3, "completion_tokens": 2}})

    assert usage_of(await answered("openai", body + DONE)) == Usage(3, 2, cost=None)


# Responses


def at(place: int | None, id_: str | None) -> Any:
    given = {"output_index": place, "item_id": id_, "content_index": None if place is None else 0}
    return {name: value for name, value in given.items() if value is not None}


MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "So.", "annotations": [], "refusal": None}],
}
FUNCTION = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file", "arguments": ARGUMENTS}
BARE = {"type": "function_call", "name": "read_file", "arguments": ARGUMENTS}
NO = MESSAGE | {"content": [{"type": "refusal", "refusal": "No."}]}
BOTH: Rows = [*SO, *CALL]


def completed(*output: Any, **more: Any) -> Any:
    return {"type": "response.completed", "response": {"object": "response", "output": output, **more}}


def event(kind: str, place: int | None = None, id_: str | None = None, **more: Any) -> Any:
    return {"type": f"response.{kind}", **at(place, id_), **more}


def item(step: str, one: Any, place: int | None = None) -> Any:
    return {"type": f"response.output_item.{step}", "item": one} | ({} if place is None else {"output_index": place})


BEGUN = item("added", MESSAGE | {"content": []}, 0)
CALLING = item("added", FUNCTION | {"arguments": ""}, 1)
DELTA = event("output_text.delta", 0, "msg_1", delta="So.")

RESPONSES: dict[str, tuple[list[Any], Rows, StopReason]] = {
    "a refusal that is null is none": ([BEGUN, item("done", MESSAGE, 0), completed(MESSAGE)], SO, END),
    "a refusal": ([item("done", NO, 0), completed(NO)], [("say", "No.")], REFUSAL),
    "a refusal only at its end": (
        [BEGUN, event("refusal.done", 0, "msg_1", refusal="No."), completed()],
        [("say", "No.")],
        REFUSAL,
    ),
    "a call that only the last event has": ([BEGUN, DELTA, completed(MESSAGE, FUNCTION)], BOTH, CALLS),
    "a call that only the last event has, without ids": (
        [event("output_text.delta", delta="So."), completed({"type": "message", "content": []}, BARE)],
        BOTH,
        CALLS,
    ),
    "a second call that only the last event has": (
        [item("done", FUNCTION, 0), completed(FUNCTION, FUNCTION | {"id": "fc_2", "call_id": "call_2"})],
        CALL * 2,
        CALLS,
    ),
    "all only in the last event": ([completed(MESSAGE, FUNCTION)], BOTH, CALLS),
    "arguments only when they are whole": (
        [CALLING, event("function_call_arguments.done", 1, "fc_1", arguments=ARGUMENTS), completed()],
        CALL,
        CALLS,
    ),
    "arguments whole, without a place": (
        [
            item("added", BARE | {"arguments": ""}),
            event("function_call_arguments.done", arguments=ARGUMENTS),
            completed(),
        ],
        CALL,
        CALLS,
    ),
    "arguments in pieces and whole, three times over": (
        [
            CALLING,
            event("function_call_arguments.delta", 1, "fc_1", delta='{"path"'),
            event("function_call_arguments.delta", 1, "fc_1", delta=': "a"}'),
            event("function_call_arguments.done", 1, "fc_1", arguments=ARGUMENTS),
            item("done", FUNCTION, 1),
            item("done", FUNCTION, 1),
            completed(FUNCTION),
        ],
        CALL,
        CALLS,
    ),
    "arguments that lose their end": (
        [
            CALLING,
            event("function_call_arguments.delta", 1, "fc_1", delta='{"path"'),
            item("done", FUNCTION, 1),
            completed(),
        ],
        CALL,
        CALLS,
    ),
    "arguments with the beginning alone": ([item("added", FUNCTION, 0), completed()], CALL, CALLS),
    "arguments as an object": ([item("done", FUNCTION | {"arguments": {"path": "a"}}), completed()], CALL, CALLS),
    "arguments before the call has a name": (
        [
            event("function_call_arguments.delta", 0, "fc_1", delta='{"path": '),
            event("function_call_arguments.delta", 0, "fc_1", delta='"a"}'),
            item("done", FUNCTION, 0),
            completed(FUNCTION),
        ],
        CALL,
        CALLS,
    ),
    "calls of one name without ids": (
        [item("done", BARE), item("done", BARE | {"arguments": "{}"}), completed(BARE, BARE | {"arguments": "{}"})],
        [*CALL, ("call", "read_file", "{}")],
        CALLS,
    ),
    "text only when it is whole": (
        [BEGUN, event("output_text.done", 0, "msg_1", text="So."), completed(MESSAGE)],
        SO,
        END,
    ),
    "text only when it is whole, with nothing around": ([event("output_text.done", text="So."), completed()], SO, END),
    "text only with its part": (
        [BEGUN, event("content_part.done", 0, "msg_1", part=MESSAGE["content"][0]), completed()],
        SO,
        END,
    ),
    "text that loses its end": (
        [BEGUN, event("output_text.delta", 0, "msg_1", delta="S"), completed(MESSAGE)],
        SO,
        END,
    ),
    "text whose whole is only its last piece": (
        [BEGUN, DELTA, completed(MESSAGE | {"content": [{"type": "output_text", "text": "o."}]})],
        SO,
        END,
    ),
    "two parts, each in pieces and whole": (
        [
            BEGUN,
            *[
                event(f"output_text.{kind}", 0, "msg_1", content_index=part, delta=text, text=text)
                for part, text in enumerate(("S", "o."))
                for kind in ("delta", "done")
            ],
            completed(MESSAGE | {"content": [{"type": "output_text", "text": text} for text in ("S", "o.")]}),
        ],
        SO,
        END,
    ),
    "another id in every event": (
        [
            item("added", MESSAGE | {"id": "1", "content": []}, 0),
            event("output_text.delta", 0, "2", delta="So."),
            item("done", MESSAGE | {"id": "3"}, 0),
            item("added", FUNCTION | {"id": "4", "arguments": ""}, 1),
            event("function_call_arguments.delta", 1, "5", delta=ARGUMENTS),
            item("done", FUNCTION | {"id": "6"}, 1),
            completed(MESSAGE | {"id": "7"}, FUNCTION | {"id": "8"}),
        ],
        BOTH,
        CALLS,
    ),
    "one place for all": (
        [
            BEGUN,
            DELTA,
            item("done", MESSAGE, 0),
            item("added", FUNCTION | {"arguments": ""}, 0),
            event("function_call_arguments.delta", 0, "fc_1", delta=ARGUMENTS),
            item("done", FUNCTION, 0),
            completed(MESSAGE, FUNCTION),
        ],
        BOTH,
        CALLS,
    ),
    "another name for the last event": ([BEGUN, DELTA, {"type": "response.done", "response": {}}], SO, END),
    "cut off, by the status alone": ([BEGUN, DELTA, completed(MESSAGE, status="incomplete")], SO, LENGTH),
    "events that nobody knows": (
        [{"type": "response.heartbeat"}, {"type": None}, {}, BEGUN, DELTA, completed()],
        SO,
        END,
    ),
    "null in many places": (
        [
            event("output_text.delta", delta=None),
            BEGUN,
            DELTA,
            completed(usage=None, error=None, incomplete_details=None),
        ],
        SO,
        END,
    ),
    "reasoning in the open": (
        [
            item("done", {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm."}]}),
            DELTA,
            completed(),
        ],
        [("think", "Hm."), *SO],
        END,
    ),
}


@pytest.mark.parametrize(("events", "rows", "stop"), RESPONSES.values(), ids=RESPONSES.keys())
async def test_items_are_read_as_they_come(events: list[Any], rows: Rows, stop: StopReason) -> None:
    body = b"".join(typed(one) if one.get("type") else sse(one) for one in events)

    assert told(await answered("openai-responses", body)) == (rows, stop)


async def test_a_call_has_the_id_under_which_the_service_knows_it() -> None:
    events = await answered("openai-responses", typed(CALLING, item("done", FUNCTION, 1), completed(FUNCTION)))

    assert [event.id for event in events if isinstance(event, CallBegan)] == ["call_1"]


async def test_a_response_that_failed_is_a_fault_whatever_event_tells_it() -> None:
    body = typed(completed(status="failed", error={"code": "server_error", "message": "out of memory"}))

    with pytest.raises(ModelFault, match="out of memory"):
        await answered("openai-responses", body)


def test_an_answer_of_endless_items_is_given_up() -> None:
    with pytest.raises(ModelFault, match="more items than any has"):
        decoded("openai-responses", typed(*[item("added", {"type": "message"}, place) for place in range(1001)]))


# Messages

TEXT = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "So."}}
INPUT = {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ARGUMENTS}}
USE = {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}}
STOP = {"type": "message_stop"}


def block(index: int, one: Any) -> Any:
    return {"type": "content_block_start", "index": index, "content_block": one}


def ended(reason: str | None, usage: Any = None) -> Any:
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}


MESSAGES: dict[str, tuple[list[Any], Rows, StopReason]] = {
    "usage as null": ([block(0, {"type": "text", "text": ""}), TEXT, ended("end_turn"), STOP], SO, END),
    "no usage, no message": ([{"type": "message_start"}, TEXT, STOP], SO, END),
    "text without its start": ([TEXT, ended("end_turn"), STOP], SO, END),
    "a block that is null": ([block(0, None), TEXT, ended("end_turn"), STOP], SO, END),
    "a call that ends the turn": ([block(1, USE), INPUT, ended("end_turn"), STOP], CALL, CALLS),
    "a call whose block never stops": ([block(1, USE), INPUT, ended("tool_use")], CALL, CALLS),
    "a call with all its input at once": (
        [block(1, USE | {"input": {"path": "a"}}), ended("tool_use"), STOP],
        CALL,
        CALLS,
    ),
    "input as null": ([block(1, USE | {"input": None}), INPUT, ended("tool_use"), STOP], CALL, CALLS),
    "events that nobody knows": (
        [{"type": "ping"}, {"type": "content_block_heartbeat"}, {}, TEXT, ended("end_turn"), STOP],
        SO,
        END,
    ),
    "a reason that nobody knows": ([TEXT, ended("pause_turn"), STOP], SO, END),
    "a reason that comes late": ([TEXT, ended(None), ended("max_tokens"), STOP], SO, LENGTH),
}


@pytest.mark.parametrize(("events", "rows", "stop"), MESSAGES.values(), ids=MESSAGES.keys())
async def test_blocks_are_read_as_they_come(events: list[Any], rows: Rows, stop: StopReason) -> None:
    body = b"".join(typed(one) if one.get("type") else sse(one) for one in events)

    assert told(await answered("anthropic", body)) == (rows, stop)


async def test_arguments_of_a_call_that_never_began_are_a_clear_fault() -> None:
    with pytest.raises(ModelFault, match="a call that it had not begun") as caught:
        await answered("anthropic", typed(INPUT, ended("tool_use"), STOP))

    assert not caught.value.is_passing


# Whole answers

WHOLE: list[tuple[str, Any, Rows, StopReason]] = [
    ("openai", WHOLE_CHAT, SO, END),
    (
        "openai",
        {"choices": [{"message": {"content": None, **called({"path": "a"}, id="x")}, "finish_reason": "tool_calls"}]},
        CALL,
        CALLS,
    ),
    ("openai", {"choices": [{"message": {"content": "So.", "reasoning_content": "Hm."}}]}, [("think", "Hm."), *SO], END),
    ("openai-responses", {"object": "response", "status": "completed", "output": [MESSAGE, FUNCTION]}, BOTH, CALLS),
    ("openai-responses", {"output": [MESSAGE]}, SO, END),
    (
        "openai-responses",
        {
            "object": "response",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [MESSAGE],
            "error": None,
        },
        SO,
        LENGTH,
    ),
    (
        "anthropic",
        {"type": "message", "content": [{"type": "text", "text": "So."}, USE | {"input": {"path": "a"}}], "stop_reason": "tool_use"},
        BOTH,
        CALLS,
    ),
    ("anthropic", {"type": "message", "content": [{"type": "text", "text": "So."}], "stop_reason": "max_tokens"}, SO, LENGTH),
]  # fmt: skip


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "text/event-stream"])
@pytest.mark.parametrize(("api", "answer", "rows", "stop"), WHOLE)
async def test_one_object_in_place_of_a_stream_is_the_answer(
    api: str, answer: Any, rows: Rows, stop: StopReason, content_type: str
) -> None:
    events = await answered(api, b"\n" + json.dumps(answer, indent=1).encode(), content_type)

    assert told(events) == (rows, stop)


@pytest.mark.parametrize(
    ("api", "counted"),
    [
        ("openai", {"choices": WHOLE_CHAT["choices"], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}),
        ("openai-responses", {"output": [MESSAGE], "usage": {"input_tokens": 3, "output_tokens": 2}}),
        ("anthropic", {"content": [], "usage": {"input_tokens": 3, "output_tokens": 2}}),
    ],
)
async def test_usage_of_a_whole_answer_is_counted(api: str, counted: Any) -> None:
    assert usage_of(await answered(api, json.dumps(counted).encode(), "application/json")) == Usage(3, 2, cost=None)


@pytest.mark.parametrize("api", APIS)
async def test_a_stream_that_calls_itself_json_is_a_stream(api: str) -> None:
    bodies = {
        "openai": CHAT["a refusal"][0],
        "openai-responses": typed(item("done", NO, 0), completed()),
        "anthropic": typed(TEXT | {"delta": {"type": "text_delta", "text": "No."}}, ended("refusal"), STOP),
    }

    assert told(await answered(api, bodies[api], "application/json")) == ([("say", "No.")], REFUSAL)


@pytest.mark.parametrize(
    "body", [b"{}", b'{"choices": []}', b'{"message": "odd"}', b'[{"error": {"message": "odd"}}]', b'{"choices": [{"mess', b"[" * 9999]
)  # fmt: skip
@pytest.mark.parametrize("api", APIS)
async def test_an_object_that_is_no_answer_is_a_lasting_fault(api: str, body: bytes) -> None:
    with pytest.raises(ModelFault, match="application/json instead of a stream") as caught:
        await answered(api, body, "application/json")

    assert not caught.value.is_passing


@pytest.mark.parametrize("api", APIS)
async def test_an_event_nested_too_deeply_is_a_fault(api: str) -> None:
    with pytest.raises(ModelFault, match="not JSON"):
        await answered(api, b'data: {"a":' + b"[" * 100_000 + b"\n\n")


async def test_a_whole_answer_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_lsp.providers.decoder.LONGEST_EVENT_BYTES", 5000)

    with pytest.raises(ModelFault, match="too large"):
        decoded("openai", *[b'{"a": ['] * 1000)


async def test_the_connection_is_used_again_behind_a_whole_answer() -> None:
    whole = Refusal(200, body=json.dumps(WHOLE_CHAT).encode())

    async with scripted_model([whole, [Say("So.")]]) as server:
        model = build_model(profile_for(server, "openai", window=32_000), name="test", environment={})
        first, second = [told(await events_of(model)) for _ in range(2)]
        await model.aclose()

    assert first == second == (SO, END)
    assert server.connections == 1
