"""A hall for the tests of tasks: real journals and gates, a scripted model, tools that ask and show."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.agent.ports import Tools
from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.files import Change, Place, Proposal, Standing
from agent_lsp.domain.history import Call, HistoryItem, Words
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.model import ToolSpec
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice, Notice, StatusNotice
from agent_lsp.domain.requests import AskReply, NewTask
from agent_lsp.domain.status import PermissionMode, State, Status, WaitingAsk, derive_state
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.extensions.modes import Modes
from agent_lsp.settings.model import AutoApprove, LimitSettings
from agent_lsp.storage.index import TaskIndex
from agent_lsp.storage.journal import unredacted
from agent_lsp.storage.places import tasks_folder
from agent_lsp.tasks.ports import Briefing, Desk, Equipment, EquippedModel, TaskFacts, Workbench
from agent_lsp.tasks.tasks import Tasks
from agent_lsp.tools.growing import GrowingEdit
from support.kitchen import Answer, ScriptedModel

YES, NO, WORDS = "yesButtonClicked", "noButtonClicked", "messageResponse"


@dataclass
class DeskTools:
    """Tools that do one thing each at a task's desk."""

    desk: Desk
    hang: asyncio.Event = field(default_factory=asyncio.Event)

    def specs(self) -> tuple[ToolSpec, ...]:
        return ()

    async def run(self, call: Call, *, has_failed_before: bool) -> Outcome:
        del has_failed_before
        match call.name:
            case "finish":
                return Outcome("shown", after=After.COMPLETED, completion="all done")
            case "write" | "write_to_file":
                return await self._write(call)
            case "question":
                decision = await self.desk.ask(
                    Ask.FOLLOWUP, {"question": "Which?", "suggest": [{"answer": "this"}]}, call.id
                )
                return Outcome(decision.text)
            case "command":
                return await self._command()
            case "hang":
                await self.hang.wait()
                return Outcome("woken")
            case _:
                return Outcome(f"{call.name} done")

    async def _write(self, call: Call) -> Outcome:
        change = Change("file:///w/a", "a", "create", "+x", 1, 0, "agent-preview:/1/a", before="", after="x")
        place = Place("a", Path("/w/a"), "file:///w/a", Standing.INSIDE, Path("/w"))
        body = {"tool": "newFileCreated"}
        action = Action(call.id, Deed.WRITE, body, places=(place,), proposal=Proposal((), (change,)))
        decision = await self.desk.decide(action)
        return Outcome(
            "written" if decision.is_approved else f"rejected: {decision.text}", after=_after(decision.is_approved)
        )

    async def _command(self) -> Outcome:
        row = self.desk.output_row()
        row.grow("line 1\n")
        try:
            operation = await row.operation()
        finally:
            row.end()
        return Outcome(operation)


def inside(path: str) -> Place:
    return Place(path, Path("/w") / path, f"file:///w/{path}", Standing.INSIDE, Path("/w"))


def _after(is_approved: bool) -> After:
    return After.GO_ON if is_approved else After.REJECTED


@dataclass
class Bench:
    tools: Tools
    background: int = 0

    def growing(self, call_id: str, name: str) -> GrowingEdit | None:
        return GrowingEdit(call_id, name, inside) if GrowingEdit.is_shown(name) else None

    def background_count(self) -> int:
        return self.background

    async def stop_commands(self) -> None:
        self.background = 0


class Brief:
    def system_prompt(self) -> str:
        return "system"

    async def environment(self) -> Words | None:
        return None

    def hear(self, text: str) -> None: ...

    def forget(self, *, is_all: bool) -> None: ...


@dataclass
class ScriptedArchitect:
    model: ScriptedModel
    limits: LimitSettings = field(default_factory=LimitSettings)

    def equipment(self) -> Equipment:
        return Equipment(lambda _name: EquippedModel("scripted", self.model), _rules, lambda: self.limits)

    def equip(self, facts: TaskFacts, desk: Desk) -> tuple[Workbench, Briefing]:
        del facts
        return Bench(DeskTools(desk)), Brief()

    def roots(self) -> tuple[Path, ...]:
        return ()

    def permission_mode(self) -> PermissionMode:
        return PermissionMode.DEFAULT

    def default_mode(self) -> str:
        return "code"

    @property
    def modes(self) -> Modes:
        return Modes(Path("/proc/no-such-folder"), (), lambda text: (text, 0))


def _rules(mode: PermissionMode) -> Rules:
    return Rules(permission_mode=mode, auto_approve=AutoApprove(), allowed_commands=(), denied_commands=())


@dataclass
class Watcher:
    """A client: builds its own picture from the notices, and checks their order."""

    congested: bool = False
    notices: list[Notice] = field(default_factory=list)
    messages: dict[int, Message] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    status: Status | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def is_congested(self) -> bool:
        return self.congested

    def notice(self, notice: Notice) -> None:
        self.notices.append(notice)
        match notice:
            case MessageNotice(message=message):
                self.messages[message.ts] = message
                self.texts[message.ts] = message.text or ""
            case DeletionNotice(message=message):
                self.messages.pop(message.ts, None)
                self.texts.pop(message.ts, None)
            case DeltaNotice(ts=ts, append=append):
                self.texts[ts] += append
            case StatusNotice(status):
                self.status = status
        self.changed.set()

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(5):
            while not holds():
                self.changed.clear()
                await self.changed.wait()

    async def until_state(self, state: State) -> None:
        await self.until(lambda: self.status is not None and self.status.state is state)

    async def until_ask(self, ask: Ask) -> Message:
        await self.until(lambda: self.status and self.status.ask and self.status.ask.kind is ask)
        assert self.status is not None
        assert self.status.ask is not None
        return self.messages[self.status.ask.ts]

    def kinds(self) -> list[str]:
        """The messages in order, each by its kind."""
        return [str(message.ask or message.say) for message in self.messages.values()]

    def said(self, say: Say) -> list[str]:
        return [self.texts[message.ts] for message in self.messages.values() if message.say is say]


@dataclass
class House:
    """A server's tasks, in a state folder that outlives it."""

    state: Path
    model: ScriptedModel
    tasks: Tasks
    watcher: Watcher

    def new_task(self, text: str = "do it", **fields) -> str:
        return self.tasks.new_task(NewTask(text, **fields)).task_id

    @property
    def status(self) -> Status:
        """The Status as the client last saw it."""
        assert self.watcher.status is not None
        return self.watcher.status

    @property
    def waiting(self) -> WaitingAsk:
        assert self.status.ask is not None
        return self.status.ask

    def answer(self, response: str, text: str = "", **fields):
        return self.tasks.answer(self.tasks.current_task() or "", None, AskReply(response, text, **fields))

    def histories(self) -> list[list[HistoryItem]]:
        return self.model.histories

    def assert_consistent(self) -> None:
        """The Status agrees with the rule, the client's picture with the server's, and `seq` and `ts` rise."""
        snapshot = self.tasks.snapshot(None, instance_id=None, since=None, limit=1000, before=None)
        assert snapshot.status is not None
        assert snapshot.status.state is derive_state(snapshot.messages)
        assert {m.ts: m.text or "" for m in snapshot.messages} == self.watcher.texts
        assert list(self.watcher.messages) == sorted(self.watcher.messages)
        seqs = [n.status.seq if isinstance(n, StatusNotice) else n.seq for n in self.watcher.notices]
        assert seqs == list(range(1, len(seqs) + 1))


def open_house(state: Path, answers: Sequence[Answer], limits: LimitSettings | None = None) -> House:
    model = ScriptedModel([*answers])
    architect = ScriptedArchitect(model, limits or LimitSettings())
    tasks = Tasks(tasks_folder(state), TaskIndex(state), architect, unredacted)
    watcher = Watcher()
    tasks.listen(watcher)
    return House(state, model, tasks, watcher)
