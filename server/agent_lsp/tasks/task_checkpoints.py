"""What clients ask about the checkpoints of a task that is loaded: to see them, and to go back to one."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from agent_lsp.domain.checkpoints import CheckpointDifference, CheckpointList, CheckpointRow, Restoration
from agent_lsp.domain.errors import BadParams, NotConfigured
from agent_lsp.storage.journal import read_journal
from agent_lsp.storage.rewinding import RewindPlan, RewindPoint, plan_rewind
from agent_lsp.tasks.keeping import Unkept
from agent_lsp.tasks.restoring import KeptWorkspace
from agent_lsp.tasks.task import Task
from agent_lsp.tasks.tasks import Tasks

What = Literal["files", "conversation", "both"]

_NO_FILES = Restoration(is_done=False, files=(), conflicts=())


class TaskCheckpoints:
    def __init__(self, tasks: Tasks, workspace: Callable[[], KeptWorkspace | Unkept]) -> None:
        self._tasks = tasks
        self._workspace = workspace

    async def listed(self, task_id: str) -> CheckpointList:
        self._tasks.check_loaded(task_id)
        found = await self._kept().checkpoints(task_id)
        return CheckpointList(tuple(CheckpointRow(each.id, each.ts, each.reason) for each in found))

    async def difference(self, task_id: str, checkpoint_id: str, to: str | None) -> CheckpointDifference:
        self._tasks.check_loaded(task_id)
        return await self._kept().difference(task_id, checkpoint_id, to)

    async def restore(
        self, task_id: str, checkpoint_id: str | None, ts: int | None, *, is_dry_run: bool, what: What = "files"
    ) -> Restoration:
        """Go back to a checkpoint, or to before a message; or tell what that would be.

        Files lose what the agent did to them since; of the task, all that came later is hidden.
        """
        if checkpoint_id is None and ts is None:
            raise BadParams("agent/restore: name a checkpoint, or the ts of a message.")
        point = RewindPoint(None if checkpoint_id else ts, checkpoint_id)

        async def restored(task: Task) -> Restoration:
            plan = None if what == "files" else await asyncio.to_thread(_planned_rewind, task.folder, point)
            files = _NO_FILES if what == "conversation" else await self._files(task, point, plan, is_dry_run=is_dry_run)
            return files if plan is None else _rewound(task, plan, files, is_dry_run=is_dry_run)

        return await self._tasks.while_held(task_id, restored)

    async def _files(self, task: Task, point: RewindPoint, plan: RewindPlan | None, *, is_dry_run: bool) -> Restoration:
        kept = self._kept()
        wanted = _checkpoint_to(task, point) if plan is None else await _checkpoint_of(task, plan, kept)
        if wanted is None:
            return _NO_FILES
        return await (kept.planned(task.id, wanted) if is_dry_run else kept.restore(task.id, wanted))

    def _kept(self) -> KeptWorkspace:
        kept = self._workspace()
        if isinstance(kept, Unkept):
            raise NotConfigured(kept.reason)
        return kept


def _planned_rewind(folder: Path, point: RewindPoint) -> RewindPlan:
    return plan_rewind(read_journal(folder).records, folder.name, point)


def _rewound(task: Task, plan: RewindPlan, files: Restoration, *, is_dry_run: bool) -> Restoration:
    """Rewind the task, behind its files: what could not be restored there is told, and holds nothing up."""
    if is_dry_run:
        return replace(files, rewind=plan.told)
    record = replace(plan.record, id=files.undo or plan.record.id)
    task.rewind(replace(plan, record=record))
    return replace(files, is_done=True, undo=record.id, rewind=plan.told)


def _checkpoint_to(task: Task, point: RewindPoint) -> str:
    """The checkpoint that has the files as they were at a point: the message's own, or the first one after it."""
    if point.ts is not None and not task.stream.shows(point.ts):
        raise BadParams(f"The task shows no message {point.ts}: agent/state tells those there are.")
    if found := point.checkpoint or task.stream.checkpoint_from(point.ts or 0):
        return found
    raise BadParams(f"No checkpoint was taken at message {point.ts} or after it: there is nothing to take back.")


async def _checkpoint_of(task: Task, plan: RewindPlan, kept: KeptWorkspace) -> str | None:
    """The checkpoint that goes with a rewind; None where no file was kept since: the agent changed none."""
    undone = plan.record.undone
    if undone is None:
        return task.stream.checkpoint_from(plan.told.ts)
    return undone if any(each.id == undone for each in await kept.checkpoints(task.id)) else None
