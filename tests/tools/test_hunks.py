"""What hunks make of a text, and what is said of those that have no place or several."""

from collections.abc import Callable
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.tools.matching.hunks import FAULT_LIMIT, apply_hunks
from agent_lsp.tools.matching.patches import UpdatedFile, parse_patch
from agent_lsp.tools.matching.revision import Refusal
from support.timing import cpu_seconds

FIVE = "one\ntwo\nthree\nfour\nfive\n"
CLASSES = "class A:\n    def f(self):\n        go()\n\nclass B:\n    def f(self):\n        go()\n"


def applied(text: str, *lines: str, may_quote: bool = True) -> str | None:
    patch = "\n".join(["*** Begin Patch", "*** Update File: f", *lines, "*** End Patch"])
    [file] = parse_patch(patch)
    assert isinstance(file, UpdatedFile)
    return apply_hunks(text, file.sections, may_quote=may_quote).after


CHANGED = {
    "replaced": (FIVE, ["@@", " one", "-two", "+TWO", " three"], "one\nTWO\nthree\nfour\nfive\n"),
    "put in": (FIVE, ["@@", " one", "+new", " two"], "one\nnew\ntwo\nthree\nfour\nfive\n"),
    "taken out": (FIVE, ["@@", " one", "-two", " three"], "one\nthree\nfour\nfive\n"),
    "several changes in one": (FIVE, ["@@", "-one", "+1", " two", "-three", " four", "+4.5"], "1\ntwo\nfour\n4.5\nfive\n"),
    "new lines before old ones": ("a\nb\n", ["@@", "+x", "-a", "+y", " b"], "x\ny\nb\n"),
    "several hunks": (FIVE, ["@@", "-one", "+1", "@@", "-five", "+5"], "1\ntwo\nthree\nfour\n5\n"),
    "hunks that share a kept line": (FIVE, ["@@", "-one", " two", "@@", " two", "-three"], "two\nfour\nfive\n"),
    "clear hunks in another order": (FIVE, ["@@", "-five", "+5", "@@", "-one", "+1"], "1\ntwo\nthree\nfour\n5\n"),
    "equal lines, one hunk each": ("v\nw\nv\n", ["@@", "-v", "+1", "@@", "-v", "+2"], "1\nw\n2\n"),
    "behind the hunk before": ("v\na\nv\n", ["@@", "-a", "@@", "-v", "+V"], "v\nV\n"),
    "before the hunk behind": ("v\na\nv\n", ["@@", "-v", "+V", "@@", "-a"], "V\nv\n"),
    "below a line": ("[a]\nv\n[b]\nv\n", ["@@ [b]", "-v", "+V"], "[a]\nv\n[b]\nV\n"),
    "the first below a line": ("[a]\nv\nv\n", ["@@ [a]", "-v", "+V"], "[a]\nV\nv\n"),
    "below two lines": (CLASSES, ["@@ class B:", "@@     def f(self):", "-        go()"], CLASSES[:-13]),
    "below a line without its indentation": ("  x\nv\n", ["@@ x", "-v"], "  x\n"),
    "below the beginning of a line": ("v\ndef foo_bar():\ndef foo(a, b):\nv\n", ["@@ def foo", "-v"], "v\ndef foo_bar():\ndef foo(a, b):\n"),
    "with the named line repeated": ("a\nv\nb\nv\n", ["@@ b", " b", "-v"], "a\nv\nb\n"),
    "around the named line": ("x\na\nv\n", ["@@ a", " x", " a", "-v"], "x\na\n"),
    "at the end": ("v\nw\nv\n", ["@@", "-v", "+V", "*** End of File"], "v\nw\nV\n"),
    "near its number": ("v\n" + "x\n" * 60 + "v\n", ["@@ -60,1 +60,1 @@", "-v", "+V"], "v\n" + "x\n" * 60 + "V\n"),
    "near its number, glued to the sign": ("v\nx\nv\n", ["@@ -3,1 +3,1@@", "-v", "+V"], "v\nx\nV\n"),
    "with a wrong number": (FIVE, ["@@ -40,1 +40,1 @@", "-two"], "one\nthree\nfour\nfive\n"),
    "only new lines": (FIVE, ["@@", "+six"], FIVE + "six\n"),
    "only new lines below a line": (FIVE, ["@@ two", "+new"], "one\ntwo\nnew\nthree\nfour\nfive\n"),
    "only new lines and blank ones": (FIVE, ["@@ two", "", "+new", ""], "one\ntwo\nnew\nthree\nfour\nfive\n"),
    "only new lines below a blank one": ("a\n\nb\n", ["@@", "", "+new", ""], "a\n\nnew\nb\n"),
    "only new lines between blank ones": ("a\n\nb\n\n\n", ["@@", "", "+new", ""], "a\n\nb\n\nnew\n\n"),
    "only new lines below a line and a blank one": ("\na\nb\n\nc\n\n", ["@@ a", "", "+new"], "\na\nb\n\nnew\nc\n\n"),
    "only new lines above a blank one": ("a\n\nb\n", ["@@ a", "+new", ""], "a\nnew\n\nb\n"),
    "only new lines by a number": (FIVE, ["@@ -2,0 +3,1 @@", "+new"], "one\ntwo\nnew\nthree\nfour\nfive\n"),
    "only new lines at the top": (FIVE, ["@@ -0,0 +1,1 @@", "+zero"], "zero\n" + FIVE),
    "only new lines at the end": (FIVE, ["@@ one", "+six", "*** End of File"], FIVE + "six\n"),
    "into an empty file": ("", ["@@ -0,0 +1,2 @@", "+a", "+b"], "a\nb\n"),
    "blank kept line": ("a\n\nb\n", ["@@", " a", "", "-b", "+c"], "a\n\nc\n"),
    "blank lines around": (FIVE, ["@@", "", "-two", "+TWO", ""], "one\nTWO\nthree\nfour\nfive\n"),
    "lines that lost their blank": ("a\n  b\nc\n", ["@@", "a", "  b", "-c"], "a\n  b\n"),
    "indented lines that lost their blank": ("    a\n    b\n", ["@@", "    a", "-    b", "+    c"], "    a\n    c\n"),
    "kept lines keep their own blanks": ("a \nb\n", ["@@", " a", "-b", "+c"], "a \nc\n"),
    "kept lines keep their own quotes": ("\u201ca\u201d\nb\n", ["@@", ' "a"', "-b"], "\u201ca\u201d\n"),
    "exact beats trailing blanks": ("a \na\n", ["@@", "-a", "+b"], "a \nb\n"),
    "trailing blanks if they are in the place": ("a\n[b]\na \n", ["@@ [b]", "-a", "+c"], "a\n[b]\nc\n"),
    "shifted": ("  if x:\n    y\n", ["@@", " if x:", "-  y", "+  z"], "  if x:\n    z\n"),
    "shifted back": ("if x:\n  y\n", ["@@", "   if x:", "-    y", "+    z"], "if x:\n  z\n"),
    "no final newline": ("a\nb", ["@@", "-b", "+c"], "a\nc"),
    "appended without a final newline": ("a", ["@@", "+b"], "a\nb"),
    "carriage returns": ("a\r\nb\r\n", ["@@", " a", "+x", " b"], "a\r\nx\r\nb\r\n"),
    "a mark": ("\ufeffa\n", ["@@", "-a", "+b"], "\ufeffb\n"),
    "nothing": (FIVE, ["@@", " two"], FIVE),
}  # fmt: skip


@pytest.mark.parametrize(("text", "lines", "after"), CHANGED.values(), ids=CHANGED)
def test_hunks_change_the_text(text: str, lines: list[str], after: str) -> None:
    assert applied(text, *lines) == after


REFUSED = {
    "two places": ("a\nb\na\n", ["@@", "-a"], "line 3 of the patch: its lines stand at lines 1, 3\\. Add lines"),
    "two places of the last hunk": ("x\na\na\n", ["@@", "-x", "@@", "-a"], "line 5 of the patch: .*lines 2, 3\\."),
    "two places below equal lines": (CLASSES, ["@@ def f(self):", "-        go()"], "lines 3, 7\\."),
    "the line repeated, but twice there": (CLASSES, ["@@     def f(self):", "     def f(self):", "-        go()"], "lines 2, 6"),
    "two places to put lines in": (CLASSES, ["@@ def f(self):", "+        pass"], "lines 3, 7\\."),
    "wrong kept line": (FIVE, ["@@", " one", "-TWO", "+x"], "not in the file\\. Line 2 of the file is 'two', not 'TWO'\\. Most like them:\n1 \\| one\n2 \\| two"),
    "part of a line": ("abc\n", ["@@", "-b"], "not in the file"),
    "uneven shift": ("  a\n    b\n", ["@@", " a", "-b"], "not in the file"),
    "a shift the new line cannot follow": ("a\n", ["@@", "-  a", "+b"], "stand at line 1 with less indentation"),
    "no such line": (FIVE, ["@@ six", "-one"], "line of its @@ is not in the file: six"),
    "no such line behind the other": ("b\na\nv\n", ["@@ a", "@@ b", "-v"], "line of its @@ is not in the file: b"),
    "only before the line": ("v\na\n", ["@@ a", "-v"], "stand at line 1, which is not behind the line of its @@"),
    "not at the end": (FIVE, ["@@", "-one", "*** End of File"], "stand at line 1, which is not at the end of the file"),
    "only new lines below one of several blank ones": ("\na\n\n", ["@@", "", "+x"], "its lines stand at lines 1, 3\\. Add"),
    "only new lines at a number": (FIVE, ["@@ -2,3 +2,4 @@", "+x"], "names no line"),
    "only new lines at no number": (FIVE, ["@@ -9,0 +9,1 @@", "+x"], "names no line"),
    "the same line twice": (FIVE, ["@@", "-one", "+1", "@@", "-one", "-two"], "line 6 .*changes lines that the one at line 3 ch"),
    "more hunks than places": ("v\nv\n", ["@@", "-v", "@@", "-v", "@@", "-v"], "lines 1, 2\\."),
    "an empty file": ("", ["@@", "-a"], "not in the file"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "lines", "fault"), REFUSED.values(), ids=REFUSED)
def test_hunk_without_one_place_is_refused(text: str, lines: list[str], fault: str) -> None:
    with pytest.raises(Refusal, match=fault):
        applied(text, *lines)


def test_all_hunks_without_a_place_are_told_at_once() -> None:
    with pytest.raises(Refusal) as refused:
        applied(FIVE, "@@", "-1", "@@", "-two", "@@", "-3", may_quote=False)

    told = "The hunk at line {} of the patch: its lines that stay or go are not in the file."
    assert str(refused.value) == f"{told.format(3)}\n{told.format(7)}"


def test_what_a_hunk_costs_is_bounded() -> None:
    with pytest.raises(Refusal) as refused:
        applied("a long line of words\n" * 100, "@@", *["-a long line of letters"] * 100)

    assert len(str(refused.value)) <= FAULT_LIMIT
    with pytest.raises(Refusal) as refused:
        applied(f"{'word ' * 100}\n" * 9, "@@", *["-word, word"] * 9)

    assert len(str(refused.value)) == FAULT_LIMIT


def miss_in_numbered_lines(count: int) -> None:
    text = "".join(f"line {number}\n" for number in range(count))
    middle = count // 2
    context = [f" line {number}" for number in range(middle + 1, middle + 20)]
    with pytest.raises(Refusal):
        applied(text, f"@@ line {middle}", *context, "-lone 5020", "+x")


def many_hunks_of_repetitive_lines(count: int) -> None:
    lines = [line for _ in range(50) for line in ("@@", " a", "-b", "+c")]
    with pytest.raises(Refusal, match="its lines stand at"):
        applied("a\nb\n" * count, *lines)


@pytest.mark.parametrize("work", [miss_in_numbered_lines, many_hunks_of_repetitive_lines])
def test_hunks_cost_in_proportion_to_the_file(work: Callable[[int], None]) -> None:
    assert cpu_seconds(lambda: work(10_000)) < 30 * cpu_seconds(lambda: work(1_000))


def hunk_of_all(before: list[str], after: list[str]) -> list[str]:
    lines = ["@@"]
    for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [f" {line}" for line in before[start:end]]
        else:
            lines += [f"-{line}" for line in before[start:end]] + [f"+{line}" for line in after[new_start:new_end]]
    return lines


LINES = st.lists(
    st.sampled_from(["", " ", "a", "  a", "b", "@@", "*** End Patch", "-", "+x", "\u201ca\u201d"]), max_size=9
)


@given(LINES, LINES.filter(bool))
def test_hunk_of_the_whole_text_makes_it_the_other(before: list[str], after: list[str]) -> None:
    changed = applied("".join(f"{line}\n" for line in before), *hunk_of_all(before, after))

    assert changed == "".join(f"{line}\n" for line in after)


@given(st.lists(st.integers(0, 30), unique=True), st.sets(st.integers(0, 30)), st.integers(1, 3))
def test_hunks_between_unique_lines_change_just_these(numbers: list[int], wanted: set[int], context: int) -> None:
    before = [f"line {number}" for number in numbers]
    hunks = ["@@", ""]
    for index in (index for index, number in enumerate(numbers) if number in wanted):
        above = [f" {line}" for line in before[max(0, index - context) : index]]
        hunks += ["@@", *above, f"-{before[index]}", "+new"]

    after = applied("\n".join(before), *hunks)

    assert after == "\n".join("new" if number in wanted else f"line {number}" for number in numbers)
