"""What clients ask of the hall, and what it answers. The doors translate between these and their own protocols."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agent_lsp.domain.encoding import KEEP
from agent_lsp.domain.messages import Message
from agent_lsp.domain.permissions import Remember
from agent_lsp.domain.status import PermissionMode, State, Status, Usage


@dataclass(frozen=True, slots=True)
class ContextReference:
    """A place in a document that the user attached to a task; lines count from 1, both included."""

    uri: str
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class NewTask:
    text: str
    images: tuple[str, ...] = ()
    mode: str | None = None
    profile: str | None = None
    permission_mode: PermissionMode | None = None
    context: tuple[ContextReference, ...] = ()
    client_request_id: str | None = None


@dataclass(frozen=True, slots=True)
class TaskReference:
    task_id: str
    instance_id: str


@dataclass(frozen=True, slots=True)
class AskReply:
    """An answer to an ask as it comes from a client. `edited` has whole texts by uri."""

    response: str
    text: str = ""
    images: tuple[str, ...] = ()
    hunks: Mapping[str, Literal["accept", "reject"]] = field(default_factory=dict[str, Literal["accept", "reject"]])
    edited: Mapping[str, str] = field(default_factory=dict[str, str])
    remember: Remember | None = None
    """That this yes is to hold for good."""


@dataclass(frozen=True, slots=True)
class Answered:
    accepted: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of the user's words: `queued`, or `delivered` to a task that goes on with them now."""

    message_id: str
    disposition: Literal["queued", "delivered"]


@dataclass(frozen=True, slots=True)
class QueuedWords:
    """Words of the user's that wait: until the turn rests (`queue`), or for the next request (`steer`)."""

    message_id: str
    text: str
    images: tuple[str, ...] = ()
    delivery: Literal["queue", "steer"] = "queue"


@dataclass(frozen=True, slots=True)
class QueueList:
    """What waits, in the order in which the model is going to hear it."""

    words: tuple[QueuedWords, ...] = field(metadata=KEEP)


@dataclass(frozen=True, slots=True)
class QueueEdit:
    """What a client wants of waiting words: new words, another place (from 0), or that they are gone."""

    op: Literal["edit", "remove", "move"]
    message_id: str
    text: str | None = None
    images: tuple[str, ...] | None = None
    position: int = 0


@dataclass(frozen=True, slots=True)
class ForkedTask:
    """A task made of the beginning of another; `text` and `images` are the user's words it was forked before."""

    task_id: str
    instance_id: str
    text: str | None = None
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportedTask:
    """A task as a document."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A task as a client (re)builds it. The Status is None where there is no task."""

    status: Status | None
    messages: tuple[Message, ...]
    seq: int
    has_more: bool
    deleted: tuple[int, ...] = ()
    """By `ts`: messages that the client may have, and that are not shown any more."""


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """A line of the task list."""

    task_id: str
    title: str
    ts: int
    state: State
    usage: Usage


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A profile as it may be shown: nothing of it is secret."""

    name: str
    type: str
    model: str
    is_current: bool = False
    problem: str | None = None
    """Why it cannot be used as it is."""


@dataclass(frozen=True, slots=True)
class ProfileList:
    profiles: tuple[ProfileRow, ...] = field(metadata=KEEP)


@dataclass(frozen=True, slots=True)
class TaskList:
    tasks: tuple[TaskSummary, ...] = field(metadata=KEEP)
    cursor: str | None = None
