"""What clients get for our own methods, where the domain has no type of exactly this shape."""

from dataclasses import dataclass, field

from agent_lsp.domain.encoding import KEEP, Json, to_wire
from agent_lsp.domain.files import Change
from agent_lsp.domain.messages import DeletedMessage, Message
from agent_lsp.domain.requests import Snapshot
from agent_lsp.domain.status import State


@dataclass(frozen=True, slots=True)
class Operated:
    """Whether there was a command to operate on."""

    accepted: bool


@dataclass(frozen=True, slots=True)
class Preview:
    changes: tuple[Change, ...] = field(default=(), metadata=KEEP)


def _messages(snapshot: Snapshot) -> tuple[Message | DeletedMessage, ...]:
    deleted = map(DeletedMessage, snapshot.deleted)
    return tuple(sorted((*snapshot.messages, *deleted), key=lambda message: message.ts))


def snapshot_to_wire(snapshot: Snapshot) -> Json:
    """The Status' fields and the messages in one object; without a task, the state says so."""
    status = to_wire(snapshot.status) if snapshot.status else {"state": State.NO_TASK.value}
    return status | {
        "messages": to_wire(_messages(snapshot)),
        "seq": snapshot.seq,
        "hasMore": snapshot.has_more,
    }
