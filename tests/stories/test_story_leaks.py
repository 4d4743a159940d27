"""Many tasks, one after another, in one server: nothing of any of them stays behind but its journal."""

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from story import Story, story

from support.lsp_client import SECONDS
from support.model_server import CallTool, Refusal, SeenRequest

TASKS = int(os.environ.get("AGENT_LSP_TEST_TASKS", "24"))
WARM_UP = 12
SETTINGS = {"autoApprove": {"write": True, "execute": True}, "allowedCommands": ["cat", "sleep"]}


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds of the system."""

    processes: int
    descriptors: int
    threads: int
    megabytes: float

    @staticmethod
    def by(process_id: int) -> "Held":
        process = psutil.Process(process_id)
        return Held(
            len(process.children(recursive=True)),
            process.num_fds(),
            process.num_threads(),
            process.memory_info().rss / 2**20,
        )


def turn(_: int, request: SeenRequest) -> list | Refusal:
    """Read, write, run, fail once, be done: by how far the task has come."""
    match len(request.results):
        case 0:
            return [CallTool("read_file", path="a.txt"), CallTool("search_files", path=".", regex="hello")]
        case 2:
            return [CallTool("write_to_file", path="b.txt", content=f"{len(request.raw)}\n" * 100)]
        case 3:
            return [CallTool("execute_command", command="cat a.txt"), CallTool("no_such_tool")]
        case _:
            return [CallTool("attempt_completion", result="Done.")]


async def run_task(s: Story, number: int) -> None:
    s.picture.messages.clear()
    await s.new_task(f"task {number}")
    await s.client.until(lambda: s.picture.status.get("taskId") == s.task_id and s.picture.status["state"] == "idle")
    await s.client.request("agent/clearTask", {"taskId": s.task_id})


async def held_at_rest(process_id: int, before: Held) -> Held:
    """What is held once the last command's processes are gone; if they never go, what is held then."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            while Held.by(process_id).processes > before.processes:  # noqa: ASYNC110  no event tells that they are gone
                await asyncio.sleep(0.01)
    return Held.by(process_id)


@pytest.mark.timeout(120 + 4 * TASKS)
async def test_tasks_leave_nothing_behind_in_the_server(tmp_path: Path) -> None:
    async with story(tmp_path, turn, settings=SETTINGS) as s:
        s.file("a.txt", "hello\n" * 50)
        assert s.client.process
        for number in range(WARM_UP):
            await run_task(s, number)
        before = Held.by(s.client.process.pid)
        for number in range(TASKS):
            await run_task(s, number)
        after = await held_at_rest(s.client.process.pid, before)

    assert after.processes <= before.processes
    assert after.descriptors <= before.descriptors + 2
    assert after.threads <= before.threads + 4
    # What is left is the allocator's: it does not grow with the number of tasks.
    assert after.megabytes - before.megabytes < 8 + TASKS * 0.02
