"""Input off the event loop: a thread reads, the loop takes. Knows nothing of frames."""

import asyncio
import threading

from agent_lsp.lsp.streams import read_some

PIECES_AHEAD = 16


class Reader:
    """Reads a descriptor of any kind in a thread of its own.

    At most `PIECES_AHEAD` pieces wait for the loop; then the thread rests, and with it whoever writes to us.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(PIECES_AHEAD)
        # A daemon: nothing can wake a thread that waits for a terminal's input.
        threading.Thread(target=self._run, name="lsp-reader", daemon=True).start()

    async def next_piece(self) -> bytes:
        """Wait for the next piece; an empty one is the end."""
        piece = await self._pieces.get()
        self._room.release()
        return piece

    def _run(self) -> None:
        piece = b"first"
        while piece:
            self._room.acquire()
            piece = read_some(self._fd)
            try:
                self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)
            except RuntimeError:
                # The loop is closed: the program ends.
                return
