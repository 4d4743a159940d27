import pytest
from hypothesis import given
from hypothesis import strategies as st
from unidiff.patch import PatchSet
from workspace_texts import edited_texts, pairs, texts

from agent_lsp.domain.files import Hunk
from agent_lsp.workspace.diffs import Kind, compare, plain_diff, select_hunks, unified
from agent_lsp.workspace.texts import split_lines

TEN = "".join(f"{number}\n" for number in range(1, 11))
NO_NEWLINE = "\\ No newline at end of file\n"
MANY = "".join(f"line {number}\n" for number in range(1, 41))


def test_diff_reads_like_git_prints_it() -> None:
    after = TEN.replace("5\n", "five\n").replace("10\n", "10\n11")

    diff = plain_diff("src/a.txt", TEN, after)

    assert diff == (
        "diff --git a/src/a.txt b/src/a.txt\n--- a/src/a.txt\n+++ b/src/a.txt\n"
        "@@ -2,9 +2,10 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n+11\n\\ No newline at end of file\n"
    )


HEADERS: dict[str, tuple[Kind, str, str | None, str, str, str]] = {
    "created": (
        "create", "a", None, "", "x\n",
        "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n",
    ),
    "created empty": ("create", "a", None, "", "", "diff --git a/a b/a\nnew file mode 100644\n"),
    "deleted": (
        "delete", "a", None, "x\ny", "",
        (
            "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n"
            "@@ -1,2 +0,0 @@\n-x\n-y\n\\ No newline at end of file\n"
        ),
    ),
    "renamed": ("rename", "a", "b", "x\n", "x\n", "diff --git a/a b/b\nrename from a\nrename to b\n"),
    "renamed and changed": (
        "rename", "a", "b", "x\n", "y\n",
        "diff --git a/a b/b\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n",
    ),
    "newline lost": (
        "edit", "a", None, "x\n", "x",
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n",
    ),
    "outside": (
        "edit", "/etc/x", None, "x\n", "y\n",
        "diff --git a/etc/x b/etc/x\n--- a/etc/x\n+++ b/etc/x\n@@ -1 +1 @@\n-x\n+y\n",
    ),
    "quoted": (
        "edit", 'a"\n', None, "x\n", "y\n",
        'diff --git "a/a\\"\\n" "b/a\\"\\n"\n--- "a/a\\"\\n"\n+++ "b/a\\"\\n"\n@@ -1 +1 @@\n-x\n+y\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "path", "new_path", "before", "after", "diff"), HEADERS.values(), ids=HEADERS)
def test_headers_say_what_kind_of_change_it_is(
    kind: Kind, path: str, new_path: str | None, before: str, after: str, diff: str
) -> None:
    assert unified(kind, path, new_path, compare(path, before, after)) == diff


def test_equal_texts_have_no_diff() -> None:
    assert plain_diff("a", TEN, TEN) == ""


APART = {
    "far apart": (
        MANY.replace("line 5\n", "").replace("line 30\n", "line 30\nnew\n"),
        [("@@ -2,7 +2,6 @@", 2), ("@@ -28,6 +27,7 @@", 28)],
    ),
    "one line between": (
        MANY.replace("line 5\n", "five\n").replace("line 7\n", "seven\n"),
        [("@@ -2,5 +2,5 @@", 2), ("@@ -7,4 +7,4 @@", 7)],
    ),
    "four lines between": (
        MANY.replace("line 5\n", "").replace("line 10\n", "ten\n10\n"),
        [("@@ -2,6 +2,5 @@", 2), ("@@ -8,6 +7,7 @@", 8)],
    ),
    "three of them": (
        MANY.replace("line 5\n", "five\n").replace("line 7\n", "7\n").replace("line 9\n", "9\n"),
        [("@@ -2,5 +2,5 @@", 2), ("@@ -7,2 +7,2 @@", 7), ("@@ -9,4 +9,4 @@", 9)],
    ),
}


@pytest.mark.parametrize(("after", "places"), APART.values(), ids=APART)
def test_changes_with_a_line_between_them_are_hunks_of_their_own(after: str, places: list[tuple[str, int]]) -> None:
    hunks = compare("a", MANY, after).hunks

    assert [(hunk.header, hunk.start_line) for hunk in hunks] == places


@pytest.mark.parametrize("between", ["", "}", "  });", "\n\n", "---"])
def test_what_says_nothing_does_not_part_two_hunks(between: str) -> None:
    before, after = f"a\n{between}\nb\n", f"A\n{between}\nB\n"

    assert len(compare("a", before, after).hunks) == 1


def test_near_hunks_are_printed_together() -> None:
    after = MANY.replace("line 5\n", "five\n").replace("line 12\n", "twelve\n").replace("line 30\n", "thirty\n")

    diff = plain_diff("a", MANY, after)

    assert [line for line in diff.splitlines() if line.startswith("@@")] == ["@@ -2,14 +2,14 @@", "@@ -27,7 +27,7 @@"]


@given(pairs())
def test_hunks_show_no_line_twice_and_none_that_another_changes(pair: tuple[str, str]) -> None:
    before, after = pair
    old = split_lines(before)

    shown = [line[1:] for hunk in compare("a", before, after).hunks for line in hunk.lines if line[0] in " -"]

    lines = iter(line.removesuffix("\n") for line in old)
    assert all(line in lines for line in shown)
    assert len(shown) <= len(old)


def test_added_and_removed_lines_are_counted() -> None:
    difference = compare("a", "1\n2\n3\n", "1\ntwo\n2b\n3\n4\n")

    assert (difference.added, difference.removed) == (3, 1)


def ids(path: str, before: str, after: str) -> tuple[str, ...]:
    return compare(path, before, after).hunk_ids


def test_hunk_keeps_its_id_when_lines_elsewhere_move_it() -> None:
    before, after = MANY, MANY.replace("line 30\n", "thirty\n")

    moved = ids("a", "new\n" + before, "new\n" + after)

    assert moved == ids("a", before, after)


def test_hunk_with_other_context_has_another_id() -> None:
    before, after = MANY, MANY.replace("line 30\n", "thirty\n")
    typed = before.replace("line 29\n", "typed\n"), after.replace("line 29\n", "typed\n")

    assert ids("a", *typed) != ids("a", before, after)


def test_ids_tell_equal_hunks_and_equal_files_apart() -> None:
    before = "a\nb\nc\nd\nx\nd\nc\nb\na\n" * 2
    after = before.replace("x\n", "y\n")

    in_one, in_other = ids("one", before, after), ids("other", before, after)

    assert len({*in_one, *in_other}) == len(in_one) + len(in_other) == 4


@given(pairs())
def test_all_hunks_make_the_new_text_and_none_the_old(pair: tuple[str, str]) -> None:
    before, after = pair
    difference = compare("a", before, after)

    assert select_hunks(difference, frozenset()) == after
    assert select_hunks(difference, frozenset(difference.hunk_ids)) == before


@given(st.data())
def test_hunks_taken_out_leave_their_lines_alone(data: st.DataObject) -> None:
    before = "".join(f"{line}\n" for line in data.draw(st.lists(st.text("ab", max_size=3), max_size=60)))
    difference = compare("a", before, data.draw(edited_texts(before)))
    rejected = frozenset(hunk for hunk in difference.hunk_ids if data.draw(st.booleans()))

    chosen = select_hunks(difference, rejected)

    kept = [group for hunk, group in zip(difference.hunks, difference.groups, strict=True) if hunk.id not in rejected]
    lines = list(difference.before)
    for gap in [gap for group in kept for gap in group][::-1]:
        lines[gap.before_start : gap.before_end] = difference.after[gap.after_start : gap.after_end]
    assert chosen == "".join(lines)


def patched(before: str, diff: str) -> str:
    """Apply a diff by the book, from what a parser of diffs makes of it."""
    lines, result, at = split_lines(before), list[str](), 0
    for hunk in PatchSet(diff)[0]:
        start = hunk.source_start - 1 if hunk.source_length else hunk.source_start
        result += [*lines[at:start], *(line.value for line in hunk if line.line_type in " +")]
        at = start + hunk.source_length
        if "".join(map(str, hunk)).endswith(NO_NEWLINE) and hunk[-2].line_type in " +":
            result[-1] = result[-1].removesuffix("\n")
    return "".join((*result, *lines[at:]))


@given(pairs())
def test_a_parser_of_diffs_reads_back_what_is_meant(pair: tuple[str, str]) -> None:
    # The parser splits at other separators too, and takes a return for the end of a line.
    before, after = (text.translate({ord("\r"): "r", 0x2028: "s", 0x0C: "f"}) for text in pair)
    diff = plain_diff("src/a b.py", before, after)

    files = PatchSet(diff)

    difference = compare("src/a b.py", before, after)
    assert [(file.path, file.added, file.removed) for file in files] == (
        [("src/a b.py", difference.added, difference.removed)] if before != after else []
    )
    assert not diff or patched(before, diff) == after


@given(texts(), texts())
def test_hunk_lines_are_marked(before: str, after: str) -> None:
    hunks: tuple[Hunk, ...] = compare("a", before, after).hunks

    assert all(line[0] in " -+\\" and "\n" not in line for hunk in hunks for line in hunk.lines)
