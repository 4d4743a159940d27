"""A small language client: JSON-RPC over the pipes of a server process. What it is used for is not known here."""

import asyncio
import json
from itertools import count
from typing import Protocol

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError

_METHOD_NOT_FOUND = -32601


class ServerProblem(AgentError):
    """The server went away, or answered with an error."""

    kind = "ServerProblem"


class MethodUnknown(Exception):
    """The server asked for something that its peer does not do."""


class Peer(Protocol):
    """Who the server talks to."""

    def notified(self, method: str, params: Json) -> None: ...

    def answer(self, method: str, params: Json) -> Json | list[Json] | None:
        """Answer a request of the server's; it is answered at once. Raises MethodUnknown for what it does not do."""
        ...

    def ended(self) -> None:
        """The server will say no more."""
        ...


class Sink(Protocol):
    """Where bytes for the server go."""

    def write(self, content: bytes, /) -> None: ...


class Connection:
    """Requests and notifications both ways. Whoever opens it runs `serve` until it returns."""

    def __init__(self, reader: asyncio.StreamReader, writer: Sink, peer: Peer) -> None:
        self._reader = reader
        self._writer = writer
        self._peer = peer
        self._ids = count(1)
        self._answers: dict[int, asyncio.Future[Json]] = {}
        self._is_over = False

    async def request(self, method: str, params: Json | None = None) -> Json:
        """Ask the server and wait for its answer; an error of it is raised as ServerProblem."""
        if self._is_over:
            raise ServerProblem("The server is gone.")
        request_id = next(self._ids)
        answer = self._answers[request_id] = asyncio.get_running_loop().create_future()
        self._send({"id": request_id, "method": method, "params": params or {}})
        return await answer

    def notify(self, method: str, params: Json | None = None) -> None:
        self._send({"method": method, "params": params or {}})

    async def serve(self) -> None:
        """Take what the server sends until it ends."""
        try:
            while message := await self._read():
                self._take(message)
        finally:
            self._is_over = True
            self._give_up()
            self._peer.ended()

    async def _read(self) -> Json | None:
        try:
            header = await self._reader.readuntil(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in header.decode("ascii").split("\r\n") if line)
            return json.loads(await self._reader.readexactly(int(fields["Content-Length"])))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    def _take(self, message: Json) -> None:
        match message:
            case {"id": request_id, "method": str(method)}:
                self._answer(request_id, method, message.get("params") or {})
            case {"method": str(method)}:
                self._peer.notified(method, message.get("params") or {})
            case {"id": int(request_id)} if waiting := self._answers.pop(request_id, None):
                _settle(waiting, message)
            case _:
                pass

    def _answer(self, request_id: int | str, method: str, params: Json) -> None:
        try:
            result = self._peer.answer(method, params)
        except MethodUnknown:
            error = {"code": _METHOD_NOT_FOUND, "message": f"{method} is not known here"}
            self._send({"id": request_id, "error": error})
        else:
            self._send({"id": request_id, "result": result})

    def _give_up(self) -> None:
        for waiting in self._answers.values():
            if not waiting.done():
                waiting.set_exception(ServerProblem("The server ended before it answered."))
        self._answers.clear()

    def _send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def _settle(waiting: asyncio.Future[Json], message: Json) -> None:
    if waiting.done():
        return
    if error := message.get("error"):
        waiting.set_exception(ServerProblem(str(error.get("message", error))))
    else:
        waiting.set_result(message.get("result") or {})
