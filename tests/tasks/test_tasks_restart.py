"""A task after its server is gone: nothing whole is lost, nothing runs by itself, and the history stays valid."""

import shutil
from pathlib import Path

import pytest
from hall import WORDS, YES, House, open_house

from agent_lsp.domain.errors import TaskBusy, TaskUnknown
from agent_lsp.domain.history import Reply, Result
from agent_lsp.domain.messages import Ask
from agent_lsp.domain.status import State
from support.kitchen import calls

STORY = [calls("read", "write"), calls("question"), calls("finish")]


async def play(house: House) -> str:
    """The whole story, with all its answers."""
    task_id = house.new_task("tell a story")
    for ask, response in [(Ask.TOOL, YES), (Ask.FOLLOWUP, WORDS)]:
        await house.watcher.until_ask(ask)
        house.answer(response, "blue")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    return task_id


def copy_at(state: Path, task_id: str, lines: int, target: Path) -> Path:
    """The state folder as a kill after so many journal lines leaves it."""
    folder = target / "tasks" / task_id
    folder.mkdir(parents=True)
    journal = (state / "tasks" / task_id / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join(journal[:lines]))
    return target


async def test_a_kill_after_any_record_leaves_a_task_that_goes_on(tmp_path) -> None:
    whole = open_house(tmp_path / "whole", [*STORY])
    task_id = await play(whole)
    lines = len((tmp_path / "whole" / "tasks" / task_id / "journal.jsonl").read_bytes().splitlines())

    assert lines > 20
    for count in range(2, lines + 1):
        house = open_house(copy_at(tmp_path / "whole", task_id, count, tmp_path / str(count)), [calls("finish")])
        status = await house.tasks.resume(task_id)
        assert status.state in (State.RESUMABLE, State.IDLE), count
        assert status.title == "tell a story"
        assert house.answer(WORDS, "go on").accepted
        await house.watcher.until_ask(Ask.COMPLETION_RESULT)
        assert_valid(house)
        await house.tasks.close()
    await whole.tasks.close()


def assert_valid(house: House) -> None:
    """Every call in what the model was sent has its one result behind it."""
    for history in house.histories():
        open_calls: list[str] = []
        for item in history:
            if isinstance(item, Result):
                open_calls.remove(item.call_id)
            else:
                assert open_calls == []
            if isinstance(item, Reply):
                open_calls = [call.id for call in item.calls]


async def test_what_waited_is_interrupted_and_runs_nothing(tmp_path) -> None:
    first = open_house(tmp_path / "a", [calls("write")])
    task_id = first.new_task()
    ask = await first.watcher.until_ask(Ask.TOOL)
    shutil.copytree(tmp_path / "a", tmp_path / "b")

    second = open_house(tmp_path / "b", [])
    status = await second.tasks.resume(task_id)

    messages = second.tasks.snapshot(task_id, instance_id=None, since=None, limit=100, before=None).messages
    assert next(m for m in messages if m.ts == ask.ts).state == "interrupted"
    assert (status.state, second.waiting.kind) == (State.RESUMABLE, Ask.RESUME_TASK)
    assert second.histories() == []
    await first.tasks.close()


async def test_a_completed_task_comes_back_as_completed(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    await house.tasks.clear(None)

    status = await house.tasks.resume(task_id)

    assert (status.state, house.waiting.kind) == (State.IDLE, Ask.RESUME_COMPLETED_TASK)
    house.answer(WORDS, "one more thing")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert house.histories()[1][:3] != house.histories()[0]
    await house.tasks.close()


async def test_a_task_open_in_one_server_is_busy_for_another(tmp_path) -> None:
    first = open_house(tmp_path, [calls("write")])
    task_id = first.new_task()
    await first.watcher.until_ask(Ask.TOOL)
    second = open_house(tmp_path, [])

    with pytest.raises(TaskBusy):
        await second.tasks.resume(task_id)
    await first.tasks.close()


async def test_closing_settles_a_running_task(tmp_path) -> None:
    house = open_house(tmp_path, [calls("hang")])
    task_id = house.new_task()
    await house.watcher.until(lambda: house.status.activity == "Tools x1")

    await house.tasks.close()
    again = open_house(tmp_path, [])

    assert (await again.tasks.resume(task_id)).state is State.RESUMABLE
    await again.tasks.close()


async def test_a_cleared_task_leaves_the_screen_and_stays_in_the_list(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = house.new_task("first of all\nthen more")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    await house.tasks.clear(task_id)

    assert house.tasks.snapshot(None, instance_id=None, since=None, limit=9, before=None).status is None
    listed = (await house.tasks.list_tasks(cursor=None, limit=10, query=None)).tasks
    assert [(task.task_id, task.title, task.state) for task in listed] == [(task_id, "first of all", State.IDLE)]


async def test_a_deleted_task_is_gone_with_its_folder(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    await house.tasks.delete(task_id)

    assert not (tmp_path / "tasks" / task_id).exists()
    with pytest.raises(TaskUnknown):
        await house.tasks.resume(task_id)


async def test_a_renamed_task_keeps_its_name(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    await house.tasks.rename(task_id, "The blue task")
    await house.tasks.clear(None)

    assert (await house.tasks.resume(task_id)).title == "The blue task"
    await house.tasks.close()


async def test_a_task_that_is_not_loaded_can_be_renamed(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    await house.tasks.clear(None)

    await house.tasks.rename(task_id, "The red task")

    listed = (await house.tasks.list_tasks(cursor=None, limit=10, query="red")).tasks
    assert [task.title for task in listed] == ["The red task"]
    assert (await house.tasks.resume(task_id)).title == "The red task"
    await house.tasks.close()
