"""An HTTP server on the loopback address with an answer for each path: what a service says beside its model's answers."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Page:
    """An answer; one that `is_held` comes when the client has gone."""

    content: bytes
    status: int = 200
    content_type: str = "application/json"
    is_held: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    content: bytes


@dataclass
class StandIn:
    pages: Mapping[str, Page]
    asked: list[Asked] = field(default_factory=list[Asked])
    address: str = ""

    @property
    def host(self) -> str:
        return self.address.removeprefix("http://")

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = await _read(reader)
            self.asked.append(asked)
            page = self.pages.get(asked.path, Page(b"nothing here", 404, "text/plain"))
            if page.is_held:
                await reader.read()
            writer.write(_head(page) + page.content)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def listing(*names: str) -> Page:
    return Page(json.dumps({"data": [{"id": name} for name in names]}).encode())


def speaking(text: str) -> Page:
    """A model's whole answer, in the Chat Completions API."""
    said = {"choices": [{"index": 0, "delta": {"content": text}}]}
    ended = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    events = "".join(f"data: {json.dumps(event)}\n\n" for event in (said, ended))
    return Page(f"{events}data: [DONE]\n\n".encode(), content_type="text/event-stream")


def page(value: Any, status: int = 200) -> Page:
    return Page(json.dumps(value).encode(), status)


@asynccontextmanager
async def stand_in(pages: Mapping[str, Page]) -> AsyncGenerator[StandIn]:
    served = StandIn(pages)
    server = await asyncio.start_server(served.answer, "127.0.0.1", 0)
    served.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield served
    finally:
        server.close()
        await server.wait_closed()


def _head(page: Page) -> bytes:
    lines = (
        f"HTTP/1.1 {page.status} -",
        f"content-type: {page.content_type}",
        f"content-length: {len(page.content)}",
        "connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    content = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(method, path, headers, content)
