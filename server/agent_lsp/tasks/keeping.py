"""Which workspaces of this server are kept, and by whom; and what clients ask about a task's checkpoints."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.checkpoints import (
    Alterations,
    Checkpoint,
    Reason,
)
from agent_lsp.domain.documents import Documents
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.storage.checkpoints import Checkpoints, Site
from agent_lsp.storage.checkpoints_packing import forget
from agent_lsp.storage.checkpoints_room import checkpoints_folder
from agent_lsp.storage.checkpoints_walk import refusal
from agent_lsp.storage.git import Git, find_git
from agent_lsp.tasks.restoring import KeptWorkspace
from agent_lsp.workspace.files import WorkspaceFiles
from agent_lsp.workspace.leftovers import Leftovers

log = logging.getLogger(__name__)
NO_GIT = "git is not installed, and it is what keeps them: install it and start the server again."
_CLEARING_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stays the same for all workspaces of a server."""

    state: Path
    environment: Mapping[str, str]
    documents: Documents
    leftovers: Leftovers
    home: Path


@dataclass(frozen=True, slots=True)
class Unkept:
    """Stands in where no checkpoints can be taken: says why when it is asked for one."""

    reason: str

    async def take(self, task_id: str, reason: Reason) -> Checkpoint:  # noqa: ARG002  # The protocol's signature.
        raise StorageProblem(self.reason)

    async def note_changes(self, task_id: str, reason: Reason, changes: Alterations) -> None:
        """Note nothing: there is no checkpoint from which it could be taken back."""

    async def note_intent(self, task_id: str, changes: Alterations) -> None:
        """Note nothing, as above."""

    async def note_changes_since(self, task_id: str, checkpoint: Checkpoint) -> None:
        """Note nothing, as above."""


class Keeping:
    """The workspaces that are kept, each from the first time it is worked on."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._workspaces: dict[tuple[Path, ...], KeptWorkspace | Unkept] = {}
        self._stores: dict[Path, Checkpoints] = {}

    def workspace(self, roots: tuple[Path, ...], files: Callable[[], WorkspaceFiles]) -> KeptWorkspace | Unkept:
        if roots not in self._workspaces:
            self._workspaces[roots] = self._made(roots, files)
        return self._workspaces[roots]

    async def forget(self, task_id: str) -> None:
        """Give up a task's checkpoints, whatever roots there were when they were taken."""
        git = find_git(self._surroundings.environment, ())
        folder = checkpoints_folder(self._surroundings.state)
        for kept in await asyncio.to_thread(_folders, folder):
            try:
                if store := self._stores.get(kept):
                    await store.forget(task_id)
                elif git:
                    await asyncio.to_thread(forget, Git(git, kept), task_id, _CLEARING_SECONDS)
            except StorageProblem as problem:
                # The task is gone all the same; a later deletion gives the room back.
                log.warning("The checkpoints of a deleted task still take room: %s", problem)

    def give_up(self) -> None:
        """Keep nobody waiting for a checkpoint that is being taken."""
        for store in self._stores.values():
            store.give_up()

    async def close(self) -> None:
        for store in self._stores.values():
            await store.close()

    def _made(self, roots: tuple[Path, ...], files: Callable[[], WorkspaceFiles]) -> KeptWorkspace | Unkept:
        around = self._surroundings
        if reason := refusal(roots, around.home):
            return Unkept(reason)
        git = find_git(around.environment, roots)
        if git is None:
            return Unkept(NO_GIT)
        site = Site(roots, around.state, git)
        store = Checkpoints(site)
        self._stores[site.folder] = store
        return KeptWorkspace(store, files(), around.documents, around.leftovers)


def _folders(folder: Path) -> list[Path]:
    return [inner for inner in folder.iterdir() if inner.is_dir()] if folder.is_dir() else []
