"""One task: its history, its running turn, and how it goes from work to rest and back."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from agent_lsp.agent.loop import run_turn
from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.approvals import Action, Decision
from agent_lsp.domain.condensing import Condensed, HistoryChange
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams, StorageProblem, TaskBusy
from agent_lsp.domain.events import Event, Kept, StepEnded
from agent_lsp.domain.files import FileEdit
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Answer, Ask, Category, Response, Say
from agent_lsp.domain.moments import is_played, now_ms
from agent_lsp.domain.notices import Listener
from agent_lsp.domain.requests import Answered, AskReply, QueuedWords, QueueEdit, QueueList, Sent, Snapshot, TaskSummary
from agent_lsp.domain.status import PermissionMode, Status
from agent_lsp.domain.turns import Completed, Ending, RequestFailed
from agent_lsp.storage.records import (
    Cleared,
    LimitsReset,
    MessageChanged,
    Renamed,
    UsageCounted,
)
from agent_lsp.storage.rewinding import RewindPlan
from agent_lsp.tasks import choosing, endings
from agent_lsp.tasks.checkpointing import Checkpointing
from agent_lsp.tasks.condensing import Condensing
from agent_lsp.tasks.gate import GONE, ONLY_A_YES, Gate
from agent_lsp.tasks.growing import GrowingCalls
from agent_lsp.tasks.kit import Kit
from agent_lsp.tasks.permissions import TaskPermissions
from agent_lsp.tasks.ports import Equipment, Ledger
from agent_lsp.tasks.queue import Queue
from agent_lsp.tasks.recorder import Recorder
from agent_lsp.tasks.screen import CommandRow, CommandRows
from agent_lsp.tasks.spending import Spending
from agent_lsp.tasks.start import TaskStart
from agent_lsp.tasks.status_board import StatusBoard, status_of
from agent_lsp.tasks.stream import MessageStream
from agent_lsp.tasks.surroundings import TaskSurroundings
from agent_lsp.tasks.turns import Turns


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
        self._is_completed = start.is_completed
        self._equipment, self._note = equipment, note
        self.permissions = TaskPermissions(self.id, equipment.permissions)
        self.stream = MessageStream(self.id, self.instance_id, ledger, listeners, start.messages, start.last_ts)
        self.kit = Kit(equipment, start.profile, has_chosen_profile=start.has_chosen_profile)
        calls = GrowingCalls(self.stream, self._rules, self.kit.growing)
        self.queue = Queue(ledger, start.queue)
        self.recorder = Recorder(self.stream, ledger, calls, list(start.history))
        self.recorder.todos = start.todos
        self.recorder.on_request, self.recorder.on_taken = self._count_request, self.queue.taken
        self.recorder.on_shortened = self._note_shorter
        self.gate = Gate(self.stream, ledger, self._rules, calls, self.permissions)
        self._checkpointing = Checkpointing(self.id, equipment.checkpoints, self.stream)
        self.gate.keep, self.recorder.on_step = self._checkpointing.before, self._checkpointing.new_step
        self._rows = CommandRows(self.stream, lambda: self.gate.is_cancelling)
        self.spending = Spending(start.usage, start.context, start.requests, start.cost, start.usage_by_model)
        self.spending.see_window(self.kit.window)
        self._turns = Turns(self.id, self)
        self._condensing = Condensing()
        self._surroundings = TaskSurroundings(self, self._condensing, equipment.limits, self._hear)
        self._is_closing = self._is_leaving = self._is_held = False
        self._board = StatusBoard(self)
        self.stream.on_change = self._board.look

    # What its tools use (the Desk).

    async def decide(self, action: Action) -> Decision:
        return await self.gate.decide(action)

    def fail(self, reason: str) -> None:
        self.gate.fail(reason)

    async def ask(self, ask: Ask, body: Json, call_id: str) -> Decision:
        return await self.gate.ask(ask, body, call_id)

    def emit(self, event: Event) -> None:
        self.recorder.emit(event)

    async def changing(self, edits: Sequence[FileEdit], permissions: Mapping[Path, int]) -> None:
        await self._checkpointing.changing(edits, permissions)

    async def changed(self, edits: Sequence[FileEdit], permissions: Mapping[Path, int]) -> None:
        await self._checkpointing.changed(edits, permissions)

    def output_row(self) -> CommandRow:
        return self._rows.open()

    # What users do.

    def begin(self, text: str, images: tuple[str, ...]) -> None:
        """Take the user's first words and start to work on them."""
        self.queue.add(text, images)
        self._go_on()

    def come_back(self) -> None:
        """Ask whether to go on with a task that was brought back; nothing runs until then."""
        self.stream.ask(endings.returning_question(is_completed=self._is_completed))

    def answer(self, ts: int | None, reply: AskReply) -> Answered:
        waiting = self.stream.standing.waiting
        if waiting is None and self.recorder.is_counted_down(ts):
            return self._surroundings.pausing.answer(reply)
        if waiting is None or waiting.ask is None or (ts is not None and ts != waiting.ts):
            return GONE
        if waiting.ask.category is Category.INTERACTIVE:
            answered = self.gate.answer(ts, reply)
            if answered.accepted:
                self.kit.briefing.hear(reply.text)
            return answered
        if reply.remember:
            raise BadParams(ONLY_A_YES)
        self._answer_at_rest(waiting.ts, waiting.ask, reply)
        return Answered(accepted=True)

    def waits_for(self, ts: int | None) -> bool:
        """Whether the task has an ask that waits, and `ts` means no other."""
        waiting = self.stream.standing.waiting
        return waiting is not None and ts in (None, waiting.ts)

    def send(self, text: str, images: tuple[str, ...], delivery: Literal["queue", "steer"]) -> Sent:
        """Take words that answer nothing. A task at rest goes on with them, any other keeps them for later."""
        self._refuse_while_held()
        message_id = self.queue.add(text, images, delivery)
        self._go_on_from_rest()
        return self._sent(message_id)

    async def interrupt(self, text: str, images: tuple[str, ...]) -> Sent:
        """Stop what runs, and go on with these words."""
        self._refuse_while_held()
        message_id = self.queue.add(text, images)
        await self._turns.stop()
        self._go_on_from_rest()
        return self._sent(message_id)

    def edit_queue(self, wish: QueueEdit | None) -> QueueList:
        """Change the words that wait, and tell what waits then."""
        if wish:
            self.queue.edit(wish)
            self._board.look()
        return QueueList(self.queue.words)

    async def cancel(self) -> Status:
        """Stop the model, the tools and all commands; then ask whether to resume."""
        await self._turns.stop()
        return self.status()

    async def settled_status(self) -> Status:
        """The state after a cancel that is under way: it is what a user who resumes at once would go on from."""
        await self._turns.until_stopped()
        return self.status()

    def condense(self, instructions: str) -> None:
        """Have a summary put in place of the older part of the history: now at rest, else before the next step."""
        self._refuse_while_held()
        waiting = self.stream.standing.waiting
        if not self._is_at_rest() or waiting is None or waiting.ask is None:
            self._condensing.wish(instructions)
            return
        self.recorder.settle_open_calls()
        self._condensing.wish_at_rest(instructions, waiting.ask, self.recorder.history)
        self.stream.change(MessageChanged(waiting.ts, state="interrupted"))
        self._turns.start()

    async def clear(self) -> None:
        """Close for clients that go on: the last that they see of the task is that it rests."""
        self._is_leaving = True
        await self.close()

    async def close(self) -> None:
        """Stop, settle and let go of the journal."""
        self._is_closing = True
        try:
            await self._turns.stop()
            await self._checkpointing.settle()
            self.stream.flush()
            if self._is_leaving:
                self.ledger.append(Cleared())
            await self.ledger.sync()
        finally:
            self.stream.close()
            self.ledger.close()

    def operate(self, ts: int | None, operation: Literal["continue", "abort"]) -> bool:
        return self._rows.operate(ts, operation)

    def rename(self, title: str) -> None:
        self.title = title
        self.ledger.append(Renamed(title))
        self._board.look()

    def set_mode(self, mode: str) -> None:
        choosing.choose_mode(self, mode)
        self._board.look()

    def set_profile(self, profile: str) -> None:
        choosing.choose_profile(self, profile)
        self._board.look()

    def set_permission_mode(self, mode: PermissionMode) -> None:
        choosing.choose_permission_mode(self, mode)
        self._board.look()

    def follow_settings(self, before: PermissionMode, now: PermissionMode) -> None:
        if choosing.follow_settings(self, before, now):
            self._board.look()

    def snapshot(self, since: int | None, limit: int, before: int | None) -> Snapshot:
        if since is not None:
            messages, deleted = self.stream.changed_since(since)
            return Snapshot(self.status(), messages, self.stream.seq, has_more=False, deleted=deleted)
        messages, has_more = self.stream.newest(limit, before)
        return Snapshot(self.status(), messages, self.stream.seq, has_more)

    def status(self) -> Status:
        """Tell the Status as of now; its `seq` is the newest notification's."""
        return self._board.now()

    def summary(self) -> TaskSummary:
        status = status_of(self)
        return TaskSummary(self.id, self.title, self.stream.last_ts, status.state, status.usage)

    # What a restore asks.

    @contextmanager
    def held(self) -> Generator[None]:
        """Keep a task at rest as it is: it takes no words and no answer meanwhile. TaskBusy while it works."""
        if not self._is_at_rest():
            raise TaskBusy("The task is at work: cancel it first, then restore.")
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False

    async def until_kept(self) -> None:
        """Return once no checkpoint is under way."""
        await self._checkpointing.settle()

    def rewind(self, plan: RewindPlan) -> None:
        """Turn to an earlier point, and ask how to go on from there."""
        self.ledger.append(plan.record)
        after, before = plan.after, self.mode
        self.mode, self.spending.context, self.queue.words = after.mode, after.context, after.queue
        self.spending.see_window(self.kit.window)
        self.recorder.turn_back(after)
        self.kit.briefing.forget(is_all=not after.history)
        self.stream.turn_to(after.messages)
        choosing.follow_mode(self, before)
        if self.stream.standing.waiting is None:
            self._rest(endings.returning_question(is_completed=after.is_completed))
        self._board.look()
        self._note(self)

    # What its turns do (the Course).

    async def turn(self) -> Ending | None:
        if is_played():
            await self._checkpointing.settle()
        ports = self.kit.ports(self._surroundings, self._checkpointing, self.spending.context)
        if self._condensing.is_at_rest:
            return await self._condensing.run(self.recorder.history, ports, self.recorder.emit)
        ending = await run_turn(self.recorder.history, ports, self.recorder.emit)
        await self.ledger.sync()
        return ending

    def turn_over(self, ending: Ending | None) -> None:
        returning = self._condensing.returning_question()
        self._rest(*(endings.question(ending) if ending else (returning, None)))
        self._note(self)
        if isinstance(ending, Completed | None) and len(self.queue):
            self._go_on_from_rest()
        elif isinstance(ending, Completed) and (wish := self._condensing.take()) is not None:
            self.condense(wish)

    def cutting_short(self, *, is_cancelling: bool) -> None:
        if not is_cancelling:
            self._rows.end_all()
        self.gate.is_cancelling = is_cancelling

    async def stop_commands(self) -> None:
        await self.kit.stop_commands()

    def stopped(self) -> None:
        if (self._is_leaving or not self._is_closing) and self.stream.standing.waiting is None:
            self._rest(self._condensing.returning_question())

    # From work to rest and back.

    def _rest(self, ask: Ask, text: str | None = None) -> None:
        """Put the question that follows a turn, whatever happens: a task that asks nothing could never go on."""
        try:
            self.stream.ask(ask, text)
        except StorageProblem as problem:
            self.stream.ask_unkept(*endings.question(RequestFailed(str(problem), 1)))

    def _is_at_rest(self) -> bool:
        is_free = self._turns.are_over and not self._is_closing and not self._is_held
        return is_free and self.stream.standing.waiting is not None

    def _refuse_while_held(self) -> None:
        if self._is_held:
            raise TaskBusy("The task is being restored: try again in a moment.")

    def _answer_at_rest(self, ts: int, ask: Ask, reply: AskReply) -> None:
        self._refuse_while_held()
        goes_on = endings.goes_on(ask, reply)
        if goes_on and (reply.text or reply.images):
            self.queue.add(reply.text, reply.images)
        if goes_on and not (self.recorder.history or len(self.queue)):
            raise BadParams("The task has no words yet: say what is to be done.")
        self.stream.change(
            MessageChanged(ts, answer=Answer(Response(reply.response), "user", now_ms(), reply.text or None))
        )
        if not goes_on:
            self.stream.ask(endings.resting_question(ask))
            return
        if ask is Ask.AUTO_APPROVAL_MAX_REQ_REACHED:
            self.spending.reset()
            self.ledger.append(LimitsReset())
        self._go_on(*endings.prelude(ask, reply))

    def _go_on_from_rest(self) -> None:
        """Go on with what waits, if the task rests; else it is only told how much waits."""
        waiting = self.stream.standing.waiting
        if not self._is_at_rest() or waiting is None:
            self._board.look()
            return
        self.stream.change(MessageChanged(waiting.ts, answer=Answer(Response.MESSAGE, "user", now_ms())))
        self._go_on(*((endings.RESUMED,) if waiting.ask is Ask.RESUME_TASK else ()))

    def _go_on(self, *prelude: str) -> None:
        """Set the task to work, with all that the user has said meanwhile."""
        self.recorder.settle_open_calls()
        before = len(self.recorder.history)
        for text in prelude if before else ():
            self.recorder.emit(Kept(Words((text,))))
        for words in self.queue.words:
            self.recorder.emit(self._hear(words))
        if len(self.recorder.history) > before:
            self._checkpointing.at_words(self.stream.last_ts)
        self._turns.start()

    def _hear(self, words: QueuedWords) -> Kept:
        """Say what the model is going to be told. One after the other: a rewind can lead to between any two."""
        is_first = not self.recorder.history
        self.stream.say(Say.TEXT if is_first else Say.USER_FEEDBACK, words.text, images=words.images)
        expansion = self._equipment.expanded(words.text)
        if expansion:
            choosing.take_on(self, expansion)
        texts = (words.text, expansion.text if expansion else "")
        return Kept(Words(tuple(filter(None, texts)), words.images, by="user"), takes=words.message_id)

    def _sent(self, message_id: str) -> Sent:
        return Sent(message_id, "queued" if message_id in self.queue else "delivered")

    def _count_request(self, ended: StepEnded) -> None:
        spending = self.spending
        spending.count(ended, self.kit.window, self.kit.asked_model)
        self.ledger.append(UsageCounted(spending.total, spending.context, spending.by_model))

    def _note_shorter(self, change: HistoryChange) -> None:
        self.spending.context = change.context
        if isinstance(change, Condensed):
            self.kit.briefing.forget(is_all=False)

    def _rules(self) -> Rules:
        rules = self._equipment.rules(self.permission_mode)
        # Settings that were read for this may have made the task stricter.
        return self.permissions.within(replace(rules, permission_mode=self.permission_mode))
