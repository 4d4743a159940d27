"""One command that was started: its output as it comes, its end, and its being ended."""

import asyncio
import contextlib
import dataclasses
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from agent_lsp.domain.commands import CommandEnd, Excerpt
from agent_lsp.workspace.commands_keeper import ENDED
from agent_lsp.workspace.commands_output import Transcript

FILE_LIMIT = 100_000_000
"""Bytes of one command's output that are kept in its file."""
FOLDER_LIMIT = 1_000_000_000
"""Bytes of all outputs that are kept of one task. None is deleted for a new one: the history may name it."""
_READ_BYTES = 64 * 1024
_SLICE_BYTES = 4 * 1024
_TURN_SECONDS = 0.002
_KEEP_AT = 256 * 1024
_LAST_OUTPUT_SECONDS = 0.1
_LAST_OUTPUT_ROUNDS = 5
_ABORT_SECONDS = 5.0
"""A tree takes one second; a machine under load, or hundreds of processes, may take more."""


Redact = Callable[[str], str]
"""Takes secrets out of a text, in whatever thread."""


def unredacted(text: str) -> str:
    return text


class RunningCommand:
    """Followed by `follow` until its last process is gone, also where the command itself ended long before."""

    def __init__(self, control: socket.socket, output: int, whole_output: Path, redacted: Redact) -> None:
        self._control = control
        self._output = output
        self._kept = _KeptOutput(whole_output, redacted)
        self._keep_at = _KEEP_AT
        self._keeping = asyncio.Lock()
        self._transcript = Transcript()
        self._news = asyncio.Event()
        self._is_waiting_for_output = False
        self._end = CommandEnd(problem="It was ended before it ran.")
        self._has_ended = asyncio.Event()
        self._is_gone = asyncio.Event()

    async def news(self) -> str:
        """Wait for more output to show; nothing once the command has ended."""
        while not (text := self._transcript.take_live()) and not self._has_ended.is_set():
            self._news.clear()
            await self._news.wait()
        return text

    def rest(self) -> str:
        """What `news` has not given; where there was too much of it, the last part."""
        return self._transcript.take_last()

    def excerpt(self) -> Excerpt:
        """The output so far, its middle left out where it is long."""
        excerpt = self._transcript.excerpt()
        return dataclasses.replace(excerpt, problem=self._kept.problem)

    async def ended(self) -> CommandEnd:
        """Wait for the command's own end, and for what it wrote until then."""
        await self._has_ended.wait()
        return self._end

    @property
    def is_gone(self) -> bool:
        """Whether the command and all it started are gone."""
        return self._is_gone.is_set()

    async def keep_all(self) -> None:
        """Keep the output in its file as it comes, however short it is."""
        self._keep_at = 1
        await self._keep()

    async def abort(self) -> None:
        """End the command with all its descendants; SIGKILL follows SIGTERM within a second."""
        if self.is_gone:
            return
        with contextlib.suppress(OSError):  # The keeper may be gone this very moment.
            self._control.shutdown(socket.SHUT_WR)
        try:
            async with asyncio.timeout(_ABORT_SECONDS):
                await self._is_gone.wait()
        except TimeoutError:
            self._give_up()

    async def follow(self, request: bytes) -> None:
        """Have the command run, and see it and what it leaves behind to the end."""
        reading = asyncio.get_running_loop().create_task(self._read_output())
        try:
            self._end = await self._run(request)
            await self._settle(reading)
            if self._transcript.is_cut:
                await self._keep()
            self._tell_end()
            await self._until_keeper_is_gone()
            await self._settle(reading)
        finally:
            reading.cancel()
            await asyncio.wait({reading})
            self._control.close()
            os.close(self._output)
            self._tell_end()
            self._is_gone.set()

    async def _run(self, request: bytes) -> CommandEnd:
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(self._control, request)
            message = await loop.sock_recv(self._control, ENDED.size)
        except OSError:
            message = b""
        return _decode_end(message)

    async def _until_keeper_is_gone(self) -> None:
        with contextlib.suppress(ConnectionError):
            await asyncio.get_running_loop().sock_recv(self._control, 1)

    async def _settle(self, reading: asyncio.Task[None]) -> None:
        """Read what is left. A process that still holds the pipe is waited for only while it writes, and briefly."""
        for _ in range(_LAST_OUTPUT_ROUNDS):
            if reading.done() or (await asyncio.wait({reading}, timeout=_LAST_OUTPUT_SECONDS))[0]:
                return reading.result()
            if self._is_waiting_for_output:
                return None
        return None

    def _give_up(self) -> None:
        """Let nobody wait for a process that the system cannot end."""
        if not self._has_ended.is_set():
            self._end = CommandEnd(problem="It could not be ended and may still run.", has_left_processes=True)
            self._tell_end()

    def _tell_end(self) -> None:
        self._has_ended.set()
        self._news.set()

    async def _read_output(self) -> None:
        while output := await self._read():
            await self._take(output)
            self._news.set()
            if self._transcript.unkept_size >= self._keep_at:
                await self._keep()
        self._transcript.finish()
        if self._keep_at == 1:
            await self._keep()
        self._news.set()

    async def _take(self, output: bytes) -> None:
        """Let others have their turn in between: what moves the cursor about takes a microsecond a byte."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        for start in range(0, len(output), _SLICE_BYTES):
            self._transcript.feed(output[start : start + _SLICE_BYTES])
            if loop.time() - began > _TURN_SECONDS:
                await asyncio.sleep(0)
                began = loop.time()

    async def _read(self) -> bytes:
        self._is_waiting_for_output = True
        await _until_readable(self._output)
        self._is_waiting_for_output = False
        return os.read(self._output, _READ_BYTES)

    async def _keep(self) -> None:
        async with self._keeping:
            await asyncio.to_thread(self._kept.append, self._transcript.take_unkept())


class _KeptOutput:
    """The file of one command's whole output, but for secrets. What cannot be written is given up for good, and
    `problem` says why.
    """

    def __init__(self, path: Path, redacted: Redact) -> None:
        self._path = path
        self._redacted = redacted
        self._room: int | None = None
        self.problem = ""

    def append(self, text: str) -> None:
        if self.problem or not text:
            return
        content = self._redacted(text).encode()
        try:
            room = self._room_left()
            with self._path.open("ab") as file:
                file.write(_whole_characters(content[:room]) if len(content) > room else content)
        except OSError as problem:
            self.problem = f"not all of it could be kept ({problem.strerror})"
            return
        self._room = room - len(content)
        if self._room < 0:
            self.problem = f"only the first {self._path.stat().st_size // 1_000_000} MB are kept"

    def _room_left(self) -> int:
        if self._room is not None:
            return self._room
        self._path.parent.mkdir(parents=True, exist_ok=True)
        taken = sum(other.stat().st_size for other in self._path.parent.iterdir())
        return max(min(FILE_LIMIT, FOLDER_LIMIT - taken), 0)


def _whole_characters(content: bytes) -> bytes:
    return content.decode("utf-8", "ignore").encode()


async def _until_readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(descriptor, lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


def _decode_end(message: bytes) -> CommandEnd:
    if len(message) < ENDED.size:
        return CommandEnd(problem="It was ended from outside.")
    kind, number, has_left_processes = ENDED.unpack(message)
    if kind == b"e":
        return CommandEnd(problem=f"It could not be started: {os.strerror(number)}.")
    code = os.waitstatus_to_exitcode(number)
    if code < 0:
        return CommandEnd(None, _signal_name(-code), has_left_processes=has_left_processes)
    return CommandEnd(code, has_left_processes=has_left_processes)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
