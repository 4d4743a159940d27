"""Files and links of the disk brought from one state to another, all or none. How one is written is `disk.py`."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.checkpoints import FileState
from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.workspace.disk import (
    Unconfirmed,
    create_file,
    delete_file,
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
    if before and after and not before.is_link and not after.is_link:
        if before.content != after.content:
            replace_file(path, before.content, after.content, leftovers)
        _set_permissions(path, after)
        return
    if before:
        _remove(path, before)
    if after:
        try:
            _add(path, after, leftovers)
        except FileProblem:
            if before:
                _add(path, before, leftovers)
            raise


def _remove(path: Path, before: FileState) -> None:
    if not before.is_link:
        delete_file(path, before.content)
        return
    with explained(path), opened_folder(path.parent) as folder:
        if os.fsencode(os.readlink(path.name, dir_fd=folder)) != before.content:
            raise FileProblem(f"{path} has changed on disk meanwhile; read it again.")
        os.unlink(path.name, dir_fd=folder)


def _add(path: Path, after: FileState, leftovers: Leftovers) -> None:
    make_folders(path.parent)
    _clear_empty_folder(path)
    if after.is_link:
        with explained(path), opened_folder(path.parent) as folder:
            os.symlink(os.fsdecode(after.content), path.name, dir_fd=folder)
    else:
        create_file(path, after.content, leftovers)
        _set_permissions(path, after)


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
