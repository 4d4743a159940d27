"""What brings a task in or puts it away: one such move at a time for each task. Knows nothing else of tasks."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


class Moves:
    """Whoever comes while a task is moved waits for its turn; a move ends also if nobody waits for it any more."""

    def __init__(self) -> None:
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._moving: set[asyncio.Task[Any]] = set()  # Any: moves come to whatever they come to.

    async def make(self, task_id: str, move: Callable[[], Coroutine[None, None, T]]) -> T:
        moving = asyncio.create_task(self._in_turn(task_id, move), name=f"move of {task_id}")
        self._moving.add(moving)
        moving.add_done_callback(self._moving.discard)
        return await asyncio.shield(moving)

    async def until_made(self) -> None:
        """Wait for those that are on their way; what went wrong is told to whoever asked for them."""
        await asyncio.gather(*self._moving, return_exceptions=True)

    async def _in_turn(self, task_id: str, move: Callable[[], Coroutine[None, None, T]]) -> T:
        turn = self._turns.get(task_id) or asyncio.Lock()
        self._turns[task_id] = turn
        async with turn:
            return await move()
