import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.lsp.framing import MAX_BODY_BYTES, MAX_GARBAGE_BYTES, Frames, FramingError, frame

bodies = st.lists(st.binary(max_size=60), max_size=6)


@given(bodies, st.lists(st.integers(1, 40), min_size=1))
def test_bodies_come_out_whole_however_the_stream_is_cut(sent: list[bytes], sizes: list[int]) -> None:
    stream = b"".join(map(frame, sent))

    frames = Frames()
    received: list[bytes] = []
    at = count = 0
    while at < len(stream):
        size = sizes[count % len(sizes)]
        received += frames.feed(stream[at : at + size])
        at, count = at + size, count + 1

    assert received == sent


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length:2\r\n\r\n",
        b"CONTENT-LENGTH  :   2  \r\n\r\n",
        b"Content-Length: 2\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: x\r\n\r\n",
        b"Content-Length: 2\r\nX-Other: y\r\n\r\n",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
        b"\r\n\r\nContent-Length: 2\r\n\r\n",
        b" Content-Length: 2\r\n\r\n",
        b"X-Content-Length: 9\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_header_is_read_in_any_dress(header: bytes) -> None:
    assert Frames().feed(header + b"{}") == [b"{}"]


@pytest.mark.parametrize(
    "garbage",
    [
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: x\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length:\r\n\r\n{}",
        b"Content-Length: 1.0\r\n\r\n{}",
        b"Content-Length: 99999999999\r\n\r\n{}",
        b"Content-Length: %d\r\n\r\n{}" % (MAX_BODY_BYTES + 1),
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Length: 2\r\r{}",
        b"Content-Length: 2 Content-Length",
        b"hello\r\n",
        b'{"jsonrpc": "2.0"}',
        b"{" * 20_000,
        b"\x00\xff\xfe\r\n",
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1_000, 1_000_000])
def test_spoilt_header_costs_no_later_message(garbage: bytes, size: int) -> None:
    frames = Frames()
    stream = garbage + frame(b'{"id":1}') + frame(b'{"id":2}')

    received = [body for at in range(0, len(stream), size) for body in frames.feed(stream[at : at + size])]

    assert received == [b'{"id":1}', b'{"id":2}']


@given(st.binary(max_size=300))
def test_no_input_does_harm(garbage: bytes) -> None:
    for body in Frames().feed(garbage):
        assert len(body) <= len(garbage)


def test_endless_garbage_ends_the_stream() -> None:
    with pytest.raises(FramingError):
        Frames().feed(b"x" * (MAX_GARBAGE_BYTES + 9_000))


@pytest.mark.parametrize(
    "request_line",
    [
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        b"GET http://localhost/ HTTP/1.1\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
    ],
)
def test_strict_decoder_takes_nothing_from_a_browser(request_line: bytes) -> None:
    with pytest.raises(FramingError):
        Frames(is_strict=True).feed(request_line)


def test_long_body_in_small_pieces_is_read_in_linear_time() -> None:
    body = b"x" * 4_000_000
    stream = frame(body)
    frames = Frames()

    received = [b for at in range(0, len(stream), 4096) for b in frames.feed(stream[at : at + 4096])]

    assert received == [body]
