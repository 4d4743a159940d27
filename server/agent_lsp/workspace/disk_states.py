"""Files and links of the disk brought from one state to another, all or none. How one is written is `disk.py`."""

import os
import stat
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.checkpoints import FileState
from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.workspace.disk import (
    Unconfirmed,
    create_file,
    explained,
    make_folders,
    opened_folder,
    read_file,
    replace_file,
)
from agent_lsp.workspace.leftovers import Leftovers


@dataclass(frozen=True, slots=True)
class StateChange:
    """One path from one state to another. Undoing it is the same the other way round."""

    path: Path
    before: FileState | None
    after: FileState | None

    def undone(self) -> "StateChange":
        return replace(self, before=self.after, after=self.before)


def read_state(path: Path, limit: int) -> FileState | None:
    """A file or link as it is; None where there is none, be it that a folder of its path is a link by now."""
    if any(parent.is_symlink() for parent in path.parents):
        return None
    try:
        with explained(path), opened_folder(path.parent) as folder:
            status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                return FileState(os.fsencode(os.readlink(path.name, dir_fd=folder)), is_link=True)
        if stat.S_ISDIR(status.st_mode):
            return None
        file = read_file(path, limit)
    except FileMissing:
        return None
    return FileState(file.content, permissions=stat.S_IMODE(file.status.st_mode))


def change_states(changes: Sequence[StateChange], leftovers: Leftovers) -> None:
    """Make all changes; if one fails, those before it are undone and its FileProblem is raised."""
    made = list[StateChange]()
    for change in _in_order(changes):
        try:
            _make(change, leftovers)
        except Unconfirmed:
            made.append(change)  # It is made all the same.
        except FileProblem as problem:
            if stuck := undo_states(made, leftovers):
                names = ", ".join(map(str, stuck))
                raise FileProblem(f"{problem} These files are changed already and stay so: {names}.") from problem
            raise
        else:
            made.append(change)


def remove_emptied(paths: Iterable[Path], kept: AbstractSet[Path]) -> None:
    """Take away the folders above files that are gone, as far as nothing is in them; the kept ones stay."""
    for path in paths:
        for folder in path.parents:
            if folder in kept:
                break
            try:
                folder.rmdir()
            except OSError:
                break


def undo_states(changes: Sequence[StateChange], leftovers: Leftovers) -> tuple[Path, ...]:
    """Undo changes that were made; the files that could not be brought back."""
    stuck = list[Path]()
    for change in _in_order([change.undone() for change in changes]):
        try:
            _make(change, leftovers)
        except Unconfirmed:
            continue
        except FileProblem:
            stuck.append(change.path)
    return tuple(stuck)


def _in_order(changes: Sequence[StateChange]) -> list[StateChange]:
    """Put what goes first: where a file was, there may be a folder to be, and the other way round."""
    return sorted(changes, key=lambda change: change.after is not None)


def _make(change: StateChange, leftovers: Leftovers) -> None:
    path, before, after = change.path, change.before, change.after
    match before, after:
        case FileState(is_link=False), FileState(is_link=False) if before.content == after.content:
            _set_permissions(path, after)
        case FileState(is_link=False, is_read_only=False), FileState(is_link=False):
            replace_file(path, before.content, after.content, leftovers)
            _set_permissions(path, after)
        case FileState(), FileState():
            _exchange(path, before, after, leftovers)
        case None, FileState():
            make_folders(path.parent)
            _clear_empty_folder(path)
            _add(path, after, leftovers)
        case FileState(), None:
            _check(path, before)
            _unlink(path)
        case _:
            pass


def _exchange(path: Path, before: FileState, after: FileState, leftovers: Leftovers) -> None:
    """Put a link or a protected file in the place of another, or the other way round: there is never neither."""
    with leftovers.noted(path.parent) as name:
        _add(path.with_name(name), after, leftovers)
        try:
            _check(path, before)
            with explained(path), opened_folder(path.parent) as folder:
                os.replace(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except FileProblem:
            _unlink(path.with_name(name))
            raise


def _add(path: Path, state: FileState, leftovers: Leftovers) -> None:
    if not state.is_link:
        create_file(path, state.content, leftovers, _like(path.parent, state.permissions))
        return
    with explained(path), opened_folder(path.parent) as folder:
        os.symlink(os.fsdecode(state.content), path.name, dir_fd=folder)


def _like(folder: Path, permissions: int) -> os.stat_result:
    """The mode and owner of a file to be made: those that the system would give it, but for the permissions."""
    around = folder.stat()
    group = around.st_gid if around.st_mode & stat.S_ISGID else os.getegid()
    return os.stat_result((stat.S_IFREG | permissions, 0, 0, 1, os.geteuid(), group, 0, 0, 0, 0))


def _check(path: Path, expected: FileState) -> None:
    found = read_state(path, len(expected.content))
    if found is None or (found.is_link, found.content) != (expected.is_link, expected.content):
        raise FileProblem(f"{path} has changed on disk meanwhile; read it again.")


def _unlink(path: Path) -> None:
    with explained(path), opened_folder(path.parent) as folder:
        os.unlink(path.name, dir_fd=folder)


def _clear_empty_folder(path: Path) -> None:
    """Take away a folder that stands where a file was, if nothing but folders is in it."""
    if path.is_symlink() or not path.is_dir():
        return
    with explained(path):
        for folder, _, _ in os.walk(path, topdown=False):
            os.rmdir(folder)  # noqa: PTH106  # As os.walk names it.


def _set_permissions(path: Path, state: FileState) -> None:
    with explained(path), opened_folder(path.parent) as folder:
        status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) != state.permissions:
            os.chmod(path.name, state.permissions, dir_fd=folder)
