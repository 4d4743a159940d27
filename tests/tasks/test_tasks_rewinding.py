"""Going back in a task: what is hidden, what the model hears then, and that nothing of it is lost."""

import random
import shutil
from pathlib import Path

import pytest
from hall import WORDS, YES, House, open_house
from test_tasks_restart import assert_valid, copy_at

from agent_lsp.domain.checkpoints import Restoration, Rewind
from agent_lsp.domain.errors import BadParams, TaskBusy
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.notices import DeletionNotice, StatusNotice
from agent_lsp.domain.requests import AskReply
from agent_lsp.domain.status import State, derive_state
from agent_lsp.tasks import endings
from agent_lsp.tasks.keeping import Unkept
from agent_lsp.tasks.task_checkpoints import TaskCheckpoints
from support.kitchen import calls


def restores(house: House) -> TaskCheckpoints:
    return TaskCheckpoints(house.tasks, lambda: Unkept("no files here"))


async def rewind(
    house: House, ts: int | None = None, checkpoint: str | None = None, *, is_dry_run: bool = False
) -> Restoration:
    task_id = house.tasks.current_task() or ""
    return await restores(house).restore(task_id, checkpoint, ts, is_dry_run=is_dry_run, what="conversation")


async def completed(house: House, *more: str) -> str:
    """A task that has completed, and once more after each of these words."""
    task_id = house.new_task("do it")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    for words in more:
        before = house.waiting.ts
        house.answer(WORDS, words)
        await until_completed_after(house, before)
    return task_id


async def until_completed_after(house: House, ts: int) -> None:
    await house.watcher.until(
        lambda: house.status.ask and house.waiting.kind is Ask.COMPLETION_RESULT and house.waiting.ts > ts
    )


def shown(house: House) -> list[int]:
    task_id = house.tasks.current_task()
    return [m.ts for m in house.tasks.snapshot(task_id, instance_id=None, since=None, limit=999, before=None).messages]


def heard(house: House) -> list[str]:
    return [text for item in house.histories()[-1] if isinstance(item, Words) for text in item.texts]


def ts_of(house: House, say: Say, number: int = 0) -> int:
    return [message.ts for message in house.watcher.messages.values() if message.say is say][number]


async def test_words_come_back_to_be_changed_and_all_behind_them_is_hidden(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish"), calls("read"), calls("finish"), calls("finish")])
    await completed(house, "now in red")
    before, point = shown(house), ts_of(house, Say.USER_FEEDBACK)

    done = await rewind(house, point)

    hidden = [ts for ts in before if ts >= point]
    assert done == Restoration(
        is_done=True, files=(), conflicts=(), undo=done.undo, rewind=Rewind(point, len(hidden), 0, "now in red")
    )
    assert shown(house) == [*(ts for ts in before if ts < point), house.waiting.ts]
    assert house.waiting.kind is Ask.RESUME_COMPLETED_TASK
    house.assert_consistent()
    house.answer(WORDS, "now in blue")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert heard(house) == ["do it", "now in blue"]
    assert_valid(house)


async def test_hidden_messages_are_told_before_the_status(tmp_path) -> None:
    house = open_house(tmp_path, [calls("read"), calls("finish")])
    await completed(house)
    before, told = shown(house), len(house.watcher.notices)

    await rewind(house, before[0])

    notices = house.watcher.notices[told:]
    assert [n.message.ts for n in notices if isinstance(n, DeletionNotice)] == before
    assert isinstance(notices[len(before) + 1], StatusNotice)
    assert not any(isinstance(notice, StatusNotice) for notice in notices[: len(before)])


async def test_first_words_can_be_said_anew(tmp_path) -> None:
    house = open_house(tmp_path, [calls("read"), calls("finish"), calls("finish")])
    await completed(house)

    done = await rewind(house, shown(house)[0])

    assert done.rewind is not None
    assert (done.rewind.text, house.status.state) == ("do it", State.RESUMABLE)
    with pytest.raises(BadParams, match="say what is to be done"):
        house.answer(YES)
    house.answer(WORDS, "do that")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert heard(house) == ["do that"]
    assert house.watcher.said(Say.TEXT) == ["do that"]


async def test_message_of_a_step_leads_to_the_beginning_of_the_step(tmp_path) -> None:
    house = open_house(tmp_path, [calls("read"), calls("read", "write"), calls("finish"), calls("finish")])
    house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    began = ts_of(house, Say.API_REQ_STARTED, 1)

    done = await rewind(house, ask.ts)

    assert done.rewind is not None
    assert (done.rewind.ts, done.rewind.text) == (began, None)
    assert house.waiting.kind is Ask.RESUME_TASK
    house.answer(WORDS, "not there")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert heard(house) == ["do it", endings.RESUMED, "not there"]
    assert len(house.histories()[-1]) == 5
    assert_valid(house)


async def test_rewind_can_be_taken_back_with_the_ask_that_waited(tmp_path) -> None:
    house = open_house(tmp_path, [calls("read"), calls("finish"), calls("finish"), calls("finish")])
    await completed(house)
    before, waited = shown(house), house.waiting

    done = await rewind(house, before[0])
    house.answer(WORDS, "something else")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    again = await rewind(house, checkpoint=done.undo)

    assert again.rewind is not None
    assert (shown(house), house.waiting) == (before, waited)
    house.assert_consistent()
    house.answer(WORDS, "go on")
    await until_completed_after(house, waited.ts)
    assert heard(house) == ["do it", "go on"]
    await rewind(house, checkpoint=again.undo)
    assert house.watcher.said(Say.TEXT) == ["something else"]


async def test_rewind_outlives_the_server_and_can_be_taken_back_then(tmp_path) -> None:
    house = open_house(tmp_path, [calls("read"), calls("finish")])
    task_id = await completed(house)
    before = shown(house)
    done = await rewind(house, before[1])
    await house.tasks.close()

    again = open_house(tmp_path, [calls("finish")])
    await again.tasks.resume(task_id)
    left = shown(again)
    await rewind(again, checkpoint=done.undo)

    assert left[0] == before[0]
    assert not set(left) & set(before[1:])
    assert shown(again) == before
    assert again.waiting.kind is Ask.COMPLETION_RESULT
    await again.tasks.close()


async def test_dry_run_tells_the_same_and_hides_nothing(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = await completed(house)
    before = shown(house)
    journal = (tmp_path / "tasks" / task_id / "journal.jsonl").read_bytes()

    plan = await rewind(house, before[0], is_dry_run=True)

    assert plan == Restoration(is_done=False, files=(), conflicts=(), rewind=Rewind(before[0], len(before), 0, "do it"))
    assert (shown(house), (tmp_path / "tasks" / task_id / "journal.jsonl").read_bytes()) == (before, journal)


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ({}, "name a checkpoint"),
        ({"ts": 5}, "shows no message 5"),
        ({"checkpoint": "none"}, "No message has the checkpoint"),
    ],
)
async def test_place_that_is_not_there_is_refused(tmp_path, point, words) -> None:
    house = open_house(tmp_path, [calls("finish")])
    await completed(house)
    before = shown(house)

    with pytest.raises(BadParams, match=words):
        await rewind(house, **point)
    assert shown(house) == before


async def test_hidden_message_is_no_place(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    await completed(house)
    first, second, *_ = shown(house)
    await rewind(house, first)

    with pytest.raises(BadParams, match="shows no message"):
        await rewind(house, second)


async def test_task_at_work_is_not_rewound(tmp_path) -> None:
    house = open_house(tmp_path, [calls("hang")])
    house.new_task()
    await house.watcher.until(lambda: house.status.activity == "Tools x1")

    with pytest.raises(TaskBusy, match="cancel it first"):
        await rewind(house, shown(house)[0])
    await house.tasks.close()


async def test_task_takes_no_words_while_it_is_rewound(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = await completed(house)

    async def speak(_task: object) -> None:
        with pytest.raises(TaskBusy, match="try again"):
            await house.tasks.send(task_id, "more", (), "queue")
        with pytest.raises(TaskBusy, match="try again"):
            house.answer(WORDS, "more")

    await house.tasks.while_held(task_id, speak)
    assert house.answer(WORDS, "more").accepted


async def test_money_stays_spent_and_mode_and_queue_are_as_they_were(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)
    await house.tasks.send(task_id, "and that", (), "queue")
    house.answer(YES)
    await house.watcher.until(lambda: len(house.histories()) == 3)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    spent = house.status.usage

    await rewind(house, ts_of(house, Say.API_REQ_STARTED, 1))

    assert (house.status.usage, house.status.queue) == (spent, 1)
    assert [words.text for words in house.tasks.queue(task_id, None).words] == ["and that"]


async def test_words_that_waited_behind_the_ones_gone_back_to_wait_again(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish"), calls("finish"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)
    for text in ("first", "second"):
        await house.tasks.send(task_id, text, (), "queue")
    house.answer(YES)
    await house.watcher.until(lambda: len(house.histories()) == 3)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    done = await rewind(house, ts_of(house, Say.USER_FEEDBACK))

    assert done.rewind is not None
    assert (done.rewind.text, house.status.queue) == ("first", 1)
    house.answer(WORDS, "third")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert heard(house)[1:] == ["second", "third"]


async def test_client_that_comes_back_is_told_what_is_hidden(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = await completed(house)
    before, seen = shown(house), house.status

    await rewind(house, before[1])

    missed = house.tasks.snapshot(task_id, instance_id=seen.instance_id, since=seen.seq, limit=9, before=None)
    assert missed.deleted == tuple(before[1:])
    assert [message.ts for message in missed.messages] == [house.waiting.ts]


@pytest.mark.parametrize("seed", range(12))
async def test_task_is_whole_wherever_it_is_rewound_to_and_killed(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    house = open_house(tmp_path / "whole", [calls("read"), calls("finish")])
    task_id = await completed(house)
    undos: list[str] = []
    for _ in range(6):
        if undos and chance.random() < 0.25:
            undos.append((await rewind(house, checkpoint=chance.choice(undos))).undo or "")
        elif chance.random() < 0.5:
            undos.append((await rewind(house, chance.choice(shown(house)))).undo or "")
        else:
            await say_at_random(house, chance)
        house.assert_consistent()
    assert_valid(house)
    await assert_outlives_kills(tmp_path, task_id, chance)
    await house.tasks.close()


async def say_at_random(house: House, chance: random.Random) -> None:
    before = house.waiting.ts
    house.model.answers[:] = [calls("read", "read"), calls("finish")]
    house.answer(WORDS, f"words {chance.random()}")
    await until_completed_after(house, before)


async def assert_outlives_kills(folder: Path, task_id: str, chance: random.Random) -> None:
    """After a kill behind any record the task comes back, can be rewound, and goes on."""
    journal = (folder / "whole" / "tasks" / task_id / "journal.jsonl").read_bytes().splitlines()
    for count in chance.sample(range(2, len(journal) + 1), 8):
        again = open_house(copy_at(folder / "whole", task_id, count, folder / str(count)), [calls("finish")])
        await again.tasks.resume(task_id)
        if chance.random() < 0.5:
            await rewind(again, chance.choice(shown(again)))
        snapshot = again.tasks.snapshot(task_id, instance_id=None, since=None, limit=999, before=None)
        assert derive_state(snapshot.messages) in (State.RESUMABLE, State.IDLE), count
        assert again.tasks.answer(task_id, None, AskReply(WORDS, "go on")).accepted
        await again.watcher.until_ask(Ask.COMPLETION_RESULT)
        assert_valid(again)
        await again.tasks.close()
        shutil.rmtree(folder / str(count))
