"""What ends a run from outside: signals, or an output that nobody reads any more."""

import asyncio
import os
import signal
from types import TracebackType
from typing import Self

BROKEN_PIPE_CODE = 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruptions:
    """While entered, the first signal asks the run to settle and end; a second one ends the process at once."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._code: asyncio.Future[int] = self._loop.create_future()

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            self._loop.add_signal_handler(number, self._take, number)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number in _SIGNALS:
            self._loop.remove_signal_handler(number)

    async def exit_code(self) -> int:
        """Wait for the first interruption; the exit code that it stands for."""
        return await asyncio.shield(self._code)

    def break_pipe(self) -> None:
        """The output has lost its reader."""
        if not self._code.done():
            self._code.set_result(BROKEN_PIPE_CODE)

    def _take(self, number: signal.Signals) -> None:
        code = 128 + number
        if self._code.done():
            os._exit(code)
        self._code.set_result(code)
