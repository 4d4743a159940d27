"""What the commits of a task's chain have: all files as they are, or some before and after a change."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from agent_lsp.domain.checkpoints import Alterations, FileState
from agent_lsp.storage.checkpoints_index import FILES, MODES, usual_permissions
from agent_lsp.storage.checkpoints_objects import EXECUTABLE, FILE, FOLDER, LINK, Deposit
from agent_lsp.storage.checkpoints_trees import Folders, Put, changed
from agent_lsp.storage.git import EMPTY_TREE


def before_and_after(before: str, after: str, deposit: Deposit) -> str:
    """A tree of two trees."""
    puts = [Put(name, FOLDER, tree) for name, tree in ((b"before", before), (b"after", after)) if tree != EMPTY_TREE]
    return changed(Folders(), (), puts, deposit).tree


def of_changes(changes: Alterations, deposit: Deposit) -> str:
    """A tree with single files on both sides of a change."""
    puts = [
        put
        for path, altered in changes.items()
        for side, state in ((b"before/", altered.before), (b"after/", altered.after))
        for put in _single(side, path, state, deposit)
    ]
    return changed(Folders(), (), puts, deposit).tree


def _single(side: bytes, path: Path, state: FileState | None, deposit: Deposit) -> Iterator[Put]:
    if state is None:
        return
    name = os.fsencode(path)[1:]
    mode = LINK if state.is_link else EXECUTABLE if state.permissions & stat.S_IXUSR else FILE
    yield Put(side + FILES + name, mode, deposit.add(b"blob", state.content))
    if not state.is_link and state.permissions != usual_permissions(mode):
        yield Put(side + MODES + name, FILE, deposit.add(b"blob", b"%o" % state.permissions))
