"""The real server as a subprocess, and the demo project's tests: all that the demo starts."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.headless.demo.client import Connection, Peer

EXIT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class TestRun:
    has_passed: bool
    output: str


async def run_tests(folder: Path) -> TestRun:
    """Run the project's tests as the model is going to."""
    words = (sys.executable, "-P", "-c", _UNITTEST)
    process = await asyncio.create_subprocess_exec(*words, cwd=folder, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    output, _ = await process.communicate()
    return TestRun(process.returncode == 0, output.decode(errors="replace"))


# As `python3 -m unittest`, whatever PYTHON… variables say, and leaving no __pycache__ behind.
_UNITTEST = "import sys, unittest; sys.dont_write_bytecode = True; sys.path.insert(0, ''); unittest.main(module=None)"


@asynccontextmanager
async def serving(peer: Peer, folder: Path, state: Path, log: Path) -> AsyncGenerator[Connection]:
    """A server for this folder, with a connection to it. Its own errors go to `log`."""
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            # Without the current folder on its path: a module of the project's must not stand in for one of ours.
            *(sys.executable, "-P", "-m", "agent_lsp", "--stdio"),
            cwd=folder,
            env=_environment(state),
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
            start_new_session=True,
            limit=1 << 20,
        )
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("a process has the pipes that it was started with")
    connection = Connection(process.stdout, process.stdin, peer)
    reading = asyncio.create_task(connection.serve(), name="read from the server")
    try:
        yield connection
    finally:
        process.stdin.close()
        await _ended(process)
        await asyncio.wait((reading,))


async def _ended(process: Process) -> None:
    """Wait for a server whose input has ended to end, too; one that does not is killed."""
    try:
        async with asyncio.timeout(EXIT_SECONDS):
            await process.wait()
    except TimeoutError:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _environment(state: Path) -> dict[str, str]:
    """Nothing of the user's own settings and tasks is read or written."""
    here = str(Path(sys.executable).parent)
    return {
        **os.environ,
        "AGENT_LSP_HOME": str(state / "home"),
        "AGENT_LSP_STATE": str(state / "state"),
        "PATH": os.pathsep.join((here, os.environ.get("PATH", os.defpath))),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
