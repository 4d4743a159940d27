"""The first milliseconds: `initialize` is answered by the standard library alone, then the program is imported.

Only what that answer needs is imported up here. What was read is handed over and read again, so that the rest of the
program sees every message; it just does not answer the first one twice.
"""

import gc
import json
import os

from agent_lsp.lsp.capabilities import initialize_result, is_initialize_params, is_object
from agent_lsp.lsp.framing import Frames, FramingError, frame
from agent_lsp.lsp.streams import read_some, write_all

TYPE_CHECKING = False  # The import of typing would cost more than all that is done here.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from agent_lsp.lsp.logs import LogOptions
    from agent_lsp.lsp.ports import OpenHall


class Opening:
    """A connection, and what happened on it before the program was imported."""

    __slots__ = ("answered_id", "first", "is_strict", "read_fd", "received", "write_fd")

    def __init__(self, read_fd: int, write_fd: int, *, is_strict: bool = False) -> None:
        self.read_fd = read_fd
        self.write_fd = write_fd
        self.is_strict = is_strict
        self.received = b""
        self.first: dict[str, Any] | None = None
        """The first message, where it is an `initialize` that can be answered."""
        self.answered_id: object = None


def run_stdio(load_app: "Callable[[], OpenHall]", log: "LogOptions | None" = None) -> int:
    """Serve the client on the standard streams until it is gone; the exit code.

    `load_app` imports the program and gives back what opens its hall; it is called after `initialize` is answered.
    """
    try:
        opening = Opening(*_take_standard_streams())
        read_opening(opening)
        answer_opening(opening)
        return serve(opening, load_app, log)
    except (KeyboardInterrupt, BrokenPipeError):
        return 1


def read_opening(opening: Opening, timeout_seconds: float | None = None) -> None:
    """Read until the first message is whole, or the input ends or makes no sense; that is then found out again."""
    frames = Frames(is_strict=opening.is_strict)
    while piece := read_some(opening.read_fd, timeout_seconds):
        opening.received += piece
        try:
            bodies = frames.feed(piece)
        except FramingError:
            return
        if bodies:
            opening.first = _initialize_request(bodies[0])
            return


def answer_opening(opening: Opening) -> None:
    if opening.first is None:
        return
    opening.answered_id = opening.first["id"]
    send(opening, {"id": opening.answered_id, "result": initialize_result(opening.first["params"])})


def send(opening: Opening, message: dict[str, object]) -> None:
    write_all(opening.write_fd, frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))


def serve(opening: Opening, load_app: "Callable[[], OpenHall]", log: "LogOptions | None") -> int:
    """Import the program and let it have the connection."""
    # A collection in the midst of imports frees nothing and costs a tenth of their time.
    gc.disable()
    from agent_lsp.lsp import logs, serving

    open_hall = load_app()
    gc.freeze()
    gc.enable()
    logs.configure(log)
    return serving.run(opening, open_hall)


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


def _take_standard_streams() -> tuple[int, int]:
    """Move the wire away from the standard streams, so that no stray print and no child process can touch it."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return read_fd, write_fd
