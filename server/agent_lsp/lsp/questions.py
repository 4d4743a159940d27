"""Questions of ours to the client: their ids, who waits for them, and what becomes of late or missing answers."""

import asyncio
from collections.abc import Callable
from typing import Any

from pygls.exceptions import JsonRpcException

from agent_lsp.domain.encoding import Json
from agent_lsp.lsp.envelope import REQUEST_CANCELLED, Reply


class Questions:
    """The questions that wait. Each is forgotten when it is answered, given up, or the client is gone."""

    def __init__(self, send: Callable[[Json], None]) -> None:
        self._send = send
        self._waiting: dict[int | str | None, asyncio.Future[Any]] = {}
        self._last_id = 0
        self._is_over = False

    async def ask(self, method: str, params: Any) -> Any:  # Any: JSON, whose shape the method knows.
        """Wait for the client's answer, without a limit of time. Its errors are JsonRpcException."""
        if self._is_over:
            raise _gone()
        self._last_id += 1
        question_id = self._last_id
        answer = asyncio.get_running_loop().create_future()
        self._waiting[question_id] = answer
        self._send({"jsonrpc": "2.0", "id": question_id, "method": method, "params": params})
        try:
            return await answer
        except asyncio.CancelledError:
            self._send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": question_id}})
            raise
        finally:
            del self._waiting[question_id]

    def take(self, reply: Reply) -> None:
        """Hand an answer to whoever waits. An answer nobody waits for is late, or to no question of ours."""
        answer = self._waiting.get(reply.id)
        if answer is None or answer.done():
            return
        if reply.error is None:
            answer.set_result(reply.result)
        else:
            answer.set_exception(_exception(reply.error))

    def abandon(self) -> None:
        """Tell all who wait, and whoever asks later, that the client is gone."""
        self._is_over = True
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(_gone())


def _exception(error: Json) -> JsonRpcException:
    code, message = error.get("code"), error.get("message")
    return JsonRpcException(str(message or "no reason given"), code if isinstance(code, int) else None)


def _gone() -> JsonRpcException:
    return JsonRpcException("The client is gone.", REQUEST_CANCELLED)
