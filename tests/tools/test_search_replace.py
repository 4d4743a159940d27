"""What apply_diff makes of a text, and what it says of blocks that do not match."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.tools.matching.revision import Refusal, Revision
from agent_lsp.tools.matching.search_replace import FAULT_LIMIT, Reading, apply_blocks
from support.timing import cpu_seconds

FIVE = "one\ntwo\nthree\nfour\nfive\n"


def block(search: str, replacement: str, start_line: int | None = None) -> str:
    hint = "" if start_line is None else f":start_line:{start_line}\n-------\n"
    return f"<<<<<<< SEARCH\n{hint}{search}=======\n{replacement}>>>>>>> REPLACE\n"


def applied(text: str, *blocks: str, reading: Reading | None = None) -> Revision:
    return apply_blocks(text, "".join(blocks), reading or Reading())


def refusal(text: str, *blocks: str, reading: Reading | None = None) -> str:
    with pytest.raises(Refusal) as refused:
        applied(text, *blocks, reading=reading)
    return str(refused.value)


CHANGED = {
    "exact": (FIVE, block("two\n", "TWO\n"), "one\nTWO\nthree\nfour\nfive\n"),
    "literal replacement": ("a\n", block("a\n", "$1 \\n \t\n\n"), "$1 \\n \t\n\n"),
    "trailing blanks of the file": ("a \t\nb\n", block("a\nb\n", "c\n"), "c\n"),
    "trailing blanks of the search": ("a\nb\n", block("a  \nb\n", "c\n"), "c\n"),
    "quotes and dashes": ("\u201cx\u201d \u2013 it\u2019s\n", block('"x" - it\'s\n', "y\n"), "y\n"),
    "quotes the other way": ('"x"\n', block("\u201cx\u201d\n", "y\n"), "y\n"),
    "exact beats trailing blanks": ("a \na\n", block("a\n", "b\n"), "a \nb\n"),
    "exact beats a shift": ("  a\na\n", block("a\n", "b\n"), "  a\nb\n"),
    "trailing blanks beat a shift": ("  a\na \n", block("a\n", "b\n"), "  a\nb\n"),
    "shifted to the right": ("  if x:\n    y\n", block("if x:\n  y\n", "if z:\n\n  y\n"), "  if z:\n\n    y\n"),
    "shifted to the left": ("if x:\n  y\n", block("  if x:\n    y\n", "  if z:\n    y\n"), "if z:\n  y\n"),
    "shifted by a tab": ("\tif x:\n\t\ty\n", block("if x:\n\ty\n", "pass\n"), "\tpass\n"),
    "blank lines in a shift": ("  a\n \n  b\n", block("a\n\nb\n", "a\n"), "  a\n"),
    "the hint's own line": ("go\nstop\ngo\n", block("go\n", "run\n", 3), "go\nstop\nrun\n"),
    "the only one nearby": ("go\n" + "x\n" * 60 + "go\n", block("go\n", "run\n", 10), "run\n" + "x\n" * 60 + "go\n"),
    "the only one at all": ("x\n" * 60 + "go\n", block("go\n", "run\n", 2), "x\n" * 60 + "run\n"),
    "inserted": ("a\nb\n", block("", "x\n", 2), "a\nx\nb\n"),
    "inserted first": ("a\n", block("", "x\n", 1), "x\na\n"),
    "appended": ("a\n", block("", "x\n", 2), "a\nx\n"),
    "into an empty file": ("", block("", "x\n"), "x\n"),
    "line numbers": ("a\nb\na\n", block("3 | a\n", "3 | c\n"), "a\nb\nc\n"),
    "text that looks like line numbers": ("a\n1 | a\n", block("1 | a\n", "1 | b\n"), "a\n1 | b\n"),
    "swapped": ("a\nb\n", block("a\n", "b\n") + block("b\n", "a\n"), "b\na\n"),
    "insertion beside a replacement": ("a\nb\n", block("b\n", "B\n") + block("", "x\n", 2), "a\nx\nB\n"),
    "a byte-order mark": ("\ufeffa\n", block("a\n", "b\n"), "\ufeffb\n"),
}


@pytest.mark.parametrize(("text", "diff", "after"), CHANGED.values(), ids=CHANGED)
def test_blocks_change_the_text(text: str, diff: str, after: str) -> None:
    revision = applied(text, diff)

    assert (revision.after, revision.faults) == (after, ())


REFUSED = {
    "two places": ("a\nb\na\n", block("a\n", "c\n"), "lines 1, 3\\."),
    "two places nearby": ("a\nb\nc\na\n", block("a\n", "x\n", 2), "lines 1, 4\\."),
    "two shifted places": (" a\nb\n  a\n", block("a\n", "c\n"), "lines 1, 3\\."),
    "part of a line": ("abc\n", block("b\n", "c\n"), "not in the file"),
    "uneven shift": ("  a\n    b\n", block("a\nb\n", "c\n"), "not in the file"),
    "tabs for blanks": ("\ta\n", block("    a\n", "    b\n"), "not in the file"),
    "inner blanks": ("a  b\n", block("a b\n", "c\n"), "not in the file"),
    "another case": ("A\n", block("a\n", "c\n"), "not in the file"),
    "combining characters": ("e\u0301\n", block("\u00e9\n", "c\n"), "not in the file"),
    "entities": ("a < b\n", block("a &lt; b\n", "c\n"), "not in the file"),
    "an ellipsis": (FIVE, block("one\n...\nfive\n", "c\n"), "not in the file"),
    "a shift the replacement cannot follow": ("a\n", block("  a\n", "b\n"), "line 1 with less indentation"),
    "nothing to change": ("a\n", block("a\n", "a\n"), "the same"),
    "empty search without a line": ("a\n", block("", "x\n"), ":start_line:N"),
    "insertion at line 0": ("a\n", block("", "x\n", 0), ":start_line:0 .* 1 to 2"),
    "insertion past the end": ("a\n", block("", "x\n", 3), ":start_line:3 .* 1 to 2"),
    "an empty file": ("", block("a\n", "b\n"), "the file is empty"),
}


@pytest.mark.parametrize(("text", "diff", "fault"), REFUSED.values(), ids=REFUSED)
def test_block_that_does_not_match_is_refused(text: str, diff: str, fault: str) -> None:
    with pytest.raises(Refusal, match=f"Block 1: .*{fault}"):
        applied(text, diff)


def test_every_failing_block_is_reported_and_the_others_are_applied() -> None:
    revision = applied(FIVE, block("six\n", "x\n"), block("two\n", "TWO\n"), block("e\n", "x\n"))

    assert revision.after == "one\nTWO\nthree\nfour\nfive\n"
    assert revision.summary == "1 of 3 blocks"
    assert [fault.partition(":")[0] for fault in revision.faults] == ["Block 1", "Block 3"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (block("two\nthree\n", "x\n"), block("three\nfour\n", "y\n")),
        (block("two\nthree\n", "x\n"), block("two\n", "y\n")),
        (block("two\nthree\n", "x\n"), block("", "y\n", 3)),
    ],
)
def test_of_overlapping_blocks_the_first_is_applied(first: str, second: str) -> None:
    revision = applied(FIVE, first, second)

    assert revision.after == "one\nx\nfour\nfive\n"
    assert "Block 2: it changes lines that block 1 changes too" in revision.faults[0]


def test_fault_shows_the_nearest_lines_and_how_like_they_are() -> None:
    fault = refusal("a = 1\ncolour = red\nwidth = 3\n", block("colour = rad\nwidth = 3\n", "x\n"))

    assert "Most like it (95 %): lines 2-3\n2 | colour = red\n3 | width = 3" in fault


def test_nearest_lines_are_those_near_the_hint() -> None:
    text = "def f():\n    pass\n\n" * 100

    fault = refusal(text, block("def f():\n    past\n", "x\n", 100))

    assert "lines 100-101" in fault


def test_nearest_line_is_found_without_a_word_in_common() -> None:
    assert "line 2\n2 | bcdef" in refusal("xxxxx\nbcdef\n", block("bcdeg\n", "x\n"))


def test_lines_are_not_shown_where_they_may_not_be() -> None:
    fault = refusal("password = 1\n", block("password = 2\n", "x\n"), reading=Reading(may_quote=False))

    assert "password" not in fault


def test_fault_of_one_block_is_short() -> None:
    text = "".join(f"{'long ' * 200}{number}\n" for number in range(100))
    searched = text.replace("long 7", "lang 7")

    revision = applied("first\n" + text, block("first\n", "x\n"), block(searched, "x\n"), block("e\n" * 500, "y\n"))

    assert all(len(fault) <= FAULT_LIMIT for fault in revision.faults)


def test_lines_of_many_places_are_named_within_bounds() -> None:
    fault = refusal("a\n" * 10_000, block("a\n", "b\n"))

    assert "lines 1, 2, 3," in fault
    assert "and 9900 more" in fault


LIKE = Reading(fuzzy_threshold=0.8)


def test_like_lines_are_taken_when_they_are_like_enough() -> None:
    diff = block("colour = rad\nwidth = 3\n", "colour = blue\n")

    assert applied("a\ncolour = red\nwidth = 3\nb\n", diff, reading=LIKE).after == "a\ncolour = blue\nb\n"


def test_lines_too_unlike_are_not_taken() -> None:
    assert "not in the file" in refusal("colour = red\n", block("width = 33\n", "x\n"), reading=LIKE)


def test_two_equally_like_places_are_named() -> None:
    assert "lines 1, 3." in refusal("colour = red\n\ncolour = red\n", block("colour = rad\n", "x\n"), reading=LIKE)


def test_hint_chooses_among_like_places() -> None:
    diff = block("colour = rad\n", "x\n", 3)

    assert applied("colour = red\n\ncolour = red\n", diff, reading=LIKE).after == "colour = red\n\nx\n"


@given(
    lines=st.lists(st.text("ab ", max_size=3), min_size=1, max_size=15),
    where=st.tuples(st.integers(0, 14), st.integers(1, 4)),
    new=st.lists(st.text("xy ", max_size=3), max_size=3),
)
def test_named_block_changes_its_own_lines_and_no_others(
    lines: list[str], where: tuple[int, int], new: list[str]
) -> None:
    start = where[0] % len(lines)
    end = min(len(lines), start + where[1])
    old = lines[start:end]
    diff = block("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new), start + 1)

    try:
        after = applied("".join(f"{line}\n" for line in lines), diff).after
    except Refusal:
        assert old == new
    else:
        assert after == "".join(f"{line}\n" for line in [*lines[:start], *new, *lines[end:]])


@given(st.lists(st.sampled_from(["", "a", " b", "\tc", "  d"]), min_size=1, max_size=6), st.sampled_from(" \t"))
def test_shifted_block_is_found_and_its_replacement_shifted(lines: list[str], blank: str) -> None:
    file = [f"{blank * 3}{line}" if line else line for line in ["first", *lines]]
    diff = block("first\n" + "".join(f"{line}\n" for line in lines), "new\n\n\tb\n")

    after = applied("".join(f"{line}\n" for line in file), diff).after

    assert after == f"{blank * 3}new\n\n{blank * 3}\tb\n"


def test_a_miss_costs_in_proportion_to_the_file() -> None:
    words = [f"{letter}{number}" for letter in ("call", "name", "value") for number in range(200)]
    chosen = random.Random(1)
    lines = [" ".join(chosen.choices(words, k=6)) for _ in range(10_000)]
    diff = block("".join(line.replace("a", "e", 1) + "\n" for line in lines[500:525]), "x\n")

    def miss(count: int) -> None:
        assert "lines 501-525" in refusal("\n".join(lines[:count]), diff)

    assert cpu_seconds(lambda: miss(10_000)) < 30 * cpu_seconds(lambda: miss(1_000))
