import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from agent_lsp.headless.outlet import CONGESTED_BYTES, Outlet


@dataclass(eq=False)
class Pipe:
    """An outlet into a pipe that nobody reads until told to."""

    reader: int
    outlet: Outlet
    is_broken: asyncio.Event
    got: bytearray = field(default_factory=bytearray)

    async def read(self, size: int) -> str:
        while len(self.got) < size:
            self.got += await asyncio.to_thread(os.read, self.reader, 65_536)
        return self.got.decode()


@asynccontextmanager
async def pipe(encoding: str = "utf-8", prepare: Callable[[int], None] = lambda _writer: None) -> AsyncGenerator[Pipe]:
    reader, writer = os.pipe()
    prepare(writer)
    is_broken = asyncio.Event()
    try:
        async with asyncio.timeout(20):
            yield Pipe(reader, Outlet(writer, encoding, is_broken.set), is_broken)
    finally:
        os.close(writer)


async def test_text_arrives_in_order() -> None:
    async with pipe() as end:
        for text in ("one\n", "", "two ä\n"):
            end.outlet.write(text)
        await end.outlet.drained()

        assert await end.read(11) == "one\ntwo ä\n"


async def test_what_the_encoding_lacks_is_replaced() -> None:
    async with pipe("ascii") as end:
        end.outlet.write("✓ ok\n")

        assert await end.read(5) == "? ok\n"


async def test_slow_reader_makes_it_congested_and_blocks_nothing() -> None:
    size = CONGESTED_BYTES + 200_000
    async with pipe() as end:
        end.outlet.write("x" * (CONGESTED_BYTES // 2))
        was_congested = end.outlet.is_congested()
        end.outlet.write("x" * (size - CONGESTED_BYTES // 2))

        assert (was_congested, end.outlet.is_congested()) == (False, True)
        await end.read(size)
        await end.outlet.drained()
        assert not end.outlet.is_congested()


async def test_lost_reader_is_told_once_and_the_rest_is_dropped() -> None:
    async with pipe() as end:
        os.close(end.reader)
        end.outlet.write("x")
        await end.is_broken.wait()
        end.is_broken.clear()

        end.outlet.write("x" * CONGESTED_BYTES * 2)
        await end.outlet.drained()

        assert (end.is_broken.is_set(), end.outlet.is_congested()) == (False, False)


@pytest.mark.parametrize("size", [10, 300_000])
async def test_pipe_that_does_not_block_gets_all_of_it(size: int) -> None:
    async with pipe(prepare=lambda writer: os.set_blocking(writer, False)) as end:
        end.outlet.write("x" * size)

        assert await end.read(size) == "x" * size
