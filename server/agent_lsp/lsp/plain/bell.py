"""Rings the user of a plain client: one pop-up at a time, for asks that wait and were not rung for yet.

A doorbell is not the ask: no answer, an error or a dismissed pop-up leave the ask waiting, for a command to answer.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.requests import AskReply
from agent_lsp.lsp.envelope import METHOD_NOT_FOUND
from agent_lsp.lsp.plain.doorbell import Choice, Doorbell, one_line
from agent_lsp.lsp.ports import Hall
from agent_lsp.lsp.waiting import Asks

logger = logging.getLogger(__name__)

SAVING_SECONDS = 1.0
"""Editors that save by themselves have done so by then, and a pop-up about it would only be in the way."""

Spawn = Callable[[Coroutine[None, None, None]], None]
"""Starts something whose end the server awaits."""


@dataclass(frozen=True, slots=True)
class Ring:
    """An ask that wants its user."""

    task_id: str
    ts: int
    doorbell: Doorbell


class Bell:
    def __init__(self, server: LanguageServer, hall: Hall, asks: Asks, spawn: Spawn) -> None:
        self._server = server
        self._hall = hall
        self._asks = asks
        self._spawn = spawn
        self._waiting: dict[str, Ring] = {}
        self._rung: dict[str, int] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._knocked: dict[str, Ring] = {}
        self._current: tuple[Ring, asyncio.Future[types.MessageActionItem | None]] | None = None
        self._is_ringing = False
        self.has_pop_ups = True

    def ask(self, ring: Ring) -> None:
        """Ring for this ask, unless it was rung for before."""
        if self._rung.get(ring.task_id) == ring.ts:
            return
        self.settle(ring.task_id)
        self._rung[ring.task_id] = ring.ts
        if ring.doorbell.can_wait:
            timer = asyncio.get_running_loop().call_later(SAVING_SECONDS, self._begin, ring)
            self._timers[ring.task_id] = timer
        else:
            self._begin(ring)

    def settle(self, task_id: str) -> None:
        """The ask of this task waits no more: its pop-up is withdrawn."""
        self._waiting.pop(task_id, None)
        self._knocked.pop(task_id, None)
        if timer := self._timers.pop(task_id, None):
            timer.cancel()
        if self._current and self._current[0].task_id == task_id:
            self._current[1].cancel()

    def _begin(self, ring: Ring) -> None:
        self._waiting[ring.task_id] = ring
        if not self._is_ringing:
            self._is_ringing = True
            self._spawn(self._ring_all())

    def knock_again(self) -> None:
        """Say it once more: what an editor says of its own work, that it saved a file, has covered it."""
        for ring in tuple(self._knocked.values()):
            self._knock(ring)

    async def _ring_all(self) -> None:
        try:
            while self._waiting:
                ring = self._waiting.pop(next(iter(self._waiting)))
                if self.has_pop_ups:
                    await self._ring(ring)
                else:
                    self._knock(ring)
        finally:
            self._is_ringing = False

    async def _ring(self, ring: Ring) -> None:
        pop_up = asyncio.ensure_future(self._server.window_show_message_request_async(_params(ring.doorbell)))
        self._current = ring, pop_up
        try:
            await asyncio.wait((pop_up,))
        finally:
            self._current = None
            pop_up.cancel()
        if pop_up.cancelled():
            return
        if error := pop_up.exception():
            self._take_failure(ring, error)
            return
        item = pop_up.result()
        choice = next((c for c in ring.doorbell.choices if item and c.title == item.title), None)
        if choice and choice.response:
            await self._answer(ring, choice)

    async def _answer(self, ring: Ring, choice: Choice) -> None:
        try:
            if choice.response == "agent/clearTask":
                await self._hall.clear(ring.task_id)
            else:
                self._asks.answer(ring.task_id, ring.ts, AskReply(choice.response or "", choice.text))
        except AgentError as error:
            logger.info("The answer to a pop-up was not taken: %s", error)
            self._say(types.MessageType.Warning, str(error))

    def _take_failure(self, ring: Ring, error: BaseException) -> None:
        self.has_pop_ups = not (isinstance(error, JsonRpcException) and error.code == METHOD_NOT_FOUND)
        if not self.has_pop_ups:
            self._knock(ring)

    def _knock(self, ring: Ring) -> None:
        """Say that an ask waits, where there are no pop-ups."""
        self._knocked[ring.task_id] = ring
        self._say(types.MessageType.Warning, f"The agent asks: {ring.doorbell.text}")

    def _say(self, kind: types.MessageType, text: str) -> None:
        self._server.window_show_message(types.ShowMessageParams(type=kind, message=one_line(text)))


def _params(doorbell: Doorbell) -> types.ShowMessageRequestParams:
    return types.ShowMessageRequestParams(
        type=types.MessageType.Info,
        message=doorbell.text,
        actions=[types.MessageActionItem(title=choice.title) for choice in doorbell.choices],
    )
