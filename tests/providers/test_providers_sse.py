"""Server-sent events, cut anywhere."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.providers.sse import LONGEST_EVENT_BYTES, EventTooLong, SseParser


def parsed(pieces: Sequence[bytes], ignored: frozenset[bytes] = frozenset()) -> list[bytes]:
    parser = SseParser(ignored)
    return [event for piece in pieces for event in parser.feed(piece)] + parser.end()


def cut(stream: bytes, size: int) -> list[bytes]:
    return [stream[start : start + size] for start in range(0, len(stream), size)]


CASES = {
    "one event": (b"data: a\n\n", [b"a"]),
    "no blank after the colon": (b"data:a\n\n", [b"a"]),
    "only one blank is taken": (b"data:  a\n\n", [b" a"]),
    "windows line ends": (b"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
    "old mac line ends": (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
    "mixed line ends": (b"data: a\r\n\ndata: b\n\r\n", [b"a", b"b"]),
    "several data lines": (b"data: {\ndata: }\n\n", [b"{\n}"]),
    "comments": (b": hello\n\ndata: a\n: more\n\n", [b"a"]),
    "an event without data": (b"event: x\n\nid: 1\nretry: 5\n\n", []),
    "a name does not outlive its event": (b"event: ping\ndata: a\n\ndata: b\n\n", [b"b"]),
    "a byte-order mark": (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
    "no blank line at the end": (b"data: a\n\ndata: b", [b"a", b"b"]),
    "bytes that only look like line ends": (
        "data: \u0085\u2028\x0b\x0c\n\n".encode(),
        ["\u0085\u2028\x0b\x0c".encode()],
    ),
    "nothing": (b"", []),
}


@pytest.mark.parametrize(("stream", "events"), CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_events_are_the_same_in_pieces_of_every_size(stream: bytes, events: list[bytes], size: int) -> None:
    assert parsed(cut(stream, size), frozenset({b"ping"})) == events


@given(
    st.lists(
        st.tuples(
            st.binary(max_size=20).filter(lambda data: not set(data) & set(b"\r\n")),
            st.sampled_from([b"\n", b"\r\n", b"\r"]),
        )
    ),
    st.lists(st.integers(1, 9)),
)
def test_any_data_survives_any_split(events: list[tuple[bytes, bytes]], sizes: list[int]) -> None:
    left = b"".join(b"data: " + data + eol + eol for data, eol in events)
    pieces: list[bytes] = []
    for size in sizes:
        pieces.append(left[:size])
        left = left[size:]

    assert parsed([*pieces, left]) == [data for data, _ in events]


@pytest.mark.parametrize("piece", [b"x" * 2**20, b"data: " + b"x" * 2**20 + b"\n"], ids=["one line", "many lines"])
def test_an_event_without_an_end_is_not_kept_for_ever(piece: bytes) -> None:
    with pytest.raises(EventTooLong):
        parsed([piece] * (LONGEST_EVENT_BYTES // len(piece) + 2))
