import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.domain.approvals import Deed
from agent_lsp.domain.checkpoints import Alterations, Altered, Checkpoint, FileState, Reason
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.domain.files import Base, FileEdit, FileText, Place, Standing
from agent_lsp.domain.messages import CheckpointMark, Message, Say
from agent_lsp.domain.notices import Listener
from agent_lsp.storage.checkpoints_walk import GivenUp
from agent_lsp.storage.records import Record
from agent_lsp.tasks.checkpointing import Checkpointing
from agent_lsp.tasks.stream import MessageStream


@dataclass
class Store:
    """Checkpoints that are numbers, and what was asked for in order."""

    asked: list[object] = field(default_factory=list)
    problem: str = ""
    is_given_up: bool = False

    async def take(self, task_id: str, reason: Reason) -> Checkpoint:
        await asyncio.sleep(0)
        self.asked.append(reason)
        if self.is_given_up:
            raise GivenUp("the end")
        if self.problem:
            raise StorageProblem(self.problem)
        return Checkpoint(str(len(self.asked)), 0, reason, "tree")

    async def note_changes(self, task_id: str, reason: Reason, changes: Alterations) -> None:
        self.asked.append(changes)

    async def note_intent(self, task_id: str, changes: Alterations) -> None:
        self.asked.append(("intent", changes))

    async def note_changes_since(self, task_id: str, checkpoint: Checkpoint) -> None:
        self.asked.append(f"since {checkpoint.id}")


class Notebook:
    def append(self, record: Record) -> None: ...

    async def sync(self) -> None: ...

    def close(self) -> None: ...


@dataclass
class Desk:
    store: Store
    stream: MessageStream
    checkpointing: Checkpointing

    def mark(self, ts: int) -> CheckpointMark | None:
        return self.stream.message(ts).checkpoint

    def said(self, say: Say) -> Sequence[Message]:
        return [message for message in self.stream.newest(100, None)[0] if message.say is say]


def desk(problem: str = "") -> Desk:
    listeners: list[Listener] = []
    stream = MessageStream("t1", "i1", Notebook(), listeners, ())
    store = Store(problem=problem)
    return Desk(store, stream, Checkpointing("t1", store, stream))


async def test_only_the_first_change_of_a_step_has_a_checkpoint() -> None:
    at = desk()
    first, second, third = (at.stream.say(Say.TOOL) for _ in range(3))

    await at.checkpointing.before(Deed.WRITE, first)
    await at.checkpointing.before(Deed.WRITE, second)
    at.checkpointing.new_step()
    await at.checkpointing.before(Deed.WRITE, third)

    assert [at.mark(ts) for ts in (first, second, third)] == [CheckpointMark("1"), None, CheckpointMark("2")]


async def test_reading_and_saving_need_no_checkpoint() -> None:
    at = desk()

    await at.checkpointing.before(Deed.READ, at.stream.say(Say.TOOL))
    await at.checkpointing.before(Deed.SAVE, at.stream.say(Say.TOOL))

    assert at.store.asked == []


async def test_what_a_command_did_is_noted_once_it_ran() -> None:
    at = desk()

    await at.checkpointing.before(Deed.EXECUTE, at.stream.say(Say.COMMAND))
    at.checkpointing.after_call()
    at.checkpointing.after_call()
    await at.checkpointing.settle()

    assert at.store.asked == [Reason.COMMAND, "since 1"]


async def test_words_are_marked_while_the_task_goes_on_and_before_its_first_change() -> None:
    at = desk()
    words, row = at.stream.say(Say.TEXT, "do it"), at.stream.say(Say.TOOL)

    at.checkpointing.at_words(words)
    assert at.mark(words) is None
    await at.checkpointing.before(Deed.WRITE, row)

    assert (at.store.asked, at.mark(words)) == ([Reason.MESSAGE, Reason.CHANGE], CheckpointMark("1"))


async def test_failure_is_said_once_and_stops_nothing() -> None:
    at = desk("git is missing.")

    await at.checkpointing.before(Deed.EXECUTE, at.stream.say(Say.COMMAND))
    at.checkpointing.after_call()
    await at.checkpointing.before(Deed.EXECUTE, at.stream.say(Say.COMMAND))
    await at.checkpointing.settle()

    assert at.store.asked == [Reason.COMMAND]
    assert [message.text for message in at.said(Say.INFO)] == [
        "No checkpoints are taken for this task from here on. git is missing."
    ]


async def test_checkpoint_that_is_given_up_at_the_end_is_no_failure() -> None:
    at = desk()
    at.store.is_given_up = True

    await at.checkpointing.before(Deed.EXECUTE, at.stream.say(Say.COMMAND))

    assert at.said(Say.INFO) == []


async def test_edits_are_noted_with_the_bytes_they_had_and_got() -> None:
    at = desk()
    latin = FileText("é", Base(None, ""), is_open=False, encoding="latin-1")
    opened = FileText("\ud83d", Base(1, ""), is_open=True)

    await at.checkpointing.changed(
        [
            FileEdit(place("/w/latin"), latin, "è"),
            FileEdit(place("/w/open"), opened, "x"),
            FileEdit(place("/w/new"), None, "é"),
            FileEdit(place("/w/old"), latin, None),
            FileEdit(place("/w/from"), latin, "é", place("/w/to")),
        ],
        {Path("/w/from"): 0o600},
    )

    assert at.store.asked == [
        {
            Path("/w/latin"): Altered(FileState(b"\xe9"), FileState(b"\xe8")),
            Path("/w/open"): Altered(FileState(b"\xed\xa0\xbd"), FileState(b"x")),
            Path("/w/new"): Altered(None, FileState("é".encode())),
            Path("/w/old"): Altered(FileState(b"\xe9"), None),
            Path("/w/from"): Altered(FileState(b"\xe9", permissions=0o600), None),
            Path("/w/to"): Altered(None, FileState(b"\xe9", permissions=0o600)),
        }
    ]


def place(path: str) -> Place:
    return Place(path, Path(path), f"file://{path}", Standing.INSIDE, Path("/w"))
