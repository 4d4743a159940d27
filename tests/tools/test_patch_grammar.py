"""What the lines of a patch mean, and how a patch that breaks the grammar is refused."""

import pytest

from agent_lsp.tools.matching.patches import (
    AddedFile,
    DeletedFile,
    FilePatch,
    PatchHunk,
    PatchLine,
    UpdatedFile,
    parse_patch,
)
from agent_lsp.tools.matching.revision import Malformed


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def kept(text: str) -> PatchLine:
    return PatchLine(" ", text)


def bare(text: str) -> PatchLine:
    return PatchLine(" ", text, is_bare=True)


def gone(text: str) -> PatchLine:
    return PatchLine("-", text)


def new(text: str) -> PatchLine:
    return PatchLine("+", text)


FILES: dict[str, tuple[str, FilePatch]] = {
    "an added file": (patch("*** Add File: a/b c.txt", "+one", "+", "+ two"), AddedFile("a/b c.txt", "one\n\n two\n")),
    "an empty added file": (patch("*** Add File: a.txt"), AddedFile("a.txt", "")),
    "blank lines that lost their plus": (
        patch("*** Add File: a", "", "+x", "", " ", "+y", ""),
        AddedFile("a", "\nx\n\n\ny\n"),
    ),
    "an added file with a useless end": (patch("*** Add File: a", "+x", "*** End of File"), AddedFile("a", "x\n")),
    "a deleted file": (patch("*** Delete File: a.txt  ", ""), DeletedFile("a.txt")),
    "headers in another case": (patch("*** delete file:a.txt"), DeletedFile("a.txt")),
    "a moved file": (patch("*** Update File: a", "*** Move to: b"), UpdatedFile("a", (), "b")),
    "carriage returns": ("*** Begin Patch\r\n*** Add File: a\r\n+x\r\n*** End Patch\r\n", AddedFile("a", "x\n")),
    "a here-document": ("apply_patch <<'EOF'\n" + patch("*** Delete File: a") + "\nEOF\n", DeletedFile("a")),
    "a fence and prose": ("Now:\n```diff\n" + patch("*** Delete File: a") + "\n```\n*** done", DeletedFile("a")),
}


@pytest.mark.parametrize(("text", "file"), FILES.values(), ids=FILES)
def test_one_file_is_read(text: str, file: FilePatch) -> None:
    assert parse_patch(text) == (file,)


HUNKS: dict[str, tuple[list[str], list[PatchHunk]]] = {
    "one": (["@@", " a", "-b", "+c"], [PatchHunk(3, (kept("a"), gone("b"), new("c")))]),
    "without its @@": (["-b", "+c"], [PatchHunk(3, (gone("b"), new("c")))]),
    "two": (["@@", "-a", "@@", "-b"], [PatchHunk(3, (gone("a"),)), PatchHunk(5, (gone("b"),))]),
    "below a line": (["@@ def f(x):  ", "-a"], [PatchHunk(3, (gone("a"),), ("def f(x):",))]),
    "below an indented line": (["@@     def f(x):", "-a"], [PatchHunk(3, (gone("a"),), ("    def f(x):",))]),
    "below two lines": (["@@ class A:", "@@ def f():", "-a"], [PatchHunk(3, (gone("a"),), ("class A:", "def f():"))]),
    "below a line closed by @@": (["@@ def f(): @@", "-a"], [PatchHunk(3, (gone("a"),), ("def f():",))]),
    "below nothing": (["@@ ... @@", "-a"], [PatchHunk(3, (gone("a"),))]),
    "with numbers": (["@@ -7,2 +7,3 @@ def f():", "-a"], [PatchHunk(3, (gone("a"),), hint=7)]),
    "with short numbers": (["@@ -7 +7 @@", "-a"], [PatchHunk(3, (gone("a"),), hint=7)]),
    "put in by numbers": (["@@ -7,0 +8,1 @@", "+a"], [PatchHunk(3, (new("a"),), hint=7, insert_at=8)]),
    "at the end": (["@@", "-a", "*** End of File"], [PatchHunk(3, (gone("a"),), is_at_end=True)]),
    "blank lines around": (["", "@@", "", "-a", ""], [PatchHunk(4, (bare(""), gone("a"), bare("")))]),
    "lines that lost their blank": (["@@", "def f():", "\ta", "-b"], [PatchHunk(3, (bare("def f():"), bare("\ta"), gone("b")))]),
    "headers of a unified diff": (["--- a/f.txt", "+++ b/f.txt", "@@", "-a"], [PatchHunk(5, (gone("a"),))]),
    "lines like headers of a diff": (["--- a", "+++ b"], [PatchHunk(3, (gone("-- a"), new("++ b")))]),
    "remark of a diff": (["@@", "-a", "\\ No newline at end of file", "+b"], [PatchHunk(3, (gone("a"), new("b")))]),
    "an empty one behind": (["@@", "-a", "@@"], [PatchHunk(3, (gone("a"),))]),
    "stars as text": (["@@", " *** End Patch", "+*** Add File: x", "***"], [PatchHunk(3, (kept("*** End Patch"), new("*** Add File: x"), bare("***")))]),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "hunks"), HUNKS.values(), ids=HUNKS)
def test_hunks_are_read(lines: list[str], hunks: list[PatchHunk]) -> None:
    text = patch("*** Update File: f.txt", *lines)

    assert parse_patch(text) == (UpdatedFile("f.txt", (tuple(hunks),)),)


def test_files_come_in_their_order_and_sections_of_one_file_together() -> None:
    text = patch(
        *("*** Update File: a", "-1", "*** Add File: b", "+x"),
        *("*** Update File: a", "*** Move to: d", "-2", "*** Delete File: c"),
    )

    updated = UpdatedFile("a", ((PatchHunk(3, (gone("1"),)),), (PatchHunk(8, (gone("2"),)),)), "d")
    assert parse_patch(text) == (updated, AddedFile("b", "x\n"), DeletedFile("c"))


def test_two_patches_in_one_are_read_as_one() -> None:
    text = patch("*** Delete File: a") + "\n\n" + patch("*** Delete File: b")

    assert parse_patch(text) == (DeletedFile("a"), DeletedFile("b"))


MALFORMED = {
    "nothing": ("", "no line \\*\\*\\* Begin Patch"),
    "prose": ("Change a to b.", "no line \\*\\*\\* Begin Patch"),
    "no begin": ("*** Delete File: a\n*** End Patch", "Line 1 of the patch: .*Begin Patch is missing"),
    "no end": ("\n*** Begin Patch\n*** Delete File: a", "begins at line 2 has no line \\*\\*\\* End Patch"),
    "something behind the end": (patch("*** Delete File: a") + "\n*** Delete File: b", "Line 4 .*Begin Patch is miss"),
    "two begins": (patch("*** Begin Patch"), "Line 2 .*second \\*\\*\\* Begin Patch"),
    "no file": (patch(""), "names no file"),
    "no path": (patch("*** Add File: "), "Line 2 .*path is missing"),
    "an unknown header": (patch("*** Create File: a", "+x"), "Line 2 .*Create File: a is no header.*Add File"),
    "a line of no file": (patch("+x"), "Line 2 .*'\\+x' belongs to no file"),
    "a line below a deleted file": (patch("*** Delete File: a", "-x"), "Line 3 .*belongs to no file"),
    "no plus": (patch("*** Add File: a", "+x", "y"), "Line 4 .*begins with \\+"),
    "no hunk": (patch("*** Update File: a", "", "*** Delete File: b"), "Line 2 .*nothing would change"),
    "a place without lines": (patch("*** Update File: a", "-a", "@@ b"), "Line 4 .*no lines follow"),
    "only a place": (patch("*** Update File: a", "@@ b"), "Line 2 .*nothing would change"),
    "a late move": (patch("*** Update File: a", "-a", "*** Move to: b"), "Line 4 .*right below"),
    "a second move": (patch("*** Update File: a", "*** Move to: b", "*** Move to: c"), "Line 4 .*once"),
    "a move to nowhere": (patch("*** Update File: a", "*** Move to:"), "Line 3 .*right below"),
    "an added file moved": (patch("*** Add File: a", "*** Move to: b"), "Line 3 .*right below"),
    "an end of no hunk": (patch("*** Update File: a", "*** End of File"), "Line 3 .*below the lines of a hunk"),
    "an end of a deleted file": (patch("*** Delete File: a", "*** End of File"), "Line 3 .*below the lines of a hunk"),
    "a file twice": (patch("*** Add File: a", "+x", "*** Update File: a", "-x"), "Line 4 .*a stands in this patch alre"),
    "a moved file again": (patch("*** Update File: a", "*** Move to: b", "*** Update File: a", "-x"), "Line 4 .*already"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "fault"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_patch_is_refused_with_its_line(text: str, fault: str) -> None:
    with pytest.raises(Malformed, match=fault):
        parse_patch(text)
