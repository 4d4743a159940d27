"""Texts as lines: endings, the final newline and the byte-order mark stay."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.tools.matching.lines import Lines, Replacement, read_lines, replace_lines, rewrite
from support.timing import cpu_seconds

TEXTS = st.text(st.sampled_from("ab\n\r\x0c\u2028 "), max_size=30)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", Lines((), ())),
        ("\n", Lines(("",), ("\n",))),
        ("a", Lines(("a",), ("",))),
        ("a\r\nb\n", Lines(("a", "b"), ("\r\n", "\n"))),
        ("a\rb\n", Lines(("a\rb",), ("\n",))),
        ("a\x0cb\u2028c\x85d", Lines(("a\x0cb\u2028c\x85d",), ("",))),
        ("a\r", Lines(("a\r",), ("",))),
        ("\ufeffa\n", Lines(("a",), ("\n",), "\ufeff")),
    ],
)
def test_lines_end_at_lf_and_cr_lf_only(text: str, lines: Lines) -> None:
    assert read_lines(text) == lines


@given(TEXTS)
def test_replacing_nothing_changes_nothing(text: str) -> None:
    assert replace_lines(read_lines(text), []) == text


@given(TEXTS)
def test_rewriting_a_text_with_itself_changes_nothing(text: str) -> None:
    assert rewrite(read_lines(text), text) == text


@given(before=st.lists(st.sampled_from("abc"), min_size=1), after=st.lists(st.sampled_from("abc"), min_size=1))
def test_rewritten_text_keeps_one_kind_of_ending(before: list[str], after: list[str]) -> None:
    text = "".join(f"{line}\r\n" for line in before)

    result = rewrite(read_lines(text), "".join(f"{line}\n" for line in after))

    assert result == "".join(f"{line}\r\n" for line in after)


@given(
    lines=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["\n", "\r\n"])), min_size=1, max_size=12),
    place=st.data(),
)
def test_untouched_lines_keep_their_own_endings(lines: list[tuple[str, str]], place: st.DataObject) -> None:
    start = place.draw(st.integers(0, len(lines)))
    end = place.draw(st.integers(start, len(lines)))
    text = "".join(map("".join, lines))

    result = replace_lines(read_lines(text), [Replacement(start, end, ("new",))])

    assert result.startswith("".join(map("".join, lines[:start])))
    assert result.endswith("".join(map("".join, lines[end:])))


REPLACED = {
    "in the middle": ("a\nb\nc\n", [(1, 2, ("B", "BB"))], "a\nB\nBB\nc\n"),
    "no final newline": ("a\nb", [(1, 2, ("B",))], "a\nB"),
    "last line goes, none stays ended": ("a\nb", [(1, 2, ())], "a"),
    "appended without a final newline": ("a\nb", [(2, 2, ("c",))], "a\nb\nc"),
    "appended": ("a\n", [(1, 1, ("b",))], "a\nb\n"),
    "into nothing": ("", [(0, 0, ("a",))], "a\n"),
    "all gone": ("a\n", [(0, 1, ())], ""),
    "insertions at one line, in order": ("a\n", [(0, 0, ("z",)), (0, 0, ("b",)), (0, 1, ("A",))], "z\nb\nA\n"),
    "mixed endings, unchanged line within": ("a\r\nb\nc\r\n", [(0, 3, ("A", "b", "c"))], "A\r\nb\nc\r\n"),
    "mixed endings, new lines take the usual one": ("a\r\nb\nc\r\n", [(1, 2, ("B",))], "a\r\nB\r\nc\r\n"),
    "byte-order mark": ("\ufeffa\n", [(0, 1, ("b",))], "\ufeffb\n"),
}


@pytest.mark.parametrize(("text", "replacements", "after"), REPLACED.values(), ids=REPLACED)
def test_lines_are_replaced(text: str, replacements: list[tuple[int, int, tuple[str, ...]]], after: str) -> None:
    assert replace_lines(read_lines(text), [Replacement(*one) for one in replacements]) == after


REWRITTEN = {
    "final newline stays": ("a\n", "b", "b\n"),
    "no final newline stays": ("a", "b\n", "b"),
    "final newline alone is added": ("a", "a\n", "a\n"),
    "final newline alone is removed": ("a\n", "a", "a"),
    "CR LF stays": ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
    "CR LF of the arguments is no text": ("a\nb\n", "a\r\nc\r\n", "a\nc\n"),
    "a new text": ("", "a\r\nb", "a\nb"),
    "mark of the file": ("\ufeffa\n", "b\n", "\ufeffb\n"),
    "mark of the arguments": ("a\n", "\ufeffb\n", "b\n"),
    "emptied": ("a\n", "", ""),
    "mixed endings": ("a\nb\r\nc\r\n", "a\nx\nc\n", "a\nx\r\nc\r\n"),
}


@pytest.mark.parametrize(("before", "content", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_text_is_rewritten_with_the_endings_it_had(before: str, content: str, after: str) -> None:
    assert rewrite(read_lines(before), content) == after


def test_repeating_lines_keep_their_mixed_endings_when_a_text_is_rewritten() -> None:
    lines = "".join("same" + ("\r\n" if number % 3 else "\n") for number in range(600))
    flat = lines.replace("\r\n", "\n")

    assert rewrite(read_lines(f"{lines}end\r\n"), f"top\n{flat}END\n") == f"top\r\n{lines}END\r\n"


def rewrite_of_mixed_lines(count: int) -> None:
    random = Random(1)
    lines = [f"line {random.randrange(500)}" for _ in range(count)]
    before = "".join(line + ("\r\n" if number % 2 else "\n") for number, line in enumerate(lines))
    rewrite(read_lines(before), "\n".join(f"{line}x" if number % 7 == 0 else line for number, line in enumerate(lines)))


def test_rewriting_costs_in_proportion_to_the_text() -> None:
    assert cpu_seconds(lambda: rewrite_of_mixed_lines(5_000)) < 25 * cpu_seconds(lambda: rewrite_of_mixed_lines(1_000))
