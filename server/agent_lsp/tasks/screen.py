"""Where a task's tools show what they do: the rows of running commands, and what the user wants done with them."""

import asyncio
from collections.abc import Callable
from typing import Literal

from agent_lsp.domain.messages import Answer, Ask, Response
from agent_lsp.domain.moments import now_ms
from agent_lsp.storage.records import MessageChanged
from agent_lsp.tasks.stream import MessageStream

Operation = Literal["continue", "abort"]


class CommandRow:
    """The `command_output` message of one command: partial while it runs, whole and answered when it ends."""

    def __init__(self, stream: MessageStream, is_cancelling: Callable[[], bool]) -> None:
        self.ts = stream.ask(Ask.COMMAND_OUTPUT, "", partial=True)
        self.is_over = False
        self._stream = stream
        self._is_cancelling = is_cancelling
        self._wanted: asyncio.Future[Operation] = asyncio.get_running_loop().create_future()

    def grow(self, text: str) -> None:
        self._stream.grow(self.ts, text)

    async def operation(self) -> Operation:
        return await asyncio.shield(self._wanted)

    def operate(self, operation: Operation) -> bool:
        """Take the user's wish; the first one counts."""
        if self.is_over or self._wanted.done():
            return False
        self._wanted.set_result(operation)
        return True

    def end(self) -> None:
        if self.is_over:
            return
        self.is_over = True
        wanted = self._wanted.result() if self._wanted.done() else None
        self._wanted.cancel()
        if self._is_cancelling() and wanted is None:
            self._stream.change(MessageChanged(self.ts, partial=False, state="interrupted"))
        else:
            self._stream.change(MessageChanged(self.ts, partial=False, answer=_answer(wanted)))


class CommandRows:
    """The rows of the commands that run in the foreground."""

    def __init__(self, stream: MessageStream, is_cancelling: Callable[[], bool]) -> None:
        self._stream = stream
        self._is_cancelling = is_cancelling
        self._rows: list[CommandRow] = []

    def open(self) -> CommandRow:
        self._rows = [row for row in self._rows if not row.is_over]
        self._rows.append(row := CommandRow(self._stream, self._is_cancelling))
        return row

    def operate(self, ts: int | None, operation: Operation) -> bool:
        """Pass the user's wish on to the command of message `ts`, or to the one that runs."""
        return any(row.operate(operation) for row in self._rows if ts is None or row.ts == ts)

    def end_all(self) -> None:
        for row in self._rows:
            row.end()


def _answer(wanted: Operation | None) -> Answer:
    now = now_ms()
    match wanted:
        case "continue":
            return Answer(Response.YES, "user", now)
        case "abort":
            return Answer(Response.NO, "user", now)
        case None:
            return Answer(Response.YES, "policy", now)
