"""The transport that speaks HTTP itself, at services that close connections when it suits them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.providers.direct import DirectTransport
from agent_lsp.providers.transport import Endpoint

_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 2\r\n\r\nok"


class ClosingServer:
    """Answers so many requests over each connection, and closes it when the next one has come."""

    def __init__(self, answers: int) -> None:
        self.connections = 0
        self.address = ""
        self._answers = answers
        self._serving: set[asyncio.Task[None]] = set()

    def begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(asyncio.create_task(self.serve(reader, writer)))

    async def ended(self) -> None:
        """Return once every client has gone."""
        await asyncio.gather(*self._serving)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            for _ in range(self._answers):
                await _read_request(reader)
                writer.write(_ANSWER)
            await _read_request(reader)
        writer.close()
        await writer.wait_closed()


async def _read_request(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().splitlines() if line.startswith(b"content-length:"))
    await reader.readexactly(int(length.split(b":")[1]))


@asynccontextmanager
async def closing_server(answers: int) -> AsyncGenerator[ClosingServer]:
    closing = ClosingServer(answers)
    server = await asyncio.start_server(closing.begin, "127.0.0.1", 0)
    closing.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield closing
        await closing.ended()


@asynccontextmanager
async def transport_to(server: ClosingServer) -> AsyncGenerator[DirectTransport]:
    transport = DirectTransport(Endpoint(server.address, "/v1", "key", {}), {})
    try:
        async with asyncio.timeout(20):
            yield transport
    finally:
        await transport.aclose()


async def answered(transport: DirectTransport) -> bytes:
    async with transport.post(b"{}") as incoming:
        return b"".join([piece async for piece in incoming.pieces])


async def test_a_kept_connection_that_was_closed_is_opened_anew() -> None:
    async with closing_server(answers=1) as server, transport_to(server) as transport:
        answers = [await answered(transport) for _ in range(4)]

    assert answers == [b"ok"] * 4
    assert server.connections == 4


async def test_a_service_that_closes_a_new_connection_without_an_answer_is_a_fault() -> None:
    async with closing_server(answers=0) as server, transport_to(server) as transport:
        with pytest.raises(ModelFault, match="failed") as caught:
            await answered(transport)

    assert caught.value.is_passing
    assert server.connections == 1
