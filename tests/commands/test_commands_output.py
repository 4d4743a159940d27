import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.commands import Excerpt
from agent_lsp.workspace.commands_output import Ends, LiveText, Transcript, byte_length, is_binary


def transcript(*pieces: bytes) -> Transcript:
    made = Transcript()
    for piece in pieces:
        made.feed(piece)
    made.finish()
    return made


def test_short_output_is_told_whole():
    assert transcript(b"a\nb\n").excerpt() == Excerpt("a\nb\n", total_bytes=4)


def test_output_so_far_has_its_unfinished_line():
    running = Transcript()
    running.feed(b"a\nPass")

    assert running.excerpt() == Excerpt("a\nPass", total_bytes=6)


def test_the_middle_of_long_output_is_left_out_by_whole_lines():
    lines = [f"line {number}\n" for number in range(5_000)]

    excerpt = transcript("".join(lines).encode()).excerpt()

    assert excerpt.head.startswith("line 0\n")
    assert excerpt.head.endswith("\n")
    assert excerpt.tail.startswith("line ")
    assert excerpt.tail.endswith("line 4999\n")
    assert (
        len(excerpt.head) + excerpt.cut_bytes + len(excerpt.tail) == excerpt.total_bytes == byte_length("".join(lines))
    )


def test_a_character_split_between_reads_is_whole():
    assert transcript(*(bytes([byte]) for byte in "é語🙂\n".encode())).excerpt().head == "é語🙂\n"


def test_bytes_that_are_no_text_are_replaced():
    assert transcript(b"caf\xe9 \xff\n").excerpt().head == "caf� �\n"


BINARY = {
    "nothing": (b"", False),
    "text": (b"plain text\n", False),
    "colours": (b"\x1b[31mred\x1b[0m\n" * 50, False),
    "names between NULs": (b"./some/file/name\0" * 50, False),
    "another encoding": (b"f\xfcr gro\xdfe H\xe4user und so weiter\n" * 9, False),
    "a few odd bytes alone": (b"\xff\xfe\x00", False),
    "zeros": (bytes(100), True),
    "an ELF header": (b"\x7fELF\x02\x01\x01" + bytes(57), True),
    "compressed data": (bytes(range(256)) * 2, True),
}


@pytest.mark.parametrize(("sample", "expected"), BINARY.values(), ids=BINARY)
def test_binary_output_is_told_from_text(sample, expected):
    assert is_binary(sample) is expected


def test_binary_output_is_named_and_not_shown():
    made = transcript(bytes(5_000))

    assert made.excerpt().is_binary
    assert made.excerpt().head == made.take_live() == made.take_last() == ""


def test_binary_output_is_counted_and_kept_nowhere():
    made = Transcript()
    for _ in range(1_000):
        made.feed(bytes(4096))
    made.finish()

    assert made.excerpt() == Excerpt("", total_bytes=4_096_000, is_binary=True)
    assert not made.is_cut
    assert made.unkept_size < 10_000


@given(st.lists(st.text(max_size=30), max_size=30), st.integers(1, 40))
def test_ends_never_lose_or_double_a_byte(pieces, limit):
    ends = Ends(limit)
    for piece in pieces:
        ends.feed(piece)

    excerpt = ends.excerpt("")
    text = "".join(pieces)

    assert text.startswith(excerpt.head)
    assert text.endswith(excerpt.tail)
    assert byte_length(excerpt.head) + excerpt.cut_bytes + byte_length(excerpt.tail) == byte_length(text)
    assert excerpt.cut_bytes or excerpt.head + excerpt.tail == text


def test_memory_stays_bounded_however_much_comes():
    ends = Ends(100)
    for _ in range(10_000):
        ends.feed("0123456789")

    assert len(ends.excerpt("").tail) <= 100
    assert ends.total_bytes == 100_000


def test_a_watcher_sees_lines_once_and_at_once():
    watched = Transcript()
    seen = []
    for piece in (b"one\ntwo\n", b"three\n", b""):
        watched.feed(piece)
        seen.append(watched.take_live())

    assert seen == ["one\ntwo\n", "three\n", ""]


def test_a_watcher_sees_an_unfinished_line_grow():
    watched = Transcript()
    seen = []
    for piece in (b"Test .", b"..", b". ok\nNext"):
        watched.feed(piece)
        seen.append(watched.take_live())

    assert seen == ["Test .", "..", ". ok\nNext"]


def test_a_watcher_is_spared_what_a_progress_bar_overwrites():
    watched = Transcript()
    seen = []
    for piece in (b"get\n\r 1%", b"\r50%", b"\r99%", b"\rdone\n"):
        watched.feed(piece)
        seen.append(watched.take_live())

    assert seen == ["get\n", "", "", "done\n"]


def test_a_line_that_was_shown_and_then_overwritten_is_shown_anew():
    watched = Transcript()
    watched.feed(b"1%")
    first = watched.take_live()
    watched.feed(b"\r2%\n")

    assert [first, watched.take_live()] == ["1%", "\n2%\n"]


def test_a_watcher_of_a_flood_sees_its_beginning_and_its_end():
    live = LiveText(10)
    live.feed("0123456789abcdef")
    shown = [live.take("")]
    live.feed("ghij")
    shown.append(live.take(""))

    shown.append(live.finish("hij"))

    assert shown == ["0123456789", "", "\n[… 7 characters are not shown …]\nhij"]


def test_after_the_end_was_shown_there_is_room_for_more():
    live = LiveText(4)
    live.feed("abcdef")
    live.finish("ef")
    live.feed("new")

    assert live.finish("ignored") == "new"


@given(st.lists(st.tuples(st.text(st.sampled_from("ab\n\r"), max_size=6), st.booleans()), max_size=20))
def test_what_a_watcher_sees_ends_as_the_output_does(pieces):
    watched = Transcript()
    seen = ""
    for text, is_looked_at in pieces:
        watched.feed(text.encode())
        seen += watched.take_live() if is_looked_at else ""
    watched.finish()
    seen += watched.take_last()

    whole = watched.excerpt().head
    assert set(whole.split("\n")) <= set(seen.split("\n"))


def test_what_is_to_be_kept_is_given_once():
    kept = Transcript()
    kept.feed(b"a\nb\nunfin")

    assert (kept.unkept_size, kept.take_unkept(), kept.unkept_size, kept.take_unkept()) == (4, "a\nb\n", 0, "")
