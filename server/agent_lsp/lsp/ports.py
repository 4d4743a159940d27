"""What the front door needs from the hall behind it. Structural: whoever has these methods will do."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from agent_lsp.domain.checkpoints import CheckpointDifference, CheckpointList, Restoration
from agent_lsp.domain.diagnostics import LanguageServers
from agent_lsp.domain.documents import Documents, EditorContext
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.files import Change
from agent_lsp.domain.modes import ModeList
from agent_lsp.domain.notices import Listener
from agent_lsp.domain.permissions import PermissionList, PermissionWish
from agent_lsp.domain.requests import (
    Answered,
    AskReply,
    ExportedTask,
    ForkedTask,
    NewTask,
    ProfileList,
    QueueEdit,
    QueueList,
    Sent,
    Snapshot,
    TaskList,
    TaskReference,
)
from agent_lsp.domain.slash import CommandList
from agent_lsp.domain.status import PermissionMode, Status
from agent_lsp.domain.trust import TrustList


class TaskCheckpoints(Protocol):
    """What clients can ask about the checkpoints of a task that is loaded."""

    async def listed(self, task_id: str) -> CheckpointList: ...

    async def difference(self, task_id: str, checkpoint_id: str, to: str | None) -> CheckpointDifference: ...

    async def restore(
        self,
        task_id: str,
        checkpoint_id: str | None,
        ts: int | None,
        *,
        is_dry_run: bool,
        what: Literal["files", "conversation", "both"] = "files",
    ) -> Restoration: ...


class Permissions(Protocol):
    """The standing permissions of the live tasks, of the open folders and of the user."""

    def listed(self) -> PermissionList: ...

    async def add(self, wish: PermissionWish) -> PermissionList: ...

    async def revoke(self, permission_id: str) -> PermissionList: ...


class FolderTrusting(Protocol):
    """The open folders whose settings ask for more than the user's grant."""

    def listed(self) -> TrustList: ...

    async def decide(self, root: str, digest: str, *, is_trusted: bool) -> TrustList: ...

    async def forget(self, root: str) -> TrustList: ...


class Hall(Protocol):
    """All that clients can ask for. What is not async returns at once, and has journaled what must not be lost."""

    def new_task(self, request: NewTask) -> TaskReference: ...

    async def advice(self) -> tuple[str, ...]:
        """Tell what could be done where no model can be used, a sentence each; looks what runs on this machine."""
        ...

    def snapshot(
        self, task_id: str | None, *, instance_id: str | None, since: int | None, limit: int, before: int | None
    ) -> Snapshot: ...

    def answer(self, task_id: str, ts: int | None, reply: AskReply) -> Answered: ...

    async def send(
        self, task_id: str, text: str, images: tuple[str, ...], delivery: Literal["queue", "steer", "interrupt"]
    ) -> Sent: ...

    def queue(self, task_id: str, wish: QueueEdit | None) -> QueueList:
        """Change the words that wait, and tell what waits then."""
        ...

    async def cancel(self, task_id: str) -> Status: ...

    def condense(self, task_id: str, instructions: str) -> None:
        """Replace the older part of what a task's model is told by a summary: now, or before the next step."""
        ...

    async def clear(self, task_id: str | None) -> None: ...

    async def resume(self, task_id: str) -> Status: ...

    async def list_tasks(self, *, cursor: str | None, limit: int, query: str | None) -> TaskList: ...

    async def rename(self, task_id: str, title: str) -> None: ...

    async def delete(self, task_id: str) -> None: ...

    async def fork(self, task_id: str, ts: int | None, title: str | None) -> ForkedTask:
        """Make a new task of what came before a message, or of all of it."""
        ...

    async def export(self, task_id: str) -> ExportedTask: ...

    def operate(self, task_id: str, ts: int | None, operation: Literal["continue", "abort"]) -> bool: ...

    @property
    def checkpoints(self) -> TaskCheckpoints: ...

    @property
    def permissions(self) -> Permissions: ...

    @property
    def trust(self) -> FolderTrusting: ...

    def watch_settings(self, tell: Callable[[], None]) -> None:
        """Have this called whenever settings were read again."""
        ...

    def remarks(self) -> tuple[str, ...]:
        """Give sentences about what was ignored of settings and permissions."""
        ...

    def preview(self, task_id: str, ts: int) -> tuple[Change, ...]:
        """Give the changes that an ask is about, with their whole texts."""
        ...

    def preview_text(self, uri: str) -> str | None:
        """Give the text of a preview document, or None where there is none of this name any more."""
        ...

    def set_mode(self, task_id: str | None, mode: str) -> None: ...

    def list_modes(self, task_id: str | None) -> ModeList:
        """List the modes there are; the current one is the task's, without a task that of those to come."""
        ...

    def list_commands(self) -> CommandList:
        """List what a user can write with a `/` in front."""
        ...

    def set_profile(self, task_id: str | None, profile: str) -> None: ...

    def profiles(self, task_id: str | None) -> ProfileList:
        """List the profiles there are; the current one is the task's, without a task that of those to come."""
        ...

    def set_permission_mode(self, task_id: str | None, mode: PermissionMode) -> None: ...

    def editor_context(self, context: EditorContext) -> None: ...

    def configure(self, raw: Json) -> tuple[str, ...]:
        """Take the editor's settings, whole; give back sentences about what was ignored."""
        ...

    def set_roots(self, roots: tuple[Path, ...]) -> None: ...

    def listen(self, listener: Listener) -> None: ...

    def debug_report(self) -> str: ...

    def current_task(self) -> str | None: ...

    def live_tasks(self) -> tuple[str, ...]:
        """Tell the tasks that are loaded, the oldest first."""
        ...

    @property
    def modes(self) -> tuple[str, ...]: ...

    @property
    def shown_folder(self) -> Path:
        """Where files lie that are made for the user to look at."""
        ...

    def redacted(self, text: str) -> str:
        """Give the text with all secrets taken out of it."""
        ...

    async def paths_in(self, folder: str) -> tuple[str, ...]:
        """List a folder of the workspace, for the user to choose from; folders end with a slash."""
        ...

    async def close(self) -> None:
        """Settle what runs, and end what was started."""
        ...


class EditorSide(Documents, LanguageServers, Protocol):
    """The user's editor, as the hall sees it."""


OpenHall = Callable[[EditorSide], Hall]
"""Builds the hall over the client's documents; called on the event loop, once the client is known."""
