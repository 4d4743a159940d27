"""A task as its journal tells it, and what has to be appended so that it rests. Pure but for `load`."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never

from agent_lsp.domain.events import Kept, TodosChanged
from agent_lsp.domain.history import HistoryItem, Result
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.status import (
    ContextUse,
    PermissionMode,
    State,
    Todo,
    Usage,
    is_request_finished,
    state_of_ask,
)
from agent_lsp.storage.journal import read_journal
from agent_lsp.storage.lines import Reading, SetAside
from agent_lsp.storage.pairing import pair
from agent_lsp.storage.records import (
    Cleared,
    LimitsReset,
    MessageAdded,
    MessageChanged,
    MessageGrew,
    ModeChanged,
    PermissionModeChanged,
    ProfileChanged,
    Record,
    Renamed,
    Started,
    UsageCounted,
)


@dataclass(frozen=True, slots=True, eq=False)
class StoredTask:
    """Everything that is known of a task from its journal alone."""

    started: Started
    title: str = ""
    mode: str = "code"
    profile: str = ""
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    messages: tuple[Message, ...] = ()
    history: tuple[HistoryItem, ...] = ()
    missing_results: tuple[Result, ...] = ()
    """Those of the history that the journal does not have yet; `settle` appends them."""
    todos: tuple[Todo, ...] = ()
    usage: Usage = field(default_factory=Usage)
    context: ContextUse = field(default_factory=ContextUse)
    requests_since_reset: int = 0
    usage_at_reset: Usage = field(default_factory=Usage)
    is_cleared: bool = False
    set_aside: tuple[SetAside, ...] = ()

    @property
    def is_completed(self) -> bool:
        """Whether the completion (or the question after it) waits. To be asked before the task is settled."""
        newest = newest_blocking_ask(reversed(self.messages))
        return newest is not None and newest.waits and newest.ask in _COMPLETIONS


_COMPLETIONS = (Ask.COMPLETION_RESULT, Ask.RESUME_COMPLETED_TASK)


def load(folder: Path) -> StoredTask:
    """Read a task for looking at it; to go on with one, `Journal.open` it and `restore` what that read."""
    return restore(read_journal(folder), folder.name)


def restore(reading: Reading, task_id: str) -> StoredTask:
    """Fold a journal's records. Where its first record is lost, the header is pieced together from the rest."""
    fold = _Fold(StoredTask(Started(task_id, instance_id="", title="", created_ts=0)))
    for record in reading.records:
        fold.take(record)
    return fold.folded(reading.set_aside)


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


def changed(message: Message, change: MessageChanged) -> Message:
    """The message with what the patch names replaced."""
    return replace(
        message,
        text=message.text if change.text is None else change.text,
        partial=message.partial if change.partial is None else change.partial,
        answer=change.answer or message.answer,
        state=change.state or message.state,
        progress=change.progress or message.progress,
        checkpoint=change.checkpoint or message.checkpoint,
    )


def newest_blocking_ask(newest_first: Iterable[Message]) -> Message | None:
    return next((message for message in newest_first if state_of_ask(message)), None)


def state_at_rest(newest_ask: Message | None) -> State:
    """The state to list a task under that nobody runs: idle where an idle ask waits, else resumable."""
    is_idle = newest_ask is not None and newest_ask.waits and state_of_ask(newest_ask) is State.IDLE
    return State.IDLE if is_idle else State.RESUMABLE


@dataclass(slots=True)
class _Draft:
    """A message while the journal is read; its pieces are joined once."""

    message: Message
    pieces: list[str] = field(default_factory=list[str])

    def joined(self) -> Message:
        if not self.pieces:
            return self.message
        return replace(self.message, text="".join((self.message.text or "", *self.pieces)))

    def change(self, change: MessageChanged) -> None:
        self.message = changed(self.joined() if change.text is None else self.message, change)
        self.pieces.clear()


@dataclass(slots=True)
class _Fold:
    """What has been read so far: the task, but for its messages and its history, which are still growing."""

    task: StoredTask
    drafts: dict[int, _Draft] = field(default_factory=dict[int, _Draft])
    items: list[HistoryItem] = field(default_factory=list[HistoryItem])
    requests: int = 0

    def take(self, record: Record) -> None:
        match record:
            case MessageAdded(message):
                self._add(message)
            case MessageGrew(ts, append):
                self._change(ts, lambda draft: draft.pieces.append(append))
            case MessageChanged(ts):
                self._change(ts, lambda draft: draft.change(record))
            case Kept(item):
                self.items.append(item)
            case LimitsReset():
                self.requests = 0
                self.task = replace(self.task, usage_at_reset=self.task.usage)
            case _:
                self.task = _with(self.task, record)

    def folded(self, set_aside: tuple[SetAside, ...]) -> StoredTask:
        pairing = pair(self.items)
        task = replace(
            self.task,
            messages=tuple(draft.joined() for draft in self.drafts.values()),
            history=pairing.history,
            missing_results=pairing.missing,
            requests_since_reset=self.requests,
            set_aside=set_aside,
        )
        return task if task.started.created_ts else _pieced_together(task)

    def _add(self, message: Message) -> None:
        if message.say is Say.API_REQ_STARTED and message.ts not in self.drafts:
            self.requests += 1
        if self.task.is_cleared:  # Whoever goes on with a task brings it back to the screen.
            self.task = replace(self.task, is_cleared=False)
        self.drafts[message.ts] = _Draft(message)

    def _change(self, ts: int, change: Callable[[_Draft], None]) -> None:
        """What changes a message that is itself lost is lost with it."""
        if draft := self.drafts.get(ts):
            change(draft)


_Rest = Started | TodosChanged | UsageCounted | Renamed | ModeChanged | ProfileChanged | PermissionModeChanged | Cleared


def _with(task: StoredTask, record: _Rest) -> StoredTask:
    match record:
        case Started(title=title, mode=mode, profile=profile, permission_mode=permission_mode):
            return replace(
                task, started=record, title=title, mode=mode, profile=profile, permission_mode=permission_mode
            )
        case TodosChanged(todos):
            return replace(task, todos=todos)
        case UsageCounted(usage, context):
            return replace(task, usage=usage, context=context)
        case Renamed(title):
            return replace(task, title=title)
        case ModeChanged(mode):
            return replace(task, mode=mode)
        case ProfileChanged(profile):
            return replace(task, profile=profile)
        case PermissionModeChanged(permission_mode):
            return replace(task, permission_mode=permission_mode)
        case Cleared():
            return replace(task, is_cleared=True)
        case _:
            assert_never(record)


def _pieced_together(task: StoredTask) -> StoredTask:
    """A header for a task whose first record is lost."""
    text = next((message.text for message in task.messages if message.text), "")
    title = task.title or text.strip().partition("\n")[0][:100]
    created_ts = task.messages[0].ts if task.messages else 0
    return replace(task, title=title, started=replace(task.started, title=title, created_ts=created_ts))
