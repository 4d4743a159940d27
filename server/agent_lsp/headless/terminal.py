"""The terminal, or the pipes, that a run stands at: the real `Console`."""

import asyncio
import os
import sys
import termios
from collections.abc import Callable
from typing import TextIO

from agent_lsp.headless.outlet import Outlet
from agent_lsp.headless.paint import is_terminal

LINE_BYTES = 65_536


class Terminal:
    """A person can be asked where the standard input is a terminal, and one of the outputs is.

    `on_broken` is called when the reader of the standard output is gone.
    """

    def __init__(self, on_broken: Callable[[], None], *, prompts_on_output: bool) -> None:
        self._output = _outlet(sys.stdout, on_broken)
        self._errors = _outlet(sys.stderr, lambda: None)
        is_output_seen = prompts_on_output and is_terminal(sys.stdout)
        self._prompts = self._output if is_output_seen else self._errors
        self._can_ask = is_terminal(sys.stdin) and (is_output_seen or is_terminal(sys.stderr))

    def show(self, text: str) -> None:
        self._output.write(text)

    def warn(self, text: str) -> None:
        self._errors.write(text)

    def is_congested(self) -> bool:
        return self._output.is_congested()

    def can_ask(self) -> bool:
        return self._can_ask

    async def ask(self, prompt: str) -> str | None:
        descriptor = sys.stdin.fileno()
        # What was typed before the question was seen does not answer it.
        termios.tcflush(descriptor, termios.TCIFLUSH)
        self._prompts.write(prompt)
        await self._prompts.drained()
        line = None
        try:
            line = await _read_line(descriptor)
        finally:
            if line is None:
                self._prompts.write("\n")
        self._can_ask = line is not None
        return line

    async def drained(self) -> None:
        await self._output.drained()
        await self._errors.drained()


async def _read_line(descriptor: int) -> str | None:
    """Wait for the line that the terminal hands over whole; None at its end (^D, or the terminal is gone)."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[bytes] = loop.create_future()
    loop.add_reader(descriptor, _take_line, descriptor, line)
    try:
        taken = await line
    finally:
        loop.remove_reader(descriptor)
    return taken.decode(errors="replace") if taken else None


def _take_line(descriptor: int, line: asyncio.Future[bytes]) -> None:
    if line.done():
        return
    try:
        line.set_result(os.read(descriptor, LINE_BYTES))
    except BlockingIOError:
        return
    except OSError:
        line.set_result(b"")


def _outlet(stream: TextIO | None, on_broken: Callable[[], None]) -> Outlet:
    if stream is None:
        # Started without it: its number may by now belong to any file.
        return Outlet(os.open(os.devnull, os.O_WRONLY), "utf-8", on_broken)
    return Outlet(stream.fileno(), stream.encoding, on_broken)
