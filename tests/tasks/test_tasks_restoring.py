import os
import random
import shutil
from pathlib import Path

import pytest
from restoring_site import TASK, Desk, state_of

from agent_lsp.domain.checkpoints import (
    CheckpointDifference,
    FileDifference,
    Reason,
    Restoration,
    RestoredFile,
    UnrestoredFile,
)
from agent_lsp.domain.errors import BadParams, FileProblem, VersionConflict
from support.full_disk import files_of_at_most

LINES = "1\n2\n3\n4\n5\n"
LARGE = "large\n" * 200_000


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk.at(tmp_path)


async def test_files_of_the_agent_are_as_they_were_and_no_others_are_touched(desk: Desk) -> None:
    changed, deleted, mine = desk.write("changed", LINES), desk.write("deleted", "d"), desk.write("mine", "m")
    deleted.chmod(0o600)
    before = desk.tree()
    start = await desk.take()
    await desk.edit(changed, "other")
    await desk.edit(deleted, None)
    await desk.edit(desk.root / "new/made", "n")
    mine.write_text("mine, too")
    own = desk.write("own", "o")

    done = await desk.kept.restore(TASK, start)

    assert done.files == (
        RestoredFile(changed.as_uri(), "changed", "edit", is_merged=False),
        RestoredFile(deleted.as_uri(), "deleted", "create", is_merged=False),
        RestoredFile((desk.root / "new/made").as_uri(), "new/made", "delete", is_merged=False),
    )
    assert desk.tree() == before | {"mine": state_of(mine), "own": state_of(own)}


async def test_dry_run_tells_the_same_and_touches_nothing(desk: Desk) -> None:
    path = desk.write("a", LINES)
    start = await desk.take()
    await desk.edit(path, "other")
    before = desk.tree()

    plan = await desk.kept.planned(TASK, start)

    assert plan == Restoration(
        is_done=False, files=(RestoredFile(path.as_uri(), "a", "edit", is_merged=False),), conflicts=()
    )
    assert desk.tree() == before


async def test_restore_can_itself_be_taken_back(desk: Desk) -> None:
    path = desk.write("a", LINES)
    start = await desk.take()
    await desk.edit(path, "other")
    await desk.edit(desk.root / "new", "n")
    agents = desk.tree()

    done = await desk.kept.restore(TASK, start)
    await desk.kept.restore(TASK, done.undo or "")

    assert desk.tree() == agents


async def test_what_the_user_changed_since_is_kept_in_the_file(desk: Desk) -> None:
    path = desk.write("a", LINES)
    start = await desk.take()
    await desk.edit(path, "ONE\n2\n3\n4\n5\n")
    path.write_text("ONE\n2\n3\n4\n5\nuser\n")

    done = await desk.kept.restore(TASK, start)

    assert path.read_text() == LINES + "user\n"
    assert done.files == (RestoredFile(path.as_uri(), "a", "edit", is_merged=True),)


async def test_file_in_conflict_is_left_alone_and_named(desk: Desk) -> None:
    path, other = desk.write("a", LINES), desk.write("b", "b")
    start = await desk.take()
    await desk.edit(path, "ONE\n2\n3\n4\n5\n")
    await desk.edit(other, "B")
    path.write_text("uno\n2\n3\n4\n5\n")

    done = await desk.kept.restore(TASK, start)

    assert done.conflicts == (UnrestoredFile(path.as_uri(), "a", "Left as it is: you changed the same lines since."),)
    assert (path.read_text(), other.read_text()) == ("uno\n2\n3\n4\n5\n", "b")


async def test_what_a_restore_cannot_read_or_write_is_named_from_its_root(desk: Desk) -> None:
    path, large = desk.write("d/a", "a"), desk.write("d/b", LARGE)
    start = await desk.take()
    await desk.edit(path, "A")
    await desk.edit(large, "B")
    path.unlink()
    os.mkfifo(path)

    plan = await desk.kept.planned(TASK, start)

    reason = "Left as it is: d/a is a pipe, a socket or a device, which is not read."
    assert plan.conflicts == (UnrestoredFile(path.as_uri(), "d/a", reason),)
    with files_of_at_most(len(LARGE) // 2), pytest.raises(FileProblem, match=r"^d/b cannot be used"):
        await desk.kept.restore(TASK, start)


async def test_open_document_is_restored_in_the_editor_with_the_users_typing(desk: Desk) -> None:
    path = desk.write("a", "ONE\n2\n3\n4\n5\n")
    await desk.take()
    path.write_text(LINES)
    start = await desk.take()
    await desk.edit(path, "ONE\n2\n3\n4\n5\n")
    desk.editor.show(path, "ONE\n2\n3\n4\n5\ntyping")

    await desk.kept.restore(TASK, start)

    assert desk.editor.text(path) == LINES + "typing"
    assert path.read_text() == "ONE\n2\n3\n4\n5\n"


async def test_editor_that_refuses_leaves_all_files_as_they_were(desk: Desk) -> None:
    path, other = desk.write("a", LINES), desk.write("b", "b")
    start = await desk.take()
    await desk.edit(path, "ONE\n2\n3\n4\n5\n")
    await desk.edit(other, "B")
    desk.editor.show(path, "ONE\n2\n3\n4\n5\n")
    desk.editor.refuses = True
    before = desk.tree()

    with pytest.raises(VersionConflict, match=r"^Nothing was restored: no Try it again.$"):
        await desk.kept.restore(TASK, start)
    assert desk.tree() == before


async def test_disk_is_brought_back_to_what_a_clean_document_still_shows(desk: Desk) -> None:
    path = desk.write("a", LINES)
    desk.editor.show(path, LINES, is_dirty=False)
    start = await desk.take()
    await desk.edit(path, None)

    await desk.kept.restore(TASK, start)

    assert (path.read_text(), desk.editor.text(path)) == (LINES, LINES)


async def test_document_that_shows_neither_is_left_to_the_user(desk: Desk) -> None:
    path = desk.write("a", LINES)
    start = await desk.take()
    await desk.edit(path, "other")
    desk.editor.show(path, "something else", is_dirty=False)

    done = await desk.kept.restore(TASK, start)

    assert [conflict.path for conflict in done.conflicts] == ["a"]
    assert path.read_text() == "other"


async def test_file_that_cannot_be_written_leaves_all_as_they_were(desk: Desk) -> None:
    first, second = desk.write("a", "a"), desk.write("b", LARGE)
    start = await desk.take()
    await desk.edit(first, "A")
    await desk.edit(second, "B")
    before = desk.tree()

    with files_of_at_most(len(LARGE) // 2), pytest.raises(FileProblem, match="b cannot be used"):
        await desk.kept.restore(TASK, start)
    assert desk.tree() == before


async def test_command_is_taken_back_in_all_files_links_and_permissions(desk: Desk) -> None:
    for name in ("a", "sub/b", "script", "gone/deep/c"):
        desk.write(name, name)
    (desk.root / "script").chmod(0o755)
    (desk.root / "link").symlink_to("a")
    before = desk.tree()
    start = await desk.kept.take(TASK, Reason.COMMAND)
    (desk.root / "script").chmod(0o600)
    (desk.root / "link").unlink()
    (desk.root / "link").write_text("a file now")
    (desk.root / "a").unlink()
    desk.write("a/inner", "folder now")
    shutil.rmtree(desk.root / "gone")
    (desk.root / "gone").symlink_to("nowhere")
    await desk.kept.note_changes_since(TASK, start)

    done = await desk.kept.restore(TASK, start.id)

    assert desk.tree() == before
    assert done.conflicts == ()


@pytest.mark.parametrize("seed", range(25))
async def test_random_deeds_are_taken_back_to_the_byte(desk: Desk, seed: int) -> None:
    chance = random.Random(seed)
    names = ["a", "b c", "d/e", "d/f", "ü", 'q"\\', "-x", "d.txt", "line\nfeed"]
    for name in names[: chance.randint(1, 9)]:
        desk.write(name, chance.randbytes(chance.randint(0, 40)))
    before = desk.tree()
    start = await desk.kept.take(TASK, Reason.COMMAND)
    last = start
    for _ in range(chance.randint(1, 3)):
        for _ in range(chance.randint(1, 6)):
            play(desk, chance, names)
        await desk.kept.note_changes_since(TASK, last)
        last = await desk.kept.take(TASK, Reason.COMMAND)
    after = desk.tree()

    done = await desk.kept.restore(TASK, start.id)
    assert desk.tree() == before
    await desk.kept.restore(TASK, done.undo or "")
    assert desk.tree() == after


def play(desk: Desk, chance: random.Random, names: list[str]) -> None:
    path = desk.root / chance.choice(names)
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    match chance.randrange(5):
        case 0:
            path.symlink_to(chance.choice(["a", "../outside", "d"]))
        case 1:
            path.write_bytes(b"x")
            path.chmod(chance.choice([0o600, 0o755, 0o640, 0o400]))
        case 2 | 3:
            path.write_text("\n".join(chance.choices("abc", k=5)))
        case _:
            pass


async def test_unknown_checkpoint_is_refused(desk: Desk) -> None:
    await desk.take()

    with pytest.raises(BadParams, match="agent/checkpoints"):
        await desk.kept.restore(TASK, "f" * 40)
    with pytest.raises(BadParams, match="agent/checkpoints"):
        await desk.kept.difference(TASK, "f" * 40, None)


async def test_difference_shows_texts_as_the_editor_did(desk: Desk) -> None:
    path, binary = desk.write("a", "1\n"), desk.write("b", b"\0")
    start = await desk.take()
    desk.editor.show(path, "2\n")
    binary.write_bytes(b"\0\1")

    difference = await desk.kept.difference(TASK, start, None)

    diff = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"
    assert difference == CheckpointDifference(
        (
            FileDifference(path.as_uri(), "a", "edit", diff),
            FileDifference(binary.as_uri(), "b", "edit"),
        )
    )


async def test_difference_of_two_checkpoints_is_of_them_alone(desk: Desk) -> None:
    path = desk.write("a", "1\n")
    first = await desk.take()
    path.unlink()
    second = await desk.take()
    desk.write("later", "")

    difference = await desk.kept.difference(TASK, first, second)

    assert [(change.path, change.kind) for change in difference.changes] == [("a", "delete")]
