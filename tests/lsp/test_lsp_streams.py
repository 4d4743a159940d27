import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_lsp.lsp.reader import PIECES_AHEAD, Reader
from agent_lsp.lsp.streams import PIECE_BYTES, read_some, write_all
from agent_lsp.lsp.writer import CONGESTED_BYTES, Writer

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = list(os.pipe())
    yield ends[0], ends[1]
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def read_all(fd: int, count: int) -> bytes:
    received = b""
    while len(received) < count:
        received += os.read(fd, count - len(received))
    return received


def test_frames_are_written_in_order(pipe: Pipe) -> None:
    gone = threading.Event()
    writer = Writer(pipe[1], gone.set)
    frames = [b"%d," % number for number in range(1_000)]

    for frame in frames:
        writer.write(frame)
    writer.close(5)

    assert read_all(pipe[0], len(b"".join(frames))) == b"".join(frames)
    assert not gone.is_set()


def test_writing_never_waits_for_a_client_that_does_not_read(pipe: Pipe) -> None:
    writer = Writer(pipe[1], lambda: None)
    frame = b"x" * 100_000

    for _ in range(20):
        writer.write(frame)

    assert writer.is_congested()
    assert read_all(pipe[0], 2_000_000) == frame * 20
    writer.close(5)
    assert not writer.is_congested()


def test_client_that_never_reads_counts_as_gone(pipe: Pipe) -> None:
    gone = threading.Event()
    writer = Writer(pipe[1], gone.set, gone_bytes=CONGESTED_BYTES)

    for _ in range(5):
        writer.write(b"x" * 100_000)

    assert gone.wait(5)
    assert not writer.is_congested()


def test_closed_pipe_counts_as_gone_once(pipe: Pipe) -> None:
    gone: list[str] = []
    ended = threading.Event()

    def note() -> None:
        gone.append("gone")
        ended.set()

    writer = Writer(pipe[1], note)
    os.close(pipe[0])

    writer.write(b"x")
    assert ended.wait(5)
    writer.write(b"x")
    writer.close(5)

    assert gone == ["gone"]


def test_closing_does_not_wait_for_ever(pipe: Pipe) -> None:
    writer = Writer(pipe[1], lambda: None)

    writer.write(b"x" * 200_000)
    writer.close(0.05)
    writer.write(b"late")

    assert read_all(pipe[0], 200_000) == b"x" * 200_000


def test_descriptors_that_do_not_block_are_waited_for(pipe: Pipe) -> None:
    os.set_blocking(pipe[0], False)
    os.set_blocking(pipe[1], False)
    content = b"x" * 300_000
    writing = threading.Thread(target=write_all, args=(pipe[1], content))

    writing.start()
    received = b""
    while len(received) < len(content):
        received += read_some(pipe[0])
    writing.join(5)

    assert received == content


def test_reading_gives_up_when_its_time_is_over(pipe: Pipe) -> None:
    assert read_some(pipe[0], timeout_seconds=0.01) == b""


def test_unreadable_descriptor_is_at_its_end(pipe: Pipe) -> None:
    os.close(pipe[0])

    assert read_some(pipe[0]) == b""


async def test_reader_hands_over_pieces_to_the_end(pipe: Pipe) -> None:
    reader = Reader(pipe[0])

    os.write(pipe[1], b"one")
    first = await reader.next_piece()
    os.write(pipe[1], b"two")
    second = await reader.next_piece()
    os.close(pipe[1])
    last = await reader.next_piece()

    assert (first, second, last) == (b"one", b"two", b"")


async def test_reader_reads_files(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"x" * (2 * PIECE_BYTES))
    fd = os.open(path, os.O_RDONLY)

    reader = Reader(fd)
    sizes = [len(await reader.next_piece()) for _ in range(3)]
    os.close(fd)

    assert sizes == [PIECE_BYTES, PIECE_BYTES, 0]


async def test_reader_rests_while_nobody_takes(pipe: Pipe) -> None:
    written = 0
    os.set_blocking(pipe[1], False)
    reader = Reader(pipe[0])

    def fill() -> None:
        nonlocal written
        idle = threading.Event()
        for _ in range(400):
            try:
                written += os.write(pipe[1], b"x" * PIECE_BYTES)
            except BlockingIOError:
                idle.wait(0.001)

    await asyncio.to_thread(fill)
    is_bounded = written <= (PIECES_AHEAD + 4) * PIECE_BYTES
    os.close(pipe[1])
    taken = 0
    while piece := await reader.next_piece():
        taken += len(piece)

    assert is_bounded
    assert taken == written
