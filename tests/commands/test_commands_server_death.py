import os
import signal
import subprocess
import sys
import textwrap

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


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_nothing_outlives_a_server_that_is_killed(command):
    number = mark()
    program = [sys.executable, "-c", textwrap.dedent(SERVER), command.format(number)]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        tree = psutil.Process(server.pid).children(recursive=True)

        server.kill()

    assert running_by(number, tree) == 0


def test_a_server_killed_before_it_read_how_a_command_ended_leaves_nothing(tmp_path):
    number, gate = mark(), tmp_path / "gate"
    os.mkfifo(gate)
    command = f"setsid sleep {number} & echo ready; read line < {gate}"
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(SERVER), command], stdout=subprocess.PIPE) as server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        tree = psutil.Process(server.pid).children(recursive=True)
        server.send_signal(signal.SIGSTOP)
        gate.write_text("go\n")
        psutil.wait_procs([process for process in tree if process.name() == "bash"], timeout=5)

        server.kill()

    assert running_by(number, tree) == 0


def running_by(number: str, tree: list[psutil.Process]) -> int:
    _, alive = psutil.wait_procs(tree, timeout=5)
    return running(number) + len(alive)
