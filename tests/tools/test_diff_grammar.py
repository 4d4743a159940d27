"""The grammar of apply_diff's blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.tools.matching.blocks import Block, parse_blocks
from agent_lsp.tools.matching.revision import Malformed


def diff(*lines: str) -> str:
    return "\n".join(lines)


SEARCH, SEPARATOR, REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"

READ = {
    "plain": (diff(SEARCH, "a", SEPARATOR, "b", REPLACE), [Block(1, ("a",), ("b",))]),
    "hint with dashes": (
        diff(SEARCH, ":start_line:12", "-------", "a", SEPARATOR, "b", REPLACE),
        [Block(1, ("a",), ("b",), 12)],
    ),
    "hint without dashes": (diff(SEARCH, ":start_line: 3 ", "a", SEPARATOR, REPLACE), [Block(1, ("a",), (), 3)]),
    "both hints": (
        diff(SEARCH, ":start_line:3", ":end_line:4", "-------", "a", SEPARATOR, REPLACE),
        [Block(1, ("a",), (), 3, 4)],
    ),
    "dashes without a hint": (diff(SEARCH, "-------", "a", SEPARATOR, REPLACE), [Block(1, ("a",), ())]),
    "dashes in the text": (diff(SEARCH, "a", "-------", SEPARATOR, REPLACE), [Block(1, ("a", "-------"), ())]),
    "escaped dashes first": (diff(SEARCH, "\\-------", SEPARATOR, REPLACE), [Block(1, ("-------",), ())]),
    "longer runs are text": (
        diff(SEARCH, "========", "--------", "<<<<<<<<", ">>>>>>>>", SEPARATOR, REPLACE),
        [Block(1, ("========", "--------", "<<<<<<<<", ">>>>>>>>"), ())],
    ),
    "indented markers are text": (diff(SEARCH, " =======", SEPARATOR, REPLACE), [Block(1, (" =======",), ())]),
    "every marker escaped": (
        diff(
            SEARCH, *(f"\\{m}" for m in (SEARCH, SEPARATOR, REPLACE, "<<<<<<< HEAD", "||||||| b")), SEPARATOR, REPLACE
        ),
        [Block(1, (SEARCH, SEPARATOR, REPLACE, "<<<<<<< HEAD", "||||||| b"), ())],
    ),
    "an escaped line marker": (
        diff(SEARCH, "a", SEPARATOR, "\\:start_line:1", REPLACE),
        [Block(1, ("a",), (":start_line:1",))],
    ),
    "other backslashes stay": (
        diff(SEARCH, "\\d", "\\\\=======", SEPARATOR, "\\", REPLACE),
        [Block(1, ("\\d", "\\\\======="), ("\\",))],
    ),
    "blank lines count": (diff(SEARCH, "", SEPARATOR, "", "", REPLACE), [Block(1, ("",), ("", ""))]),
    "blanks behind markers": (diff(f"{SEARCH}  ", "a", "=======\t", "b", f"{REPLACE} "), [Block(1, ("a",), ("b",))]),
    "CR LF": (diff(SEARCH, "a", SEPARATOR, "b", REPLACE).replace("\n", "\r\n"), [Block(1, ("a",), ("b",))]),
    "other line ends are text": (
        diff(SEARCH, "a\rb\x0cc\u2028d", SEPARATOR, REPLACE),
        [Block(1, ("a\rb\x0cc\u2028d",), ())],
    ),
    "words and a fence around": (
        diff("Here:", "```diff", SEARCH, "a", SEPARATOR, REPLACE, "```", "and", SEARCH, "b", SEPARATOR, REPLACE, "."),
        [Block(1, ("a",), ()), Block(2, ("b",), ())],
    ),
}


@pytest.mark.parametrize(("text", "blocks"), READ.values(), ids=READ)
def test_diff_reads_as(text: str, blocks: list[Block]) -> None:
    assert parse_blocks(text) == tuple(blocks)


MALFORMED = {
    "nothing": ("", "no block"),
    "only words": ("change a to b", "no block"),
    "no separator": (diff(SEARCH, "a", REPLACE), "Line 3 "),
    "no separator, next block": (diff(SEARCH, "a", SEARCH, "b", SEPARATOR, REPLACE), "Line 3 "),
    "no separator at the end": (diff("x", SEARCH, "a"), "line 2: ======="),
    "no end": (diff(SEARCH, "a", SEPARATOR, "b"), "line 1: >>>>>>> REPLACE"),
    "no end, next block": (diff(SEARCH, "a", SEPARATOR, "b", SEARCH), "Line 5 "),
    "two separators": (diff(SEARCH, "a", SEPARATOR, "b", SEPARATOR, REPLACE), "Line 5 "),
    "separator outside": (diff(SEPARATOR, "a"), "Line 1 "),
    "end outside": (diff("a", REPLACE), "Line 2 "),
    "conflict outside": (diff("<<<<<<< HEAD", "a"), "Line 1 "),
    "conflict in the search": (diff(SEARCH, "<<<<<<< HEAD", SEPARATOR, REPLACE), r"Line 2 .* backslash"),
    "conflict in the replacement": (diff(SEARCH, "a", SEPARATOR, ">>>>>>> main", REPLACE), r"Line 4 .* backslash"),
    "words behind the end": (
        diff(SEARCH, "a", SEPARATOR, "b", f"{REPLACE} (1)"),
        r"Line 5 .*REPLACE \(1\) is a marker only with nothing",
    ),
    "two blocks glued": (
        diff(SEARCH, "a", SEPARATOR, f"{REPLACE}{SEARCH}", SEPARATOR, REPLACE),
        "Line 4 .* nothing else on its line",
    ),
    "a beginning with words in the search": (
        diff(SEARCH, "a", f"{SEARCH} b", SEPARATOR, REPLACE),
        "Line 3 .* nothing else on its line",
    ),
    "line marker in the replacement": (diff(SEARCH, "a", SEPARATOR, ":start_line:1", REPLACE), "Line 4 .*:start_line:"),
    "line marker behind the text": (diff(SEARCH, "a", ":end_line:1", SEPARATOR, REPLACE), "Line 3 .*:end_line:"),
    "line marker without a number": (diff(SEARCH, ":start_line:x", "a", SEPARATOR, REPLACE), "Line 2 "),
    "line marker with a huge number": (diff(SEARCH, f":start_line:{'9' * 5000}", SEPARATOR, REPLACE), "Line 2 "),
}


@pytest.mark.parametrize(("text", "fault"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_diff_names_the_line(text: str, fault: str) -> None:
    with pytest.raises(Malformed, match=fault) as refusal:
        parse_blocks(text)

    assert len(str(refusal.value)) < 400


PLAIN = st.text(st.characters(exclude_characters="\n\r<=>|:-\\"), max_size=12)
MARKERS = st.sampled_from([SEARCH, SEPARATOR, REPLACE, "<<<<<<< HEAD", "||||||| x", ":start_line:4", "-------"])


def escaped(lines: list[str]) -> list[str]:
    return [f"\\{line}" if line.startswith(("<", "=", ">", "|", ":", "-")) else line for line in lines]


@given(search=st.lists(PLAIN | MARKERS, min_size=1), replacement=st.lists(PLAIN | MARKERS))
def test_escaped_text_of_any_kind_comes_out_as_it_was(search: list[str], replacement: list[str]) -> None:
    text = diff(SEARCH, *escaped(search), SEPARATOR, *escaped(replacement), REPLACE)

    assert parse_blocks(text) == (Block(1, tuple(search), tuple(replacement)),)


@pytest.mark.parametrize(
    ("block", "hint"),
    [
        (Block(1, ("a", "b"), ()), None),
        (Block(1, ("a", "b"), (), 5), 5),
        (Block(1, ("a", "b"), (), 5, 9), 5),
        (Block(1, ("a", "b"), (), None, 9), 8),
    ],
)
def test_hint_is_where_the_search_begins(block: Block, hint: int | None) -> None:
    assert block.hint == hint


NUMBERS = {
    "on every line": (("7 | a", " 8 | b"), ("7 | c",), Block(1, ("a", "b"), ("c",), 7)),
    "blank lines": (("7 | a", "8 |", "9 | "), (), Block(1, ("a", "", ""), (), 7)),
    "not in the replacement": (("7 | a",), ("c",), None),
    "not on every line": (("7 | a", "b"), ("7 | c",), None),
    "not in order": (("7 | a", "9 | b"), (), None),
    "kept blanks": (("7 |   a ",), ("7 |\ta",), None),
}


@pytest.mark.parametrize(("search", "replacement", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_line_numbers_come_off_when_every_line_has_one(
    search: tuple[str, ...], replacement: tuple[str, ...], expected: Block | None
) -> None:
    assert Block(1, search, replacement).without_numbers() == expected
