"""What a task tells its listeners: each is one notification on the wire, and takes the next `seq`."""

from dataclasses import dataclass
from typing import Protocol

from agent_lsp.domain.messages import DeletedMessage, Message
from agent_lsp.domain.status import Status


@dataclass(frozen=True, slots=True)
class MessageNotice:
    """This message is new, or replaces the one with its `ts`."""

    task_id: str
    instance_id: str
    seq: int
    message: Message


@dataclass(frozen=True, slots=True)
class DeletionNotice:
    """This message is not shown any more: the task was rewound to before it."""

    task_id: str
    instance_id: str
    seq: int
    message: DeletedMessage


@dataclass(frozen=True, slots=True)
class DeltaNotice:
    """Text to append to a message."""

    task_id: str
    instance_id: str
    seq: int
    ts: int
    append: str


@dataclass(frozen=True, slots=True)
class StatusNotice:
    """The Status changed; its own `seq` is this notification's."""

    status: Status


Notice = MessageNotice | DeletionNotice | DeltaNotice | StatusNotice


class Listener(Protocol):
    """A client of a task. Calls never block; while `is_congested`, the task keeps deltas back and merges them."""

    def notice(self, notice: Notice) -> None: ...

    def is_congested(self) -> bool: ...
