"""Random lives of a task: records as a running server appends them, and what it then has in memory."""

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st
from storage_samples import STARTED

from agent_lsp.domain.condensing import Condensed, ResultsLeftOut, shorter
from agent_lsp.domain.events import Kept, TodosChanged
from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Words
from agent_lsp.domain.messages import Answer, Ask, Message, Progress, Response, Say
from agent_lsp.domain.requests import QueuedWords
from agent_lsp.domain.status import ContextUse, PermissionMode, Todo, Usage
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
    UsageCounted,
    WordsQueued,
)

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
ROWS = st.sampled_from(["{}", '{"cost": 0.1}', '{"cancelReason": "x"}'])


@dataclass
class Memory:
    """A model of the hall: the simplest thing that holds a task."""

    records: list[Record] = field(default_factory=lambda: [STARTED])
    messages: dict[int, Message] = field(default_factory=dict)
    history: list[HistoryItem] = field(default_factory=list)
    open_calls: list[str] = field(default_factory=list)
    hidden: dict[int, Message] = field(default_factory=dict)
    before: dict[str, "Moment"] = field(default_factory=dict)
    """What was there before each point and each rewind."""
    point: int = 0
    facts: dict[str, Any] = field(
        default_factory=lambda: {
            "title": STARTED.title,
            "mode": STARTED.mode,
            "profile": STARTED.profile,
            "permission_mode": STARTED.permission_mode,
            "todos": (),
            "queue": (),
            "usage": Usage(),
        }
    )
    ts: int = 2_000

    def add(self, message: Message) -> None:
        self.ts = message.ts
        if is_point(message, self):
            self.before[str(message.ts)] = self.moment()
        self.messages[message.ts] = message
        self.records.append(MessageAdded(message))

    def grow(self, ts: int, append: str) -> None:
        message = self.messages[ts]
        self.messages[ts] = replace(message, text=(message.text or "") + append)
        self.records.append(MessageGrew(ts, append))

    def change(self, ts: int, **fields: object) -> None:
        self.messages[ts] = replace(self.messages[ts], **fields)
        self.records.append(replace(MessageChanged(ts), **fields))

    def keep(self, item: HistoryItem, takes: str | None = None) -> None:
        self.history.append(item)
        self.records.append(Kept(item, takes))
        newest = next(reversed(self.messages.values()), None)
        if takes and newest and is_users_words(newest) and (then := self.before.get(str(newest.ts))):
            left = tuple(words for words in then.facts["queue"] if words.message_id != takes)
            self.before[str(newest.ts)] = replace(then, facts=then.facts | {"queue": left})

    def moment(self) -> "Moment":
        return Moment(tuple(self.messages), list(self.history), list(self.open_calls), self.facts)

    def rewind(self, record: Rewound) -> None:
        now, then = self.moment(), self.before[record.undone or str(record.ts)]
        self.before[record.id] = now
        every = self.messages | self.hidden
        self.messages = {ts: every[ts] for ts in then.shown}
        self.hidden = {ts: message for ts, message in every.items() if ts not in self.messages}
        self.history, self.open_calls = list(then.history), list(then.open_calls)
        self.facts = self.facts | {name: then.facts[name] for name in ("mode", "todos", "queue")}
        self.records.append(record)

    def tell(self, record: Record, **facts: object) -> None:
        self.facts = self.facts | facts
        self.records.append(record)


@dataclass(frozen=True)
class Moment:
    shown: tuple[int, ...]
    history: list[HistoryItem]
    open_calls: list[str]
    facts: dict[str, Any]


def is_point(message: Message, memory: Memory) -> bool:
    """Whether a rewind can lead to just before this message."""
    is_between_steps = is_users_words(message) and not memory.open_calls
    return is_between_steps or message.say is Say.API_REQ_STARTED or not memory.messages


def is_users_words(message: Message) -> bool:
    return message.say is Say.USER_FEEDBACK or (message.say is Say.TEXT and message.partial is None)


@st.composite
def lives(draw: st.DrawFn, max_steps: int = 25) -> Memory:
    memory = Memory()
    for _ in range(draw(st.integers(0, max_steps))):
        ways = [live_say, live_ask, live_growth, live_change, live_history, live_fact, live_queue, live_rewind]
        draw(st.sampled_from([*ways, live_shortening]))(draw, memory)
    return memory


def live_say(draw: st.DrawFn, memory: Memory) -> None:
    say = draw(st.sampled_from([Say.TEXT, Say.REASONING, Say.API_REQ_STARTED, Say.TOOL, Say.USER_FEEDBACK]))
    text = draw(ROWS) if say is Say.API_REQ_STARTED else draw(st.none() | TEXTS)
    partial = None if say is Say.API_REQ_STARTED else draw(st.sampled_from([None, True, False]))
    memory.add(Message(memory.ts + 1, "say", say=say, text=text, partial=partial))


def live_ask(draw: st.DrawFn, memory: Memory) -> None:
    ask, partial = draw(st.sampled_from(list(Ask))), draw(st.sampled_from([None, True, False]))
    memory.add(Message(memory.ts + 1, "ask", ask, text=draw(TEXTS), partial=partial))


def live_growth(draw: st.DrawFn, memory: Memory) -> None:
    growing = [ts for ts, message in memory.messages.items() if message.partial]
    if growing:
        memory.grow(draw(st.sampled_from(growing)), draw(TEXTS))


def live_change(draw: st.DrawFn, memory: Memory) -> None:
    changeable = [ts for ts, message in memory.messages.items() if message.say is not Say.API_REQ_STARTED]
    changes: list[dict[str, object]] = [
        {"partial": False},
        {"partial": False, "text": draw(TEXTS)},
        {"answer": Answer(Response.YES, "user", 5, draw(st.none() | TEXTS))},
        {"state": "interrupted", "partial": False},
        {"progress": Progress(draw(st.none() | TEXTS), "1/2")},
    ]
    if changeable:
        memory.change(draw(st.sampled_from(changeable)), **draw(st.sampled_from(changes)))


def live_history(draw: st.DrawFn, memory: Memory) -> None:
    """As the loop keeps it: no words and no reply before all calls of the last one have their results."""
    if memory.open_calls:
        memory.keep(Result(memory.open_calls.pop(0), draw(TEXTS)))
    elif draw(st.booleans()):
        memory.keep(Words((draw(TEXTS),)))
    else:
        ids = draw(st.lists(st.sampled_from(["a", "b", "call_0"]), max_size=3))
        memory.open_calls = list(ids)
        memory.keep(Reply(tuple(Call(call_id, "read_file", "{}") for call_id in ids)))


def live_shortening(draw: st.DrawFn, memory: Memory) -> None:
    """Between steps alone, and never between a call and its result."""
    if memory.open_calls:
        return
    history = memory.history
    parts = [place for place in range(len(history) + 1) if not isinstance((*history, None)[place], Result)]
    words = [place for place, item in enumerate(history) if isinstance(item, Words)]
    if draw(st.booleans()):
        head = draw(st.lists(st.sampled_from(words), max_size=2) if words else st.just([]))
        summary = Words((draw(TEXTS),), by="summary")
        change = Condensed((*head, summary), len(history) - draw(st.sampled_from(parts)), ContextUse())
    else:
        places = draw(st.lists(st.integers(0, len(history) + 2), max_size=4))
        change = ResultsLeftOut(tuple(places), ContextUse())
    memory.history = shorter(history, change)
    memory.records.append(change)


def live_queue(draw: st.DrawFn, memory: Memory) -> None:
    queue = {words.message_id: words for words in memory.facts["queue"]}
    words = QueuedWords(draw(st.sampled_from("abc")), draw(TEXTS))
    match draw(st.sampled_from(["add", "order", "take"])):
        case "add":
            memory.tell(WordsQueued(words), queue=tuple((queue | {words.message_id: words}).values()))
        case "order":
            ids = draw(st.permutations("abc"))[: draw(st.integers(0, 3))]
            memory.tell(QueueOrdered(tuple(ids)), queue=tuple(queue[each] for each in ids if each in queue))
        case _ if not memory.open_calls:
            left = tuple(each for each in queue.values() if each.message_id != words.message_id)
            memory.facts = memory.facts | {"queue": left}
            memory.keep(Words((words.text,)), takes=words.message_id)
        case _:
            pass


def live_rewind(draw: st.DrawFn, memory: Memory) -> None:
    """To a point that is shown, or to before a rewind that was made."""
    points = [Rewound("", ts) for ts in memory.messages if str(ts) in memory.before]
    undone = [Rewound("", undone=name) for name in memory.before if name.startswith("r")]
    if wanted := [*points, *undone]:
        memory.rewind(replace(draw(st.sampled_from(wanted)), id=f"r{len(memory.records)}"))


def live_fact(draw: st.DrawFn, memory: Memory) -> None:
    usage = Usage(draw(st.integers(0, 99)), cost=draw(st.none() | st.floats(0, 1)))
    todos = (Todo("1", draw(TEXTS), "pending"),)
    word = draw(TEXTS)
    record, facts = draw(
        st.sampled_from(
            [
                (Renamed(word), {"title": word}),
                (ModeChanged(word), {"mode": word}),
                (ProfileChanged(word), {"profile": word}),
                (PermissionModeChanged(PermissionMode.PLAN), {"permission_mode": PermissionMode.PLAN}),
                (TodosChanged(todos), {"todos": todos}),
                (UsageCounted(usage), {"usage": usage}),
                (LimitsReset(), {}),
                (Cleared(), {}),
            ]
        )
    )
    memory.tell(record, **facts)
