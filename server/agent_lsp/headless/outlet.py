"""Text on its way out of the process: written by a thread, so that a slow reader never stalls the event loop."""

import asyncio
import os
import select
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

CONGESTED_BYTES = 256 * 1024
"""More than this waiting, and tasks keep their deltas back and merge them: what waits here stays about so large."""


class Outlet:
    """One file descriptor. When its reader is gone, `on_broken` is called once, and all further text is dropped."""

    def __init__(self, descriptor: int, encoding: str, on_broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._encoding = encoding
        self._on_broken = on_broken
        self._loop = asyncio.get_running_loop()
        self._pieces: SimpleQueue[bytes | asyncio.Future[None]] = SimpleQueue()
        self._put_bytes = 0
        self._written_bytes = 0
        self._is_broken = False
        # A daemon: a reader that never reads must not keep the process from ending.
        self._writer = Thread(target=self._write_all, name="outlet", daemon=True)
        self._writer.start()

    def write(self, text: str) -> None:
        if text and not self._is_broken:
            piece = text.encode(self._encoding, "replace")
            self._put_bytes += len(piece)
            self._pieces.put(piece)

    def is_congested(self) -> bool:
        return not self._is_broken and self._put_bytes - self._written_bytes > CONGESTED_BYTES

    async def drained(self) -> None:
        """Return once all that was put before is written, or dropped."""
        mark: asyncio.Future[None] = self._loop.create_future()
        self._pieces.put(mark)
        await mark

    def _write_all(self) -> None:
        while True:
            match self._pieces.get():
                case bytes() as piece:
                    self._write_piece(piece)
                case mark:
                    self._call(lambda mark=mark: mark.done() or mark.set_result(None))

    def _write_piece(self, piece: bytes) -> None:
        if not self._is_broken:
            try:
                _write_whole(self._descriptor, piece)
            except OSError:
                self._is_broken = True
                self._call(self._on_broken)
        self._written_bytes += len(piece)

    def _call(self, callback: Callable[[], object]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(callback)


def _write_whole(descriptor: int, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # another process has made the terminal non-blocking
            select.select([], [descriptor], [])
