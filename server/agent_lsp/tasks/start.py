"""What a task is made from, new or brought back from its journal. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from agent_lsp.domain.history import HistoryItem
from agent_lsp.domain.messages import Message
from agent_lsp.domain.requests import QueuedWords
from agent_lsp.domain.status import ContextUse, ModelUsage, PermissionMode, Todo, Usage
from agent_lsp.storage.records import MessageChanged, Started
from agent_lsp.storage.stored import StoredTask, changed


@dataclass(frozen=True, slots=True)
class TaskStart:
    """What a task is made from, new or brought back."""

    task_id: str
    instance_id: str
    title: str
    created_ts: int
    folder: Path
    mode: str
    profile: str
    permission_mode: PermissionMode
    messages: Sequence[Message] = ()
    last_ts: int = 0
    """The newest that was ever given, also to a message that is hidden now."""
    queue: tuple[QueuedWords, ...] = ()
    history: Sequence[HistoryItem] = ()
    todos: tuple[Todo, ...] = ()
    usage: Usage = field(default_factory=Usage)
    usage_by_model: tuple[ModelUsage, ...] = ()
    context: ContextUse = field(default_factory=ContextUse)
    requests: int = 0
    """How many were made since the user last let the task go on past a limit, and what they cost."""
    cost: float = 0.0
    is_completed: bool = False
    has_chosen_profile: bool = False
    """The user named the profile: no mode brings another one along."""


def started(start: TaskStart, roots: Sequence[Path], client_request_id: str | None) -> Started:
    return Started(
        task_id=start.task_id,
        instance_id=start.instance_id,
        title=start.title,
        created_ts=start.created_ts,
        roots=tuple(map(str, roots)),
        mode=start.mode,
        profile=start.profile,
        permission_mode=start.permission_mode,
        client_request_id=client_request_id,
        has_chosen_profile=start.has_chosen_profile,
    )


_STRICTEST_FIRST = tuple(PermissionMode)


def restart(stored: StoredTask, folder: Path, changes: dict[int, MessageChanged], allowed: PermissionMode) -> TaskStart:
    """Bring a task back as it was, but no freer than a new one would be: what is stored grants nothing."""
    messages = [changed(m, changes[m.ts]) if m.ts in changes else m for m in stored.messages]
    return TaskStart(
        task_id=folder.name,
        instance_id=str(uuid4()),
        title=stored.title,
        created_ts=stored.started.created_ts,
        folder=folder,
        mode=stored.mode,
        profile=stored.profile,
        permission_mode=min(stored.permission_mode, allowed, key=_STRICTEST_FIRST.index),
        messages=messages,
        last_ts=stored.last_ts,
        queue=stored.queue,
        history=stored.history,
        todos=stored.todos,
        usage=stored.usage,
        usage_by_model=stored.usage_by_model,
        context=stored.context,
        requests=stored.requests_since_reset,
        cost=max(0.0, (stored.usage.cost or 0.0) - (stored.usage_at_reset.cost or 0.0)),
        is_completed=stored.is_completed,
        has_chosen_profile=stored.has_chosen_profile,
    )
