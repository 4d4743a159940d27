import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lsp.domain.documents import OpenDocument
from agent_lsp.lsp.client import Encoding
from agent_lsp.lsp.documents import Edit, Mirror, MirroredText
from agent_lsp.lsp.edits import TextEdit, text_edits
from agent_lsp.lsp.positions import content_length, split_lines, units_before
from support.fake_editor import apply_edits

URI = "file:///w/a.txt"
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
texts = st.text(st.sampled_from("ab\n\r\f\x85\u2028é漢😀\t "), max_size=40) | st.text(max_size=20)
encodings = st.sampled_from(ENCODINGS)


@st.composite
def edits_of(draw: st.DrawFn, text: str, encoding: Encoding) -> tuple[Edit, str]:
    """An edit, and the text that it makes."""
    lines = split_lines(text)
    start, end = sorted((draw(places(lines)), draw(places(lines))))
    new = draw(texts)
    before = "".join(lines[: start[0]]) + lines[start[0]][: start[1]]
    after = lines[end[0]][end[1] :] + "".join(lines[end[0] + 1 :])
    edit = Edit(new, _units(lines, start, encoding), _units(lines, end, encoding))
    return edit, before + new + after


@st.composite
def places(draw: st.DrawFn, lines: list[str]) -> tuple[int, int]:
    line = draw(st.integers(0, len(lines) - 1))
    return line, draw(st.integers(0, content_length(lines[line])))


def _units(lines: list[str], place: tuple[int, int], encoding: Encoding) -> tuple[int, int]:
    return place[0], units_before(lines[place[0]], place[1], encoding)


@settings(max_examples=300)
@given(st.data(), texts, encodings)
def test_mirror_equals_the_text_after_any_edits(data: st.DataObject, text: str, encoding: Encoding) -> None:
    mirrored = MirroredText(text, encoding)

    for _ in range(data.draw(st.integers(1, 6))):
        edit, text = data.draw(edits_of(text, encoding))
        mirrored.edit(edit)
        assert mirrored.text == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("a\r\nb\rc\n", ["a\r\n", "b\r", "c\n", ""]),
        ("a\fb\x0bc\x85d\u2028e", ["a\fb\x0bc\x85d\u2028e"]),
        ("\n\r\n\r", ["\n", "\r\n", "\r", ""]),
    ],
)
def test_only_three_endings_end_a_line(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@pytest.mark.parametrize(
    ("encoding", "character", "expected"),
    [
        ("utf-16", 1, "aX😀b\n"),
        ("utf-16", 2, "aX😀b\n"),
        ("utf-16", 3, "a😀Xb\n"),
        ("utf-8", 2, "aX😀b\n"),
        ("utf-8", 5, "a😀Xb\n"),
        ("utf-32", 2, "a😀Xb\n"),
        ("utf-16", 99, "a😀bX\n"),
        ("utf-8", 99, "a😀bX\n"),
        ("utf-32", -1, "Xa😀b\n"),
    ],
)
def test_column_inside_a_character_or_past_the_line_is_moved(encoding: Encoding, character: int, expected: str) -> None:
    mirrored = MirroredText("a😀b\n", encoding)

    mirrored.edit(Edit("X", (0, character), (0, character)))

    assert mirrored.text == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((9, 9), (9, 9), "a\nbX"),
        ((-1, 0), (-1, 5), "Xa\nb"),
        ((1, 1), (0, 0), "X"),
        ((0, 0), (7, 0), "X"),
    ],
)
def test_impossible_ranges_are_made_possible(start: tuple[int, int], end: tuple[int, int], expected: str) -> None:
    mirrored = MirroredText("a\nb", "utf-16")

    mirrored.edit(Edit("X", start, end))

    assert mirrored.text == expected


def test_line_feed_behind_a_carriage_return_joins_it() -> None:
    mirrored = MirroredText("a\rb", "utf-16")

    mirrored.edit(Edit("\n", (1, 0), (1, 1)))
    mirrored.edit(Edit("X", (0, 1), (0, 1)))

    assert mirrored.text == "aX\r\n"


@settings(max_examples=400)
@given(texts, texts, encodings)
def test_minimal_edits_make_the_new_text(before: str, after: str, encoding: Encoding) -> None:
    edits = text_edits(before, after, encoding)

    assert apply_edits(before, [_wire(edit) for edit in edits], encoding) == after


@settings(max_examples=200)
@given(texts, texts, encodings)
def test_minimal_edits_mean_the_same_to_the_mirror(before: str, after: str, encoding: Encoding) -> None:
    mirrored = MirroredText(before, encoding)

    for edit in reversed(text_edits(before, after, encoding)):
        mirrored.edit(Edit(edit.text, edit.start, edit.end))

    assert mirrored.text == after


@pytest.mark.parametrize(
    ("before", "after", "edits"),
    [
        ("a\n", "a\n", []),
        ("", "x", [TextEdit((0, 0), (0, 0), "x")]),
        ("one\ntwo\nthree\n", "one\n2\nthree\n", [TextEdit((1, 0), (1, 3), "2")]),
        ("def f(a):\n", "def f(a, b):\n", [TextEdit((0, 7), (0, 7), ", b")]),
        ("a\nb\nc\nd\n", "A\nb\nc\nD\n", [TextEdit((0, 0), (0, 1), "A"), TextEdit((3, 0), (3, 1), "D")]),
        ("a", "a\n", [TextEdit((0, 1), (0, 1), "\n")]),
        ("a\r\nb", "a\nb", [TextEdit((0, 1), (1, 0), "\n")]),
        ("x😀y", "x😀z", [TextEdit((0, 3), (0, 4), "z")]),
    ],
)
def test_edits_touch_only_what_differs(before: str, after: str, edits: list[TextEdit]) -> None:
    assert text_edits(before, after, "utf-16") == edits


def test_very_different_long_texts_are_replaced_in_one_block() -> None:
    before = "".join(f"{n}\n" for n in range(6_000))
    after = "".join(f"{n + 7_000}\n" for n in range(6_000))

    (edit,) = text_edits(before, after, "utf-16")

    assert apply_edits(before, [_wire(edit)], "utf-16") == after


def test_document_lives_from_open_to_close() -> None:
    mirror = Mirror()

    mirror.open(URI, 1, "a\n")
    opened = mirror.get(URI)
    mirror.change(URI, 2, [Edit("b", (0, 0), (0, 1))])
    changed = mirror.get(URI)
    mirror.save(URI)
    saved = mirror.all()
    mirror.close(URI)

    assert opened == OpenDocument(URI, 1, "a\n", is_dirty=False)
    assert changed == OpenDocument(URI, 2, "b\n", is_dirty=True)
    assert saved == [OpenDocument(URI, 2, "b\n", is_dirty=False)]
    assert mirror.get(URI) is None
    assert not mirror.is_dirty(URI)


def test_change_of_a_document_never_opened_is_ignored() -> None:
    mirror = Mirror()

    mirror.change(URI, 2, [Edit("b")])
    mirror.close(URI)

    assert mirror.all() == []


async def test_whoever_waits_sees_a_state_that_lasts_only_for_one_edit() -> None:
    mirror = Mirror()
    mirror.open(URI, 1, "a")
    waiting = asyncio.create_task(mirror.until(lambda: mirror.all()[0].text == "ab"))
    await asyncio.sleep(0)

    mirror.change(URI, 2, [Edit("b", (0, 1), (0, 1)), Edit("c", (0, 2), (0, 2))])

    async with asyncio.timeout(5):
        await waiting


def _wire(edit: TextEdit) -> dict[str, object]:
    return {
        "range": {
            "start": {"line": edit.start[0], "character": edit.start[1]},
            "end": {"line": edit.end[0], "character": edit.end[1]},
        },
        "newText": edit.text,
    }


@given(st.permutations(range(2, 8)))
@settings(deadline=None)
def test_changes_that_come_in_another_order_are_taken_in_that_of_their_versions(order: list[int]) -> None:
    async def text_after() -> OpenDocument | None:
        mirror = Mirror()
        mirror.may_disorder = True
        mirror.open(URI, 1, "")
        for version in order:
            mirror.change(URI, version, [Edit(str(version), (0, version - 2), (0, version - 2))])
        return mirror.get(URI)

    assert asyncio.run(text_after()) == OpenDocument(URI, 7, "234567", is_dirty=True)


@pytest.mark.parametrize("order", [(3, 2, 4, 5), (3, 4, 2, 5), (4, 2, 3, 5), (4, 3, 5, 2), (5, 4, 3, 2)])
async def test_change_that_comes_after_those_behind_it_were_taken_finds_its_place(order: tuple[int, ...]) -> None:
    mirror = Mirror()
    mirror.may_disorder = True
    mirror.open(URI, 1, "")

    for version in order:
        mirror.change(URI, version, [Edit(str(version), (0, version - 2), (0, version - 2))])
        await mirror.until(lambda: not mirror.is_behind(URI))

    assert mirror.get(URI) == OpenDocument(URI, 5, "2345", is_dirty=True)


async def test_change_whose_number_skips_one_is_taken_after_a_moment() -> None:
    mirror = Mirror()
    mirror.may_disorder = True
    mirror.open(URI, 1, "")

    mirror.change(URI, 3, [Edit("b", (0, 0), (0, 0))])
    mirror.change(URI, 4, [Edit("c", (0, 1), (0, 1))])
    before = mirror.get(URI)
    await mirror.until(lambda: mirror.version(URI) == 4)

    assert before == OpenDocument(URI, 1, "", is_dirty=False)
    assert mirror.get(URI) == OpenDocument(URI, 4, "bc", is_dirty=True)
