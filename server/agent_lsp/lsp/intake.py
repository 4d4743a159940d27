"""Input off the event loop: a thread reads, decodes, and refuses what is no message; the rest waits for the loop.

The thread starts before the program is imported, so that nonsense is answered at once even then: asyncio is not known
here.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from agent_lsp.lsp.envelope import PARSE_ERROR, Malformed, Message, encode_frame, read_envelope
from agent_lsp.lsp.framing import FramingError
from agent_lsp.lsp.opening import Opening
from agent_lsp.lsp.streams import read_some
from agent_lsp.lsp.writer import Writer

BATCHES_AHEAD = 16


@dataclass(frozen=True, slots=True)
class Received:
    """A message, and how many bytes it had."""

    message: Message
    size: int


Batch = tuple[Received, ...]


class End:
    """Nothing comes after this."""


class Intake:
    """Reads a descriptor of any kind in a thread of its own.

    At most `BATCHES_AHEAD` batches, of a read each, wait for the loop; then the thread rests, and with it the client.
    """

    def __init__(self, opening: Opening, writer: Writer) -> None:
        self._opening = opening
        self._write = writer.write
        self._batches: deque[Batch | End] = deque()
        self._room = threading.Semaphore(BATCHES_AHEAD)
        self._wake: Callable[[], object] | None = None
        # A daemon: nothing can wake a thread that waits for a terminal's input.
        threading.Thread(target=self._run, name="lsp-intake", daemon=True).start()

    def attach(self, wake: Callable[[], object]) -> None:
        """From now on, call this (in the thread) when something has come; `take` it then."""
        self._wake = wake

    def take(self) -> Batch | End | None:
        """What has come next; None while there is nothing."""
        if not self._batches:
            return None
        self._room.release()
        return self._batches.popleft()

    def _run(self) -> None:
        self._room.acquire()
        self._put(self._decode(self._opening.bodies))
        try:
            while not self._opening.is_spoilt and self._room.acquire() and (piece := read_some(self._opening.read_fd)):
                self._put(self._decode(self._opening.frames.feed(piece)))
        except FramingError:
            self._opening.is_spoilt = True
        if self._opening.is_spoilt:
            self._write(refusal(Malformed(PARSE_ERROR, "The input is not made of Content-Length frames.")))
        self._put(End())

    def _put(self, batch: Batch | End) -> None:
        self._batches.append(batch)
        if self._wake:
            self._wake()

    def _decode(self, bodies: list[bytes]) -> Batch:
        return tuple(received for body in bodies if (received := decode(body, self._write)))


def decode(body: bytes, write: Callable[[bytes], None]) -> Received | None:
    """Make a message of a body; what is none is refused by `write`."""
    message = read_envelope(body)
    if isinstance(message, Malformed):
        write(refusal(message))
        return None
    return Received(message, len(body))


def refusal(malformed: Malformed) -> bytes:
    error = {"code": malformed.code, "message": malformed.reason}
    return encode_frame({"jsonrpc": "2.0", "id": malformed.id, "error": error})
