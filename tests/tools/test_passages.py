"""What edit_file makes of a text."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_lsp.tools.matching.passages import Passage, replace_passage
from agent_lsp.tools.matching.revision import Malformed, Refusal

REPLACED = {
    "part of a line": ("red wine\n", Passage("wine", "beer"), "red beer\n"),
    "several lines": ("a\nb\nc\n", Passage("a\nb", "x"), "x\nc\n"),
    "a whole line": ("a\nb\n", Passage("a\n", ""), "b\n"),
    "joining two lines": ("a\nb\n", Passage("a\n", "a"), "ab\n"),
    "all of several": ("up down up\n", Passage("up", "left", 2), "left down left\n"),
    "exact ones only": ("a  \na\n", Passage("a\n", "b\n"), "a  \nb\n"),
    "trailing blanks of the file": ("a \t\nb\n", Passage("a\nb", "c"), "c\n"),
    "trailing blanks of both": ("a \nb  \n", Passage("a\nb ", "c"), "c\n"),
    "a newline at the end of the passage alone": ("a\nb", Passage("b\n", "c\n"), "a\nc"),
    "places that touch": ("aaaa\n", Passage("aa", "b", 2), "bb\n"),
    "line ends that touch": ("a\r\n\r\nb\r\n", Passage("\n\n", "\n"), "a\r\nb\r\n"),
    "line ends that touch, all taken out": ("a\n\nb", Passage("\n", "", 2), "ab"),
    "ends of lines that touch, taken out": ("xa\na\nb\n", Passage("a\n", "", 2), "xb\n"),
    "trailing blanks of the passage": ("a\nb\n", Passage("a \nb ", "c"), "c\n"),
    "quotes": ("say \u201chi\u201d\n", Passage('"hi"', "'ho'"), "say 'ho'\n"),
    "signs of patterns": ("f(x)[0]*\n", Passage("f(x)[0]*", "\\1$&"), "\\1$&\n"),
    "CR LF of the file": ("a\r\nb\r\n", Passage("a\nb\n", "c\nd\n"), "c\r\nd\r\n"),
    "CR LF of the arguments": ("a\nb\n", Passage("a\r\nb", "c\r\nd"), "c\nd\n"),
    "mixed endings": ("a\r\nb\nc\r\n", Passage("c", "C"), "a\r\nb\nC\r\n"),
    "final newline stays": ("a\nb\n", Passage("b\n", "c"), "a\nc\n"),
    "no final newline stays": ("a\nb", Passage("b", "c\n"), "a\nc"),
    "a final newline is all that comes": ("a", Passage("a", "a\n"), "a\n"),
    "a byte-order mark": ("\ufeffa\n", Passage("a", "b"), "\ufeffb\n"),
    "everything": ("a\n", Passage("a\n", ""), ""),
}


@pytest.mark.parametrize(("text", "passage", "after"), REPLACED.values(), ids=REPLACED)
def test_passage_is_replaced(text: str, passage: Passage, after: str) -> None:
    assert replace_passage(text, passage).after == after


REFUSED = {
    "not there": ("red wine\n", Passage("white", "x"), "not in the file"),
    "blanks alone": ("a\n", Passage("\t\n", "x"), "not in the file"),
    "inner blanks": ("a  b\n", Passage("a b", "x"), "not in the file"),
    "trailing blanks within a word": ("foobar\n", Passage("foo ", "x"), "not in the file"),
    "tolerated ones that overlap": ("x \nx \nx\n", Passage("x\nx", "y"), "overlap"),
    "another case": ("A\n", Passage("a", "x"), "not in the file"),
    "more than expected": ("up\ndown up\n", Passage("up", "x"), "2 times \\(lines 1, 2\\), expected once"),
    "fewer than expected": ("up\n", Passage("up", "x", 2), "once \\(line 1\\), expected 2 times"),
    "too many like ones": ("a \nb\na \nb\n", Passage("a\nb", "x"), "2 times \\(lines 1, 3\\)"),
    "overlapping": ("x\nx\nx\n", Passage("x\nx", "y"), "overlap"),
    "overlapping, whatever is expected": ("aaa\n", Passage("aa", "y", 2), "overlap"),
}


@pytest.mark.parametrize(("text", "passage", "fault"), REFUSED.values(), ids=REFUSED)
def test_passage_that_is_not_certain_is_refused(text: str, passage: Passage, fault: str) -> None:
    with pytest.raises(Refusal, match=fault):
        replace_passage(text, passage)


def test_replacing_a_text_by_itself_is_a_mistake() -> None:
    with pytest.raises(Malformed, match="the same"):
        replace_passage("a\n", Passage("a", "a"))


MISSED = {
    "a letter": (
        "width = 3\ncolour = red\n",
        "colour = rad",
        "Line 2 of the file is 'colour = red', not 'colour = rad'.",
    ),
    "a tab": ("if a:\n\tgo()\n", "if a:\n    go()", "Line 2 of the file is '\\tgo()', not '    go()'."),
    "a blank that cannot be told": ("a\u00a0b\n", "a b", "Line 1 of the file is 'a\\xa0b', not 'a b'."),
    "the middle, begun within a line": (
        "x = f(1,\n  2,\n  3)\n",
        "f(1,\n  4,\n  3",
        "Line 2 of the file is '  2,', not '  4,'.",
    ),
    "the middle, with trailing blanks": ("a \nb\nc\n", "a\nB\nc", "Line 2 of the file is 'b', not 'B'."),
    "the end": ("a\nb\n", "a\nb\nc", "The file ends there."),
}


@pytest.mark.parametrize(("text", "old", "told"), MISSED.values(), ids=MISSED)
def test_missing_passage_names_what_differs(text: str, old: str, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        replace_passage(text, Passage(old, "x"))

    assert f"not in the file. Nothing was changed. {told} Most like it:\n" in str(refused.value)


def test_missing_passage_shows_the_nearest_lines() -> None:
    with pytest.raises(Refusal, match=r"Most like it:\n2 \| colour = red"):
        replace_passage("width = 3\ncolour = red\n", Passage("colour = rad", "x"))


def test_missing_passage_shows_nothing_where_it_may_not() -> None:
    with pytest.raises(Refusal) as refused:
        replace_passage("password = 1\n", Passage("password = 2", "x"), may_quote=False)

    assert "password" not in str(refused.value)


def test_lines_between_the_places_keep_their_endings() -> None:
    between = "same\r\nsame\nsame\n" * 300

    after = replace_passage(f"<\n{between}<\n", Passage("<", ">", 2)).after

    assert after == f">\n{between}>\n"


LINES = st.lists(st.tuples(st.text("ab ", max_size=3), st.sampled_from(["\n", "\r\n"])), max_size=8)


@given(before=LINES, behind=LINES, old=st.text("<>\n", min_size=1, max_size=5), new=st.text("x\n", max_size=4))
def test_everything_around_the_passage_stays_byte_for_byte(
    before: list[tuple[str, str]], behind: list[tuple[str, str]], old: str, new: str
) -> None:
    head, tail = ("".join(text + ending for text, ending in lines) for lines in (before, behind))
    assume(old.strip("\n") and old != new)

    after = replace_passage(f"{head}[{old}]\n{tail}", Passage(f"[{old}]", f"({new})")).after

    assert after is not None
    assert (after[: len(head) + 1], after[len(after) - len(tail) :]) == (f"{head}(", tail)
    assert after[len(head) : len(after) - len(tail)].replace("\r\n", "\n") == f"({new})\n"


@given(
    text=st.text("aab \n\r\u2019'", max_size=20), old=st.text("ab \n'", min_size=1, max_size=4), count=st.integers(1, 3)
)
def test_passage_that_is_replaced_by_itself_marked_is_there_as_often_as_expected(
    text: str, old: str, count: int
) -> None:
    try:
        after = replace_passage(text, Passage(old, "#", count)).after
    except Refusal:
        return

    assert after is not None
    assert after.count("#") == count


@given(text=st.text("ab\n", max_size=12), old=st.text("ab\n", min_size=1, max_size=3), new=st.text("bc\n", max_size=3))
def test_all_places_are_replaced_as_in_a_plain_text(text: str, old: str, new: str) -> None:
    assume(old in text and old != new)
    try:
        after = replace_passage(text, Passage(old, new, text.count(old))).after
    except Refusal:
        return  # The places overlap.

    assert after is not None
    assert after.rstrip("\n") == text.replace(old, new).rstrip("\n")


@given(head=st.text("ab\n"), tail=st.text("ab\n"), new=st.text("xy\n"))
def test_only_the_passage_changes(head: str, tail: str, new: str) -> None:
    before = f"{head}<{tail}>\n"

    after = replace_passage(before, Passage("<", new)).after

    assert after == before.replace("<", new)
