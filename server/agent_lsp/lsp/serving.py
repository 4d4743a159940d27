"""One connection from its first byte to the exit code: reader, server and writer are joined here."""

import asyncio
import logging
import os
import signal
import threading

from agent_lsp.lsp.boot import Opening
from agent_lsp.lsp.envelope import PARSE_ERROR
from agent_lsp.lsp.framing import Frames, FramingError
from agent_lsp.lsp.handlers import register_all
from agent_lsp.lsp.ports import OpenHall
from agent_lsp.lsp.reader import Reader
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.writer import Writer

logger = logging.getLogger(__name__)

MESSAGES_AT_ONCE = 16
"""So many are taken before everything else on the event loop has its turn."""

FLUSH_SECONDS = 2.0
LAST_SECONDS = 3.0


def run(opening: Opening, open_hall: OpenHall) -> int:
    """Serve until the connection ends; the exit code."""
    return asyncio.run(_serve(opening, open_hall))


async def _serve(opening: Opening, open_hall: OpenHall) -> int:
    loop = asyncio.get_running_loop()

    def lose_client() -> None:
        loop.call_soon_threadsafe(server.end, 1)

    writer = Writer(opening.write_fd, lose_client)
    server = AgentServer(open_hall, writer, opening.answered_id)
    register_all(server)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.end, 1)
    reading = asyncio.create_task(_read(opening, server))
    exit_code = await server.ending
    logger.info("The connection ends with %d", exit_code)
    reading.cancel()
    await asyncio.wait((reading,))
    await server.stop()
    await asyncio.to_thread(writer.close, FLUSH_SECONDS)
    _insist(exit_code)
    return exit_code


async def _read(opening: Opening, server: AgentServer) -> None:
    frames = Frames(is_strict=opening.is_strict)
    reader = Reader(opening.read_fd)
    piece = opening.received or await reader.next_piece()
    try:
        while piece:
            await _take(frames.feed(piece), server)
            piece = await reader.next_piece()
    except FramingError as error:
        server.connection.refuse(None, PARSE_ERROR, str(error))
    server.end(1)


async def _take(bodies: list[bytes], server: AgentServer) -> None:
    for count, body in enumerate(bodies, 1):
        if server.ending.done():
            return
        server.connection.receive(body)
        if count % MESSAGES_AT_ONCE == 0:
            await asyncio.sleep(0)


def _insist(exit_code: int) -> None:
    """End the process soon, also when a thread is stuck in a read that never returns."""
    last = threading.Timer(LAST_SECONDS, os._exit, (exit_code,))
    last.daemon = True
    last.start()
