"""Records for the tests of this room: one of each kind, and a small task as a journal has it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agent_lsp.domain.condensing import Condensed, ResultsLeftOut
from agent_lsp.domain.events import Kept, TodosChanged
from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Spoken, Thought, Words, history_item_to_wire
from agent_lsp.domain.messages import Answer, Ask, CheckpointMark, Message, Progress, Response, Say
from agent_lsp.domain.requests import QueuedWords, TaskList, TaskSummary
from agent_lsp.domain.status import ContextUse, ModelUsage, PermissionMode, State, Todo, Usage
from agent_lsp.storage.journal import FILE_NAME, unredacted
from agent_lsp.storage.lines import encode_line
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
    record_to_wire,
)

STARTED = Started(
    "task-1", "instance-1", "Fix the sum", 1_000, ("/work/shop",), "code", "work", PermissionMode.PLAN, "request-7"
)
REPLY = Reply(
    (Thought("hm", '{"signature": "x"}'), Spoken("I look."), Call("c1", "read_file", '{"path": "a.py"}')), "m"
)
RESULT = Result("c1", "1 | pass", ("data:image/png;base64,AA==",))
PROPOSAL = Message(1_003, "ask", Ask.TOOL, text='{"tool": "readFile"}', partial=True, progress=Progress("sync", "1/2"))

EVERY_KIND: tuple[Record, ...] = (
    STARTED,
    MessageAdded(
        Message(1_001, "say", say=Say.TEXT, text="Fix the sum ✂ \n\0", images=("data:image/png;base64,AA==",))
    ),
    MessageAdded(Message(1_002, "say", say=Say.API_REQ_STARTED, text='{"cost": 0.5}')),
    MessageAdded(PROPOSAL),
    MessageAdded(Message(1_004, "say", say=Say.CHECKPOINT_SAVED, checkpoint=CheckpointMark("abc"), agent="scout")),
    MessageGrew(1_003, " and \ud800 more"),
    MessageChanged(1_003, "{}", False, Answer(Response.YES, "user", 1_005, "go"), None, Progress(text="2/2")),
    MessageChanged(1_003, state="interrupted"),
    Kept(Words(("Fix the sum",), ("data:image/png;base64,AA==",))),
    Kept(REPLY),
    Kept(RESULT),
    ResultsLeftOut((2, 5), ContextUse(20, 200, 10.0)),
    Condensed((0, Words(("All before", "and files"), by="summary"), 3), 2, ContextUse(10, 200, 5.0)),
    Condensed((), 0, ContextUse()),
    TodosChanged((Todo("1", "look", "completed"), Todo("2", "mend", "pending"))),
    TodosChanged(()),
    UsageCounted(Usage(10, 20, 3, 4, None), ContextUse(30, 200, 15.0), (ModelUsage("m", Usage(1, 2)),)),
    Renamed("Sums"),
    ModeChanged("ask"),
    ProfileChanged("local"),
    PermissionModeChanged(PermissionMode.ACCEPT_EDITS),
    LimitsReset(),
    Cleared(),
    WordsQueued(QueuedWords("m1", "and this", ("data:image/png;base64,AA==",), "steer")),
    QueueOrdered(("m1", "m2")),
    QueueOrdered(()),
    Kept(Words(("and this",)), takes="m1"),
    Rewound("r1", 1_002),
    Rewound("r2", undone="r1"),
)


def wires(records: Sequence[Record]) -> list[object]:
    """Records in a form that compares by value; the items of a history compare by identity."""
    return [record_to_wire(record) for record in records]


def item_wires(items: Sequence[HistoryItem]) -> list[object]:
    return [history_item_to_wire(item) for item in items]


def journal_of(records: Sequence[Record]) -> bytes:
    return b"".join(encode_line(number, record, unredacted) for number, record in enumerate(records, start=1))


def put_journal(folder: Path, content: bytes) -> Path:
    folder.mkdir(parents=True)
    (folder / FILE_NAME).write_bytes(content)
    return folder


USAGE = Usage(1, 2, 3, 4, None)


def summary(number: int, title: str = "Task", state: State = State.IDLE) -> TaskSummary:
    return TaskSummary(f"task-{number}", title, number, state, USAGE)


def store(state: Path, task: TaskSummary) -> TaskSummary:
    """Put a task on the disk that the index should list in this way."""
    ask = Ask.COMPLETION_RESULT if task.state is State.IDLE else Ask.TOOL
    records = (
        replace(STARTED, task_id=task.task_id, client_request_id=f"request-{task.ts}"),
        MessageAdded(Message(task.ts, "ask", ask, text="x")),
        UsageCounted(task.usage),
        Renamed(task.title),
    )
    put_journal(state / "tasks" / task.task_id, journal_of(records))
    return task


def ids(page: TaskList) -> list[str]:
    return [task.task_id for task in page.tasks]
