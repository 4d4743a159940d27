"""A line of the task list, found in a journal's bytes without reading all of its records."""

from collections.abc import Iterator
from dataclasses import dataclass

from agent_lsp.domain.messages import Message
from agent_lsp.domain.requests import TaskSummary
from agent_lsp.domain.status import Usage
from agent_lsp.storage.lines import read_lines
from agent_lsp.storage.records import MessageAdded, MessageChanged, Record, Renamed, Started, UsageCounted
from agent_lsp.storage.restore import restore
from agent_lsp.storage.stored import StoredTask, changed, newest_blocking_ask, state_at_rest


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the index holds of one task."""

    summary: TaskSummary
    client_request_id: str | None = None


def entry_of(stored: StoredTask) -> IndexEntry:
    messages = stored.messages
    summary = TaskSummary(
        task_id=stored.started.task_id,
        title=stored.title,
        ts=messages[-1].ts if messages else stored.started.created_ts,
        state=state_at_rest(newest_blocking_ask(reversed(messages))),
        usage=stored.usage,
    )
    return IndexEntry(summary, stored.started.client_request_id)


def find_entry(content: bytes, task_id: str) -> IndexEntry | None:
    """Look through a journal for what the list shows; None where it holds no task at all."""
    if b'"kind":"rewound"' in content:  # What is newest may be hidden: rare, and worth reading all of it.
        return entry_of(restore(read_lines(content), task_id))
    head = _records(content[: content.find(b"\n") + 1])
    if not head or not isinstance(started := head[0], Started):
        reading = read_lines(content)
        return entry_of(restore(reading, task_id)) if reading.records else None
    summary = TaskSummary(
        task_id=task_id,
        title=next(
            (r.title for r in _backwards(content, b'"kind":"renamed"') if isinstance(r, Renamed)), started.title
        ),
        ts=next((message.ts for message in _messages(content, b'"kind":"added"')), started.created_ts),
        state=state_at_rest(newest_blocking_ask(_messages(content, b'"type":"ask"'))),
        usage=next((r.usage for r in _backwards(content, b'"kind":"usage"') if isinstance(r, UsageCounted)), Usage()),
    )
    return IndexEntry(summary, started.client_request_id)


def _messages(content: bytes, mark: bytes) -> Iterator[Message]:
    """The messages whose lines bear the mark, newest first, each as it became."""
    for record in _backwards(content, mark):
        if isinstance(record, MessageAdded):
            yield _as_it_became(record.message, content)


def _as_it_became(message: Message, content: bytes) -> Message:
    mark = b'"kind":"changed","ts":%d,' % message.ts
    for record in reversed(list(_backwards(content, mark))):
        if isinstance(record, MessageChanged):
            message = changed(message, record)
    return message


def _backwards(content: bytes, mark: bytes) -> Iterator[Record]:
    """The intact records whose lines bear the mark, the newest first. No record's text can: its quotes are escaped."""
    end = len(content)
    while (place := content.rfind(mark, 0, end)) >= 0:
        end = content.rfind(b"\n", 0, place) + 1
        yield from _records(content[end : content.find(b"\n", place) + 1])


def _records(line: bytes) -> tuple[Record, ...]:
    return read_lines(line).records
