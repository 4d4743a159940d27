import os
from dataclasses import replace
from pathlib import Path

import pytest
from workspace_editor import FakeEditor
from workspace_garden import ALL, TEN, Garden

from agent_lsp.domain.documents import DocumentEdit
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Applied, AppliedFile, FileEdit, NotApplied, Selection
from agent_lsp.workspace.applying import ClosedFiles


async def test_change_says_what_is_to_happen(garden: Garden) -> None:
    place = garden.files.locate("src/a b.txt", "write")

    proposal = await garden.files.propose([FileEdit(place, None, "one\ntwo\n")])

    (change,) = proposal.changes
    assert (change.uri, change.path, change.kind) == (place.uri, "src/a b.txt", "create")
    assert (change.added, change.removed, change.version) == (2, 0, None)
    assert (change.before, change.after) == (None, "one\ntwo\n")
    assert change.diff.endswith("+++ b/src/a b.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n")
    assert change.preview_uri.removeprefix("agent-preview:/").partition("/")[2] == "src/a%20b.txt"


async def test_same_proposal_has_the_same_previews_and_another_has_others(garden: Garden) -> None:
    (garden.root / "a.txt").write_text(TEN)

    uris = [(await garden.propose({"a.txt": text})).changes[0].preview_uri for text in ("x\n", "x\n", "y\n")]

    assert uris[0] == uris[1] != uris[2]


async def test_change_of_an_open_document_has_its_version_and_address(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "a.txt").write_text("a\n")
    uri = editor.open(garden.root / "a.txt", uri=f"file://{garden.root}/%61.txt")
    editor.type(uri, "typed\n")

    (change,) = (await garden.propose({"a.txt": "new\n"})).changes

    assert (change.uri, change.version, change.before) == (uri, 2, "typed\n")


async def test_one_file_twice_in_an_edit_is_refused(garden: Garden) -> None:
    edit = await garden.edit("a.txt", "x")

    with pytest.raises(FileProblem, match=r"a\.txt is changed twice in one edit"):
        await garden.files.propose([edit, edit])


async def test_closed_files_are_changed_on_disk(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "a.txt").write_text("old\n")
    (garden.root / "gone.txt").write_text("old\n")

    outcome = await garden.make({"a.txt": "new\n", "gone.txt": None, "x/y/b.txt": "made\n"})

    assert outcome == Applied(
        (
            AppliedFile("a.txt", "new\n", is_open=False),
            AppliedFile("gone.txt", None, is_open=False),
            AppliedFile("x/y/b.txt", "made\n", is_open=False),
        )
    )
    assert garden.tree() == {"a.txt": "new\n", "x/y/b.txt": "made\n"}
    assert editor.requests == []


CONTENTS = {
    "returns": (b"a\r\nb\r\n", "a\nnew\nb\n", b"a\r\nnew\r\nb\r\n"),
    "mixed endings": (b"a\nb\r\nc\r\n", "a\nb\nnew\nc\n", b"a\nb\r\nnew\r\nc\r\n"),
    "no final newline": (b"a\nb", "a\nB", b"a\nB"),
    "a mark": (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
    "utf-16": (b"\xff\xfea\x00\n\x00", "b\n", b"\xff\xfeb\x00\n\x00"),
    "latin-1": (b"bl\xe9\nx\n", "blé\ny\n", b"bl\xe9\ny\n"),
}


@pytest.mark.parametrize(("before", "after", "expected"), CONTENTS.values(), ids=CONTENTS)
async def test_encoding_and_endings_stay(before: bytes, after: str, expected: bytes, garden: Garden) -> None:
    (garden.root / "a.txt").write_bytes(before)

    await garden.make({"a.txt": after})

    assert (garden.root / "a.txt").read_bytes() == expected


async def test_what_the_encoding_cannot_hold_is_not_even_proposed(garden: Garden) -> None:
    (garden.root / "a.txt").write_bytes(b"bl\xe9\n")

    with pytest.raises(FileProblem, match=r"a\.txt is encoded as latin-1, which cannot hold '\\u20ac'"):
        await garden.propose({"a.txt": "5 €\n"})


async def test_what_the_encoding_cannot_hold_of_the_users_own_words_is_not_written(garden: Garden) -> None:
    (garden.root / "a.txt").write_bytes(b"bl\xe9\n")
    proposal = await garden.propose({"a.txt": "5\n"})
    [change] = proposal.changes

    outcome = await garden.files.apply(proposal, Selection(edited={change.uri: "5 €\n"}))

    assert isinstance(outcome, NotApplied)
    assert outcome.reason.startswith(r"a.txt is encoded as latin-1, which cannot hold '\u20ac'")
    assert (garden.root / "a.txt").read_bytes() == b"bl\xe9\n"


async def test_what_the_file_behind_a_document_cannot_hold_is_not_even_proposed(
    garden: Garden, editor: FakeEditor
) -> None:
    path = garden.root / "a.txt"
    uri = editor.open(path, "blé\n")
    path.write_bytes("blé\n".encode("latin-1"))

    with pytest.raises(FileProblem, match=r"a\.txt is encoded as latin-1, which cannot hold '\\u20ac'"):
        await garden.propose({"a.txt": "blé €\n"})

    # Its letters show that the editor reads the file in another encoding, which may well hold more.
    editor.type(uri, "bl\N{REPLACEMENT CHARACTER}\n")
    assert (await garden.propose({"a.txt": "blé €\n"})).changes[0].kind == "edit"


async def test_link_inside_stays_and_its_target_is_changed(garden: Garden) -> None:
    (garden.root / "a.txt").write_text("old\n")
    (garden.root / "link").symlink_to("a.txt")

    await garden.make({"link": "new\n"})

    assert (garden.root / "link").is_symlink()
    assert (garden.root / "a.txt").read_text() == "new\n"


@pytest.mark.parametrize("move_to", [None, "b.txt"])
async def test_file_that_is_open_by_a_link_is_not_taken_for_the_link(
    garden: Garden, editor: FakeEditor, move_to: str | None
) -> None:
    (garden.root / "a.txt").write_text("old\n")
    (garden.root / "link").symlink_to("a.txt")
    editor.open(garden.root / "link")
    edit = await garden.edit("a.txt", "old\n" if move_to else None, move_to=move_to)

    outcome = await garden.files.apply(await garden.files.propose([edit]), ALL)

    assert outcome == NotApplied("a.txt is open in the editor by a link to it; close it there.")
    assert (editor.requests, garden.tree()) == ([], {"a.txt": "old\n", "link": "old\n"})


async def test_other_name_of_an_open_file_is_not_taken_for_it(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "a.txt").write_text("old\n")
    os.link(garden.root / "a.txt", garden.root / "other")
    editor.open(garden.root / "a.txt", "unsaved\n")

    read = await garden.files.read(garden.files.locate("other", "read"))

    assert (read.text, read.is_open) == ("old\n", False)


async def test_open_document_is_changed_in_the_editor_alone(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "a.txt").write_text("old\n")
    uri = editor.open(garden.root / "a.txt", "unsaved\n")

    outcome = await garden.make({"a.txt": "unsaved\nnew\n"})

    assert outcome == Applied((AppliedFile("a.txt", "unsaved\nnew\n", is_open=True),))
    assert editor.requests == [(DocumentEdit(uri, "edit", "unsaved\n", "unsaved\nnew\n", 1),)]
    assert garden.tree() == {"a.txt": "old\n"}


async def test_document_that_is_unchanged_under_a_new_version_is_changed(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", "old\n")
    proposal = await garden.propose({"a.txt": "new\n"})
    editor.type(uri, "older\n")
    editor.type(uri, "old\n")

    await garden.files.apply(proposal, ALL)

    assert editor.text(uri) == "new\n"


async def test_several_files_are_one_request_to_the_editor(garden: Garden, editor: FakeEditor) -> None:
    editor.saves_closed = True
    uri = editor.open(garden.root / "a.txt", "old\n")
    (garden.root / "b.txt").write_text("old\n")
    latin, mixed = b"bl\xe9\n", b"a\r\nb\n"
    (garden.root / "latin.txt").write_bytes(latin)
    (garden.root / "mixed.txt").write_bytes(mixed)

    await garden.make({"a.txt": "A\n", "b.txt": "B\n", "x/c.txt": "C\n", "latin.txt": "bl\n", "mixed.txt": "a\nB\n"})

    (edits,) = editor.requests
    assert [(edit.kind, edit.version) for edit in edits] == [("edit", 1), ("edit", None), ("create", None)]
    assert editor.get(uri) is not None
    assert garden.tree() == {"b.txt": "B\n", "latin.txt": "bl\n", "mixed.txt": "a\r\nB\n", "x/c.txt": "C\n"}


@pytest.mark.parametrize(
    ("closed_files", "saves_closed", "takes_edits", "goes_to_editor"),
    [
        ("auto", True, True, True),
        ("auto", False, True, False),
        ("auto", True, False, False),
        ("disk", True, True, False),
        ("editor", False, True, True),
        ("editor", True, False, False),
    ],
)
async def test_setting_says_where_closed_files_are_changed(
    closed_files: ClosedFiles, saves_closed: bool, takes_edits: bool, goes_to_editor: bool, root: Path
) -> None:
    editor = FakeEditor(takes_edits=takes_edits, saves_closed=saves_closed)
    (root / "a.txt").write_text("old\n")

    outcome = await Garden(root, editor, closed_files).make({"a.txt": "new\n"})

    assert isinstance(outcome, Applied)
    assert bool(editor.requests) is goes_to_editor
    assert (root / "a.txt").read_text() == "new\n"


async def test_open_document_is_left_alone_by_an_editor_that_takes_no_edits(garden: Garden, editor: FakeEditor) -> None:
    editor.takes_edits = False
    uri = editor.open(garden.root / "a.txt", "old\n")

    outcome = await garden.make({"a.txt": "new\n"})

    reason = "a.txt is open in an editor that takes no edits; close it there."
    assert (outcome, editor.text(uri)) == (NotApplied(reason), "old\n")


async def test_renamed_file_keeps_its_mode_and_takes_its_new_text(garden: Garden) -> None:
    (garden.root / "a.sh").write_text("old\n")
    (garden.root / "a.sh").chmod(0o755)

    proposal = await garden.files.propose([await garden.edit("a.sh", "new\n", move_to="bin/b.sh")])
    outcome = await garden.files.apply(proposal, ALL)

    files = (AppliedFile("a.sh", None, is_open=False), AppliedFile("bin/b.sh", "new\n", is_open=False))
    assert outcome == Applied(files)
    assert garden.tree() == {"bin/b.sh": "new\n"}
    assert (garden.root / "bin" / "b.sh").stat().st_mode & 0o777 == 0o755


async def test_rename_never_takes_the_place_of_another_file(garden: Garden) -> None:
    (garden.root / "a.txt").write_text("old\n")
    proposal = await garden.files.propose([await garden.edit("a.txt", None, move_to="b.txt")])
    (garden.root / "b.txt").write_text("theirs\n")

    assert await garden.files.apply(proposal, ALL) == NotApplied("b.txt exists already.")
    assert garden.tree() == {"a.txt": "old\n", "b.txt": "theirs\n"}


async def test_open_document_is_renamed_by_the_editor(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", "old\n")
    proposal = await garden.files.propose([await garden.edit("a.txt", "new\n", move_to="b.txt")])

    await garden.files.apply(proposal, ALL)

    new_uri = (garden.root / "b.txt").as_uri()
    assert editor.requests == [(DocumentEdit(uri, "rename", "old\n", "new\n", 1, new_uri),)]
    assert [place.path for place in await garden.files.save_edited()] == []
    assert garden.tree() == {"b.txt": "new\n"}


async def test_edited_documents_are_saved_when_the_disk_is_needed(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "a.txt").write_text("old\n")
    editor.open(garden.root / "a.txt")
    editor.open(garden.root / "theirs.txt", "unsaved, not the agent's\n")
    await garden.make({"a.txt": "new\n"})

    assert await garden.files.save_edited() == ()
    assert garden.tree() == {"a.txt": "new\n"}


async def test_documents_that_stay_unsaved_are_named_until_they_are_saved(garden: Garden, editor: FakeEditor) -> None:
    editor.saves = False
    editor.open(garden.root / "a.txt", "old\n")
    await garden.make({"a.txt": "new\n"})

    unsaved = await garden.files.save_edited()
    assert [place.path for place in unsaved] == ["a.txt"]

    await garden.files.until_saved(unsaved)
    assert (await garden.files.save_edited(), garden.tree()) == ((), {"a.txt": "new\n"})


async def test_place_that_was_not_judged_for_this_use_is_not_written(garden: Garden) -> None:
    place = replace(garden.files.locate("a.txt", "write"), problem="There is no such drive.")

    outcome = await garden.files.apply(await garden.files.propose([FileEdit(place, None, "x")]), ALL)

    assert outcome == NotApplied("There is no such drive.")
