"""A connection while it lasts: what comes is given to its server, until one of them ends it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from agent_lsp.lsp.handlers import register_all
from agent_lsp.lsp.intake import Batch, End, Intake
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.writer import Writer

MESSAGES_AT_ONCE = 16
"""So many are taken before everything else on the event loop has its turn."""

FLUSH_SECONDS = 2.0


async def converse(server: AgentServer, intake: Intake, writer: Writer) -> int:
    """Serve a client until the connection ends; the exit code."""
    loop = asyncio.get_running_loop()
    register_all(server)
    writer.watch(lambda: call(loop, lambda: server.end(1)))
    receiving = asyncio.create_task(_receive(intake, server))
    try:
        return await server.ending
    finally:
        receiving.cancel()
        await asyncio.wait((receiving,))
        await server.stop()
        await asyncio.to_thread(writer.close, FLUSH_SECONDS)


async def _receive(intake: Intake, server: AgentServer) -> None:
    """Give the server what comes, until the input or the connection ends."""
    loop, has_come = asyncio.get_running_loop(), asyncio.Event()
    intake.attach(lambda: call(loop, has_come.set))
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


def call(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    """Have the loop do something, from another thread; once the loop is closed, nobody cares any more."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(action)
