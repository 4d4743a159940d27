"""Further clients of a hall that a first one opened: they read its tasks, answer their asks and say things to them.

Documents, folders, settings and the end of it all are the first client's; a guest that goes takes nothing with it.
"""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from agent_lsp.domain.documents import EditorContext
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.notices import Listener, Notice
from agent_lsp.lsp.conversing import converse
from agent_lsp.lsp.intake import Intake
from agent_lsp.lsp.opening import Opening
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.writer import Writer

if TYPE_CHECKING:
    from agent_lsp.lsp.ports import EditorSide, Hall


class Guests:
    """Whoever came after the first client, and what they are told of its tasks."""

    def __init__(self, host: AgentServer) -> None:
        self._host = host
        self._listeners: list[Listener] = []
        self._servers: dict[AgentServer, asyncio.Task[None]] = {}
        self._is_listening = False

    def admit(self, connection: socket.socket, opening: Opening) -> None:
        """Serve one more client, whose `initialize` has been answered."""
        if self._host.ending.done():
            connection.close()
            return
        writer = Writer(opening.write_fd)
        intake = Intake(opening, writer)
        server = GuestServer(self._open_hall, writer, opening.answered_id)
        self._servers[server] = asyncio.create_task(self._serve(server, intake, writer, connection))

    async def leave(self) -> None:
        """Let all of them go."""
        for server in self._servers:
            server.end(0)
        if self._servers:
            await asyncio.wait(self._servers.values())

    def notice(self, notice: Notice) -> None:
        for listener in tuple(self._listeners):
            listener.notice(notice)

    def is_congested(self) -> bool:
        """Never: who is slow must not slow down the first client, and is sent away by the bound of its writer."""
        return False

    async def _serve(self, server: AgentServer, intake: Intake, writer: Writer, connection: socket.socket) -> None:
        try:
            await converse(server, intake, writer)
        finally:
            del self._servers[server]
            connection.close()

    def _open_hall(self, editor: "EditorSide") -> "Hall":
        del editor  # Files are those of the first client.
        hall = self._host.hall
        if not self._is_listening:
            self._is_listening = True
            hall.listen(self)
        # What is not in `SharedHall` is taken from the hall itself, which no type can say.
        return cast("Hall", SharedHall(hall, self._listeners))


class GuestServer(AgentServer):
    """The server of a guest. Whether folders are trusted is asked of the first client."""

    def watch_settings(self) -> None:
        """Leave it to the first client to hear what is ignored of its settings."""


class SharedHall:
    """The hall, as a guest has it: without what the first client alone decides."""

    def __init__(self, hall: "Hall", listeners: list[Listener]) -> None:
        self._hall = hall
        self._all = listeners
        self._own: list[Listener] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._hall, name)

    def listen(self, listener: Listener) -> None:
        self._own.append(listener)
        self._all.append(listener)

    def configure(self, raw: Json) -> tuple[str, ...]:
        del raw
        return ()

    def set_roots(self, roots: tuple[Path, ...]) -> None:
        del roots

    def editor_context(self, context: EditorContext) -> None:
        del context

    def watch_settings(self, tell: Callable[[], None]) -> None:
        del tell

    async def close(self) -> None:
        """End what this guest is told. The tasks go on."""
        for listener in self._own:
            self._all.remove(listener)
        self._own.clear()
