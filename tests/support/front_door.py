"""The front door in memory: a client and a server that hand each other bytes, with a fake hall behind."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agent_lsp.lsp.framing import Frames
from agent_lsp.lsp.handlers import register_all
from agent_lsp.lsp.intake import decode
from agent_lsp.lsp.patience import Patience
from agent_lsp.lsp.server import AgentServer
from support.fake_hall import FakeHall
from support.lsp_client import LspClient


@dataclass(eq=False)
class MemoryOutlet:
    """Hands frames over on the next turn of the loop, as a pipe would."""

    client: LspClient | None = None
    congested: bool = False
    frames: list[bytes] = field(default_factory=list[bytes])

    def write(self, frame: bytes) -> None:
        self.frames.append(frame)
        if self.client:
            asyncio.get_running_loop().call_soon(self.client.feed, frame)

    def is_congested(self) -> bool:
        return self.congested


@dataclass(eq=False)
class FrontDoor:
    client: LspClient
    server: AgentServer
    outlet: MemoryOutlet
    halls: list[FakeHall]

    @property
    def hall(self) -> FakeHall:
        return self.halls[0]


@asynccontextmanager
async def front_door(patience: Patience | None = None, refusal: Exception | None = None) -> AsyncGenerator[FrontDoor]:
    """A connection on which nothing has been said yet; a `refusal` is raised where the hall is to be opened."""
    halls: list[FakeHall] = []

    def open_hall(documents: object) -> FakeHall:
        if refusal:
            raise refusal
        halls.append(FakeHall(documents))  # pyright: ignore[reportArgumentType]  The server gives its editor.
        return halls[0]

    outlet = MemoryOutlet()
    server = AgentServer(open_hall, outlet, patience=patience)
    register_all(server)
    frames = Frames()

    def deliver(piece: bytes) -> None:
        for body in frames.feed(piece):
            if received := decode(body, outlet.write):
                server.connection.receive(received)

    client = LspClient(lambda piece: asyncio.get_running_loop().call_soon(deliver, piece) and None)
    outlet.client = client
    try:
        yield FrontDoor(client, server, outlet, halls)
    finally:
        for hall in halls:
            hall.may_cancel.set()
        await server.stop()
        await client.aclose()
