"""Several requests at once about one task, and requests that are given up: none finds or leaves it half way."""

import asyncio
from contextlib import suppress

import pytest
from hall import YES, House, open_house

from agent_lsp.domain.messages import Ask, Message
from agent_lsp.domain.requests import AskReply
from agent_lsp.domain.status import State
from support.kitchen import calls


async def waiting_house(state, *later) -> tuple[House, str, Message]:
    """A house whose task waits for an edit to be approved."""
    house = open_house(state, [calls("write"), *later])
    task_id = house.new_task()
    return house, task_id, await house.watcher.until_ask(Ask.TOOL)


def hold_commands(house: House, monkeypatch) -> tuple[asyncio.Event, asyncio.Event]:
    """Have the end of commands reached, and wait to be let go on."""
    reached, release = asyncio.Event(), asyncio.Event()

    async def stop_commands(_bench) -> None:
        reached.set()
        await release.wait()

    monkeypatch.setattr("hall.Bench.stop_commands", stop_commands)
    return reached, release


async def test_two_cancels_at_once_interrupt_the_ask_and_both_find_all_stopped(tmp_path) -> None:
    house, task_id, ask = await waiting_house(tmp_path)

    first, second = await asyncio.gather(house.tasks.cancel(task_id), house.tasks.cancel(task_id))

    assert (first.state, second.state) == (State.RESUMABLE, State.RESUMABLE)
    assert (house.watcher.messages[ask.ts].state, house.watcher.messages[ask.ts].answer) == ("interrupted", None)
    assert house.watcher.kinds().count("resume_task") == 1
    house.assert_consistent()


async def test_a_second_cancel_waits_for_the_commands_that_the_first_one_ends(tmp_path, monkeypatch) -> None:
    house, task_id, _ = await waiting_house(tmp_path)
    reached, release = hold_commands(house, monkeypatch)
    first = asyncio.create_task(house.tasks.cancel(task_id))
    await reached.wait()

    second = asyncio.create_task(house.tasks.cancel(task_id))
    release.set()

    assert [status.state for status in await asyncio.gather(first, second)] == [State.RESUMABLE] * 2


async def test_a_cancel_that_is_given_up_stops_the_task_all_the_same(tmp_path, monkeypatch) -> None:
    house, task_id, _ = await waiting_house(tmp_path)
    reached, release = hold_commands(house, monkeypatch)
    cancelling = asyncio.create_task(house.tasks.cancel(task_id))
    await reached.wait()

    cancelling.cancel()
    release.set()
    await house.watcher.until_ask(Ask.RESUME_TASK)

    with pytest.raises(asyncio.CancelledError):
        await cancelling
    house.assert_consistent()


@pytest.mark.parametrize("delivery", ["queue", "steer"])
async def test_words_sent_beside_a_cancel_answer_no_ask(tmp_path, delivery) -> None:
    house, task_id, ask = await waiting_house(tmp_path)

    _, sent = await asyncio.gather(house.tasks.cancel(task_id), house.tasks.send(task_id, "more", (), delivery))

    assert sent.disposition == "queued"
    assert house.watcher.messages[ask.ts].answer is None
    status = await house.tasks.resume(task_id)
    assert (status.state, status.queue) == (State.RESUMABLE, 1)
    house.assert_consistent()


async def test_two_resumes_at_once_bring_one_task_back(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    await house.tasks.clear(task_id)

    first, second = await asyncio.gather(house.tasks.resume(task_id), house.tasks.resume(task_id))

    assert first == second
    assert first.state is State.IDLE
    await house.tasks.close()


async def test_a_resume_waits_for_the_clear_before_it(tmp_path) -> None:
    house, task_id, _ = await waiting_house(tmp_path)

    _, status = await asyncio.gather(house.tasks.clear(task_id), house.tasks.resume(task_id))

    assert status.state is State.RESUMABLE
    await house.tasks.close()


async def test_a_clear_that_is_given_up_still_lets_go_of_the_journal(tmp_path, monkeypatch) -> None:
    house, task_id, _ = await waiting_house(tmp_path)
    reached, release = hold_commands(house, monkeypatch)
    clearing = asyncio.create_task(house.tasks.clear(task_id))
    await reached.wait()

    clearing.cancel()
    with suppress(asyncio.CancelledError):
        await clearing
    release.set()

    assert (await house.tasks.resume(task_id)).state is State.RESUMABLE
    await house.tasks.close()


async def test_an_interrupting_message_beside_a_clear_starts_nothing(tmp_path) -> None:
    house, task_id, _ = await waiting_house(tmp_path, calls("finish"))

    sent, _ = await asyncio.gather(house.tasks.send(task_id, "no, this", (), "interrupt"), house.tasks.clear(task_id))

    assert sent.disposition == "queued"
    assert len(house.histories()) == 1


async def test_an_answer_beside_a_cancel_is_either_taken_or_gone(tmp_path) -> None:
    house, task_id, ask = await waiting_house(tmp_path)
    cancelling = asyncio.create_task(house.tasks.cancel(task_id))

    answered = house.tasks.answer(task_id, ask.ts, AskReply(YES))
    await cancelling

    assert answered.accepted
    assert house.watcher.messages[ask.ts].state is None
    assert house.waiting.kind is Ask.RESUME_TASK
    house.assert_consistent()
