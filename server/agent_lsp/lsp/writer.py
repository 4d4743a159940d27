"""Output off the event loop: the loop puts frames into a bounded queue, a thread writes them."""

import threading
from collections import deque
from collections.abc import Callable

from agent_lsp.lsp.streams import write_all

CONGESTED_BYTES = 256 * 1024
GONE_BYTES = 64 * 1024 * 1024
BATCH_BYTES = 256 * 1024


class Writer:
    """Writes to a descriptor in a thread of its own, in order; `write` never blocks.

    Over `CONGESTED_BYTES` waiting it says so, and senders hold back what can be merged. Over `GONE_BYTES`, or when
    writing fails, the client counts as gone: whoever watches is told, and the rest is dropped.
    """

    def __init__(self, fd: int, *, gone_bytes: int = GONE_BYTES) -> None:
        self._fd = fd
        self._on_gone: Callable[[], object] | None = None
        self._gone_bytes = gone_bytes
        self._frames: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._is_gone = False
        self._is_closing = False
        self._wake = threading.Condition()
        # A daemon: a client that does not read must not keep the process alive.
        self._thread = threading.Thread(target=self._run, name="lsp-writer", daemon=True)
        self._thread.start()

    def watch(self, on_gone: Callable[[], object]) -> None:
        """Have this called once, in any thread, when the client is gone; at once if it is."""
        with self._wake:
            self._on_gone = on_gone
            is_gone = self._is_gone
        if is_gone:
            on_gone()

    def write(self, frame: bytes) -> None:
        with self._wake:
            if self._is_gone or self._is_closing:
                return
            self._frames.append(frame)
            self._waiting_bytes += len(frame)
            is_over = self._waiting_bytes > self._gone_bytes
            self._wake.notify()
        if is_over:
            self._give_up()

    def is_congested(self) -> bool:
        return self._waiting_bytes > CONGESTED_BYTES

    def close(self, timeout_seconds: float) -> None:
        """Let the thread write what waits, for so long at most; blocks."""
        with self._wake:
            self._is_closing = True
            self._wake.notify()
        self._thread.join(timeout_seconds)

    def _run(self) -> None:
        while batch := self._take_batch():
            try:
                write_all(self._fd, batch)
            except OSError:
                self._give_up()
                return
            with self._wake:
                self._waiting_bytes -= len(batch)

    def _take_batch(self) -> bytes:
        """Wait for frames and join some of them; nothing once it is closed and all is written."""
        with self._wake:
            self._wake.wait_for(lambda: self._frames or self._is_closing or self._is_gone)
            if self._is_gone:
                return b""
            frames: list[bytes] = []
            size = 0
            while self._frames and size < BATCH_BYTES:
                frames.append(self._frames.popleft())
                size += len(frames[-1])
        return b"".join(frames)

    def _give_up(self) -> None:
        with self._wake:
            if self._is_gone:
                return
            self._is_gone = True
            self._frames.clear()
            self._waiting_bytes = 0
            self._wake.notify()
            on_gone = self._on_gone
        if on_gone:
            on_gone()
