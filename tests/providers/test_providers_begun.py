"""Whether an answer had begun when it failed: what had is paid for, though its service never said what it took."""

import asyncio

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.providers.build import build_model
from support.model_server import APIS, Answer, Cut, Raw, Refusal, Say, StreamError, Turn, scripted_model
from support.models import events_of, profile_for

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
