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

from agent_lsp.approvals.permissions import Asker
from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.approvals import Action
from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.permissions import Permission, PermissionList, Scope

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
        self._task_id = task_id
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
        return Asker(time.time_ns() // 1_000_000, str(roots[0]) if roots else None, self._task_id)

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
