"""Pictures in the user's words, wherever those come in."""

import asyncio
from pathlib import Path

import pytest
from hall import WORDS, open_house

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.history import Words
from agent_lsp.domain.requests import AskReply, NewTask, QueueEdit
from agent_lsp.domain.status import State
from support.kitchen import calls

MISNAMED, PNG = "data:image/jpeg;base64,iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="
BAD = "data:image/png;base64,AAAA"


async def test_task_begins_with_pictures_alone(tmp_path: Path) -> None:
    house = open_house(tmp_path, [calls("finish")])

    house.tasks.new_task(NewTask("", images=(MISNAMED,)))
    await house.watcher.until_state(State.IDLE)

    (words,) = [item for item in house.histories()[0] if isinstance(item, Words)]
    assert (words.texts, words.images) == ((), (PNG,))
    assert house.status.title == "Images"
    await house.tasks.close()


async def test_pictures_of_all_words_reach_the_model(tmp_path: Path) -> None:
    house = open_house(tmp_path, [calls("question"), calls("finish"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_state(State.WAITING_FOR_INPUT)
    house.answer(WORDS, "this", images=(MISNAMED,))
    await house.watcher.until_state(State.IDLE)

    await house.tasks.send(task_id, "", (PNG,), "queue")
    async with asyncio.timeout(5):
        await house.watcher.until(lambda: len(house.histories()) == 3)
    await house.watcher.until_state(State.IDLE)

    sent = [item.images for item in house.histories()[2] if isinstance(item, Words) and item.by == "user"]
    assert sent == [(), (PNG,)]
    await house.tasks.close()


async def test_picture_that_cannot_be_sent_on_changes_nothing(tmp_path: Path) -> None:
    house = open_house(tmp_path, [calls("question"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_state(State.WAITING_FOR_INPUT)
    before = len(house.watcher.notices)

    for refused in (
        lambda: house.tasks.new_task(NewTask("see", images=(BAD,))),
        lambda: house.tasks.answer(task_id, None, AskReply(WORDS, "this", images=(BAD,))),
        lambda: house.tasks.queue(task_id, QueueEdit("edit", "m", images=(BAD,))),
    ):
        with pytest.raises(BadParams, match="Picture 1 is none of the kinds"):
            refused()
    with pytest.raises(BadParams, match="Picture 1 is none of the kinds"):
        await house.tasks.send(task_id, "see", (BAD,), "steer")

    assert len(house.watcher.notices) == before
    await house.tasks.close()
