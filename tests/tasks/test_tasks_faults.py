"""Tasks on a disk that fills up, behind services that tell little, and after bugs: they rest, and can go on."""

import asyncio
import errno
import json
from dataclasses import dataclass

import pytest
from hall import WORDS, YES, House, open_house

from agent_lsp.agent.settle import INTERRUPTED
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.domain.history import Result
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.model import CallBegan, Stopped, StopReason, TextDelta
from agent_lsp.domain.requests import NewTask
from agent_lsp.domain.status import State
from agent_lsp.settings.model import LimitSettings
from agent_lsp.storage.journal import Journal
from support.kitchen import calls

WITHOUT_USAGE = [CallBegan(0, "finish-0", "finish"), Stopped(StopReason.CALLS)]


@dataclass
class Disk:
    """A disk that is full from time to time."""

    is_full: bool = False


@pytest.fixture
def disk(monkeypatch) -> Disk:
    disk, write = Disk(), Journal._write

    def write_if_there_is_room(journal: Journal, line: bytes) -> None:
        if disk.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(journal, line)

    monkeypatch.setattr(Journal, "_write", write_if_there_is_room)
    return disk


def results(house: House, request: int) -> list[tuple[str, str]]:
    return [(item.call_id, item.text) for item in house.histories()[request] if isinstance(item, Result)]


async def test_a_full_disk_is_told_and_every_call_has_its_result_once_there_is_room(tmp_path, disk) -> None:
    house = open_house(tmp_path, [calls("write", "read"), calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.TOOL)
    house.answer(YES)
    disk.is_full = True
    failed = await house.watcher.until_ask(Ask.API_REQ_FAILED)

    disk.is_full = False
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert "No space left" in json.loads(failed.text or "")["message"]
    assert results(house, 1) == [("write-0", INTERRUPTED), ("read-1", INTERRUPTED)]
    house.assert_consistent()


async def test_an_answer_that_cannot_be_kept_leaves_the_ask_waiting(tmp_path, disk) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    disk.is_full = True
    with pytest.raises(StorageProblem):
        house.answer(YES)
    disk.is_full = False
    answered = house.answer(YES)

    assert answered.accepted
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    house.assert_consistent()


async def test_a_task_that_cannot_be_kept_is_refused_and_is_not_there(tmp_path, disk) -> None:
    house = open_house(tmp_path, [])
    disk.is_full = True

    with pytest.raises(StorageProblem):
        house.tasks.new_task(NewTask("do it"))

    assert house.tasks.current_task() is None
    assert house.watcher.notices == []


async def test_a_task_is_closed_although_the_disk_is_full(tmp_path, disk) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)
    disk.is_full = True

    await house.tasks.close()
    disk.is_full = False

    again = open_house(tmp_path, [])
    assert (await again.tasks.resume(task_id)).state is State.RESUMABLE
    await again.tasks.close()


async def test_a_bug_in_the_midst_of_an_answer_leaves_nothing_growing(tmp_path) -> None:
    house = open_house(tmp_path, [])

    async def stream(request):
        del request
        yield [TextDelta("so far")]
        raise ZeroDivisionError

    house.model.stream = stream
    house.new_task()
    await house.watcher.until_ask(Ask.API_REQ_FAILED)

    assert [(m.text, m.partial, m.state) for m in house.watcher.messages.values() if m.partial is not None] == [
        ("so far", False, "interrupted")
    ]
    assert "cancelReason" in json.loads(house.watcher.said(Say.API_REQ_STARTED)[0])
    house.assert_consistent()


async def test_requests_are_counted_also_where_a_service_tells_no_usage(tmp_path) -> None:
    house = open_house(tmp_path, [WITHOUT_USAGE], LimitSettings(requests=1))
    house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    house.answer(WORDS, "more")
    await house.watcher.until_ask(Ask.AUTO_APPROVAL_MAX_REQ_REACHED)

    assert house.status.usage.cost is None
    house.assert_consistent()


@pytest.mark.parametrize("limits", [LimitSettings(requests=2), LimitSettings(cost=0.02)])
async def test_a_restart_does_not_count_anew_towards_a_limit(tmp_path, limits) -> None:
    first = open_house(tmp_path, [calls("read"), calls("write")], limits)
    task_id = first.new_task("do it " * 2_000)
    await first.watcher.until_ask(Ask.TOOL)
    await first.tasks.close()
    house = open_house(tmp_path, [calls("finish")], limits)

    await house.tasks.resume(task_id)
    house.answer(YES)

    async with asyncio.timeout(5):
        await house.watcher.until_ask(Ask.AUTO_APPROVAL_MAX_REQ_REACHED)
    await house.tasks.close()


async def test_a_command_that_cannot_be_ended_leaves_the_task_resumable(tmp_path, monkeypatch) -> None:
    async def stop_commands(_bench) -> None:
        raise StorageProblem("It cannot be ended.")

    monkeypatch.setattr("hall.Bench.stop_commands", stop_commands)
    house = open_house(tmp_path, [calls("hang"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until(lambda: house.status.activity == "Tools x1")

    with pytest.raises(StorageProblem):
        await house.tasks.cancel(task_id)

    assert house.waiting.kind is Ask.RESUME_TASK
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    house.assert_consistent()
