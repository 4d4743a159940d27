import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Generator

import psutil
import pytest
from command_processes import mark, running

SERVER = """
    import asyncio, os, sys
    from pathlib import Path
    from agent_lsp.workspace.commands import Commands

    async def main():
        commands = Commands(os.environ)
        running = commands.start(sys.argv[1], Path("/"), Path("/nonexistent/cmd-1.txt"))
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
def serving(command: str) -> Generator[subprocess.Popen[bytes]]:
    """A server whose command has said that it is ready; gone at the end, whatever the test finds."""
    program = [sys.executable, "-c", textwrap.dedent(SERVER), command]
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
