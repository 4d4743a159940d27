"""An answer that failed: whether it had begun, which is paid for, and what of it is told all the same."""

import asyncio

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.model import ModelEvent
from agent_lsp.providers.build import build_model
from agent_lsp.providers.recording import Streaming
from support.decoding import stream_of
from support.model_server import APIS, Answer, Cut, Raw, Refusal, Say, StreamError, Turn, scripted_model
from support.models import events_of, parts_of, profile_for, request_of, said

CASES: dict[str, tuple[Turn, bool | None]] = {
    "refused": (Refusal(400, "no"), None),
    "cut off in the middle": (Answer((Say("so far"), Cut()), usage=None), True),
    "cut off before a word": (Answer((Cut(),), usage=None), True),
    "torn off": (Answer((Say("so far"), Cut(is_reset=True)), usage=None), True),
    "garbled": (Answer((Raw(b"data: {\n\n"),), usage=None), True),
    "given up by the service": (Answer((StreamError("overloaded"),), usage=None), False),
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("name", CASES)
async def test_an_answer_that_had_begun_is_told_from_none(name: str, api: str) -> None:
    turn, has_begun = CASES[name]
    async with asyncio.timeout(20), scripted_model([turn]) as server:
        model = build_model(profile_for(server, api), name="p", environment={})
        with pytest.raises(ModelFault) as caught:
            await events_of(model)
        await model.aclose()

    assert caught.value.has_begun is has_begun


async def test_a_service_that_is_not_there_has_begun_nothing() -> None:
    async with asyncio.timeout(20), scripted_model([]) as server:
        profile = profile_for(server, "openai")
    model = build_model(profile, name="p", environment={})

    with pytest.raises(ModelFault) as caught:
        await events_of(model)

    assert caught.value.has_begun is None


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("transport", ["direct", "sdk"])
@pytest.mark.parametrize(
    "broken", ["by the service", "by what is not JSON", "by its end", "before its last blank line"]
)
async def test_what_comes_in_one_piece_with_a_fault_is_told_before_it(broken: str, transport: str, api: str) -> None:
    failed = stream_of(api, Answer((Say("so far"), StreamError("overloaded")), piece=100))
    spoken = failed[: failed.index(b"\n\n", failed.index(b"so far"))]
    ends = {
        "by the service": failed.removeprefix(spoken),
        "by what is not JSON": b"\n\ndata: {\n\n",
        "by its end": b"\n\n",
    }
    turn = Refusal(200, body=spoken + ends.get(broken, b""), content_type="text/event-stream")
    events: list[ModelEvent] = []

    async def listen(model: Streaming) -> None:
        async for batch in model.stream(request_of()):
            events.extend(batch)

    async with asyncio.timeout(20), scripted_model([turn]) as server:
        model = build_model(profile_for(server, api, transport=transport), name="p", environment={})
        with pytest.raises(ModelFault):
            await listen(model)
        await model.aclose()

    assert said(parts_of(events)) == [("say", "so far")]
