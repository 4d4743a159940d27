"""Where a rewind leads, worked out from a journal before anything is done. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from agent_lsp.domain.checkpoints import Rewind
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.messages import Message
from agent_lsp.storage.folding import Fold, fold
from agent_lsp.storage.records import Record, Rewound
from agent_lsp.storage.stored import StoredTask, is_users_words


@dataclass(frozen=True, slots=True)
class RewindPlan:
    """A rewind that can be made: the task as it is after it, and what the user is told of that."""

    record: Rewound
    after: StoredTask
    told: Rewind


@dataclass(frozen=True, slots=True)
class RewindPoint:
    """Where to go: a message, or a checkpoint, which is that of a message or of a rewind."""

    ts: int | None = None
    checkpoint: str | None = None


def plan_rewind(records: Sequence[Record], task_id: str, point: RewindPoint) -> RewindPlan:
    """Work out a rewind. BadParams where there is no such point."""
    folding = fold(records, task_id)
    before = folding.folded()
    record = _record(folding, before, point)
    folding.take(record)
    after = folding.folded()
    was, now = {message.ts: message for message in before.messages}, {message.ts for message in after.messages}
    hidden, shown = was.keys() - now, now - was.keys()
    first = min(hidden | shown, default=before.last_ts)
    words = was.get(record.ts or 0)
    text, images = (words.text, words.images) if words and is_users_words(words) else (None, ())
    return RewindPlan(record, after, Rewind(first, len(hidden), len(shown), text, images))


def _message_of_checkpoint(messages: Sequence[Message], checkpoint: str) -> int | None:
    """The message that a checkpoint was taken for; later ones have it too, where nothing had changed."""
    return next((m.ts for m in messages if m.checkpoint and m.checkpoint.id == checkpoint), None)


def _record(folding: Fold, before: StoredTask, point: RewindPoint) -> Rewound:
    if point.checkpoint in folding.rewinds:
        return Rewound(str(uuid4()), undone=point.checkpoint)
    ts = point.ts
    if point.checkpoint:
        ts = _message_of_checkpoint(before.messages, point.checkpoint)
        if ts is None:
            raise BadParams(f"No message has the checkpoint {point.checkpoint!r}: name a message by its ts.")
    if ts not in folding.marks:
        raise BadParams(f"The task shows no message {ts}: agent/state tells those there are.")
    return Rewound(str(uuid4()), ts)
