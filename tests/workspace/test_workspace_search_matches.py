import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.workspace.search_matches import MOST_CHARACTERS, MOST_LINE_BYTES, FileHit, JsonLines, Matches, cut


def said(kind: str, **found: Any) -> dict[str, Any]:  # Any: whatever an engine may print.
    return {"type": kind, "data": found}


def line(number: int, text: str = "x", *, is_match: bool = True) -> dict[str, Any]:
    return said("match" if is_match else "context", lines={"text": text}, line_number=number, submatches=[])


def end(name: str, binary_offset: int | None = None) -> dict[str, Any]:
    return said("end", path={"text": name}, binary_offset=binary_offset)


def gathered(limit: int, *events: dict[str, Any]) -> Matches:
    matches = Matches(limit)
    for event in events:
        matches.take(event)
    return matches


def test_neighbouring_lines_are_one_hit() -> None:
    matches = gathered(10, said("begin"), line(1), line(2, is_match=False), line(9), end("a"), said("summary"))

    assert matches.hits == [FileHit("a", ((1, "x", True), (2, "x", False))), FileHit("a", ((9, "x", True),))]


def test_binary_file_is_dropped() -> None:
    matches = gathered(10, line(1), end("a", binary_offset=4), line(2), end("b"))

    assert [hit.name for hit in matches.hits] == ["b"]


def test_text_that_is_no_utf_8_comes_encoded() -> None:
    event = said("match", lines={"bytes": "Ymzp"}, line_number=1, submatches=[])

    assert gathered(1, event, end("a")).hits == [FileHit("a", ((1, "bl\ufffd", True),))]


@given(st.lists(st.lists(st.tuples(st.integers(1, 9), st.booleans()), max_size=6), max_size=5), st.integers(1, 8))
def test_never_more_matches_than_the_limit(files: list[list[tuple[int, bool]]], limit: int) -> None:
    matches = Matches(limit)

    for number, lines in enumerate(files):
        for at, is_match in lines:
            matches.take(line(at, is_match=is_match))
        matches.take(end(str(number)))

    total = sum(is_match for lines in files for _, is_match in lines)
    assert matches.count == min(limit, total)
    assert matches.is_cut == (total > limit)
    assert matches.count == sum(is_match for hit in matches.hits for *_, is_match in hit.lines)


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=5)), max_size=5), st.data())
def test_json_lines_are_the_same_in_any_pieces(objects: list[dict[str, str]], data: st.DataObject) -> None:
    content = "".join(json.dumps(one) + "\n" for one in objects).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=8)))
    lines = JsonLines()

    events = [
        event
        for start, stop in zip([0, *cuts], [*cuts, None], strict=True)
        for event in lines.feed(content[start:stop])
    ]

    assert events == objects


@pytest.mark.parametrize(
    "noise", [b"no json\n", b"[1]\n", b"\n", b"\xff\n", b'{"a": "' + b"x" * MOST_LINE_BYTES + b'"}\n']
)
def test_noise_is_dropped(noise: bytes) -> None:
    lines = JsonLines()

    events = [event for at in range(0, len(noise), 65_536) for event in lines.feed(noise[at : at + 65_536])]

    assert [*events, *lines.feed(b'{"b": 1}\n')] == [{"b": 1}]


@given(st.integers(0, 2_000), st.integers(0, 2_000))
def test_cut_line_is_short_and_shows_the_match(size: int, at: int) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(size))
    at = min(at, max(size - 1, 0))

    shown = cut(text, at)

    assert len(shown) <= MOST_CHARACTERS
    assert text[at : at + 1] in shown
    assert shown.strip("…") in text
