"""A task's turns, one at a time: started, stopped, and seen to their end. What one does is `agent/loop.py`."""

import asyncio
import logging
from typing import Protocol

from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.turns import Ending, RequestFailed

log = logging.getLogger(__name__)


class Course(Protocol):
    """What a task does in the course of its turns."""

    async def turn(self) -> Ending | None:
        """Run one turn to its end; None where nothing came to an end by it."""
        ...

    def turn_over(self, ending: Ending | None) -> None: ...

    def cutting_short(self, *, is_cancelling: bool) -> None:
        """Told before a turn is cut short, and when that is done."""
        ...

    async def stop_commands(self) -> None: ...

    def stopped(self) -> None:
        """Told when a turn was cut short, and all that ran has ended."""
        ...


class Turns:
    def __init__(self, task_id: str, course: Course) -> None:
        self._task_id = task_id
        self._course = course
        self._turn: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None

    @property
    def are_over(self) -> bool:
        return self._turn is None and self._stopping is None

    def start(self) -> None:
        self._turn = asyncio.create_task(self._run(), name=f"turn of {self._task_id}")

    async def stop(self) -> None:
        """Stop all that runs. Callers at the same time share one stop; it ends also if they stop waiting for it."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(), name=f"stop of {self._task_id}")
        await asyncio.shield(self._stopping)

    async def until_stopped(self) -> None:
        """Wait for a stop that has begun, if one has."""
        if self._stopping is not None:
            await asyncio.shield(self._stopping)

    async def _run(self) -> None:
        try:
            ending = await self._course.turn()
        except AgentError as error:
            ending = RequestFailed(str(error), 1)
        except Exception:
            log.exception("a turn failed")
            ending = RequestFailed("Something went wrong inside agent-lsp; the log has the details.", 1)
        self._turn = None
        self._course.turn_over(ending)

    async def _stop(self) -> None:
        turn = self._turn
        try:
            if turn:
                await self._cut_short(turn)
            await self._course.stop_commands()
        finally:
            self._stopping = None
            if turn:
                self._course.stopped()

    async def _cut_short(self, turn: asyncio.Task[None]) -> None:
        self._course.cutting_short(is_cancelling=True)
        try:
            turn.cancel()
            await asyncio.wait([turn])
        finally:
            self._course.cutting_short(is_cancelling=False)
            if self._turn is turn:
                self._turn = None
