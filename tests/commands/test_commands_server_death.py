import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Generator, Iterable

import psutil
import pytest
from command_processes import mark, not_begun, running
from command_shapes import SHAPES

SERVER = """
    import asyncio, os, sys
    from pathlib import Path
    from agent_lsp.workspace.commands import Commands

    async def main():
        commands = Commands(os.environ)
        for command in sys.argv[1:]:
            running = commands.start(command, Path("/"), Path("/nonexistent/cmd-1.txt"))
        while "ready" not in running.excerpt().head:
            await running.news()
        print("ready", flush=True)
        await running.ended()
        await asyncio.Event().wait()

    asyncio.run(main())
"""

COMMANDS = {
    "in the foreground": "sleep {0} & echo ready; sleep {0}",
    "in a session of its own": "setsid sleep {0} & (setsid bash -c 'sleep {0} &' &); echo ready; sleep {0}",
    "deaf to SIGTERM": "trap '' TERM HUP; sleep {0} & echo ready; sleep {0}; sleep {0}",
    "left behind by a command that has ended": "setsid sleep {0} & echo ready",
}


@contextlib.contextmanager
def serving(*commands: str) -> Generator[subprocess.Popen[bytes]]:
    """A server whose last command has said that it is ready; gone at the end, whatever the test finds."""
    program = [sys.executable, "-c", textwrap.dedent(SERVER), *commands]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout
            assert server.stdout.readline() == b"ready\n"
            yield server
        finally:
            server.kill()


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_nothing_outlives_a_server_that_is_killed(command):
    number = mark()
    with serving(command.format(number)) as server:
        tree = psutil.Process(server.pid).children(recursive=True)

    assert running_by(number, tree) == 0


def test_no_shape_of_processes_outlives_a_server_that_is_killed():
    marks = {shape: mark() for shape in SHAPES}
    with serving(*(SHAPES[shape].format(number) for shape, number in marks.items()), "echo ready") as server:
        wait_until_begun(marks.values())
        tree = psutil.Process(server.pid).children(recursive=True)

    psutil.wait_procs(tree, timeout=5)
    assert [shape for shape, number in marks.items() if running(number)] == []


def wait_until_begun(marks: Iterable[str]) -> None:
    deadline = time.monotonic() + 30
    while marks := not_begun(marks):
        assert time.monotonic() < deadline


def test_a_server_killed_before_it_read_how_a_command_ended_leaves_nothing(tmp_path):
    number, gate = mark(), tmp_path / "gate"
    os.mkfifo(gate)
    with serving(f"setsid sleep {number} & echo ready; read line < {gate}") as server:
        tree = psutil.Process(server.pid).children(recursive=True)
        shell = [process for process in tree if process.name() == "bash"]
        server.send_signal(signal.SIGSTOP)
        gate.write_text("go\n")
        psutil.wait_procs(shell, timeout=5)

    assert running_by(number, tree) == 0


def running_by(number: str, tree: list[psutil.Process]) -> int:
    _, alive = psutil.wait_procs(tree, timeout=5)
    return running(number) + len(alive)
