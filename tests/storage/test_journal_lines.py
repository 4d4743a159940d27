"""Lines of a journal: they come back as they were written, and damage costs only what it hits."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_samples import EVERY_KIND, STARTED, journal_of, wires

from agent_lsp.domain.messages import Message, Say
from agent_lsp.storage.journal import unredacted
from agent_lsp.storage.lines import Reading, SetAside, encode_line, read_lines
from agent_lsp.storage.records import MessageAdded, MessageGrew, Record, Renamed

CONTENT = journal_of(EVERY_KIND)
ENDS = [place + 1 for place, byte in enumerate(CONTENT) if byte == 0x0A]
DAMAGED = "the line is damaged: its checksum does not fit"


def numbers(reading: Reading) -> list[int]:
    """Which of EVERY_KIND were read, by their place in it."""
    every = wires(EVERY_KIND)
    return [every.index(wire) for wire in wires(reading.records)]


def test_every_kind_of_record_comes_back() -> None:
    reading = read_lines(CONTENT)

    assert wires(reading.records) == wires(EVERY_KIND)
    assert (reading.set_aside, reading.last_number) == ((), len(EVERY_KIND))


def test_line_is_json_on_one_line() -> None:
    line = encode_line(7, Renamed("a\nb \ud800"), unredacted)

    assert line == b'{"n":7,"kind":"renamed","title":"a\\nb \\ud800","crc":"b1ac6c05"}\n'


def test_redaction_sees_the_line_and_the_checksum_fits_what_it_left() -> None:
    line = encode_line(1, Renamed("key sk-123"), lambda text: text.replace("sk-123", "[redacted]"))

    assert read_lines(line).records == (Renamed("key [redacted]"),)


def test_line_that_redaction_broke_is_set_aside() -> None:
    broken = encode_line(1, Renamed("x"), lambda text: text.replace('"renamed"', "renamed"))

    reading = read_lines(broken + encode_line(2, Renamed("y"), unredacted))

    assert reading.records == (Renamed("y"),)
    assert [aside.line for aside in reading.set_aside] == [1]


def test_journal_cut_at_any_byte_keeps_every_whole_record() -> None:
    for length in range(len(CONTENT) + 1):
        reading = read_lines(CONTENT[:length])

        whole = sum(end - 1 <= length for end in ENDS)  # A record is whole without its line feed.
        assert numbers(reading) == list(range(whole))
        assert reading.set_aside == ()


def test_flipped_byte_costs_at_most_the_line_it_is_in() -> None:
    chance = random.Random(11)
    for _ in range(2_000):
        place, mask = chance.randrange(len(CONTENT)), chance.randrange(1, 256)
        damaged = bytearray(CONTENT)
        damaged[place] ^= mask

        reading = read_lines(bytes(damaged))

        hit = sum(end <= place for end in ENDS)
        assert set(range(len(EVERY_KIND))) - set(numbers(reading)) <= {hit}
        assert reading.set_aside or reading.whole_bytes < len(damaged)


@pytest.mark.parametrize("place", [0, 1, ENDS[0] - 1, ENDS[0], ENDS[0] + 5, ENDS[4], len(CONTENT)])
@pytest.mark.parametrize("count", [1, 4096])
def test_zeros_cost_at_most_the_line_they_are_in(place: int, count: int) -> None:
    reading = read_lines(CONTENT[:place] + bytes(count) + CONTENT[place:])

    hit = sum(end <= place for end in ENDS)
    assert set(range(len(EVERY_KIND))) - set(numbers(reading)) <= {hit}


@given(st.permutations(range(len(EVERY_KIND))))
def test_lines_in_any_order_are_read_in_theirs(order: list[int]) -> None:
    lines = CONTENT.splitlines(keepends=True)

    reading = read_lines(b"".join(lines[number] for number in order))

    assert numbers(reading) == list(range(len(EVERY_KIND)))


def test_line_that_comes_twice_counts_once() -> None:
    line = encode_line(1, MessageGrew(5, "once"), unredacted)

    reading = read_lines(line + line)

    assert reading.records == (MessageGrew(5, "once"),)
    assert reading.set_aside == (SetAside(2, "record 1 is here a second time"),)


def sealed(text: str) -> bytes:
    """A line as another version might write it."""
    return encode_line(1, STARTED, lambda _: text)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"not JSON", DAMAGED),
        (b'{"n":1,"kind":"renamed","title":"by hand"}', DAMAGED),
        (sealed('{"n":1,"kind":"weather","sky":"blue"}'), "the record is of a kind that a newer version wrote"),
        (sealed('{"n":1}'), "the record is not one that this version can read: KeyError('kind')"),
        (sealed('{"n":1,"kind":[]}'), "the record is not one that this version can read: TypeError"),
        (sealed('{"n":"x","kind":"cleared"}'), "the record is not one that this version can read: ValueError"),
        (sealed('{"n":1,"kind":"added","message":3}'), "the record is not one that this version can read: Attri"),
        (
            sealed('{"n":1,"kind":"added","message":{"ts":1,"type":"say","say":"sung"}}'),
            "the record is not one that this version can read: ValueError(\"'sung' is not a valid Say\")",
        ),
        (sealed('{"n":1,"kind":' + "[" * 100_000 + "}"), "the record is not one that this version can read: Rec"),
    ],
)
def test_line_without_use_is_set_aside_with_its_reason(line: bytes, reason: str) -> None:
    reading = read_lines(line.rstrip(b"\n") + b"\n" + encode_line(2, Renamed("next"), unredacted))

    assert reading.records == (Renamed("next"),)
    assert [(aside.line, aside.reason[: len(reason)]) for aside in reading.set_aside] == [(1, reason)]


def test_unknown_fields_of_a_newer_version_are_left_alone() -> None:
    newer = sealed('{"n":1,"kind":"added","message":{"ts":1,"type":"say","say":"text","mood":"fine"},"x":1}')

    assert read_lines(newer).records == (MessageAdded(Message(1, "say", say=Say.TEXT)),)


def test_blank_lines_are_nothing() -> None:
    assert read_lines(b"\n\n" + encode_line(3, Renamed("x"), unredacted)).set_aside == ()


@given(st.binary(max_size=200))
def test_noise_is_read_as_nothing(noise: bytes) -> None:
    assert read_lines(noise).records == ()


def test_head_inside_a_text_splits_nothing() -> None:
    record: Record = Renamed('{"n":1,"kind":"renamed","crc":"00000000"}\n')

    assert read_lines(encode_line(1, record, unredacted)).records == (record,)
