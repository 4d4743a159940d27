"""A service that misbehaves as cases say, each under a path of its own, so that many tasks meet their faults at once."""

import asyncio
import email.utils
import socket
import struct
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self, cast

from support.fault_steps import Act, Dialect, Head, Leave, Stand, acts_of
from support.fault_teller import Step
from support.model_requests import SeenRequest, seen

Json = dict[str, Any]
WHOLE_BYTES = 400 << 20
"""An answer without an end stops here."""
NAMES = {"@read": "read_file", "@write": "write_to_file", "@run": "execute_command"}


@dataclass
class Played:
    """One case in one dialect: what has arrived so far, and when."""

    case: Json
    dialect: Dialect
    requests: list[SeenRequest] = field(default_factory=list[SeenRequest])
    times: list[float] = field(default_factory=list[float])
    problems: list[str] = field(default_factory=list[str])
    elsewhere: list[bool] = field(default_factory=list[bool])
    """Requests that came to the second host, and whether each had the key with it."""

    @property
    def name(self) -> str:
        return f"{self.case['id']}-{self.dialect}"

    @property
    def names(self) -> dict[str, str]:
        """Each case has its own file."""
        return {**NAMES, "new.txt": f"{self.name}.txt"}

    def turn(self) -> list[Step]:
        turns, at = self.case["turns"], len(self.requests) - 1
        done: list[Step] = [
            {"tool": {"id": f"end{at}", "name": "attempt_completion", "args": {"result": "done"}}},
            {"finish": "tool"},
            {"end": True},
        ]
        return turns[at] if at < len(turns) else done


class FaultServer:
    """`plays` by name; a request to `/NAME/…` takes the next turn of that case."""

    def __init__(self, plays: dict[str, Played], key: str) -> None:
        self._plays = plays
        self._key = key
        self._servers: list[asyncio.Server] = []
        self._connections: set[asyncio.Task[None]] = set()
        self.address = self.other = ""

    async def __aenter__(self) -> Self:
        for serve in (self._answer, self._answer_elsewhere):
            self._servers.append(await asyncio.start_server(self._owned(serve), "127.0.0.1", 0))
        self.address, self.other = (
            f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}" for server in self._servers
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def base_url(self, play: Played) -> str:
        return f"{self.address}/{play.name}" + ("" if play.dialect == "anthropic" else "/v1")

    def _owned(self, serve: Any) -> Any:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = cast("asyncio.Task[None]", asyncio.current_task())  # cast: a connection is always served by a task
            self._connections.add(task)
            try:
                await serve(reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                # A connection that ends is what these cases are about.
                writer.transport.abort()
            finally:
                self._connections.discard(task)
                with suppress(OSError):
                    writer.close()

        return connected

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path, headers, body = await read_request(reader)
        play = self._plays[path.split("/")[1]]
        play.times.append(time.monotonic())
        play.requests.append(self._seen(play, path, headers, body))
        names = {**play.names, "@KEY@": self._key, "@OTHER@": f"{self.other}/{play.name}"}
        sent = 0
        for act in acts_of(play.turn(), play.dialect, names):
            sent += len(act) if isinstance(act, bytes) else 0
            if writer.is_closing() or sent > WHOLE_BYTES or not await self._do(act, writer, reader):
                return

    async def _answer_elsewhere(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path, headers, _ = await read_request(reader)
        self._plays[path.split("/")[1]].elsewhere.append(self._key in str(headers))
        writer.write(b"HTTP/1.1 200 X\r\ncontent-length: 0\r\n\r\n")

    def _seen(self, play: Played, path: str, headers: dict[str, str], body: bytes) -> SeenRequest:
        if self._key.encode() in body:
            play.problems.append("the key is in a body")
        try:
            return seen(play.dialect, path, headers, body)
        except (ValueError, KeyError, TypeError) as problem:
            play.problems.append(repr(problem))
            return SeenRequest(play.dialect, path, headers, body, {}, "", (), ())

    async def _do(self, act: Act, writer: asyncio.StreamWriter, reader: asyncio.StreamReader) -> bool:
        """Do it; False where the connection has ended."""
        match act:
            case bytes():
                writer.write(act)
                await writer.drain()
            case Head():
                fields = {"connection": "close", **act.headers}
                lines = [f"{name}: {_date(value)}\r\n" for name, value in fields.items()]
                writer.write(f"HTTP/1.1 {act.status} X\r\n{''.join(lines)}\r\n".encode())
            case Stand():
                return not await gone_within(reader, act.seconds)
            case Leave():
                if act.is_reset:
                    linger = struct.pack("ii", 1, 0)
                    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    writer.transport.abort()
                return False
        return True


async def gone_within(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Wait so long, or until the other side is gone, which sends nothing more in any case."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await reader.read()
            return True
    return False


async def read_request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return head[0].split(" ")[1], headers, await reader.readexactly(int(headers.get("content-length", "0")))


def _date(value: str) -> str:
    if not value.startswith("@date+"):
        return value
    return email.utils.formatdate(time.time() + int(value.removeprefix("@date+")), usegmt=True)
