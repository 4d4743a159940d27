"""Reading and writing file descriptors that may be pipes, files, terminals or sockets, blocking or not."""

import os
from select import select

PIECE_BYTES = 64 * 1024


def read_some(fd: int, timeout_seconds: float | None = None) -> bytes:
    """Wait for input and read what is there; nothing at its end, when it fails, or when the time is over."""
    while True:
        try:
            if timeout_seconds is not None and not select([fd], [], [], timeout_seconds)[0]:
                return b""
            return os.read(fd, PIECE_BYTES)
        except BlockingIOError:
            # Whoever started us made the descriptor non-blocking.
            select([fd], [], [])
        except OSError:
            # A terminal whose other side is gone fails where a pipe just ends.
            return b""


def write_all(fd: int, content: bytes) -> None:
    """Write all of it, however long that takes; OSError when nobody can read it any more."""
    rest = memoryview(content)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            select([], [fd], [])
