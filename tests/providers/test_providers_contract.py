"""What every API owes over every transport, against a real server."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.history import Call, Reply, Result, Spoken, Thought, Words
from agent_lsp.domain.model import CallBegan, ModelRequest, Stopped, StopReason, TextDelta
from agent_lsp.domain.status import Usage
from agent_lsp.providers.build import build_model
from agent_lsp.providers.recording import Streaming
from support.model_script import Stop
from support.model_server import (
    APIS,
    Answer,
    CallTool,
    Cut,
    Figures,
    Hold,
    RawCall,
    Refusal,
    Say,
    ScriptedServer,
    SeenCall,
    SeenReply,
    SeenResult,
    SeenWords,
    StreamError,
    Think,
    scripted_model,
)
from support.models import batches_of, events_of, parts_of, profile_for, reply_of, request_of, said, usage_of


class Open(Protocol):
    """Opens the model under test, with fields of its profile."""

    def __call__(self, server: ScriptedServer, **fields: object) -> AbstractAsyncContextManager[Streaming]: ...


@pytest.fixture(params=[(api, transport) for api in APIS for transport in ("direct", "sdk")], ids="-".join)
def opened(request: pytest.FixtureRequest) -> Open:
    api, transport = request.param

    @asynccontextmanager
    async def open_model(server: ScriptedServer, **fields: object) -> AsyncGenerator[Streaming]:
        model = build_model(profile_for(server, api, transport=transport, **fields), name="test", environment={})
        try:
            async with asyncio.timeout(20):
                yield model
        finally:
            await model.aclose()

    return open_model


@pytest.fixture
def api(request: pytest.FixtureRequest) -> str:
    return request.node.callspec.params["opened"][0]


async def test_everything_a_model_says_arrives_in_order(opened: Open, api: str) -> None:
    turn = [Think("Hm, ã…"), Say("I look. "), CallTool("read_file", path="ä.txt"), CallTool("list_files")]

    async with scripted_model([turn]) as server, opened(server) as model:
        events = await events_of(model)

    assert said(parts_of(events)) == [
        ("think", "Hm, ã…"),
        ("say", "I look. "),
        ("call", "read_file", '{"path": "ä.txt"}'),
        ("call", "list_files", "{}"),
    ]
    assert events[-1] == Stopped(StopReason.CALLS)


@pytest.mark.parametrize(
    ("stop", "reason"),
    [("end", StopReason.END), ("length", StopReason.LENGTH), ("refusal", StopReason.REFUSAL)],
)
async def test_the_reason_of_the_stop_is_told(opened: Open, stop: Stop, reason: StopReason) -> None:
    async with scripted_model([Answer((Say("so far"),), stop=stop)]) as server, opened(server) as model:
        events = await events_of(model)

    assert events[-1] == Stopped(reason)


async def test_an_empty_answer_is_only_stopped(opened: Open) -> None:
    async with scripted_model([Answer((), usage=None)]) as server, opened(server) as model:
        events = await events_of(model)

    assert events == [Stopped(StopReason.END)]


async def test_usage_counts_the_cached_parts_of_the_prompt(opened: Open) -> None:
    turn = Answer((Say("x"),), usage=Figures(tokens_in=1000, tokens_out=20, cache_reads=600, cache_writes=100))

    async with scripted_model([turn]) as server, opened(server) as model:
        events = await events_of(model)

    assert usage_of(events) == Usage(1000, 20, 600, 100, cost=None)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
async def test_pieces_of_any_size_make_the_same_answer(opened: Open, size: int) -> None:
    parts = (Say("漢字 and 😀"), CallTool("read_file", path="é"))

    async with scripted_model([Answer(parts, split_bytes=size)]) as server, opened(server) as model:
        events = await events_of(model)

    assert said(parts_of(events)) == [("say", "漢字 and 😀"), ("call", "read_file", '{"path": "é"}')]


async def test_carriage_returns_may_end_lines(opened: Open) -> None:
    async with scripted_model([Answer((Say("windows"),), eol="\r\n")]) as server, opened(server) as model:
        assert said(parts_of(await events_of(model))) == [("say", "windows")]


async def test_neighbouring_deltas_of_a_read_are_merged(opened: Open) -> None:
    async with scripted_model([[Say("word ", times=2000)]]) as server, opened(server) as model:
        events = await events_of(model)

    deltas = [event for event in events if isinstance(event, TextDelta)]
    assert "".join(delta.text for delta in deltas) == "word " * 2000
    assert len(deltas) < 200


async def test_calls_get_ids_of_their_own_where_the_service_gives_none_or_one_twice(opened: Open) -> None:
    turn = [RawCall("a", "{}", None), RawCall("b", "{}", "same"), RawCall("c", "{}", "same")]

    async with scripted_model([turn]) as server, opened(server) as model:
        ids = [event.id for event in await events_of(model) if isinstance(event, CallBegan)]

    assert len(set(ids)) == 3
    assert all(ids)
    assert ids[1] == "same"


async def test_an_id_of_an_earlier_reply_is_not_used_again(opened: Open) -> None:
    history = [Words(("x",)), Reply((Call("call_0", "read_file", "{}"),)), Result("call_0", "y")]

    async with scripted_model([[RawCall("a", "{}", "call_0")]]) as server, opened(server) as model:
        events = await events_of(model, request_of(*history))

    assert [event.id != "call_0" for event in events if isinstance(event, CallBegan)] == [True]


@pytest.mark.parametrize("arguments", ['{"path":', "[1]", "", "NaN", '{"a": NaN}', "null"])
async def test_arguments_are_told_as_they_are_and_sent_back_as_an_object(opened: Open, arguments: str) -> None:
    turns = [[RawCall("read_file", arguments)], [Say("done")]]

    async with scripted_model(turns) as server, opened(server) as model:
        reply = reply_of(await events_of(model), model.origin)
        call = reply.calls[0]
        await events_of(model, request_of(Words(("x",)), reply, Result(call.id, "bad arguments", is_error=True)))

    assert call.arguments == arguments
    assert server.requests[1].calls == (SeenCall(call.id, "read_file", {}),)


async def test_a_second_request_carries_all_that_went_before(opened: Open, api: str) -> None:
    turns = [[Think("Hm", seal="s1"), Say("Reading."), CallTool("read_file", path="a")], [Say("done")]]
    first = Words(("task", "environment"))

    async with scripted_model(turns) as server, opened(server) as model:
        reply = reply_of(await events_of(model, request_of(first)), model.origin)
        await events_of(model, request_of(first, reply, Result(reply.calls[0].id, "text"), Words(("more",))))

    seen = server.requests[1]
    call = SeenCall(reply.calls[0].id, "read_file", {"path": "a"})
    seals = () if api == "openai" else ("s1",)
    assert (seen.system, seen.tools) == ("Be brief.", ("read_file",))
    assert seen.items[1:3] == (SeenReply("Reading.", (call,), seals), SeenResult(call.id, "text"))
    assert seen.new_texts == ("more",)
    assert server.connections == 1


async def test_thoughts_of_another_model_are_not_sent(opened: Open) -> None:
    foreign = Reply((Thought("secret ways", '{"type": "thinking", "signature": "s"}'), Spoken("Hi.")), "other/model")

    async with scripted_model([[Say("x")]]) as server, opened(server) as model:
        await events_of(model, request_of(Words(("a",)), foreign, Words(("b",))))

    assert b"secret ways" not in server.requests[0].raw
    assert server.requests[0].items[1] == SeenReply("Hi.")


async def test_images_reach_the_model(opened: Open) -> None:
    image = "data:image/png;base64,iVBORw0KGgo="
    history = [Words(("look",), (image,)), Reply((Call("c1", "read_file", "{}"),)), Result("c1", "it", (image,))]

    async with scripted_model([[Say("x")]]) as server, opened(server) as model:
        await events_of(model, request_of(*history))

    items = server.requests[0].items
    assert sum(item.images for item in items if isinstance(item, SeenWords | SeenResult)) == 2


PASSING = (408, 409, 425, 429, 500, 502, 503, 504, 529)
LASTING = (204, 302, 400, 401, 403, 404, 422)


@pytest.mark.parametrize(
    ("status", "is_passing"), [*((status, True) for status in PASSING), *((status, False) for status in LASTING)]
)
async def test_a_status_tells_whether_to_try_again(opened: Open, status: int, is_passing: bool) -> None:
    refusal = Refusal(status, "no luck", headers=(("retry-after", "7"), ("location", "http://127.0.0.1:1/x")))

    async with scripted_model([refusal]) as server, opened(server) as model:
        with pytest.raises(ModelFault) as caught:
            await events_of(model)

    fault = caught.value
    assert (fault.status, fault.is_passing, fault.retry_after_seconds) == (status, is_passing, 7.0)
    assert len(server.requests) == 1


async def test_the_services_own_words_are_shown_without_the_key(opened: Open) -> None:
    refusal = Refusal(401, "bad key test-key-of-14 given")

    async with scripted_model([refusal]) as server, opened(server, api_key="test-key-of-14") as model:
        with pytest.raises(ModelFault, match=r"bad key \[secret\] given") as caught:
            await events_of(model)

    assert caught.value.hint == "Check the profile's apiKey."


async def test_the_password_of_an_address_is_not_shown(opened: Open, api: str) -> None:
    async with scripted_model([Refusal(401, "no user me:pass-word-1")]) as server:
        address = server.base_url(api).replace("://", "://me:pass-word-1@")
        async with opened(server, base_url=address) as model:
            with pytest.raises(ModelFault, match=r"no user me:\[secret\]"):
                await events_of(model)


async def test_an_error_in_the_stream_is_a_fault(opened: Open) -> None:
    async with scripted_model([[Say("so far"), StreamError("too busy")]]) as server, opened(server) as model:
        with pytest.raises(ModelFault, match="too busy") as caught:
            await events_of(model)

    assert caught.value.is_passing


@pytest.mark.parametrize("cut", [Cut(), Cut(is_reset=True)])
async def test_a_connection_that_breaks_is_a_passing_fault(opened: Open, cut: Cut) -> None:
    async with scripted_model([[Say("some "), cut]]) as server, opened(server) as model:
        with pytest.raises(ModelFault) as caught:
            await events_of(model)

    assert caught.value.is_passing


async def test_nobody_listening_is_a_passing_fault(opened: Open) -> None:
    async with scripted_model([]) as server:
        """It stops at once, and its port is closed."""

    async with opened(server) as model:
        with pytest.raises(ModelFault) as caught:
            await events_of(model)

    assert caught.value.is_passing


@pytest.mark.parametrize(
    ("content_type", "body"),
    [("text/html; charset=utf-8", b"<html>Sign in</html>"), ("application/json", b'{"error": {"message": "odd"}}')],
)
async def test_an_answer_that_is_no_stream_is_a_lasting_fault(opened: Open, content_type: str, body: bytes) -> None:
    refusal = Refusal(200, body=body, content_type=content_type)

    async with scripted_model([refusal]) as server, opened(server) as model:
        with pytest.raises(ModelFault) as caught:
            await events_of(model)

    assert not caught.value.is_passing
    assert "html>" not in str(caught.value)


async def test_a_stalled_answer_is_given_up(opened: Open) -> None:
    patient = {"first_byte_seconds": 10, "between_bytes_seconds": 0.05}

    async with scripted_model([[Say("x"), Hold()]]) as server, opened(server, **patient) as model:
        with pytest.raises(ModelFault, match=r"stopped in the middle .* 0\.05 s") as caught:
            await events_of(model)

    assert caught.value.is_passing


async def test_a_service_that_never_answers_is_given_up(opened: Open) -> None:
    async with scripted_model([[Hold()]]) as server, opened(server, first_byte_seconds=0.05) as model:
        with pytest.raises(ModelFault, match=r"did not answer: .* 0\.05 s") as caught:
            await events_of(model)

    assert caught.value.is_passing


async def test_a_cancelled_stream_closes_the_connection_and_the_next_request_works(opened: Open) -> None:
    hold = Hold()

    async with scripted_model([[Say("x"), hold], [Say("again")]]) as server, opened(server) as model:
        asking = asyncio.create_task(events_of(model))
        await hold.reached.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert said(parts_of(await events_of(model))) == [("say", "again")]


async def test_batches_come_while_the_answer_still_runs(opened: Open) -> None:
    hold = Hold()

    async with scripted_model([[Say("first"), hold, Say("second")]]) as server, opened(server) as model:
        stream = model.stream(request_of())
        before = [await anext(stream)]
        while "first" not in str(before):
            before.append(await anext(stream))
        hold.release.set()
        after = [batch async for batch in stream]

    assert "second" in str(after)


async def test_a_history_may_be_asked_about_twice(opened: Open) -> None:
    request = ModelRequest("s", (), [Words(("x",))])

    async with scripted_model([[Say("one")], [Say("two")]]) as server, opened(server) as model:
        await batches_of(model, request)
        await batches_of(model, request)

    assert server.requests[0].raw == server.requests[1].raw
