"""A real HTTP server on the loopback address that answers for a model as a script says, in all three vendors' APIs.

    async with scripted_model([[CallTool("read_file", path="a")], [Say("Done.")]]) as server:
        profile = Profile(type="anthropic", model="m", api_key="k", base_url=server.base_url("anthropic"))

It refuses what the vendor would refuse (a call without its result, empty blocks, …) with status 400, which `problems`
lists. `python -m support.model_server SCRIPT.json` serves a script by hand and prints the address.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path

from support.model_requests import SeenCall, SeenReply, SeenRequest, SeenResult, SeenWords, seen
from support.model_script import (
    Answer,
    CallTool,
    Cut,
    Figures,
    Hold,
    Part,
    Pause,
    Raw,
    RawCall,
    Refusal,
    Say,
    StreamError,
    Think,
    Turn,
    as_turn,
    turns_from_json,
    unrolled,
)
from support.model_wires import STREAMS, Stream, Wire, error_body

__all__ = [
    "APIS",
    "Answer",
    "CallTool",
    "Cut",
    "Figures",
    "Hold",
    "Pause",
    "Raw",
    "RawCall",
    "Refusal",
    "Say",
    "ScriptedServer",
    "SeenCall",
    "SeenReply",
    "SeenRequest",
    "SeenResult",
    "SeenWords",
    "StreamError",
    "Think",
    "Turn",
    "scripted_model",
]

APIS = ("anthropic", "openai", "openai-responses")
_PATHS = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai", "/v1/responses": "openai-responses"}
_BLOCK_BYTES = 16_384

Play = Callable[[int, SeenRequest], "Turn | Sequence[Part]"]
"""A script that looks at the request: given its index, from 0, and the request itself."""


class _Gone(Exception):
    """The connection ends."""


class ScriptedServer:
    """Answers request n with turn n; past the last turn with status 400, so that a loop that goes on is seen."""

    def __init__(self, turns: "Iterable[Turn | Sequence[Part]] | Play") -> None:
        self._play = turns if callable(turns) else _in_order(unrolled(turns))
        self._arrived = asyncio.Condition()
        self._call_ids = (f"call_{n}" for n in count(1))
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.address = ""
        self.requests: list[SeenRequest] = []
        self.problems: list[str] = []
        """What was wrong with requests that had to be refused."""
        self.connections = 0
        """How many connections clients have opened."""

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        self.address = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    def base_url(self, api: str) -> str:
        """The base URL as the vendor's SDK takes it."""
        return self.address if api == "anthropic" else f"{self.address}/v1"

    async def arrived(self, number: int) -> SeenRequest:
        """Wait until this many requests have come, and return that one."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= number)
        return self.requests[number - 1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        self.connections += 1
        try:
            while True:
                await self._exchange(reader, _Sender(writer))
        except (_Gone, OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # A cancelled connection has nobody to tell: its owner, `stop`, is what cancelled it.
            writer.transport.abort()
        finally:
            self._connections.discard(task)

    async def _exchange(self, reader: asyncio.StreamReader, sender: "_Sender") -> None:
        path, headers, raw = await _read_request(reader)
        api = _PATHS.get(path)
        if api is None:
            return await sender.refuse("openai", Refusal(404, f"no such path: {path}"))
        try:
            request = seen(api, path, headers, raw)
        except (ValueError, KeyError, TypeError) as problem:
            self.problems.append(f"{api}: {problem!r}")
            return await sender.refuse(api, Refusal(400, f"invalid request: {problem!r}"))
        async with self._arrived:
            self.requests.append(request)
            index = len(self.requests) - 1
            self._arrived.notify_all()
        turn = as_turn(self._play(index, request))
        if isinstance(turn, Refusal):
            return await sender.refuse(api, turn)
        if turn.parts and isinstance(first := turn.parts[0], Hold):
            await sender.hold(first)
        wants_usage = bool((request.body.get("stream_options") or {}).get("include_usage"))
        stream = Stream(turn, request.body["model"], self._call_ids, wants_usage)
        return await sender.stream(turn, STREAMS[api](stream))


class _Sender:
    """Writes answers to one connection."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def refuse(self, api: str, refusal: Refusal) -> None:
        body = error_body(api, refusal)
        own = [("content-type", refusal.content_type), ("content-length", str(len(body)))]
        await self._write(_head(refusal.status, [*own, *refusal.headers]) + body)

    async def stream(self, answer: Answer, wires: Iterator[Wire]) -> None:
        head = _head(200, [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")])
        await self._write(head)
        left = answer.cut_after_bytes
        for wire in _blocks(wires):
            if not isinstance(wire, bytes):
                await self._happen(wire)
                continue
            wire = wire.replace(b"\n", answer.eol.encode())  # noqa: PLW2901 - the same bytes, with other line ends
            await self._chunks(wire[:left], answer.split_bytes or _BLOCK_BYTES)
            left = None if left is None else left - len(wire)
            if left is not None and left <= 0:
                await self._close()
        await self._write(b"0\r\n\r\n")

    async def hold(self, hold: Hold) -> None:
        hold.reached.set()
        await hold.release.wait()

    async def _chunks(self, block: bytes, size: int) -> None:
        for start in range(0, len(block), size):
            piece = block[start : start + size]
            await self._write(b"%x\r\n%s\r\n" % (len(piece), piece))

    async def _happen(self, wire: Hold | Pause | Cut) -> None:
        match wire:
            case Hold():
                await self.hold(wire)
            case Pause():
                await asyncio.sleep(wire.seconds)
            case Cut(is_reset=True):
                linger = struct.pack("ii", 1, 0)
                self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                raise _Gone
            case Cut():
                await self._close()

    async def _close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()
        raise _Gone

    async def _write(self, block: bytes) -> None:
        if self._writer.is_closing():
            raise _Gone
        self._writer.write(block)
        await self._writer.drain()


def _in_order(turns: list[Turn]) -> Play:
    def play(index: int, _: SeenRequest) -> Turn:
        if index < len(turns):
            return turns[index]
        return Refusal(400, f"the script has {len(turns)} turns, and this is request {index + 1}")

    return play


def _blocks(wires: Iterator[Wire]) -> Iterator[Wire]:
    """Join small events into blocks, so that a long answer costs few writes; what is no bytes flushes."""
    block = bytearray()
    for wire in wires:
        if isinstance(wire, bytes):
            block += wire
        if block and (len(block) >= _BLOCK_BYTES or not isinstance(wire, bytes)):
            yield bytes(block)
            block.clear()
        if not isinstance(wire, bytes):
            yield wire
    yield bytes(block)


def _head(status: int, headers: list[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode()


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    path, _, query = head[0].split(" ")[1].partition("?")
    pairs = [line.split(":", 1) for line in head[1:] if line]
    headers = {name.strip().lower(): value.strip() for name, value in pairs} | {":query": query}
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return path, headers, await reader.readexactly(int(headers.get("content-length", "0")))
    body = bytearray()
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return path, headers, bytes(body)


@contextlib.asynccontextmanager
async def scripted_model(turns: "Iterable[Turn | Sequence[Part]] | Play") -> AsyncGenerator[ScriptedServer]:
    """Serve a script for as long as the block lasts."""
    server = ScriptedServer(turns)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


async def _serve_for_ever(turns: list[Turn], port: int) -> None:
    server = ScriptedServer(turns)
    await server.start(port)
    print(server.address, flush=True)
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a scripted model on the loopback address.")
    parser.add_argument("script", type=Path)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    turns = turns_from_json(json.loads(options.script.read_text("utf-8")))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve_for_ever(turns, options.port))


if __name__ == "__main__":
    main()
