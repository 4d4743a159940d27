"""Neovim's own protocol, as much of it as tests need: requests over the standard streams of `nvim --embed`, in MessagePack."""

import asyncio
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgpack

REQUEST, RESPONSE = 0, 1
SECONDS = 80.0
"""Longer than anything waits inside of Neovim: past that it asks somebody for a key."""


class NeovimError(Exception):
    """What was asked for failed inside of Neovim."""


class Rpc:
    """One Neovim and its answers. What it tells by itself (the drawing of its screen) is thrown away."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._ids = count()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: Sequence[str], folder: Path, environment: dict[str, str]) -> "Rpc":
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, env=environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def call(self, method: str, *arguments: object) -> Any:  # Any: whatever Neovim answers.
        request = next(self._ids)
        answer = self._waiting[request] = asyncio.get_running_loop().create_future()
        self._send(request, method, arguments)
        async with asyncio.timeout(SECONDS):
            return await answer

    async def stop(self) -> None:
        """End it, and wait until it is gone."""
        self._send(next(self._ids), "nvim_command", ["qall!"])
        try:
            async with asyncio.timeout(SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
        await self._reading

    def _send(self, request: int, method: str, arguments: Sequence[object]) -> None:
        packed = msgpack.packb([REQUEST, request, method, arguments])
        assert packed
        assert self._process.stdin
        self._process.stdin.write(packed)

    async def _read(self) -> None:
        assert self._process.stdout
        unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, unicode_errors="surrogateescape", ext_hook=_handle)
        while piece := await self._process.stdout.read(65_536):
            unpacker.feed(piece)
            for message in unpacker:
                self._take(message)
        for answer in self._waiting.values():
            answer.cancel()

    def _take(self, message: list[Any]) -> None:  # Any: as it comes.
        if message[0] != RESPONSE:
            return
        _, request, error, result = message
        answer = self._waiting.pop(request, None)
        if answer is None or answer.done():
            return
        if error:
            answer.set_exception(NeovimError(error[1]))
        else:
            answer.set_result(result)


def _handle(_: int, packed: bytes) -> int:
    """Buffers, windows and tab pages are numbers."""
    return msgpack.unpackb(packed)
