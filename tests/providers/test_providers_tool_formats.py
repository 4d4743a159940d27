"""How models call tools: by the service's means or as text, over every API; and how that is found out."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.history import Reply, Result, Spoken, Words
from agent_lsp.domain.model import CallGrew, ModelEvent, Stopped, StopReason
from agent_lsp.providers.adapting import SWITCHED, refuses_tools
from agent_lsp.providers.build import build_model
from agent_lsp.providers.recording import Streaming
from support.model_server import APIS, Answer, CallTool, Refusal, Say, ScriptedServer, Think, scripted_model
from support.models import events_of, profile_for, reply_of, request_of, usage_of
from support.written_calls import told

CALL = "I look.\n<read_file>\n<path>a</path>\n</read_file>"
ROWS = [("say", "I look."), ("call", "read_file", '{"path":"a"}')]


def model_at(server: ScriptedServer, api: str = "openai", tool_format: str = "auto") -> Streaming:
    profile = profile_for(server, api, tool_format=tool_format)
    return build_model(profile, name="test", environment={})


async def heard(server: ScriptedServer, api: str = "openai", tool_format: str = "auto") -> list[ModelEvent]:
    """One answer of the model there."""
    model = model_at(server, api, tool_format)
    try:
        return await events_of(model)
    finally:
        await model.aclose()


def texts_of(body: Any) -> str:
    """All that a request says, as one text; Any: JSON of three vendors."""
    return json.dumps(body, ensure_ascii=False)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("piece", [1, 7, 1000])
async def test_calls_as_text_are_calls_over_every_api(api: str, piece: int) -> None:
    async with scripted_model([Answer((Say(CALL),), piece=piece)]) as server:
        events = await heard(server, api, "xml")

    assert told(events) == ROWS
    assert events[-1] == Stopped(StopReason.CALLS)
    assert usage_of(events) is not None
    assert "tools" not in server.requests[0].body
    assert "## read_file" in texts_of(server.requests[0].body)


@pytest.mark.parametrize("api", APIS)
async def test_results_come_back_as_words_and_what_was_sent_stays(api: str) -> None:
    async with scripted_model([[Say(CALL)], [Say("So.")]]) as server:
        model = model_at(server, api, "xml")
        history = [Words(("Go.",)), reply := reply_of(await events_of(model, request_of(Words(("Go.",)))))]
        await events_of(model, request_of(*history, Result(reply.calls[0].id, "1 | x")))
        await model.aclose()

    told_again = texts_of(server.requests[1].body)
    assert "[read_file for 'a'] Result:\\n1 | x" in told_again
    assert "I look.\\n\\n<read_file>\\n<path>a</path>\\n</read_file>" in told_again
    assert not any(word in told_again for word in ("tool_use", "tool_calls", "function_call", '"tool"'))


@pytest.mark.parametrize("api", APIS)
async def test_a_task_may_change_between_the_forms(api: str) -> None:
    async with scripted_model([[Say(CALL)], [Say("So.")]]) as server:
        written, native = model_at(server, api, "xml"), model_at(server, api, "native")
        reply = reply_of(await events_of(written))
        await events_of(native, request_of(Words(("Go.",)), reply, Result(reply.calls[0].id, "1 | x")))
        await written.aclose()
        await native.aclose()

    told_again = texts_of(server.requests[1].body)
    assert "<read_file>" not in told_again
    assert told_again.count(reply.calls[0].id) == 2


async def test_a_cut_off_call_stays_cut_off() -> None:
    turn = Answer((Say("<read_file><path>a</path><content>ha"),), stop="length")

    async with scripted_model([turn]) as server:
        events = await heard(server, tool_format="xml")

    assert events[-1] == Stopped(StopReason.LENGTH)
    assert [event for event in events if isinstance(event, CallGrew)][-1] == CallGrew(0, '{"path":"a","content":"ha')


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        'I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path":"a"}}\n</tool_call>',
        'I look.\n<invoke name="read_file"><parameter name="path">a</parameter></invoke>',
    ],
)
async def test_a_call_in_the_text_of_a_model_with_tools_is_made(text: str) -> None:
    async with scripted_model([[Say(text)]]) as server:
        events = await heard(server)

    assert [(*row[:-1], row[-1].replace(": ", ":").rstrip()) for row in told(events)] == ROWS
    assert events[-1] == Stopped(StopReason.CALLS)
    assert "tools" in server.requests[0].body


async def test_a_call_in_the_text_beside_one_by_the_services_means_is_only_said() -> None:
    async with scripted_model([[Say(CALL), CallTool("read_file", path="b")]]) as server:
        events = await heard(server)

    assert told(events) == [
        ("say", "I look."),
        ("call", "read_file", '{"path": "b"}'),
        ("say", '\n\nread_file {"path":"a"}'),
    ]


@pytest.mark.parametrize("tool_format", ["auto", "native"])
async def test_an_answer_with_calls_of_the_service_is_as_it_was_sent(tool_format: str) -> None:
    turn = [Think("Hm."), Say("a < b \n\n"), CallTool("read_file", path="a"), CallTool("read_file", path="b")]

    async with scripted_model([turn]) as server:
        events = await heard(server, tool_format=tool_format)

    assert told(events) == [
        ("think", "Hm."),
        ("say", "a < b \n\n"),
        ("call", "read_file", '{"path": "a"}'),
        ("call", "read_file", '{"path": "b"}'),
    ]


async def test_native_means_that_text_is_text() -> None:
    async with scripted_model([[Say(CALL)]]) as server:
        events = await heard(server, tool_format="native")

    assert told(events) == [("say", CALL)]


async def test_a_service_that_refuses_tools_is_sent_none_from_then_on() -> None:
    refusal = Refusal(400, "registry.ollama.ai/library/gemma:2b does not support tools")
    async with scripted_model([refusal, [Say(CALL)], [Say(CALL)]]) as server:
        model = model_at(server)

        with pytest.raises(ModelFault) as caught:
            await events_of(model)
        rows: list[Sequence[tuple[str, ...]]] = [told(await events_of(model)) for _ in range(2)]
        await model.aclose()

    assert (str(caught.value), caught.value.is_passing) == (SWITCHED, True)
    assert rows == [ROWS, ROWS]
    assert ["tools" in request.body for request in server.requests] == [True, False, False]


async def test_native_means_that_a_refusal_of_tools_is_told() -> None:
    async with scripted_model([Refusal(400, "This model does not support tools")]) as server:
        with pytest.raises(ModelFault, match="does not support tools") as caught:
            await heard(server, tool_format="native")

    assert not caught.value.is_passing


REFUSED = [
    (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
    (500, "tools param requires --jinja flag"),
    (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    (404, "No endpoints found that support tool use. To learn more about provider routing, visit the site"),
    (400, "`tool calling` is not supported with this model"),
    (400, "Function calling is not enabled for this model"),
    (400, "deepseek-reasoner does not support Function Calling"),
    (400, "Unsupported parameter: 'tools' is not supported with this model."),
    (422, "Tool use is not supported for this model"),
    (400, "this model doesn't support function calling"),
    (400, "tools is not supported in this model"),
    (501, "Tools are not supported by this backend"),
    (400, "Unrecognized request argument supplied: 'functions'"),
]
OTHERS = [
    (401, "This key does not support tools"),
    (429, "Tool use is not available at this rate"),
    (400, "Invalid schema for function 'read_file'"),
    (400, "tools.0.name: String should match pattern"),
    (400, "model is not supported"),
    (400, "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"),
    (500, "the server had an error"),
]


@pytest.mark.parametrize(("status", "words"), REFUSED)
def test_a_refusal_of_tools_is_known_in_each_services_words(status: int, words: str) -> None:
    assert refuses_tools(ModelFault(f"The model's service answered {status}: {words}", is_passing=False, status=status))


@pytest.mark.parametrize(("status", "words"), OTHERS)
def test_another_refusal_is_none_of_tools(status: int, words: str) -> None:
    fault = ModelFault(f"The model's service answered {status}: {words}", is_passing=False, status=status)

    assert not refuses_tools(fault)


async def test_each_item_of_the_responses_api_says_what_it_is_where_its_shape_does_not() -> None:
    async with scripted_model([[Say("So.")]]) as server:
        model = model_at(server, "openai-responses")
        await events_of(model, request_of(Words(("Go.",)), Reply((Spoken("I look."),)), Words(("On.",))))
        await model.aclose()

    assert server.requests[0].body["input"][1] == {"type": "message", "role": "assistant", "content": "I look."}
