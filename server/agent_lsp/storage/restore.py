"""Reading a task back, and what has to be appended so that it rests. Pure but for `load`."""

import json
from pathlib import Path

from agent_lsp.domain.events import Kept
from agent_lsp.domain.messages import Message, Say
from agent_lsp.domain.status import is_request_finished
from agent_lsp.storage.folding import fold
from agent_lsp.storage.journal import read_journal
from agent_lsp.storage.lines import Reading
from agent_lsp.storage.records import MessageChanged, Record
from agent_lsp.storage.stored import StoredTask


def load(folder: Path) -> StoredTask:
    """Read a task for looking at it; to go on with one, `Journal.open` it and `restore` what that read."""
    return restore(read_journal(folder), folder.name)


def restore(reading: Reading, task_id: str) -> StoredTask:
    """Fold a journal's records. Where its first record is lost, the header is pieced together from the rest."""
    return fold(reading.records, task_id).folded(reading.set_aside)


def settle(stored: StoredTask) -> tuple[Record, ...]:
    """What to append, and to apply, so that nothing of the task runs or waits any more."""
    results = (Kept(result) for result in stored.missing_results)
    changes = (change for message in stored.messages if (change := settled_message(message)))
    return (*results, *changes)


def settled_message(message: Message) -> MessageChanged | None:
    """How a message ends whose server ended; None for one that had ended before."""
    if message.say is Say.API_REQ_STARTED and not is_request_finished(message.text):
        row = json.loads(message.text or "{}") | {"cancelReason": "interrupted"}
        return MessageChanged(message.ts, text=json.dumps(row), partial=False if message.partial else None)
    if message.partial:
        return MessageChanged(message.ts, partial=False, state="interrupted")
    return MessageChanged(message.ts, state="interrupted") if message.waits else None
