"""Restores where one file cannot be brought back: the others are, and it is named."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from restoring_site import TASK, Desk, state_of

from agent_lsp.domain.checkpoints import Reason, UnrestoredFile

LINES = "1\n2\n3\n4\n5\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk.at(tmp_path)


def link(path: Path) -> None:
    os.link(path, path.with_name("other-name"))


def protect(path: Path) -> None:
    path.chmod(0o444)


def put_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()
    (path / "own").write_text("the user's\n")


def put_file_above(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.rmdir()
    path.parent.write_text("the user's\n")


CASES = [
    ("changed, linked since", "CHANGED\n", link, "it has other names (hard links), which would be cut off"),
    ("changed, protected since", "CHANGED\n", protect, "it is read-only now; make it writable first"),
    ("deleted, a folder since", None, put_folder, "a folder with other files in it has its name now"),
    ("deleted, its folder a file since", None, put_file_above, "sub is no folder any more"),
]


@pytest.mark.parametrize(("text", "hinder", "reason"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
async def test_file_that_cannot_be_brought_back_is_named_and_the_others_are(
    desk: Desk, text: str | None, hinder: Callable[[Path], None], reason: str
) -> None:
    path, other = desk.write("sub/a", LINES), desk.write("b", LINES)
    start = await desk.take()
    await desk.edit(path, text)
    await desk.edit(other, "other\n")
    hinder(path)
    before = desk.tree()

    plan = await desk.kept.planned(TASK, start)
    done = await desk.kept.restore(TASK, start)

    conflict = UnrestoredFile(path.as_uri(), "sub/a", f"Left as it is: {reason}.")
    assert plan.conflicts == done.conflicts == (conflict,)
    assert desk.tree() == before | {"b": state_of(other)}
    assert other.read_text() == LINES


async def test_file_that_the_agent_made_is_left_in_an_editor_that_deletes_none(desk: Desk) -> None:
    other, start = desk.write("b", LINES), await desk.take()
    await desk.edit(desk.root / "made", "m\n")
    await desk.edit(other, "other\n")
    desk.editor.show(desk.root / "made", "m\n", is_dirty=False)
    desk.editor.deletes = False

    done = await desk.kept.restore(TASK, start)

    reason = "Left as it is: it is open in your editor, which cannot delete it; close it there first."
    assert [(conflict.path, conflict.reason) for conflict in done.conflicts] == [("made", reason)]
    assert (other.read_text(), desk.editor.text(desk.root / "made")) == (LINES, "m\n")


async def test_open_document_that_the_user_linked_since_does_not_keep_others_from_a_restore(desk: Desk) -> None:
    path, other = desk.write("a", LINES), desk.write("b", LINES)
    start = await desk.take()
    await desk.edit(path, "other\n")
    await desk.edit(other, "other\n")
    desk.editor.show(path, "other\n", is_dirty=False)
    link(path)

    done = await desk.kept.restore(TASK, start)

    assert [conflict.path for conflict in done.conflicts] == ["a"]
    assert (desk.editor.text(path), other.read_text()) == ("other\n", LINES)


async def test_what_a_command_protected_and_linked_is_taken_back_and_forth(desk: Desk) -> None:
    path = desk.write("a", LINES)
    before = desk.tree()
    start = await desk.kept.take(TASK, Reason.COMMAND)
    path.write_text("other\n")
    path.chmod(0o444)
    os.link(path, desk.root / "name")
    desk.write("made", "m").chmod(0o400)
    await desk.kept.note_changes_since(TASK, start)
    after = desk.tree()

    done = await desk.kept.restore(TASK, start.id)
    assert (desk.tree(), done.conflicts) == (before, ())
    await desk.kept.restore(TASK, done.undo or "")
    assert desk.tree() == after


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_text("small")])
async def test_what_no_checkpoint_keeps_is_named_where_a_command_did_away_with_it(
    desk: Desk, change: Callable[[Path], object]
) -> None:
    large, other = desk.write("large", b"a" * 5_000_001), desk.write("b", LINES)
    desk.write("untouched", b"a" * 5_000_001)
    for name in ("__pycache__/c", "node_modules/d"):
        desk.write(name, "made anew")
    start = await desk.kept.take(TASK, Reason.COMMAND)
    change(large)
    other.unlink()
    for name in ("__pycache__", "node_modules"):
        shutil.rmtree(desk.root / name)
    await desk.kept.note_changes_since(TASK, start)

    plan, done = await desk.kept.planned(TASK, start.id), await desk.kept.restore(TASK, start.id)

    reason = "Left as it is: no checkpoint keeps it, and the agent changed or deleted it."
    assert plan.conflicts == done.conflicts == (UnrestoredFile(large.as_uri(), "large", reason),)
    assert other.read_text() == LINES
    large.write_bytes(b"a" * 5_000_001)
    assert (await desk.kept.planned(TASK, start.id)).conflicts == ()


@pytest.mark.parametrize("mode", [0o444, 0o600])
@pytest.mark.parametrize("text", [LINES, "other\n"])
async def test_permissions_of_an_open_document_are_taken_back_and_forth(desk: Desk, mode: int, text: str) -> None:
    path = desk.write("a", LINES)
    start = await desk.kept.take(TASK, Reason.COMMAND)
    path.write_text(text)
    path.chmod(mode)
    await desk.kept.note_changes_since(TASK, start)
    desk.editor.show(path, text, is_dirty=False)

    done = await desk.kept.restore(TASK, start.id)
    desk.editor.save_all()
    modes = [path.stat().st_mode & 0o777]
    undone = await desk.kept.restore(TASK, done.undo or "")

    assert (modes, path.stat().st_mode & 0o777, undone.conflicts) == ([0o644], mode, ())
    assert desk.editor.text(path) == text


async def test_permissions_that_the_user_gave_since_stay(desk: Desk) -> None:
    path, merged = desk.write("a", LINES), desk.write("b", LINES)
    start = await desk.take()
    await desk.edit(path, "other\n")
    await desk.edit(merged, "ONE\n2\n3\n4\n5\n")
    path.chmod(0o755)
    merged.chmod(0o755)
    merged.write_text("ONE\n2\n3\n4\n5\n6\n")

    await desk.kept.restore(TASK, start)

    assert (path.read_text(), merged.read_text()) == (LINES, LINES + "6\n")
    assert [each.stat().st_mode & 0o777 for each in (path, merged)] == [0o755, 0o755]


async def test_folders_go_with_the_last_file_of_the_agents_in_them(desk: Desk) -> None:
    for name in ("empty", "own"):
        (desk.root / name).mkdir()
    start = await desk.take()
    for name in ("new/deep/a", "empty/b", "own/c"):
        await desk.edit(desk.root / name, "x\n")
    desk.write("own/mine", "the user's\n")
    await desk.edit(desk.root / "passing/d", "x\n")
    await desk.edit(desk.root / "passing/d", None)

    done = await desk.kept.restore(TASK, start)

    assert sorted(path.name for path in desk.root.rglob("*")) == ["empty", "mine", "own"]
    await desk.kept.restore(TASK, done.undo or "")
    assert (desk.root / "new/deep/a").read_text() == "x\n"


async def test_hard_link_that_a_command_made_of_an_open_document_is_taken_back_and_not_the_document(desk: Desk) -> None:
    path = desk.write("a", LINES)
    desk.editor.show(path, LINES, is_dirty=False)
    start = await desk.kept.take(TASK, Reason.COMMAND)
    os.link(path, desk.root / "name")
    await desk.kept.note_changes_since(TASK, start)

    done = await desk.kept.restore(TASK, start.id)

    assert [file.path for file in done.files] == ["name"]
    assert (path.read_text(), desk.editor.text(path), (desk.root / "name").exists()) == (LINES, LINES, False)
