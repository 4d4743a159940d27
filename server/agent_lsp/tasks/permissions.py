"""What the user said yes to for good: of one task, and gone with it; of projects and of the user, and kept on the disk.

How far such a yes reaches is the policy's business. None is ever read back from a task's journal.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from agent_lsp.approvals.permissions import Asker, offer, permission
from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.approvals import Action
from agent_lsp.domain.errors import AgentError, BadParams, TaskUnknown
from agent_lsp.domain.permissions import COMMAND_GRANTS, Permission, PermissionList, PermissionWish, Scope

log = logging.getLogger(__name__)


class Store(Protocol):
    """Where permissions lie that outlive a task. Changes may block, readings do not."""

    def listed(self, roots: Sequence[Path] | None = None) -> PermissionList: ...

    def add(self, permission: Permission) -> None: ...

    def revoke(self, permission_id: str) -> bool: ...


class StandingPermissions:
    """Those of the user and of the open folders, as the disk has them: what is revoked there holds no more."""

    def __init__(self, store: Store, roots: Callable[[], Sequence[Path]]) -> None:
        self._store = store
        self._roots = roots
        self._unwritten: dict[asyncio.Task[None], Permission] = {}
        """At most a few: each is there as long as it takes to write it."""

    def listed(self) -> PermissionList:
        listed = self._store.listed(self.projects())
        new = [permission for permission in self._unwritten.values() if permission not in listed.permissions]
        return replace(listed, permissions=(*listed.permissions, *new))

    def projects(self) -> tuple[Path, ...]:
        return tuple(Path(os.path.realpath(root)) for root in self._roots())

    def keep(self, permission: Permission) -> asyncio.Task[None]:
        """Let a permission hold from now on; the task ends once it is written, or fails where it cannot be."""
        writing = asyncio.create_task(asyncio.to_thread(self._store.add, permission), name="keep a permission")
        self._unwritten[writing] = permission
        writing.add_done_callback(self._take_end)
        return writing

    async def revoke(self, permission_id: str) -> bool:
        await self.close()
        return await asyncio.to_thread(self._store.revoke, permission_id)

    async def close(self) -> None:
        """Return once all that was kept is written."""
        if self._unwritten:
            await asyncio.wait(list(self._unwritten))

    def _take_end(self, writing: asyncio.Task[None]) -> None:
        del self._unwritten[writing]
        if not writing.cancelled() and (error := writing.exception()):
            log.warning("A permission was not kept: %s", error)


class TaskPermissions:
    """Those of one task, and its way to the others."""

    def __init__(self, task_id: str, standing: StandingPermissions | None) -> None:
        self.task_id = task_id
        self._standing = standing
        self._own: dict[str, Permission] = {}

    def listed(self) -> tuple[Permission, ...]:
        return tuple(self._own.values())

    def within(self, rules: Rules) -> Rules:
        """The rules with this task's own permissions added."""
        return replace(rules, remembered=(*rules.remembered, *self.listed()))

    def asker(self, action: Action) -> Asker:
        """Tell whose wish it is that an answer to this action holds for good."""
        roots = [place.root for place in action.places if place.root]
        roots += self._standing.projects() if self._standing else ()
        return Asker(time.time_ns() // 1_000_000, str(roots[0]) if roots else None, self.task_id)

    def keep(self, permission: Permission) -> asyncio.Task[None] | None:
        """Let a permission hold from now on; gives what to wait for, where it is to be written."""
        if permission.scope is Scope.TASK or self._standing is None:
            self._own[permission.id] = permission
            return None
        return self._standing.keep(permission)

    def revoke(self, permission_id: str) -> bool:
        return self._own.pop(permission_id, None) is not None


async def problem_of(writing: asyncio.Task[None]) -> str | None:
    """Wait until a permission is written; a sentence where it cannot be. Ends early only with whoever waits."""
    try:
        await asyncio.shield(writing)
    except (AgentError, OSError) as error:
        return f"Your answer held this once, but it could not be kept: {error}"
    return None


class HallPermissions:
    """What clients can ask about standing permissions: those of the live tasks, of the open folders and of the user."""

    def __init__(self, standing: StandingPermissions, of_tasks: Callable[[], Sequence[TaskPermissions]]) -> None:
        self._standing = standing
        self._of_tasks = of_tasks

    def listed(self) -> PermissionList:
        own = [permission for each in self._of_tasks() for permission in each.listed()]
        listed = self._standing.listed()
        return replace(listed, permissions=(*own, *listed.permissions))

    async def add(self, wish: PermissionWish) -> PermissionList:
        """Keep what the user worded themselves; BadParams where that is no rule."""
        task = self._task(wish.task_id) if wish.scope is Scope.TASK else None
        root = self._root(wish.root) if wish.scope is Scope.PROJECT else None
        base = root or next(iter(self._standing.projects()), None)
        is_path = wish.kind not in COMMAND_GRANTS and bool(wish.rule.strip())
        rule = str(base / wish.rule) if is_path and base else wish.rule
        asker = Asker(time.time_ns() // 1_000_000, str(root) if root else None, wish.task_id)
        made = permission(offer(wish.kind, rule), wish.scope, asker)
        if writing := task.keep(made) if task else self._standing.keep(made):
            await writing
        return self.listed()

    async def revoke(self, permission_id: str) -> PermissionList:
        is_tasks = [each.revoke(permission_id) for each in self._of_tasks()]
        if not any(is_tasks) and not await self._standing.revoke(permission_id):
            raise BadParams("There is no such permission: `list` tells those there are, each with its id.")
        return self.listed()

    def _task(self, task_id: str | None) -> TaskPermissions:
        found = next((each for each in self._of_tasks() if each.task_id == task_id), None)
        if found is None:
            raise TaskUnknown("A permission for a task names one that is loaded: give its `taskId`.")
        return found

    def _root(self, root: str | None) -> Path | None:
        projects = self._standing.projects()
        if root is None:
            return next(iter(projects), None)
        if (real := Path(os.path.realpath(root))) not in projects:
            raise BadParams("A permission for a project names a folder that is open: give its path as `root`.")
        return real
