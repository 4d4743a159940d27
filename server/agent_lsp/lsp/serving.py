"""One process to its exit code: the first client's connection, its guests and the signals are joined here."""

import asyncio
import logging
import os
import signal
import socket
import threading
from typing import Protocol

from agent_lsp.lsp.conversing import call, converse
from agent_lsp.lsp.guests import Guests
from agent_lsp.lsp.intake import Intake
from agent_lsp.lsp.opening import Opening
from agent_lsp.lsp.ports import OpenHall
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.writer import Writer

logger = logging.getLogger(__name__)

LAST_SECONDS = 3.0


class Admit(Protocol):
    """Takes a client that was let in; called in any thread."""

    def __call__(self, connection: socket.socket, opening: Opening) -> None: ...


class Door(Protocol):
    """Where further clients come in."""

    def open(self, admit: Admit) -> None: ...


def run(intake: Intake, writer: Writer, answered_id: object, open_hall: OpenHall, door: Door | None = None) -> int:
    """Serve until the first client's connection ends; the exit code."""
    return asyncio.run(_serve(intake, writer, answered_id, open_hall, door))


async def _serve(intake: Intake, writer: Writer, answered_id: object, open_hall: OpenHall, door: Door | None) -> int:
    loop = asyncio.get_running_loop()
    server = AgentServer(open_hall, writer, answered_id)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.end, 1)
    guests = Guests(server)
    if door:
        door.open(lambda connection, opening: call(loop, lambda: guests.admit(connection, opening)))
    exit_code = await converse(server, intake, writer)
    await guests.leave()
    logger.info("The connection ends with %d", exit_code)
    _insist(exit_code)
    return exit_code


def _insist(exit_code: int) -> None:
    """End the process soon, also when a thread is stuck in a read that never returns."""
    last = threading.Timer(LAST_SECONDS, os._exit, (exit_code,))
    last.daemon = True
    last.start()
