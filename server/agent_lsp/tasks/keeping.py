"""Which workspaces of this server are kept, and by whom; and what clients ask about a task's checkpoints."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.checkpoints import (
    Alterations,
    Checkpoint,
    CheckpointDifference,
    CheckpointList,
    CheckpointRow,
    Reason,
    Restoration,
)
from agent_lsp.domain.documents import Documents
from agent_lsp.domain.errors import BadParams, NotConfigured, StorageProblem
from agent_lsp.storage.checkpoints import Checkpoints, Site
from agent_lsp.storage.checkpoints_packing import forget
from agent_lsp.storage.checkpoints_room import checkpoints_folder
from agent_lsp.storage.checkpoints_walk import refusal
from agent_lsp.storage.git import Git, find_git
from agent_lsp.tasks.restoring import KeptWorkspace
from agent_lsp.tasks.tasks import Tasks
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


class TaskCheckpoints:
    """What clients ask about the checkpoints of a task that is loaded."""

    def __init__(self, tasks: Tasks, workspace: Callable[[], KeptWorkspace | Unkept]) -> None:
        self._tasks = tasks
        self._workspace = workspace

    async def listed(self, task_id: str) -> CheckpointList:
        kept = self._kept(task_id)
        found = await kept.checkpoints(task_id)
        return CheckpointList(tuple(CheckpointRow(each.id, each.ts, each.reason) for each in found))

    async def difference(self, task_id: str, checkpoint_id: str, to: str | None) -> CheckpointDifference:
        return await self._kept(task_id).difference(task_id, checkpoint_id, to)

    async def restore(
        self, task_id: str, checkpoint_id: str | None, ts: int | None, *, is_dry_run: bool
    ) -> Restoration:
        """Take back what the agent did since a checkpoint, or since a message; or tell what that would be."""
        kept = self._kept(task_id)
        await self._tasks.until_kept(task_id)
        wanted = checkpoint_id or self._checkpoint_from(task_id, ts)
        return await (kept.planned(task_id, wanted) if is_dry_run else kept.restore(task_id, wanted))

    def _checkpoint_from(self, task_id: str, ts: int | None) -> str:
        if ts is None:
            raise BadParams("agent/restore: name a checkpoint, or the ts of a message.")
        if found := self._tasks.checkpoint_from(task_id, ts):
            return found
        raise BadParams(f"No checkpoint was taken at message {ts} or after it: there is nothing to take back.")

    def _kept(self, task_id: str) -> KeptWorkspace:
        self._tasks.snapshot(task_id, instance_id=None, since=None, limit=0, before=None)  # TaskUnknown, if so.
        kept = self._workspace()
        if isinstance(kept, Unkept):
            raise NotConfigured(kept.reason)
        return kept


def _folders(folder: Path) -> list[Path]:
    return [inner for inner in folder.iterdir() if inner.is_dir()] if folder.is_dir() else []
