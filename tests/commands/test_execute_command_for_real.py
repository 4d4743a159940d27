"""The tool over real processes, from a call to its result."""

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_fakes import FakeFiles, FakeGate, FakeScreen
from command_processes import mark, running

from agent_lsp.tools.execute_command import ExecuteCommand
from agent_lsp.tools.read_command_output import ReadCommandOutput
from agent_lsp.workspace.commands import Commands
from agent_lsp.workspace.commands_artifacts import Artifacts


@dataclass
class Unconfined:
    outside: Commands

    async def around(self, command: str) -> None:
        return None

    def take_notice(self) -> str:
        return ""


@pytest.fixture
def screen() -> FakeScreen:
    return FakeScreen()


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    return Artifacts(tmp_path / "artifacts")


@pytest.fixture
def tool(commands: Commands, artifacts: Artifacts, screen: FakeScreen, tmp_path: Path) -> ExecuteCommand:
    return ExecuteCommand(Unconfined(commands), artifacts, FakeFiles(tmp_path), FakeGate(), screen)


async def call(tool: ExecuteCommand, command: str, timeout: float | None = None) -> str:
    arguments = ExecuteCommand.Arguments(command=command, timeout=timeout)
    async with asyncio.timeout(20):
        return (await tool.run(arguments, "call-1")).text


async def until_begun(number: str) -> None:
    async with asyncio.timeout(10):
        while not running(number):  # noqa: ASYNC110  no event tells that a process of another has begun
            await asyncio.sleep(0.01)


async def test_a_command_is_run_shown_and_told(tool, screen):
    text = await call(tool, "echo out; echo err >&2; exit 4")

    assert text == "Exit code: 4\nout\nerr"
    assert ("".join(screen.rows[0].grown), screen.rows[0].is_over) == ("out\nerr\n", True)


async def test_what_is_cut_can_be_read(tool, artifacts):
    text = await call(tool, "seq 10000")
    read = ReadCommandOutput.Arguments(artifact_id="cmd-1", search="^5000$")

    assert "read_command_output has them as cmd-1" in text
    assert len(text) < 21_000
    assert (await ReadCommandOutput(artifacts).run(read, "call-2")).text == "5000: 5000"


async def test_after_its_timeout_a_server_runs_on_and_can_be_read_and_stopped(tool, artifacts):
    number = mark()
    text = await call(tool, f"echo listening; exec sleep {number}", timeout=0.3)
    page = await artifacts.page("cmd-1", 0, 1_000)
    is_running = running(number)

    await tool.stop()

    assert text.endswith("The output so far:\nlistening")
    assert (page.text, is_running, running(number)) == ("listening\n", 1, 0)


async def test_a_cancelled_call_leaves_no_process(tool):
    number = mark()
    running_call = asyncio.ensure_future(call(tool, f"(setsid sleep {number} &); sleep {number}"))
    await until_begun(number)

    running_call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running_call

    assert running(number) == 0


async def test_what_a_command_left_behind_is_stopped_with_the_task(tool):
    number = mark()
    text = await call(tool, f"setsid sleep {number} >/dev/null 2>&1 & echo started")
    await until_begun(number)

    await tool.stop()

    assert text == "Exit code: 0\nProcesses that it started still run.\nstarted"
    assert running(number) == 0


async def test_a_flood_reaches_the_row_by_its_ends(tool, screen):
    await call(tool, "yes 'a line' | head -c 20M; echo; echo the end")
    shown = "".join(screen.rows[0].grown)

    assert shown.startswith("a line\n")
    assert shown.endswith("\nthe end\n")
    assert "characters are not shown" in shown
    assert len(shown) < 100_000


async def test_binary_output_is_named(tool, screen):
    assert await call(tool, "head -c 5000 /dev/zero") == "Exit code: 0\n[binary output, 5000 bytes, not shown]"
    assert screen.rows[0].grown == []
