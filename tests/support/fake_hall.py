"""A hall that remembers what it was asked and answers from a script. For tests of the doors, without any task."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agent_lsp.domain.checkpoints import (
    CheckpointDifference,
    CheckpointList,
    CheckpointRow,
    FileDifference,
    Reason,
    Restoration,
    RestoredFile,
)
from agent_lsp.domain.documents import Documents, EditorContext
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError, TaskUnknown
from agent_lsp.domain.files import Change
from agent_lsp.domain.messages import Message
from agent_lsp.domain.modes import ModeList, ModeRow
from agent_lsp.domain.notices import Listener
from agent_lsp.domain.permissions import Grant, Permission, PermissionList, PermissionWish, Scope
from agent_lsp.domain.requests import (
    Answered,
    AskReply,
    ExportedTask,
    ForkedTask,
    NewTask,
    ProfileList,
    ProfileRow,
    QueuedWords,
    QueueEdit,
    QueueList,
    Sent,
    Snapshot,
    TaskList,
    TaskReference,
    TaskSummary,
)
from agent_lsp.domain.slash import CommandList, SlashCommand
from agent_lsp.domain.status import PermissionMode, State, Status, Usage
from agent_lsp.domain.trust import FolderTrust, TrustList

STATUS = Status(task_id="t1", instance_id="i1", seq=3, state=State.RUNNING, title="Fix it")
PERMISSION = Permission("p1", Scope.PROJECT, Grant.COMMAND, "git log", 7, "/w")
SUMMARY = TaskSummary("t1", "Fix it", 1, State.IDLE, Usage())


@dataclass(eq=False)
class FakeHall:
    """`calls` has what was asked, in order; `failure` is raised by whatever is asked next and later."""

    documents: Documents
    calls: list[tuple[str, object]] = field(default_factory=list[tuple[str, object]])
    listeners: list[Listener] = field(default_factory=list[Listener])
    failure: AgentError | Exception | None = None
    ignored: tuple[str, ...] = ()
    advised: tuple[str, ...] = ()
    folders: tuple[FolderTrust, ...] = ()
    """Open folders whose settings ask for more than the user's grant."""
    on_settings: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    task: str | None = "t1"
    status: Status = STATUS
    listed: tuple[TaskSummary, ...] = ()
    live: tuple[str, ...] = ("t1", "t2")
    folder: Path = Path("/proc/no-such-folder")
    """Where files to be shown go; tests that show some choose another one."""
    paths: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    previews: dict[str, str] = field(default_factory=dict[str, str])
    changes: tuple[Change, ...] = ()
    may_cancel: asyncio.Event = field(default_factory=asyncio.Event)
    is_closed: bool = False

    def note(self, name: str, what: object = None) -> None:
        self.calls.append((name, what))
        if self.failure:
            raise self.failure

    def named(self, name: str) -> list[object]:
        return [what for called, what in self.calls if called == name]

    def new_task(self, request: NewTask) -> TaskReference:
        self.note("new_task", request)
        return TaskReference("t1", "i1")

    async def advice(self) -> tuple[str, ...]:
        return self.advised

    def snapshot(
        self, task_id: str | None, *, instance_id: str | None, since: int | None, limit: int, before: int | None
    ) -> Snapshot:
        self.note("snapshot", (task_id, instance_id, since, limit, before))
        return Snapshot(STATUS if task_id or self.task else None, self.messages, 3, has_more=False)

    def answer(self, task_id: str, ts: int | None, reply: AskReply) -> Answered:
        self.note("answer", (task_id, ts, reply))
        return Answered(accepted=True)

    async def send(
        self, task_id: str, text: str, images: tuple[str, ...], delivery: Literal["queue", "steer", "interrupt"]
    ) -> Sent:
        self.note("send", (task_id, text, images, delivery))
        return Sent("m1", "queued")

    def queue(self, task_id: str, wish: QueueEdit | None) -> QueueList:
        self.note("queue", (task_id, wish))
        return QueueList((QueuedWords("m1", "and"),))

    async def cancel(self, task_id: str) -> Status:
        self.note("cancel", task_id)
        await self.may_cancel.wait()
        return STATUS

    def condense(self, task_id: str, instructions: str) -> None:
        self.note("condense", (task_id, instructions))

    async def clear(self, task_id: str | None) -> None:
        self.note("clear", task_id)

    async def resume(self, task_id: str) -> Status:
        self.note("resume", task_id)
        if task_id != "t1":
            raise TaskUnknown(f"There is no task {task_id}; agent/listTasks has those there are.")
        return self.status

    async def list_tasks(self, *, cursor: str | None, limit: int, query: str | None) -> TaskList:
        self.note("list_tasks", (cursor, limit, query))
        return TaskList(self.listed or ((SUMMARY,) if self.task else ()))

    async def rename(self, task_id: str, title: str) -> None:
        self.note("rename", (task_id, title))

    async def delete(self, task_id: str) -> None:
        self.note("delete", task_id)

    async def fork(self, task_id: str, ts: int | None, title: str | None) -> ForkedTask:
        self.note("fork", (task_id, ts, title))
        return ForkedTask("t2", "i2", "do it")

    async def export(self, task_id: str) -> ExportedTask:
        self.note("export", task_id)
        return ExportedTask("Fix it", "# Fix it\n")

    def operate(self, task_id: str, ts: int | None, operation: Literal["continue", "abort"]) -> bool:
        self.note("operate", (task_id, ts, operation))
        return True

    @property
    def checkpoints(self) -> "FakeCheckpoints":
        return FakeCheckpoints(self)

    def preview(self, task_id: str, ts: int) -> tuple[Change, ...]:
        self.note("preview", (task_id, ts))
        return self.changes

    def preview_text(self, uri: str) -> str | None:
        self.note("preview_text", uri)
        return self.previews.get(uri)

    def set_mode(self, task_id: str | None, mode: str) -> None:
        self.note("set_mode", (task_id, mode))

    def list_modes(self, task_id: str | None) -> ModeList:
        self.note("list_modes", task_id)
        return ModeList((ModeRow("ask", "Ask", "Answers", "built-in", is_current=True),))

    def list_commands(self) -> CommandList:
        self.note("list_commands")
        return CommandList(
            (
                SlashCommand("init", "Write AGENTS.md", "text", argument_hint="[what]"),
                SlashCommand("plan", "Reads only", "permissionMode"),
            )
        )

    def set_profile(self, task_id: str | None, profile: str) -> None:
        self.note("set_profile", (task_id, profile))

    def profiles(self, task_id: str | None) -> ProfileList:
        self.note("profiles", task_id)
        return ProfileList((ProfileRow("work", "anthropic", "m", is_current=True),))

    def set_permission_mode(self, task_id: str | None, mode: PermissionMode) -> None:
        self.note("set_permission_mode", (task_id, mode))

    def editor_context(self, context: EditorContext) -> None:
        self.note("editor_context", context)

    def configure(self, raw: Json) -> tuple[str, ...]:
        self.calls.append(("configure", raw))
        return self.ignored

    def remarks(self) -> tuple[str, ...]:
        return self.ignored

    @property
    def permissions(self) -> "FakePermissions":
        return FakePermissions(self)

    @property
    def trust(self) -> "FakeTrusting":
        return FakeTrusting(self)

    def watch_settings(self, tell: Callable[[], None]) -> None:
        self.on_settings.append(tell)

    def set_roots(self, roots: tuple[Path, ...]) -> None:
        self.calls.append(("set_roots", roots))

    def listen(self, listener: Listener) -> None:
        self.listeners.append(listener)

    def debug_report(self) -> str:
        self.note("debug_report")
        return "All is well."

    def current_task(self) -> str | None:
        return self.task

    def live_tasks(self) -> tuple[str, ...]:
        return self.live

    @property
    def modes(self) -> tuple[str, ...]:
        return ("code", "ask")

    @property
    def shown_folder(self) -> Path:
        return self.folder

    def redacted(self, text: str) -> str:
        return text.replace("sk-secret", "[redacted]")

    async def paths_in(self, folder: str) -> tuple[str, ...]:
        self.note("paths_in", folder)
        return tuple(path for path in self.paths if path.startswith(folder))

    async def close(self) -> None:
        self.is_closed = True


@dataclass(frozen=True)
class FakePermissions:
    hall: FakeHall

    def listed(self) -> PermissionList:
        self.hall.note("permissions")
        return PermissionList((PERMISSION,))

    async def add(self, wish: PermissionWish) -> PermissionList:
        self.hall.note("add_permission", wish)
        return PermissionList((PERMISSION,))

    async def revoke(self, permission_id: str) -> PermissionList:
        self.hall.note("revoke_permission", permission_id)
        return PermissionList()


@dataclass(frozen=True)
class FakeTrusting:
    hall: FakeHall

    def listed(self) -> TrustList:
        return TrustList(self.hall.folders)

    async def decide(self, root: str, digest: str, *, is_trusted: bool) -> TrustList:
        self.hall.note("trust", (root, digest, is_trusted))
        return TrustList(self.hall.folders)

    async def forget(self, root: str) -> TrustList:
        self.hall.note("forget_trust", root)
        return TrustList()


@dataclass(frozen=True)
class FakeCheckpoints:
    hall: FakeHall

    async def listed(self, task_id: str) -> CheckpointList:
        self.hall.note("checkpoints", task_id)
        return CheckpointList((CheckpointRow("c1", 1, Reason.COMMAND),))

    async def difference(self, task_id: str, checkpoint_id: str, to: str | None) -> CheckpointDifference:
        self.hall.note("difference", (task_id, checkpoint_id, to))
        return CheckpointDifference((FileDifference("file:///a", "a", "delete"),), ("big.bin",))

    async def restore(
        self, task_id: str, checkpoint_id: str | None, ts: int | None, *, is_dry_run: bool, what: str = "files"
    ) -> Restoration:
        self.hall.note("restore", (task_id, checkpoint_id, ts, is_dry_run, what))
        return Restoration(not is_dry_run, (RestoredFile("file:///a", "a", "edit", is_merged=True),), (), "c2")
