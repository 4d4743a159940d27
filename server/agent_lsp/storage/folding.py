"""From records to the task that they tell of, rewinds included. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import assert_never

from agent_lsp.domain.condensing import Condensed, HistoryChange, ResultsLeftOut, shorter
from agent_lsp.domain.events import Kept, TodosChanged
from agent_lsp.domain.history import HistoryItem, Reply, Result
from agent_lsp.domain.messages import Message, Say
from agent_lsp.domain.requests import QueuedWords
from agent_lsp.domain.status import ContextUse, Todo
from agent_lsp.storage.lines import SetAside
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
    QueueOrdered,
    Record,
    Renamed,
    Rewound,
    Started,
    UsageCounted,
    WordsQueued,
)
from agent_lsp.storage.stored import StoredTask, changed, is_users_words


def fold(records: Iterable[Record], task_id: str) -> "Fold":
    folding = Fold(StoredTask(Started(task_id, instance_id="", title="", created_ts=0)))
    for record in records:
        folding.take(record)
    return folding


@dataclass(frozen=True, slots=True)
class Facts:
    """What a rewind brings back beside messages and history. Money that was spent is none of it."""

    mode: str
    todos: tuple[Todo, ...]
    context: ContextUse
    queue: tuple[QueuedWords, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """How things stood just before a message came, and the point that a rewind to it leads to.

    A point is the user's words, or the beginning of a step: there no call lacks its result, and all that is shown
    is known to the model.
    """

    point: int
    history: list[HistoryItem]
    """The history of then, of which `items` were there already. It goes on growing, but is never made shorter."""
    items: int
    facts: Facts


@dataclass(frozen=True, slots=True)
class View:
    """What is shown and told at one moment: messages by their `ts`, and the history."""

    marks: dict[int, Mark]
    items: list[HistoryItem]
    facts: Facts


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
class Fold:
    """What has been read so far: the task, but for its messages and its history, which are still growing."""

    task: StoredTask
    drafts: dict[int, _Draft] = field(default_factory=dict[int, _Draft])
    """All messages, hidden ones too."""
    marks: dict[int, Mark] = field(default_factory=dict[int, Mark])
    """Of the messages that are shown."""
    items: list[HistoryItem] = field(default_factory=list[HistoryItem])
    rewinds: dict[str, View] = field(default_factory=dict[str, View])
    """What was shown before each rewind."""
    point: int = 0
    open_calls: int = 0
    requests: int = 0

    def take(self, record: Record) -> None:
        match record:
            case MessageAdded(message):
                self._add(message)
            case MessageGrew(ts, append):
                self._change(ts, lambda draft: draft.pieces.append(append))
            case MessageChanged(ts):
                self._change(ts, lambda draft: draft.change(record))
            case Kept():
                self._keep(record)
            case Condensed() | ResultsLeftOut():
                self._shorten(record)
            case LimitsReset():
                self.requests = 0
                self.task = replace(self.task, usage_at_reset=self.task.usage)
            case Rewound():
                self._rewind(record)
            case _:
                self.task = _with(self.task, record)

    def folded(self, set_aside: tuple[SetAside, ...] = ()) -> StoredTask:
        pairing = pair(self.items)
        task = replace(
            self.task,
            messages=tuple(self.drafts[ts].joined() for ts in self.marks),
            last_ts=max(self.drafts, default=0),
            history=pairing.history,
            missing_results=pairing.missing,
            requests_since_reset=self.requests,
            set_aside=set_aside,
        )
        return task if task.started.created_ts else _pieced_together(task)

    def view_before(self, ts: int) -> View | None:
        """What was shown at the point of a message; None where nothing from there on is shown."""
        if (named := next((shown for shown in self.marks if shown >= ts), None)) is None:
            return None
        point = self.marks[named].point
        mark = self.marks[point]
        earlier = {shown: its for shown, its in self.marks.items() if shown < point}
        return View(earlier, list(islice(mark.history, mark.items)), mark.facts)

    def _facts(self) -> Facts:
        return Facts(self.task.mode, self.task.todos, self.task.context, self.task.queue)

    def _add(self, message: Message) -> None:
        if message.ts not in self.drafts:
            self.requests += message.say is Say.API_REQ_STARTED
            self.point = message.ts if self._is_point(message) else self.point
            self.marks[message.ts] = Mark(self.point, self.items, len(self.items), self._facts())
        if self.task.is_cleared or self.task.is_rewound:  # Whoever goes on with a task brings it back to the screen.
            self.task = replace(self.task, is_cleared=False, is_rewound=False)
        self.drafts[message.ts] = _Draft(message)

    def _is_point(self, message: Message) -> bool:
        is_between_steps = is_users_words(message) and not self.open_calls
        return is_between_steps or message.say is Say.API_REQ_STARTED or not self.marks

    def _change(self, ts: int, change: Callable[[_Draft], None]) -> None:
        """What changes a message that is itself lost is lost with it."""
        if draft := self.drafts.get(ts):
            change(draft)

    def _keep(self, kept: Kept) -> None:
        self.items.append(kept.item)
        match kept.item:
            case Reply(calls=calls):
                self.open_calls = len(calls)
            case Result():
                self.open_calls = max(0, self.open_calls - 1)
            case _:
                self.open_calls = 0
        if kept.takes:
            self._take(kept.takes)

    def _shorten(self, change: HistoryChange) -> None:
        """Go on with a shorter history, and keep the one of before for who rewinds to it.

        Places are those of the paired history: that is what the model was told, also after a kill.
        """
        self.items = shorter(pair(self.items).history, change)
        self.task = replace(self.task, context=change.context)

    def _take(self, message_id: str) -> None:
        """Let words wait no more; nor before the message that says them: who goes back there has them in hand."""
        self.task = replace(self.task, queue=_without(self.task.queue, message_id))
        newest = next(reversed(self.marks), None)
        if newest is not None and is_users_words(self.drafts[newest].message):
            mark = self.marks[newest]
            facts = replace(mark.facts, queue=_without(mark.facts.queue, message_id))
            self.marks[newest] = replace(mark, facts=facts)

    def _rewind(self, record: Rewound) -> None:
        """Turn to an earlier view. One that cannot be found any more hides nothing."""
        view = self.rewinds.get(record.undone) if record.undone else self.view_before(record.ts or 0)
        self.rewinds[record.id] = View(dict(self.marks), list(self.items), self._facts())
        if view is None:
            return
        self.marks, self.items = dict(view.marks), list(view.items)
        facts = view.facts
        self.task = replace(
            self.task,
            mode=facts.mode,
            todos=facts.todos,
            context=facts.context,
            queue=facts.queue,
            is_rewound=True,
        )
        self.point = next((mark.point for mark in reversed(self.marks.values())), 0)
        self.open_calls = 0


_Rest = (
    Started
    | TodosChanged
    | UsageCounted
    | Renamed
    | ModeChanged
    | ProfileChanged
    | PermissionModeChanged
    | Cleared
    | WordsQueued
    | QueueOrdered
)


def _with(task: StoredTask, record: _Rest) -> StoredTask:
    match record:
        case Started():
            return replace(
                task,
                started=record,
                title=record.title,
                mode=record.mode,
                profile=record.profile,
                permission_mode=record.permission_mode,
                has_chosen_profile=record.has_chosen_profile,
            )
        case TodosChanged(todos):
            return replace(task, todos=todos)
        case UsageCounted(usage, context, by_model):
            return replace(task, usage=usage, context=context, usage_by_model=by_model)
        case Renamed(title):
            return replace(task, title=title)
        case ModeChanged(mode):
            return replace(task, mode=mode)
        case ProfileChanged(profile, is_chosen):
            return replace(task, profile=profile, has_chosen_profile=is_chosen)
        case PermissionModeChanged(permission_mode):
            return replace(task, permission_mode=permission_mode)
        case Cleared():
            return replace(task, is_cleared=True)
        case WordsQueued() | QueueOrdered():
            return replace(task, queue=queue_after(task.queue, record))
        case _:
            assert_never(record)


def queue_after(queue: tuple[QueuedWords, ...], record: WordsQueued | QueueOrdered) -> tuple[QueuedWords, ...]:
    """The queue that a record leaves."""
    by_id = {words.message_id: words for words in queue}
    match record:
        case WordsQueued(words):
            return tuple((by_id | {words.message_id: words}).values())
        case QueueOrdered(message_ids):
            return tuple(by_id[message_id] for message_id in message_ids if message_id in by_id)


def _without(queue: tuple[QueuedWords, ...], message_id: str) -> tuple[QueuedWords, ...]:
    return tuple(words for words in queue if words.message_id != message_id)


def _pieced_together(task: StoredTask) -> StoredTask:
    """A header for a task whose first record is lost."""
    text = next((message.text for message in task.messages if message.text), "")
    title = task.title or text.strip().partition("\n")[0][:100]
    created_ts = task.messages[0].ts if task.messages else 0
    return replace(task, title=title, started=replace(task.started, title=title, created_ts=created_ts))
