"""A connection's first message: read, and answered if it is an `initialize`, by what is known beforehand.

Imports little, since nothing else is imported before that answer is sent.
"""

import json

from agent_lsp.lsp.capabilities import initialize_result, is_initialize_params, is_object
from agent_lsp.lsp.framing import Frames, FramingError, frame
from agent_lsp.lsp.streams import read_some, write_all

TYPE_CHECKING = False  # The import of typing would cost more than all that is done here.
if TYPE_CHECKING:
    from typing import Any


class Opening:
    """A connection, and what happened on it before the program was imported."""

    __slots__ = ("answered_id", "bodies", "first", "frames", "is_spoilt", "read_fd", "write_fd")

    def __init__(self, read_fd: int, write_fd: int, *, is_strict: bool = False) -> None:
        self.read_fd = read_fd
        self.write_fd = write_fd
        self.frames = Frames(is_strict=is_strict)
        self.bodies: list[bytes] = []
        """What has come so far, the first message included."""
        self.is_spoilt = False
        """What has come is not made of frames."""
        self.first: dict[str, Any] | None = None
        """The first message, where it is an `initialize` that can be answered."""
        self.answered_id: object = None

    def read(self, timeout_seconds: float | None = None) -> None:
        """Read until the first message is whole, the input ends or makes no sense, or it takes too long."""
        while not self.bodies and (piece := read_some(self.read_fd, timeout_seconds)):
            try:
                self.bodies = self.frames.feed(piece)
            except FramingError:
                self.is_spoilt = True
                return
        if self.bodies:
            self.first = _initialize_request(self.bodies[0])

    def answer(self) -> None:
        """Answer the first message, if it can be answered here."""
        if self.first:
            self.answered_id = self.first["id"]
            self.send({"id": self.answered_id, "result": initialize_result(self.first["params"])})

    def send(self, message: dict[str, object]) -> None:
        write_all(self.write_fd, frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))


def _initialize_request(body: bytes) -> "dict[str, Any] | None":  # Any: JSON has no closed type.
    try:
        message: object = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    if not is_object(message) or message.get("method") != "initialize" or message.get("jsonrpc") != "2.0":
        return None
    if type(message.get("id")) not in (int, str) or not is_initialize_params(message.get("params")):
        return None
    return message
