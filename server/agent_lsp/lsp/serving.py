"""One connection to its exit code: intake, server and writer are joined here."""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

from agent_lsp.lsp.handlers import register_all
from agent_lsp.lsp.intake import Batch, End, Intake
from agent_lsp.lsp.ports import OpenHall
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.writer import Writer

logger = logging.getLogger(__name__)

MESSAGES_AT_ONCE = 16
"""So many are taken before everything else on the event loop has its turn."""

FLUSH_SECONDS = 2.0
LAST_SECONDS = 3.0


def run(intake: Intake, writer: Writer, answered_id: object, open_hall: OpenHall) -> int:
    """Serve until the connection ends; the exit code."""
    return asyncio.run(_serve(intake, writer, answered_id, open_hall))


async def _serve(intake: Intake, writer: Writer, answered_id: object, open_hall: OpenHall) -> int:
    loop = asyncio.get_running_loop()
    server = AgentServer(open_hall, writer, answered_id)
    register_all(server)
    writer.watch(lambda: _call(loop, lambda: server.end(1)))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.end, 1)
    receiving = asyncio.create_task(_receive(intake, server))
    exit_code = await server.ending
    logger.info("The connection ends with %d", exit_code)
    receiving.cancel()
    await asyncio.wait((receiving,))
    await server.stop()
    await asyncio.to_thread(writer.close, FLUSH_SECONDS)
    _insist(exit_code)
    return exit_code


async def _receive(intake: Intake, server: AgentServer) -> None:
    """Give the server what comes, until the input or the connection ends."""
    loop, has_come = asyncio.get_running_loop(), asyncio.Event()
    intake.attach(lambda: _call(loop, has_come.set))
    while not server.ending.done():
        has_come.clear()
        match intake.take():
            case None:
                await has_come.wait()
            case End():
                server.end(1)
            case batch:
                await _receive_batch(batch, server)


async def _receive_batch(batch: Batch, server: AgentServer) -> None:
    for count, received in enumerate(batch, 1):
        if server.ending.done():
            return
        server.connection.receive(received)
        if count % MESSAGES_AT_ONCE == 0:
            await asyncio.sleep(0)


def _call(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    """Have the loop do something, from another thread; once the loop is closed, nobody cares any more."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(action)


def _insist(exit_code: int) -> None:
    """End the process soon, also when a thread is stuck in a read that never returns."""
    last = threading.Timer(LAST_SECONDS, os._exit, (exit_code,))
    last.daemon = True
    last.start()
