"""One look at a workspace, and the tree that comes of it."""

import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent_lsp.domain.checkpoints import FileState
from agent_lsp.storage import checkpoints_index as indexes
from agent_lsp.storage.checkpoints_import import EXECUTABLE, FILE, FOLDER, LINK, Commit, Importer, Put
from agent_lsp.storage.checkpoints_index import FILES, MODES, Index
from agent_lsp.storage.checkpoints_walk import Deadline, scan
from agent_lsp.storage.git import EMPTY_TREE

_LATEST = "refs/latest"
"""Keeps the newest tree, from which the next one is made, also where its task is deleted."""


class Snapshot:
    """The files as they are found when this is made."""

    def __init__(self, roots: tuple[Path, ...], state: Path, unsaved: Mapping[Path, str], deadline: Deadline) -> None:
        self.deadline = deadline
        self._now_ns = time.time_ns()
        self._found = scan(roots, state, deadline)
        self._unsaved = {os.fsencode(path)[1:]: text.encode("utf-8", "surrogatepass") for path, text in unsaved.items()}

    def is_same(self, index: Index) -> bool:
        return indexes.is_same(index, self._found, self._unsaved)

    def taken(self, index: Index, importer: Importer) -> Index:
        """Send what is new; the index that has it."""
        update = indexes.update(index, self._found, self._unsaved, importer, self.deadline, self._now_ns)
        if index.tree and not update.removed and not update.puts:
            return indexes.with_tree(update.index, index.tree)
        commit = Commit(_LATEST, "", 0, base=index.tree, removed=update.removed, puts=update.puts)
        return indexes.with_tree(update.index, importer.commit(commit).tree)


def whole(tree: str) -> tuple[Put, ...]:
    """A tree as all that a commit has."""
    return _folder(b"", tree)


def before_and_after(before: str, after: str) -> tuple[Put, ...]:
    return (*_folder(b"before", before), *_folder(b"after", after))


def single(side: bytes, path: Path, state: FileState | None, importer: Importer) -> Iterator[Put]:
    """One file on one side of a change."""
    if state is None:
        return
    name = os.fsencode(path)[1:]
    mode = LINK if state.is_link else EXECUTABLE if state.permissions & stat.S_IXUSR else FILE
    yield Put(side + FILES + name, mode, importer.blob(state.content))
    if not state.is_link and state.permissions != indexes.usual_permissions(mode):
        yield Put(side + MODES + name, FILE, importer.blob(b"%o" % state.permissions))


def _folder(path: bytes, tree: str) -> tuple[Put, ...]:
    return () if tree == EMPTY_TREE else (Put(path, FOLDER, tree),)
