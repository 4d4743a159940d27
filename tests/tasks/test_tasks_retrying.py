"""The wait before another attempt, as a user sees it and cuts it short."""

import asyncio
import json
from pathlib import Path

import pytest
from hall import House, open_house

from agent_lsp.domain.messages import Ask, Response, Say
from agent_lsp.domain.requests import Answered
from agent_lsp.domain.status import State
from support.kitchen import Answer, calls, passing

LONG = 200


async def waiting_house(tmp_path: Path, *then: Answer) -> House:
    house = open_house(tmp_path, [passing("busy", retry_after=LONG), *then])
    house.new_task()
    await house.watcher.until(lambda: house.watcher.said(Say.API_REQ_RETRY_DELAYED))
    return house


def row(house: House) -> dict[str, object]:
    return json.loads(house.watcher.said(Say.API_REQ_RETRY_DELAYED)[-1])


async def test_a_yes_tries_again_at_once(tmp_path: Path) -> None:
    house = await waiting_house(tmp_path, calls("finish"))

    answered = house.answer(Response.YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert answered == Answered(accepted=True)
    assert row(house) == {"attempt": 1, "seconds": 0, "reason": "busy"}
    house.assert_consistent()


async def test_a_no_tries_no_more_and_asks(tmp_path: Path) -> None:
    house = await waiting_house(tmp_path)

    assert house.answer(Response.NO).accepted
    await house.watcher.until_ask(Ask.API_REQ_FAILED)

    assert house.status.state is State.IDLE
    assert row(house)["seconds"] == 0
    house.assert_consistent()


async def test_words_answer_no_wait(tmp_path: Path) -> None:
    house = await waiting_house(tmp_path)

    answered = house.answer(Response.MESSAGE, "hurry")

    assert answered == Answered(accepted=False, reason="AskGone")
    await house.tasks.close()


async def test_only_one_answer_counts(tmp_path: Path) -> None:
    house = await waiting_house(tmp_path, calls("finish"))

    answered = [house.answer(Response.YES).accepted, house.answer(Response.NO).accepted]
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert answered == [True, False]


async def test_a_wait_is_cancelled_at_once(tmp_path: Path) -> None:
    house = await waiting_house(tmp_path)

    async with asyncio.timeout(5):
        status = await house.tasks.cancel(house.tasks.current_task() or "")

    assert status.state is State.RESUMABLE
    assert row(house)["seconds"] == 0
    house.assert_consistent()


@pytest.mark.parametrize("response", [Response.YES, Response.NO])
async def test_nothing_that_is_over_is_answered(tmp_path: Path, response: Response) -> None:
    house = open_house(tmp_path, [calls("hang")])
    house.new_task()
    await house.watcher.until(lambda: house.status.state is State.RUNNING)

    assert house.answer(response) == Answered(accepted=False, reason="AskGone")
    await house.tasks.close()
