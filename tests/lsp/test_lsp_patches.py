import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.errors import BadParams
from agent_lsp.lsp.patches import patched, patched_files
from agent_lsp.workspace.diffs import plain_diff

BASE = "one\ntwo\nthree\nfour\n"
HEAD = "--- a/x\n+++ b/x\n"
LINES = st.lists(
    st.sampled_from(["a", "b", "", "-- a", "++ b", "@@ x", " c", "\\ d", "é\u2028f", "g\x0ch"]), max_size=12
)


def texts() -> st.SearchStrategy[str]:
    return st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


@given(before=texts(), after=texts())
def test_patching_with_the_difference_gives_the_other_text(before: str, after: str) -> None:
    diff = plain_diff("x", before, after)

    assert not diff or patched(before, diff) == after


@pytest.mark.parametrize(
    ("diff", "after"),
    [
        pytest.param(f"{HEAD}@@ -2 +2 @@\n-two\n+2\n", "one\n2\nthree\nfour\n", id="as it should be"),
        pytest.param("@@ -2 +2 @@\n-two\n+2\n", "one\n2\nthree\nfour\n", id="without a header"),
        pytest.param("@@ -2 +2 @@\n-two\n+2", "one\n2\nthree\nfour\n", id="without a line feed at its end"),
        pytest.param("@@ -2,1 +2,9 @@\n-two\n+2\n+and\n", "one\n2\nand\nthree\nfour\n", id="wrong lengths"),
        pytest.param("@@ -2 +2 @@ def f():\n-two\n+2\n\n\n", "one\n2\nthree\nfour\n", id="blank lines behind it"),
        pytest.param("@@ -0,0 +1 @@\n+zero\n", "zero\n" + BASE, id="before the first line"),
        pytest.param("@@ -4,0 +5 @@\n+five\n", BASE + "five\n", id="behind the last line"),
        pytest.param("@@ -2 +1,0 @@\n-two\n@@ -4 +2,0 @@\n-four\n", "one\nthree\n", id="two hunks"),
        pytest.param("@@ -2 +2 @@\r\n-two\r\n+2\r\n", "one\n2\r\nthree\nfour\n", id="an editor's line endings"),
        pytest.param("@@ -4 +4 @@\n-four\n+4\n\\ No newline at end of file\n", "one\ntwo\nthree\n4", id="no line feed"),
    ],
)
def test_hunks_are_put_where_they_say(diff: str, after: str) -> None:
    assert patched(BASE, diff) == after


def test_a_kept_blank_line_may_have_lost_its_blank() -> None:
    assert patched("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n") == "a\n\nc\n"


def test_lines_behind_the_one_that_had_no_end_stand_apart() -> None:
    assert patched("a", "@@ -1 +1,2 @@\n a\n+b\n") == "a\nb\n"


def test_kept_lines_keep_their_endings() -> None:
    assert patched("a\r\nb\r\nc\r\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n") == "a\r\nB\nc\r\n"


@pytest.mark.parametrize(
    ("diff", "reason"),
    [
        pytest.param("", "exactly one file", id="nothing"),
        pytest.param("do it\n", "exactly one file", id="prose"),
        pytest.param(HEAD, "exactly one file", id="a header alone"),
        pytest.param(f"{HEAD}@@ -1 +1 @@\n-one\n+1\n" * 2, "exactly one file", id="two files"),
        pytest.param("@@ -2 +2 @@\n-zwei\n+2\n", "expects 'zwei', and there it says 'two'", id="another text"),
        pytest.param("@@ -4,2 +4,2 @@\n four\n-five\n", "the text has ended there", id="past the end"),
        pytest.param("@@ -9 +9 @@\n-nine\n", "past the end", id="far past the end"),
        pytest.param("@@ -3 +3 @@\n-three\n@@ -2 +2 @@\n-two\n", "overlaps", id="out of order"),
        pytest.param("@@ -2 +2 @@\n-two\n?2\n", "Line 5 of the diff begins with neither", id="no mark"),
        pytest.param("+++ b/x\n@@ -2 +2 @@\n-two\n", "cannot be read", id="half a header"),
        pytest.param("--- a/x\n@@ -2 +2 @@\n-two\n", "cannot be read", id="the other half"),
    ],
)
def test_a_diff_that_does_not_fit_says_why(diff: str, reason: str) -> None:
    with pytest.raises(BadParams, match=reason):
        patched(BASE, diff)


def test_files_are_told_apart() -> None:
    diff = "A word before.\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+one\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-2\n+two\n"

    assert patched_files({"x": "1\n", "y": "2\n", "z": "3\n"}, diff) == {"x": "one\n", "y": "two\n"}


def test_a_file_that_nobody_asked_about_is_refused() -> None:
    with pytest.raises(BadParams, match="y, which is not among the proposed"):
        patched_files({"x": "1\n"}, "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-2\n+two\n")
