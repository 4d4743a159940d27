"""New tasks made of others, and tasks as documents."""

import pytest
from hall import WORDS, YES, House, open_house

from agent_lsp.domain.errors import BadParams, TaskUnknown
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Ask, CheckpointMark, Say
from agent_lsp.domain.status import State, Usage
from agent_lsp.storage.records import MessageChanged
from support.kitchen import calls


async def told(state) -> tuple[House, str]:
    house = open_house(state, [calls("read"), calls("finish"), calls("finish"), calls("finish")])
    task_id = house.new_task("do it")
    first = await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    house.answer(WORDS, "in red")
    await house.watcher.until(lambda: house.status.ask and house.waiting.ts > first.ts)
    return house, task_id


def messages(house: House, task_id: str):
    return house.tasks.snapshot(task_id, instance_id=None, since=None, limit=99, before=None).messages


def feedback(house: House) -> int:
    return next(message.ts for message in house.watcher.messages.values() if message.say is Say.USER_FEEDBACK)


async def test_fork_goes_its_own_way_from_a_message_on(tmp_path) -> None:
    house, task_id = await told(tmp_path)
    before, point = messages(house, task_id), feedback(house)

    fork = await house.tasks.fork(task_id, point, "The other way")

    assert (fork.text, house.tasks.current_task()) == ("in red", fork.task_id)
    assert [m.text for m in messages(house, fork.task_id)[:-1]] == [m.text for m in before if m.ts < point]
    house.answer(WORDS, "in blue")
    await house.watcher.until(lambda: len(house.histories()) == 4)
    heard = [text for item in house.histories()[-1] if isinstance(item, Words) for text in item.texts]
    assert heard == ["do it", "in blue"]
    assert messages(house, task_id) == before
    listed = (await house.tasks.list_tasks(cursor=None, limit=9, query=None)).tasks
    assert sorted(task.title for task in listed) == ["The other way", "do it"]
    await house.tasks.close()


async def test_fork_of_everything_has_spent_nothing_and_rests(tmp_path) -> None:
    house, task_id = await told(tmp_path)
    before = messages(house, task_id)

    fork = await house.tasks.fork(task_id, None, None)

    snapshot = house.tasks.snapshot(fork.task_id, instance_id=None, since=None, limit=99, before=None)
    assert snapshot.status is not None
    assert (snapshot.status.state, snapshot.status.usage, fork.text) == (State.IDLE, Usage(), None)
    assert [m.ts for m in snapshot.messages[:-1]] == [m.ts for m in before]
    await house.tasks.close()


async def test_task_at_work_can_be_forked_and_goes_on(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    fork = await house.tasks.fork(task_id, None, None)

    assert messages(house, fork.task_id)[-1].ask is Ask.RESUME_TASK
    assert messages(house, task_id)[-1].waits
    await house.tasks.close()


async def test_fork_has_the_outputs_of_commands_and_none_of_the_checkpoints(tmp_path) -> None:
    house, task_id = await told(tmp_path)
    await house.tasks.clear(task_id)
    folder = tmp_path / "tasks" / task_id / "artifacts"
    folder.mkdir()
    (folder / "cmd-1.txt").write_text("output")
    await house.tasks.resume(task_id)
    live = house.tasks._live[task_id]  # A mark, without a git to make one.
    live.stream.change(MessageChanged(feedback(house), checkpoint=CheckpointMark("c1")))

    fork = await house.tasks.fork(task_id, None, None)

    assert (tmp_path / "tasks" / fork.task_id / "artifacts" / "cmd-1.txt").read_text() == "output"
    assert not any(message.checkpoint for message in messages(house, fork.task_id))
    await house.tasks.close()


async def test_fork_of_nothing_leaves_nothing_behind(tmp_path) -> None:
    house, task_id = await told(tmp_path)

    with pytest.raises(BadParams, match="shows no message"):
        await house.tasks.fork(task_id, 5, None)
    with pytest.raises(TaskUnknown):
        await house.tasks.fork("nobody", None, None)
    assert [path.name for path in (tmp_path / "tasks").iterdir()] == [task_id]
    await house.tasks.close()


async def test_export_tells_a_task_that_is_not_loaded(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])
    task_id = house.new_task("do it\nwell")
    await house.watcher.until_ask(Ask.TOOL)
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    await house.tasks.clear(task_id)

    document = await house.tasks.export(task_id)

    assert document.title == "do it"
    head, spent, *rest = document.text.split("\n\n")
    assert (head, spent.partition(" · ")[2]) == ("# do it", "20 tokens in, 10 out, $0.0200")
    assert rest == ["## You", "do it\nwell", "**newFileCreated**", "*Approved.*", "## Result", "all done\n"]


async def test_cleared_task_at_work_is_last_seen_at_rest(tmp_path) -> None:
    house = open_house(tmp_path, [calls("hang")])
    task_id = house.new_task()
    await house.watcher.until(lambda: house.status.activity == "Tools x1")

    await house.tasks.clear(task_id)

    assert (house.status.state, house.waiting.kind) == (State.RESUMABLE, Ask.RESUME_TASK)


async def test_model_is_known_before_the_first_turn(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    house.new_task()
    await house.watcher.until(lambda: house.status)

    assert house.status.model == "scripted"
    await house.tasks.close()
