import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_lsp.lsp.envelope import Notification, encode_frame
from agent_lsp.lsp.framing import Frames, frame
from agent_lsp.lsp.intake import BATCHES_AHEAD, Batch, End, Intake, Received
from agent_lsp.lsp.opening import Opening
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
    writer = Writer(pipe[1])
    writer.watch(gone.set)
    frames = [b"%d," % number for number in range(1_000)]

    for each in frames:
        writer.write(each)
    writer.close(5)

    assert read_all(pipe[0], len(b"".join(frames))) == b"".join(frames)
    assert not gone.is_set()


def test_writing_never_waits_for_a_client_that_does_not_read(pipe: Pipe) -> None:
    writer = Writer(pipe[1])
    frame = b"x" * 100_000

    for _ in range(20):
        writer.write(frame)

    assert writer.is_congested()
    assert read_all(pipe[0], 2_000_000) == frame * 20
    writer.close(5)
    assert not writer.is_congested()


def test_client_that_never_reads_counts_as_gone(pipe: Pipe) -> None:
    gone = threading.Event()
    writer = Writer(pipe[1], gone_bytes=CONGESTED_BYTES)
    writer.watch(gone.set)

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

    writer = Writer(pipe[1])
    writer.watch(note)
    os.close(pipe[0])

    writer.write(b"x")
    assert ended.wait(5)
    writer.write(b"x")
    writer.close(5)

    assert gone == ["gone"]


def test_closing_does_not_wait_for_ever(pipe: Pipe) -> None:
    writer = Writer(pipe[1])

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


def test_whoever_watches_late_is_told_at_once(pipe: Pipe) -> None:
    writer = Writer(pipe[1])
    os.close(pipe[0])
    writer.write(b"x")
    writer.close(5)
    gone = threading.Event()

    writer.watch(gone.set)

    assert gone.is_set()


def intake_of(pipe: Pipe, *, writer: Writer | None = None, is_strict: bool = False) -> tuple[Intake, threading.Event]:
    """An intake that nobody has read an opening from, and what is set when something has come."""
    has_come = threading.Event()
    intake = Intake(Opening(pipe[0], pipe[1], is_strict=is_strict), writer or Writer(pipe[1]))
    intake.attach(has_come.set)
    return intake, has_come


def next_batch(intake: Intake, has_come: threading.Event) -> Batch | End:
    while True:
        has_come.clear()
        if (batch := intake.take()) is not None:
            return batch
        assert has_come.wait(5)


def drain(intake: Intake, has_come: threading.Event) -> list[Received]:
    """All that comes to the end."""
    received: list[Received] = []
    while not isinstance(batch := next_batch(intake, has_come), End):
        received += batch
    return received


def test_messages_are_handed_over_to_the_end(pipe: Pipe) -> None:
    intake, has_come = intake_of(pipe)
    frames = [encode_frame({"jsonrpc": "2.0", "method": name}) for name in ("one", "two")]

    os.write(pipe[1], frames[0][:30])
    os.write(pipe[1], frames[0][30:] + frames[1])
    os.close(pipe[1])

    assert drain(intake, has_come) == [
        Received(Notification("one", None), 32),
        Received(Notification("two", None), 32),
    ]


def test_what_came_with_the_opening_is_handed_over_first(pipe: Pipe) -> None:
    opening = Opening(pipe[0], pipe[1])
    os.write(pipe[1], b"".join(encode_frame({"jsonrpc": "2.0", "method": name}) for name in ("one", "two")))
    opening.read()
    os.close(pipe[1])
    has_come = threading.Event()

    intake = Intake(opening, Writer(pipe[1]))
    intake.attach(has_come.set)

    assert [received.message for received in drain(intake, has_come)] == [
        Notification("one", None),
        Notification("two", None),
    ]


def test_what_is_no_message_is_refused_before_anybody_takes_it(pipe: Pipe) -> None:
    answers = os.pipe()
    os.write(pipe[1], frame(b"{") + frame(b"7"))
    os.close(pipe[1])

    writer = Writer(answers[1])
    intake, has_come = intake_of(pipe, writer=writer)
    received = drain(intake, has_come)
    writer.close(5)
    os.close(answers[1])
    bodies = Frames().feed(os.read(answers[0], 10_000))
    os.close(answers[0])

    assert received == []
    assert [(json.loads(body)["id"], json.loads(body)["error"]["code"]) for body in bodies] == [
        (None, -32700),
        (None, -32600),
    ]


def test_stream_that_is_not_made_of_frames_ends(pipe: Pipe) -> None:
    intake, has_come = intake_of(pipe, is_strict=True)

    os.write(pipe[1], b"GET / HTTP/1.1\r\n")

    assert drain(intake, has_come) == []


def test_intake_reads_files(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(encode_frame({"jsonrpc": "2.0", "method": "m", "params": ["x" * (2 * PIECE_BYTES)]}) * 2)
    fd = os.open(path, os.O_RDONLY)

    intake, has_come = intake_of((fd, fd))
    received = drain(intake, has_come)
    os.close(fd)

    assert len(received) == 2


def test_intake_rests_while_nobody_takes(pipe: Pipe) -> None:
    os.set_blocking(pipe[1], False)
    intake, has_come = intake_of(pipe)
    message = encode_frame({"jsonrpc": "2.0", "method": "m", "params": ["x" * 4_000]})

    written = idle = 0
    while idle < 100 and written < 4 * BATCHES_AHEAD * PIECE_BYTES:
        try:
            written += os.write(pipe[1], message)
            idle = 0
        except BlockingIOError:
            idle += 1
            threading.Event().wait(0.001)
    os.close(pipe[1])
    drain(intake, has_come)

    # The batches ahead, the one in hand, and what the pipe itself holds.
    assert written <= (BATCHES_AHEAD + 3) * PIECE_BYTES
