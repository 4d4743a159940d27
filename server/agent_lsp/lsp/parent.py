"""Watching the client's process: when it is gone, nobody will ever say `exit`."""

import asyncio
import os
from collections.abc import Callable

POLL_SECONDS = 5.0
"""Only where the system cannot tell by itself."""


def watch_process(process_id: int, on_end: Callable[[], None]) -> None:
    """Call `on_end` on the event loop when the process has ended, which may be now."""
    if process_id <= 0:
        return
    loop = asyncio.get_running_loop()
    try:
        # Linux: the descriptor becomes readable at the end of the process.
        watched = os.pidfd_open(process_id)
    except ProcessLookupError:
        loop.call_soon(on_end)
    except OverflowError:
        # No process has such a number; nothing can be watched.
        return
    except (AttributeError, OSError):
        _poll(loop, process_id, on_end)
    else:
        loop.add_reader(watched, _finish, loop, watched, on_end)


def _finish(loop: asyncio.AbstractEventLoop, watched: int, on_end: Callable[[], None]) -> None:
    loop.remove_reader(watched)
    os.close(watched)
    on_end()


def _poll(loop: asyncio.AbstractEventLoop, process_id: int, on_end: Callable[[], None]) -> None:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        on_end()
    except OSError:
        # It is there, and not ours to signal.
        loop.call_later(POLL_SECONDS, _poll, loop, process_id, on_end)
    else:
        loop.call_later(POLL_SECONDS, _poll, loop, process_id, on_end)
