"""One task: its history, its running turn, and how it goes from work to rest and back."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar
from uuid import uuid4

from agent_lsp.agent.loop import run_turn
from agent_lsp.agent.ports import Model, Ports
from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.approvals import Action, Decision
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError, StorageProblem, TaskBusy
from agent_lsp.domain.events import Event, StepEnded
from agent_lsp.domain.files import FileEdit
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Answer, Ask, Category, Message, Response, Say
from agent_lsp.domain.notices import Listener
from agent_lsp.domain.requests import Answered, AskReply, Sent, Snapshot, TaskSummary
from agent_lsp.domain.status import ACTIONS, PermissionMode, State, Status, WaitingAsk
from agent_lsp.domain.turns import Completed, Ending, LimitReached, Limits, RequestFailed
from agent_lsp.storage.records import (
    LimitsReset,
    MessageChanged,
    ModeChanged,
    PermissionModeChanged,
    Renamed,
    UsageCounted,
)
from agent_lsp.tasks import endings
from agent_lsp.tasks.checkpointing import Checkpointing, KeptTools
from agent_lsp.tasks.gate import GONE, Gate
from agent_lsp.tasks.growing import GrowingCalls
from agent_lsp.tasks.permissions import TaskPermissions
from agent_lsp.tasks.ports import Briefing, Equipment, GrowingCall, Ledger, Workbench
from agent_lsp.tasks.queue import Queue, WaitingWords
from agent_lsp.tasks.recorder import Recorder
from agent_lsp.tasks.screen import CommandRow, CommandRows
from agent_lsp.tasks.spending import Spending
from agent_lsp.tasks.start import TaskStart
from agent_lsp.tasks.stream import MessageStream

T = TypeVar("T")
log = logging.getLogger(__name__)


class Task:
    """Alive from `newTask` or `resumeTask` until it is cleared, deleted, or the server ends."""

    def __init__(
        self,
        start: TaskStart,
        ledger: Ledger,
        equipment: Equipment,
        listeners: Sequence[Listener],
        note: Callable[["Task"], None],
    ) -> None:
        self.id, self.instance_id = start.task_id, start.instance_id
        self.title, self.created_ts, self.folder = start.title, start.created_ts, start.folder
        self.mode, self.permission_mode = start.mode, start.permission_mode
        self.ledger = ledger
        self.profile, self._is_completed = start.profile, start.is_completed
        self._equipment, self._note = equipment, note
        self.permissions = TaskPermissions(self.id, equipment.permissions)
        self._stream = MessageStream(self.id, self.instance_id, ledger, listeners, start.messages)
        calls = GrowingCalls(self._stream, self._rules, self._growing_call)
        self._recorder = Recorder(self._stream, ledger, calls, list(start.history))
        self._recorder.todos = start.todos
        self._recorder.on_request = self._count_request
        self.gate = Gate(self._stream, ledger, self._rules, calls, self.permissions)
        self._checkpointing = Checkpointing(self.id, equipment.checkpoints, self._stream)
        self.gate.keep, self._recorder.on_step = self._checkpointing.before, self._checkpointing.new_step
        self._rows = CommandRows(self._stream, lambda: self.gate.is_cancelling)
        self._spending = Spending(start.usage, start.context, start.requests, start.cost)
        self._queue = Queue()
        self._model: Model | None = None
        self._turn: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._is_closing = False
        self._workbench: Workbench | None = None
        self._briefing: Briefing | None = None
        self._sent = self._status()
        self._is_status_due = False
        self._stream.on_change = self._look_at_status

    # What its tools use (the Desk).

    async def decide(self, action: Action) -> Decision:
        return await self.gate.decide(action)

    async def ask(self, ask: Ask, body: Json, call_id: str) -> Decision:
        return await self.gate.ask(ask, body, call_id)

    def emit(self, event: Event) -> None:
        self._recorder.emit(event)

    async def changed(self, edits: Sequence[FileEdit], permissions: Mapping[Path, int]) -> None:
        await self._checkpointing.changed(edits, permissions)

    def output_row(self) -> CommandRow:
        return self._rows.open()

    def equip(self, workbench: Workbench, briefing: Briefing) -> None:
        self._workbench, self._briefing = workbench, briefing

    # What users do.

    def begin(self, text: str, images: tuple[str, ...]) -> None:
        """Take the user's first words and start to work on them."""
        self._stream.say(Say.TEXT, text, images=images)
        self._start_turn(Words((text,), images))

    def come_back(self) -> None:
        """Ask whether to go on with a task that was brought back; nothing runs until then."""
        self._stream.ask(Ask.RESUME_COMPLETED_TASK if self._is_completed else Ask.RESUME_TASK)

    def answer(self, ts: int | None, reply: AskReply) -> Answered:
        waiting = self._stream.standing.waiting
        if waiting is None or waiting.ask is None or (ts is not None and ts != waiting.ts):
            return GONE
        if waiting.ask.category is Category.INTERACTIVE:
            return self.gate.answer(ts, reply)
        self._answer_at_rest(waiting.ts, waiting.ask, reply)
        return Answered(accepted=True)

    def send(self, text: str, images: tuple[str, ...], delivery: Literal["queue", "steer"]) -> Sent:
        """Take words that answer nothing. A task at rest goes on with them, any other keeps them for later."""
        words = WaitingWords(str(uuid4()), text, images, delivery)
        self._queue.add(words)
        if self._is_at_rest():
            self._go_on_with_queue()
            return Sent(words.message_id, "delivered")
        self._look_at_status()
        return Sent(words.message_id, "queued")

    async def interrupt(self, text: str, images: tuple[str, ...]) -> Sent:
        """Stop what runs, and go on with these words."""
        await self.cancel()
        return self.send(text, images, "queue")

    async def cancel(self) -> Status:
        """Stop the model, the tools and all commands; then ask whether to resume."""
        await self._until_stopped()
        return self.status()

    async def close(self) -> None:
        """Stop, settle and let go of the journal."""
        self._is_closing = True
        try:
            await self._until_stopped()
            await self._checkpointing.settle()
            self._stream.flush()
            await self.ledger.sync()
        finally:
            self._stream.close()
            self.ledger.close()

    def operate(self, ts: int | None, operation: Literal["continue", "abort"]) -> bool:
        return self._rows.operate(ts, operation)

    def rename(self, title: str) -> None:
        self.title = title
        self.ledger.append(Renamed(title))
        self._look_at_status()

    def set_mode(self, mode: str) -> None:
        self.mode = mode
        self.ledger.append(ModeChanged(mode))
        self._look_at_status()

    def set_permission_mode(self, mode: PermissionMode) -> None:
        self.permission_mode = mode
        self.ledger.append(PermissionModeChanged(mode))
        self._look_at_status()

    def snapshot(self, since: int | None, limit: int, before: int | None) -> Snapshot:
        if since is not None:
            messages, has_more = self._stream.changed_since(since), False
        else:
            messages, has_more = self._stream.newest(limit, before)
        return Snapshot(self.status(), messages, self._stream.seq, has_more)

    def status(self) -> Status:
        """Tell the Status as of now; its `seq` is the newest notification's."""
        self._send_due_status()
        return replace(self._sent, seq=self._stream.seq)

    def summary(self) -> TaskSummary:
        status = self._status()
        return TaskSummary(self.id, self.title, self._stream.last_ts, status.state, status.usage)

    # What the briefing asks (the Surroundings of a turn).

    def system_prompt(self) -> str:
        return _need(self._briefing).system_prompt()

    async def environment(self) -> str | None:
        return await _need(self._briefing).environment()

    def limit_reached(self) -> LimitReached | None:
        return self._spending.limit_reached(self._equipment.limits())

    def take_steering(self) -> Sequence[Words]:
        steering = self._queue.take_steering()
        return [self._hear(words) for words in steering]

    # What a restore asks.

    def checkpoint_from(self, ts: int) -> str | None:
        """The checkpoint that has the files as they were at a message: its own, or the first one after it."""
        return self._stream.checkpoint_from(ts)

    async def until_kept(self) -> None:
        """Return once no checkpoint is under way; TaskBusy while the task works."""
        if not self._is_at_rest():
            raise TaskBusy("The task is at work: cancel it first, then restore.")
        await self._checkpointing.settle()

    # From work to rest and back.

    def _start_turn(self, *words: Words) -> None:
        if words:
            self._checkpointing.at_words(self._stream.last_ts)
        self._recorder.settle_open_calls()
        for item in words:
            self._recorder.keep(item)
        self._turn = asyncio.create_task(self._work(), name=f"turn of {self.id}")

    async def _work(self) -> None:
        try:
            ending = await self._run()
            await self.ledger.sync()
        except AgentError as error:
            ending = RequestFailed(str(error), 1)
        except Exception:
            log.exception("a turn failed")
            ending = RequestFailed("Something went wrong inside agent-lsp; the log has the details.", 1)
        self._turn = None
        self._rest(*endings.question(ending))
        self._note(self)
        if isinstance(ending, Completed) and len(self._queue):
            self._go_on_with_queue()

    def _rest(self, ask: Ask, text: str | None = None) -> None:
        """Put the question that follows a turn, whatever happens: a task that asks nothing could never go on."""
        try:
            self._stream.ask(ask, text)
        except StorageProblem as problem:
            self._stream.ask_unkept(*endings.question(RequestFailed(str(problem), 1)))

    async def _run(self) -> Ending:
        equipped = self._equipment.model(self.profile or None)
        self.profile, self._model = equipped.profile, equipped.model
        limits = Limits(self._equipment.limits().consecutive_mistakes)
        ports = Ports(equipped.model, KeptTools(_need(self._workbench).tools, self._checkpointing), self, limits)
        return await run_turn(self._recorder.history, ports, self._recorder.emit)

    def _rules(self) -> Rules:
        return self.permissions.within(self._equipment.rules(self.permission_mode))

    def _growing_call(self, call_id: str, name: str) -> GrowingCall | None:
        return self._workbench.growing(call_id, name) if self._workbench else None

    async def _until_stopped(self) -> None:
        """Stop all that runs. Callers at the same time share one stop; it ends also if they stop waiting for it."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(), name=f"stop of {self.id}")
        await asyncio.shield(self._stopping)

    async def _stop(self) -> None:
        turn = self._turn
        try:
            if turn:
                await self._cut_short(turn)
            if self._workbench:
                await self._workbench.stop_commands()
        finally:
            self._stopping = None
            if turn and not self._is_closing and self._stream.standing.waiting is None:
                self._rest(Ask.RESUME_TASK)

    async def _cut_short(self, turn: asyncio.Task[None]) -> None:
        self.gate.is_cancelling = True
        try:
            turn.cancel()
            await asyncio.wait([turn])
            self._rows.end_all()
        finally:
            self.gate.is_cancelling = False
            if self._turn is turn:
                self._turn = None

    def _is_at_rest(self) -> bool:
        is_free = self._turn is None and self._stopping is None and not self._is_closing
        return is_free and self._stream.standing.waiting is not None

    def _answer_at_rest(self, ts: int, ask: Ask, reply: AskReply) -> None:
        self._stream.change(
            MessageChanged(ts, answer=Answer(Response(reply.response), "user", _now_ms(), reply.text or None))
        )
        if not endings.goes_on(ask, reply):
            self._stream.ask(endings.resting_question(ask))
            return
        if ask is Ask.AUTO_APPROVAL_MAX_REQ_REACHED:
            self._spending.reset()
            self.ledger.append(LimitsReset())
        if reply.text or reply.images:
            self._stream.say(Say.USER_FEEDBACK, reply.text, images=reply.images)
        texts = endings.words_for_model(ask, reply)
        self._start_turn(*((Words(texts, reply.images),) if texts or reply.images else ()))

    def _go_on_with_queue(self) -> None:
        waiting = self._stream.standing.waiting
        if waiting is not None and waiting.ask is not None:
            self._stream.change(MessageChanged(waiting.ts, answer=Answer(Response.MESSAGE, "user", _now_ms())))
            prelude = (Words((endings.RESUMED,)),) if waiting.ask is Ask.RESUME_TASK else ()
            self._start_turn(*prelude, *[self._hear(words) for words in self._queue.take_all()])

    def _hear(self, words: WaitingWords) -> Words:
        self._stream.say(Say.USER_FEEDBACK, words.text, images=words.images)
        return Words((words.text,), words.images)

    # The Status.

    def _count_request(self, ended: StepEnded) -> None:
        self._spending.count(ended, self._model.facts.window if self._model else 0)
        self.ledger.append(UsageCounted(self._spending.total, self._spending.context))

    def _look_at_status(self) -> None:
        """Send a changed Status: at once where the state changed, else merged with what else changes now."""
        status = self._status()
        if status.state is not self._sent.state or status.ask != self._sent.ask:
            self._send_status(status)
        elif not self._is_status_due:
            self._is_status_due = True
            asyncio.get_running_loop().call_soon(self._send_due_status)

    def _send_due_status(self) -> None:
        self._is_status_due = False
        if (status := self._status()) != self._sent:
            self._send_status(status)

    def _send_status(self, status: Status) -> None:
        self._sent = status
        self._stream.send_status(status)

    def _status(self) -> Status:
        """Work out the Status; its `seq` is filled in when it leaves."""
        standing = self._stream.standing
        state = standing.state()
        return Status(
            task_id=self.id,
            instance_id=self.instance_id,
            seq=0,
            state=state,
            ask=_waiting_ask(standing.waiting),
            activity=self._activity(state),
            mode=self.mode,
            profile=self.profile,
            model=self._model.facts.name if self._model else "",
            permission_mode=self.permission_mode,
            usage=self._spending.total,
            context=self._spending.context,
            todos=self._recorder.todos,
            queue=len(self._queue),
            title=self.title,
        )

    def _activity(self, state: State) -> str:
        if state is State.STREAMING:
            return "Thinking"
        if state is State.RUNNING and self._recorder.calls_running:
            return f"Tools x{self._recorder.calls_running}"
        if self._workbench and (count := self._workbench.background_count()):
            return f"Background x{count}"
        return "Queued" if len(self._queue) else "Idle"


def _waiting_ask(message: Message | None) -> WaitingAsk | None:
    if message is None or message.ask is None:
        return None
    return WaitingAsk(message.ts, message.ask, message.ask.category, ACTIONS[message.ask])


def _need(thing: T | None) -> T:
    if thing is None:
        raise RuntimeError("a task is equipped before it starts to work")
    return thing


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
