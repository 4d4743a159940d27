"""Changes of several files on disk: all of them or none. How one file is replaced is `disk.py`."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import FileEdit
from agent_lsp.workspace.disk import Unconfirmed, create_file, delete_file, read_file, replace_file
from agent_lsp.workspace.leftovers import Leftovers
from agent_lsp.workspace.texts import decode, encode


@dataclass(frozen=True, slots=True)
class DiskChange:
    """One file from one content to another; None is no file. Undoing it is the same the other way round."""

    path: Path
    before: bytes | None
    after: bytes | None
    like: os.stat_result | None = None
    """Mode and owner of a file that is created."""

    def make(self, leftovers: Leftovers) -> None:
        if self.before is None:
            create_file(self.path, self.after or b"", leftovers, self.like)
        elif self.after is None:
            delete_file(self.path, self.before)
        elif self.after != self.before:
            replace_file(self.path, self.before, self.after, leftovers)

    def undone(self) -> "DiskChange":
        return replace(self, before=self.after, after=self.before)


def changes_of(edit: FileEdit) -> tuple[DiskChange, ...]:
    """What an edit means on disk; raises FileProblem if the file no longer has the text the edit was made for."""
    path = edit.place.absolute
    if edit.before is None:
        return (DiskChange(path, None, encode(edit.after or "", "utf-8", edit.place.path)),)
    file = read_file(path, len(encode(edit.before.text, edit.before.encoding)))
    decoded = decode(file.content)
    if decoded is None or decoded.text != edit.before.text:
        raise FileProblem(f"{edit.place.path} has changed on disk meanwhile; read it again.")
    after = None if edit.after is None else encode(edit.after, edit.before.encoding, edit.place.path)
    if edit.move_to is None:
        return (DiskChange(path, file.content, after, file.status),)
    # The new name first: whatever happens between the two, the text is there.
    moved = DiskChange(edit.move_to.absolute, None, after, file.status)
    return moved, DiskChange(path, file.content, None, file.status)


def make_all(changes: Sequence[DiskChange], leftovers: Leftovers) -> None:
    """Make the changes in order; if one fails, those before it are undone and its FileProblem is raised."""
    for index, change in enumerate(changes):
        try:
            change.make(leftovers)
        except Unconfirmed as problem:
            _undo_after(problem, changes[: index + 1], leftovers)
            raise
        except FileProblem as problem:
            _undo_after(problem, changes[:index], leftovers)
            raise


def undo_all(changes: Sequence[DiskChange], leftovers: Leftovers) -> tuple[Path, ...]:
    """Undo changes, the last first; the files that could not be brought back."""
    stuck = list[Path]()
    for change in reversed(changes):
        try:
            change.undone().make(leftovers)
        except FileProblem:
            stuck.append(change.path)
    return tuple(stuck)


def _undo_after(problem: FileProblem, changes: Sequence[DiskChange], leftovers: Leftovers) -> None:
    if stuck := undo_all(changes, leftovers):
        names = ", ".join(map(str, stuck))
        raise FileProblem(f"{problem} These files are changed already and could not be brought back: {names}.")
