import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from agent_lsp.domain.encoding import Json
from agent_lsp.headless.demo.client import Connection, MethodUnknown, ServerProblem


@dataclass(eq=False)
class Server:
    """The other end: what it was sent, and a way to send."""

    reader: asyncio.StreamReader
    got: list[Json] = field(default_factory=list[Json])

    def write(self, data: bytes) -> None:
        header, body = data.split(b"\r\n\r\n", 1)
        assert header == b"Content-Length: %d" % len(body)
        self.got.append(json.loads(body))

    def send(self, message: Json) -> None:
        body = json.dumps(message).encode()
        self.reader.feed_data(b"Content-Length: %d\r\n\r\n" % len(body) + body)


@dataclass(eq=False)
class EchoingPeer:
    """Answers `echo` with its parameters, and knows nothing else."""

    heard: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])
    has_ended: bool = False

    def notified(self, method: str, params: Json) -> None:
        self.heard.append((method, params))

    def answer(self, method: str, params: Json) -> Json | None:
        if method != "echo":
            raise MethodUnknown
        return params

    def ended(self) -> None:
        self.has_ended = True


@asynccontextmanager
async def connected() -> AsyncGenerator[tuple[Connection, Server, EchoingPeer]]:
    server, peer = Server(asyncio.StreamReader()), EchoingPeer()
    connection = Connection(server.reader, server, peer)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(connection.serve())
        yield connection, server, peer
        if not peer.has_ended:
            server.reader.feed_eof()


async def test_request_gets_its_answer() -> None:
    async with connected() as (connection, server, _):
        asking = asyncio.ensure_future(connection.request("add", {"a": 1}))
        await asyncio.sleep(0)
        server.send({"jsonrpc": "2.0", "id": 99, "result": {"of": "another"}})
        server.send({"jsonrpc": "2.0", "id": 1, "result": {"sum": 1}})

        assert await asking == {"sum": 1}
        assert server.got == [{"jsonrpc": "2.0", "id": 1, "method": "add", "params": {"a": 1}}]


async def test_error_is_raised() -> None:
    async with connected() as (connection, server, _):
        asking = asyncio.ensure_future(connection.request("add"))
        await asyncio.sleep(0)
        server.send({"jsonrpc": "2.0", "id": 1, "error": {"code": -32803, "message": "No model is set up."}})

        with pytest.raises(ServerProblem, match="No model is set up"):
            await asking


async def test_server_that_ends_leaves_no_request_waiting() -> None:
    async with connected() as (connection, server, peer):
        asking = asyncio.ensure_future(connection.request("add"))
        await asyncio.sleep(0)
        server.reader.feed_data(b"Content-Length: 20\r\n\r\n{")
        server.reader.feed_eof()

        with pytest.raises(ServerProblem, match="ended before it answered"):
            await asking
        with pytest.raises(ServerProblem, match="gone"):
            await connection.request("add")
        assert peer.has_ended


async def test_notifications_reach_the_peer_in_order() -> None:
    async with connected() as (_, server, peer):
        server.send({"jsonrpc": "2.0", "method": "one", "params": {"n": "ä"}})
        server.send({"jsonrpc": "2.0", "method": "two"})

    assert peer.heard == [("one", {"n": "ä"}), ("two", {})]


async def test_requests_of_the_server_are_answered() -> None:
    async with connected() as (_, server, _):
        server.send({"jsonrpc": "2.0", "id": "a", "method": "echo", "params": {"n": 1}})
        server.send({"jsonrpc": "2.0", "id": "b", "method": "other"})

    error = {"code": -32601, "message": "other is not known here"}
    assert server.got == [
        {"jsonrpc": "2.0", "id": "a", "result": {"n": 1}},
        {"jsonrpc": "2.0", "id": "b", "error": error},
    ]
