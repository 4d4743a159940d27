import os
import stat
from pathlib import Path

import pytest

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.workspace.disk import create_file, delete_file, make_folders, read_file, remove_folders, replace_file
from agent_lsp.workspace.disk_changes import DiskChange, make_all, undo_all
from agent_lsp.workspace.leftovers import Leftovers

NOTES = Leftovers(None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    return path


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_file_is_read_up_to_the_limit(path: Path) -> None:
    assert read_file(path, 3).content == b"old"
    with pytest.raises(FileProblem, match="has 3 bytes, more than the 2 that are read"):
        read_file(path, 2)


def test_what_is_no_file_is_refused_by_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(FileProblem, match="is a pipe, a socket or a device"):
        read_file(tmp_path / "pipe", 10)
    with pytest.raises(FileProblem, match="is a folder"):
        read_file(tmp_path, 10)


@pytest.mark.parametrize("name", ["b.txt", "no/b.txt", "a.txt/b.txt"])
def test_missing_file_is_told_from_one_that_cannot_be_read(name: str, path: Path) -> None:
    with pytest.raises(FileMissing, match="There is no file"):
        read_file(path.parent / name, 10)


@pytest.mark.parametrize("is_folder", [False, True])
def test_links_are_never_followed(is_folder: bool, path: Path) -> None:
    link = path.parent / "link"
    link.symlink_to(path.parent if is_folder else path)
    through = link / "a.txt" if is_folder else link

    for use in (
        lambda: read_file(through, 10),
        lambda: replace_file(through, b"old", b"new", NOTES),
        lambda: delete_file(through, b"old"),
        lambda: make_folders(link / "folder"),
    ):
        with pytest.raises(FileProblem):
            use()
    assert (path.read_bytes(), names(path.parent)) == (b"old", ["a.txt", "link"])


def test_replaced_file_keeps_mode_and_owner(path: Path) -> None:
    path.chmod(0o4751)
    if os.geteuid() == 0:
        os.chown(path, 1234, 2345)
        path.chmod(0o4751)
    before = path.stat()

    replace_file(path, b"old", b"new", NOTES)

    after = path.stat()
    assert path.read_bytes() == b"new"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert names(path.parent) == ["a.txt"]


def test_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()

    create_file(tmp_path / "b.txt", b"new", NOTES)

    assert (tmp_path / "b.txt").read_bytes() == b"new"
    assert (tmp_path / "b.txt").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
def test_new_file_never_takes_the_place_of_another(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    {
        "file": lambda: path.write_bytes(b"mine"),
        "folder": path.mkdir,
        "dangling link": lambda: path.symlink_to("nowhere"),
    }[kind]()

    with pytest.raises(FileProblem, match="exists already"):
        create_file(path, b"new", NOTES)

    assert names(tmp_path) == ["b.txt"]
    assert not (tmp_path / "nowhere").exists()


def test_file_with_other_content_is_left_alone(path: Path) -> None:
    for change in (lambda: replace_file(path, b"was", b"new", NOTES), lambda: delete_file(path, b"was")):
        with pytest.raises(FileProblem, match="has changed on disk meanwhile"):
            change()

    assert path.read_bytes() == b"old"


def test_file_with_other_names_is_left_alone(path: Path) -> None:
    os.link(path, path.parent / "other")

    with pytest.raises(FileProblem, match="has other names"):
        replace_file(path, b"old", b"new", NOTES)

    assert path.read_bytes() == (path.parent / "other").read_bytes() == b"old"


def test_read_only_file_is_left_alone(path: Path) -> None:
    path.chmod(0o444)

    with pytest.raises(FileProblem, match="is read-only"):
        replace_file(path, b"old", b"new", NOTES)

    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"old", 0o444)


def test_missing_folders_are_made_and_taken_away_again(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    made = make_folders(tmp_path / "a" / "b" / "c")
    assert made == (tmp_path / "a" / "b", tmp_path / "a" / "b" / "c")

    remove_folders(made)
    assert names(tmp_path / "a") == []


def test_folder_that_is_used_meanwhile_stays(tmp_path: Path) -> None:
    made = make_folders(tmp_path / "b" / "c")
    (tmp_path / "b" / "theirs").touch()

    remove_folders(made)

    assert names(tmp_path / "b") == ["theirs"]


def test_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)

    create_file(path, b"old", NOTES)
    replace_file(path, b"old", b"new", NOTES)

    assert path.read_bytes() == b"new"


def tree(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def changes(folder: Path) -> tuple[DiskChange, ...]:
    for name in ("edited", "deleted"):
        (folder / name).write_bytes(b"old")
    return (
        DiskChange(folder / "edited", b"old", b"new"),
        DiskChange(folder / "deleted", b"old", None, (folder / "deleted").stat()),
        DiskChange(folder / "created", None, b"new"),
    )


def test_several_changes_are_made_and_undone_together(tmp_path: Path) -> None:
    three = changes(tmp_path)

    make_all(three, NOTES)
    assert tree(tmp_path) == {"edited": b"new", "created": b"new"}

    assert undo_all(three, NOTES) == ()
    assert tree(tmp_path) == {"edited": b"old", "deleted": b"old"}


def test_changes_before_one_that_fails_are_undone(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"theirs")
    failing = DiskChange(tmp_path / "other", b"old", b"new")

    with pytest.raises(FileProblem, match="other has changed on disk meanwhile"):
        make_all((*changes(tmp_path), failing), NOTES)

    assert tree(tmp_path) == {"edited": b"old", "deleted": b"old", "other": b"theirs"}


def test_change_that_cannot_be_undone_is_named(tmp_path: Path) -> None:
    three = changes(tmp_path)
    make_all(three, NOTES)
    (tmp_path / "edited").write_bytes(b"typed")

    assert undo_all(three, NOTES) == (tmp_path / "edited",)
    assert tree(tmp_path) == {"edited": b"typed", "deleted": b"old"}


def test_leftovers_of_servers_that_are_gone_are_removed(tmp_path: Path) -> None:
    notes, folder = tmp_path / "notes", tmp_path / "folder"
    folder.mkdir()
    left, kept, foreign = folder / ".agent-lsp-1.tmp", folder / ".agent-lsp-2.tmp", folder / "a.txt"
    for path in (left, kept, foreign):
        path.touch()
    leftovers = Leftovers(notes)
    with leftovers.noted(folder) as name:
        (folder / name).touch()
        (notes / "999999999-x").write_bytes(os.fsencode(left))
        (notes / "999999999-y").write_bytes(os.fsencode(foreign))

        leftovers.sweep()

        assert names(folder) == sorted([name, kept.name, foreign.name])
    assert names(notes) == []


def test_note_of_an_earlier_process_with_our_number_is_a_leftover(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / f"{os.getpid()}-x"
    note.write_bytes(os.fsencode(tmp_path / ".agent-lsp-x.tmp"))
    (tmp_path / ".agent-lsp-x.tmp").touch()
    os.utime(note, (1, 1))

    Leftovers(tmp_path / "notes").sweep()

    assert names(tmp_path) == ["notes"]
    assert names(tmp_path / "notes") == []
