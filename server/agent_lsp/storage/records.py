"""What a journal says: the closed union of records, and their wire form. Their lines are made in `lines.py`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from agent_lsp.domain.condensing import Condensed, ResultsLeftOut
from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.events import Kept, TodosChanged
from agent_lsp.domain.history import Words, history_item_from_wire, history_item_to_wire
from agent_lsp.domain.messages import Answer, CheckpointMark, Message, Progress, answer_from_wire, progress_from_wire
from agent_lsp.domain.requests import QueuedWords
from agent_lsp.domain.status import ContextUse, ModelUsage, PermissionMode, Todo, Usage

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Started:
    """The first record of every journal: the task as it was admitted."""

    task_id: str
    instance_id: str
    title: str
    created_ts: int
    roots: tuple[str, ...] = ()
    mode: str = "code"
    profile: str = ""
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    client_request_id: str | None = None
    format: int = FORMAT
    has_chosen_profile: bool = False
    """The user named the profile: no mode brings another one along."""


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """This message is new, or replaces the one with its `ts`."""

    message: Message


@dataclass(frozen=True, slots=True)
class MessageGrew:
    ts: int
    append: str


@dataclass(frozen=True, slots=True)
class MessageChanged:
    """A patch of a message: what is None stays as it was."""

    ts: int
    text: str | None = None
    partial: bool | None = None
    answer: Answer | None = None
    state: Literal["interrupted"] | None = None
    progress: Progress | None = None
    checkpoint: CheckpointMark | None = None


@dataclass(frozen=True, slots=True)
class UsageCounted:
    """The task's totals so far, not the last request's."""

    usage: Usage
    context: ContextUse = field(default_factory=ContextUse)
    by_model: tuple[ModelUsage, ...] = ()


@dataclass(frozen=True, slots=True)
class Renamed:
    title: str


@dataclass(frozen=True, slots=True)
class ModeChanged:
    mode: str


@dataclass(frozen=True, slots=True)
class ProfileChanged:
    profile: str
    is_chosen: bool = True
    """By the user; else it came with a mode."""


@dataclass(frozen=True, slots=True)
class PermissionModeChanged:
    permission_mode: PermissionMode


@dataclass(frozen=True, slots=True)
class LimitsReset:
    """The user let the task go on past a limit: requests and cost count anew from here."""


@dataclass(frozen=True, slots=True)
class Cleared:
    """The task left the screen."""


@dataclass(frozen=True, slots=True)
class WordsQueued:
    """These words wait: behind all others, or in the place of those with their id."""

    words: QueuedWords


@dataclass(frozen=True, slots=True)
class QueueOrdered:
    """Of the words that wait only these are left, in this order."""

    message_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rewound:
    """Everything is as it was just before message `ts`, or just before the rewind `undone`."""

    id: str
    ts: int | None = None
    undone: str | None = None


Record = (
    Started
    | MessageAdded
    | MessageGrew
    | MessageChanged
    | Kept
    | Condensed
    | ResultsLeftOut
    | TodosChanged
    | UsageCounted
    | Renamed
    | ModeChanged
    | ProfileChanged
    | PermissionModeChanged
    | LimitsReset
    | Cleared
    | WordsQueued
    | QueueOrdered
    | Rewound
)

_KINDS: dict[type[Record], str] = {
    Started: "started",
    MessageAdded: "added",
    MessageGrew: "grew",
    MessageChanged: "changed",
    Kept: "kept",
    Condensed: "condensed",
    ResultsLeftOut: "resultsLeftOut",
    TodosChanged: "todos",
    UsageCounted: "usage",
    Renamed: "renamed",
    ModeChanged: "mode",
    ProfileChanged: "profile",
    PermissionModeChanged: "permissionMode",
    LimitsReset: "limitsReset",
    Cleared: "cleared",
    WordsQueued: "queued",
    QueueOrdered: "queue",
    Rewound: "rewound",
}


def record_to_wire(record: Record) -> Json:
    """The record as JSON, its `kind` first."""
    kind: Json = {"kind": _KINDS[type(record)]}
    if isinstance(record, Kept):
        takes = {"takes": record.takes} if record.takes else {}
        return kind | {"item": history_item_to_wire(record.item)} | takes
    if isinstance(record, Condensed):
        head = [part if isinstance(part, int) else history_item_to_wire(part) for part in record.head]
        return kind | {"head": head, "kept": record.kept, "context": to_wire(record.context)}
    fields: Json = to_wire(record)
    return kind | fields


def record_from_wire(wire: Json) -> Record | None:
    """Read a record back; None for a kind this version does not know. Unknown fields are ignored.

    Raises KeyError, TypeError, ValueError or AttributeError where the record makes no sense.
    """
    decode = _DECODERS.get(wire["kind"])
    return decode(wire) if decode else None


def usage_from_wire(wire: Json) -> Usage:
    return Usage(
        tokens_in=wire["tokensIn"],
        tokens_out=wire["tokensOut"],
        cache_reads=wire["cacheReads"],
        cache_writes=wire["cacheWrites"],
        cost=wire["cost"],
    )


def _started(wire: Json) -> Started:
    return Started(
        task_id=wire["taskId"],
        instance_id=wire["instanceId"],
        title=wire["title"],
        created_ts=wire["createdTs"],
        roots=tuple(wire.get("roots", ())),
        mode=wire["mode"],
        profile=wire["profile"],
        permission_mode=PermissionMode(wire["permissionMode"]),
        client_request_id=wire.get("clientRequestId"),
        format=wire["format"],
        has_chosen_profile=wire.get("hasChosenProfile", False),
    )


def _changed(wire: Json) -> MessageChanged:
    return MessageChanged(
        ts=wire["ts"],
        text=wire.get("text"),
        partial=wire.get("partial"),
        answer=answer_from_wire(wire["answer"]) if "answer" in wire else None,
        state=wire.get("state"),
        progress=progress_from_wire(wire["progress"]) if "progress" in wire else None,
        checkpoint=CheckpointMark(wire["checkpoint"]["id"]) if "checkpoint" in wire else None,
    )


def _todos(wire: Json) -> TodosChanged:
    return TodosChanged(tuple(Todo(todo["id"], todo["content"], todo["status"]) for todo in wire.get("todos", ())))


def _condensed(wire: Json) -> Condensed:
    head = tuple(part if isinstance(part, int) else _words(part) for part in wire.get("head", ()))
    return Condensed(head, wire["kept"], _context(wire["context"]))


def _words(wire: Json) -> Words:
    item = history_item_from_wire(wire)
    if not isinstance(item, Words):
        raise TypeError("the head of a history has words alone")
    return item


def _context(wire: Json) -> ContextUse:
    return ContextUse(wire["tokens"], wire["window"], wire["percent"])


def _usage(wire: Json) -> UsageCounted:
    return UsageCounted(
        usage_from_wire(wire["usage"]),
        _context(wire["context"]),
        tuple(ModelUsage(one["model"], usage_from_wire(one["usage"])) for one in wire.get("byModel", ())),
    )


def _queued_words(wire: Json) -> QueuedWords:
    return QueuedWords(wire["messageId"], wire["text"], tuple(wire.get("images", ())), wire["delivery"])


_DECODERS: dict[str, Callable[[Json], Record]] = {
    "started": _started,
    "added": lambda wire: MessageAdded(Message.from_wire(wire["message"])),
    "grew": lambda wire: MessageGrew(wire["ts"], wire["append"]),
    "changed": _changed,
    "kept": lambda wire: Kept(history_item_from_wire(wire["item"]), wire.get("takes")),
    "condensed": _condensed,
    "resultsLeftOut": lambda wire: ResultsLeftOut(tuple(wire.get("places", ())), _context(wire["context"])),
    "todos": _todos,
    "usage": _usage,
    "renamed": lambda wire: Renamed(wire["title"]),
    "mode": lambda wire: ModeChanged(wire["mode"]),
    "profile": lambda wire: ProfileChanged(wire["profile"], wire.get("isChosen", True)),
    "permissionMode": lambda wire: PermissionModeChanged(PermissionMode(wire["permissionMode"])),
    "limitsReset": lambda _: LimitsReset(),
    "cleared": lambda _: Cleared(),
    "queued": lambda wire: WordsQueued(_queued_words(wire["words"])),
    "queue": lambda wire: QueueOrdered(tuple(wire.get("messageIds", ()))),
    "rewound": lambda wire: Rewound(wire["id"], wire.get("ts"), wire.get("undone")),
}
