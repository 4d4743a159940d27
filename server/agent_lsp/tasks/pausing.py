"""The wait before a request is tried again, as the user can cut it short. What counts it down is the loop."""

import asyncio

from agent_lsp.domain.messages import Response
from agent_lsp.domain.moments import is_played
from agent_lsp.domain.requests import Answered, AskReply
from agent_lsp.domain.turns import PauseEnd
from agent_lsp.tasks.gate import GONE

_ENDS = {Response.YES.value: PauseEnd.SKIPPED, Response.NO.value: PauseEnd.GIVEN_UP}


class Pausing:
    """At most one wait at a time. Nothing of it is kept: a task that comes back has asked whether to go on."""

    def __init__(self) -> None:
        self._cut_short: asyncio.Future[PauseEnd] | None = None

    async def pause(self, seconds: float) -> PauseEnd:
        if is_played():
            return PauseEnd.OVER
        self._cut_short = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                return await self._cut_short
        except TimeoutError:
            return PauseEnd.OVER
        finally:
            self._cut_short = None

    def answer(self, reply: AskReply) -> Answered:
        """Take a yes for at once, and a no for never; GONE where nothing waits for either."""
        if self._cut_short is None or self._cut_short.done() or reply.response not in _ENDS:
            return GONE
        self._cut_short.set_result(_ENDS[reply.response])
        return Answered(accepted=True)
