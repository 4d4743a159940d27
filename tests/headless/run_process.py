"""`agent-lsp run` as a process of its own, with pipes or at a terminal, against a scripted model."""

import asyncio
import fcntl
import json
import os
import pty
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.model_server import ScriptedServer

SECONDS = 30
# A terminal signals ^C only to the session that it controls.
_AT_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


@dataclass(frozen=True, slots=True)
class Ended:
    code: int | None
    output: str
    errors: str

    def lines(self) -> list[Any]:
        """The output of a JSON format."""
        return [json.loads(line) for line in self.output.splitlines()]


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to work in, and settings that name a scripted model."""

    folder: Path
    home: Path
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    @staticmethod
    def make(root: Path, server: ScriptedServer) -> "Place":
        place = Place(root / "project", root / "home")
        place.folder.mkdir()
        place.home.mkdir()
        profile = {"type": "anthropic", "model": "m", "apiKey": "k", "baseURL": server.base_url("anthropic")}
        settings = {"currentProvider": "scripted", "providers": {"scripted": profile}}
        (place.home / "settings.json").write_text(json.dumps(settings))
        return place

    def environment(self) -> dict[str, str]:
        own = {"AGENT_LSP_HOME": str(self.home), "AGENT_LSP_STATE": str(self.home / "state"), "TERM": "xterm"}
        return (
            {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
            | own
            | dict(self.variables)
        )

    async def start(self, *words: str) -> Process:
        return await asyncio.create_subprocess_exec(
            *command(*words), cwd=self.folder, env=self.environment(), stdin=PIPE, stdout=PIPE, stderr=PIPE
        )

    async def run(self, *words: str, stdin: str = "") -> Ended:
        async with asyncio.timeout(SECONDS):
            return await ended(await self.start(*words), stdin)


class Screen:
    """A terminal as seen by whoever sits at it: all that was written to it so far."""

    def __init__(self, master: int, process: Process) -> None:
        self.text = ""
        self.process = process
        self._master = master
        self._grown = asyncio.Event()

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    async def until(self, text: str, *, times: int = 1) -> None:
        """Wait until this is on the screen so many times."""
        async with asyncio.timeout(SECONDS):
            while self.text.count(text) < times:
                self._grown.clear()
                await self._grown.wait()

    async def exit_code(self) -> int:
        async with asyncio.timeout(SECONDS):
            return await self.process.wait()

    def read(self) -> None:
        try:
            piece = os.read(self._master, 65_536)
        except BlockingIOError:
            return
        except OSError:  # Linux says so when the last process has left the terminal.
            piece = b""
        self.text += piece.decode(errors="replace").replace("\r\n", "\n")
        self._grown.set()
        if not piece:
            asyncio.get_running_loop().remove_reader(self._master)


@asynccontextmanager
async def terminal(place: Place, *words: str) -> AsyncGenerator[Screen]:
    """A run at a terminal of its own."""
    master, slave = pty.openpty()
    fcntl.fcntl(master, fcntl.F_SETFL, fcntl.fcntl(master, fcntl.F_GETFL) | os.O_NONBLOCK)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _AT_TERMINAL, *command(*words)),
        cwd=place.folder,
        env=place.environment(),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    screen = Screen(master, process)
    asyncio.get_running_loop().add_reader(master, screen.read)
    try:
        yield screen
    finally:
        asyncio.get_running_loop().remove_reader(master)
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(master)


def command(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "agent_lsp", *words)


async def ended(process: Process, stdin: str = "") -> Ended:
    output, errors = await process.communicate(stdin.encode())
    return Ended(process.returncode, output.decode(), errors.decode())


async def lines_until(process: Process, text: str) -> list[str]:
    """Read the output up to and with the first line that has this text."""
    assert process.stdout
    lines: list[str] = []
    async with asyncio.timeout(SECONDS):
        while not lines or text not in lines[-1]:
            lines.append((await process.stdout.readline()).decode())
            assert lines[-1], f"the output ended without {text!r}: {lines}"
    return lines
