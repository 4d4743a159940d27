"""Which tasks exist, which are alive, and which one is on the screen. What happens inside one is `task.py`."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from agent_lsp.domain.errors import BadParams, StorageProblem, TaskUnknown
from agent_lsp.domain.files import Change
from agent_lsp.domain.images import checked_images
from agent_lsp.domain.moments import fresh_id, now_ms
from agent_lsp.domain.notices import Listener
from agent_lsp.domain.requests import (
    Answered,
    AskReply,
    ContextReference,
    ExportedTask,
    ForkedTask,
    NewTask,
    QueueEdit,
    QueueList,
    Sent,
    Snapshot,
    TaskList,
    TaskReference,
    TaskSummary,
)
from agent_lsp.domain.status import PermissionMode, Status
from agent_lsp.storage.forking import Fork, fork_task
from agent_lsp.storage.journal import Journal, Redact
from agent_lsp.storage.places import is_task_id, new_task_id
from agent_lsp.storage.records import MessageChanged, Renamed
from agent_lsp.storage.restore import load, restore, settle
from agent_lsp.storage.stored import StoredTask
from agent_lsp.tasks import opening
from agent_lsp.tasks.exporting import exported
from agent_lsp.tasks.modes import check_mode
from agent_lsp.tasks.moves import Moves
from agent_lsp.tasks.permissions import TaskPermissions
from agent_lsp.tasks.ports import Architect, Index, TaskFacts
from agent_lsp.tasks.start import TaskStart, restart, started
from agent_lsp.tasks.task import Task

T = TypeVar("T")
log = logging.getLogger(__name__)
TITLE_LENGTH = 80


class Tasks:
    """All tasks of one server. Each live one has a journal that no other server can open meanwhile."""

    def __init__(self, folder: Path, index: Index, architect: Architect, redact: Redact) -> None:
        self._folder = folder
        self._index = index
        self._architect = architect
        self._redact = redact
        self._listeners: list[Listener] = []
        self._live: dict[str, Task] = {}
        self._moves = Moves()
        self._current: str | None = None
        self._mode: str | None = None
        self._profile: str | None = None
        self._permission_mode: PermissionMode | None = None
        self._settings_mode = architect.permission_mode()

    def listen(self, listener: Listener) -> None:
        """Tell this listener all that happens to any task from now on."""
        self._listeners.append(listener)

    def current_task(self) -> str | None:
        """Tell the task last started or resumed here and not cleared."""
        return self._current

    def live_tasks(self) -> tuple[str, ...]:
        """Tell the tasks that are loaded, the oldest first."""
        return tuple(self._live)

    def new_task(self, request: NewTask) -> TaskReference:
        """Admit a task: journal it, start it, and tell its id. What it cannot start with is raised before."""
        if known := self._known(request.client_request_id):
            return known
        request = replace(opening.opened(request, self._architect.modes), images=checked_images(request.images))
        task = self._admit(request)
        self._begin(task, request)
        self._index.upsert(task.summary(), request.client_request_id)
        return TaskReference(task.id, task.instance_id)

    def snapshot(
        self, task_id: str | None, *, instance_id: str | None, since: int | None, limit: int, before: int | None
    ) -> Snapshot:
        """Tell a task as it is; only what changed `since`, where that was of the same instance."""
        task_id = task_id or self._current
        if task_id is None:
            return Snapshot(None, (), 0, has_more=False)
        task = self._task(task_id)
        return task.snapshot(since if instance_id == task.instance_id else None, limit, before)

    def answer(self, task_id: str, ts: int | None, reply: AskReply) -> Answered:
        reply = replace(reply, images=checked_images(reply.images))
        return opening.answer(self._task(task_id), ts, reply, self._architect.modes)

    async def send(
        self, task_id: str, text: str, images: tuple[str, ...], delivery: Literal["queue", "steer", "interrupt"]
    ) -> Sent:
        task, images = self._task(task_id), checked_images(images)
        return await opening.send(task, text, images, delivery, self._architect.modes)

    async def cancel(self, task_id: str) -> Status:
        task = self._task(task_id)
        status = await task.cancel()
        self._note(task)
        return status

    def condense(self, task_id: str, instructions: str) -> None:
        """Replace the older part of what a task's model is told by a summary: now, or before the next step."""
        self._task(task_id).condense(instructions)

    async def clear(self, task_id: str | None) -> None:
        """Take a task off the screen; it stays in the history."""
        task_id = task_id or self._current
        if task_id is None:
            return
        task = self._task(task_id)
        self._take_off_screen(task)
        await self._moves.make(task_id, lambda: self._put_away(task, is_cleared=True))

    async def resume(self, task_id: str) -> Status:
        """Bring a task back from its journal; nothing of it runs until its ask is answered."""
        task = self._live.get(task_id) or await self._moves.make(task_id, lambda: self._bring_back(task_id))
        self._current = task_id
        return await task.settled_status()

    async def list_tasks(self, *, cursor: str | None, limit: int, query: str | None) -> TaskList:
        for task in self._live.values():
            self._note(task)
        page = await asyncio.to_thread(self._index.list, cursor=cursor, limit=limit, query=query)
        return replace(page, tasks=tuple(self._as_live(summary) for summary in page.tasks))

    async def rename(self, task_id: str, title: str) -> None:
        title = _title(self._redact(title))
        if not title:
            raise BadParams("A title needs words.")
        if task := self._live.get(task_id):
            task.rename(title)
        else:
            await self._moves.make(task_id, lambda: asyncio.to_thread(self._rename_stored, task_id, title))
        self._index.rename(task_id, title)

    async def delete(self, task_id: str) -> None:
        """Delete a task with its journal and all that it kept."""
        await self._moves.make(task_id, lambda: self._delete(task_id))

    def operate(self, task_id: str, ts: int | None, operation: Literal["continue", "abort"]) -> bool:
        return self._task(task_id).operate(ts, operation)

    def queue(self, task_id: str, wish: QueueEdit | None) -> QueueList:
        """Change the words that wait for a task, and tell what waits then."""
        if wish and wish.images:
            wish = replace(wish, images=checked_images(wish.images))
        return self._task(task_id).edit_queue(wish)

    async def fork(self, task_id: str, ts: int | None, title: str | None) -> ForkedTask:
        """Make a new task of another one, or of what came before one of its messages; it rests."""
        new_id, now = new_task_id(self._folder), now_ms()
        name = _title(self._redact(title)) if title else None
        fork = Fork(self._folder / new_id, fresh_id(), now, ts, name)
        if live := self._live.get(task_id):
            live.stream.flush()
        told = await asyncio.to_thread(fork_task, self._task_folder(task_id), fork, self._redact)
        status = await self.resume(new_id)
        return ForkedTask(new_id, status.instance_id, told.text if told else None, told.images if told else ())

    async def export(self, task_id: str) -> ExportedTask:
        """Tell a task as a document, whether it is loaded or not."""
        if live := self._live.get(task_id):
            live.stream.flush()
        stored = await asyncio.to_thread(load, self._task_folder(task_id))
        return ExportedTask(stored.title, await asyncio.to_thread(exported, stored))

    def check_loaded(self, task_id: str) -> None:
        """Raise TaskUnknown for a task that is not."""
        self._task(task_id)

    async def while_held(self, task_id: str, work: Callable[[Task], Coroutine[None, None, T]]) -> T:
        """Do something to a task at rest, which takes no words meanwhile; TaskBusy while it works."""
        self._task(task_id)
        return await self._moves.make(task_id, lambda: self._held(task_id, work))

    def preview(self, task_id: str, ts: int) -> tuple[Change, ...]:
        changes = self._task(task_id).gate.changes(ts)
        if changes is None:
            raise BadParams(f"There is no change to show for message {ts}: it proposes none, or is long settled.")
        return changes

    def preview_text(self, uri: str) -> str | None:
        texts = (task.gate.preview_text(uri) for task in self._live.values())
        return next((text for text in texts if text is not None), None)

    def set_mode(self, task_id: str | None, mode: str) -> None:
        """Choose how a task works from its next step on; without a task, how those to come do."""
        check_mode(self._architect.modes, mode)
        if task_id is None:
            self._mode = mode
        else:
            self._task(task_id).set_mode(mode)

    def mode(self, task_id: str | None) -> str:
        """Tell a task's mode; without a task, that of those to come."""
        return self._task(task_id).mode if task_id else self._mode or self._architect.default_mode()

    def set_profile(self, task_id: str | None, profile: str) -> None:
        """Choose what a task's next request goes to; without a task, the profile of those to come."""
        if task_id is None:
            self._profile = self._architect.equipment().model(profile).profile
        else:
            self._task(task_id).set_profile(profile)

    def profile(self, task_id: str | None) -> str | None:
        """Tell a task's profile; without a task, the one that was chosen for those to come."""
        return self._task(task_id).kit.profile if task_id else self._profile

    def set_permission_mode(self, task_id: str | None, mode: PermissionMode) -> None:
        if task_id is None:
            self._permission_mode = mode
        else:
            self._task(task_id).set_permission_mode(mode)

    def follow_settings(self) -> None:
        """Let what the settings forbid by now hold for tasks, too, that began when they allowed it."""
        before, self._settings_mode = self._settings_mode, self._architect.permission_mode()
        for task in self._live.values():
            task.follow_settings(before, self._settings_mode)

    def permission_mode(self, task_id: str | None) -> PermissionMode:
        """Tell what runs unasked in a task; without a task, in those to come that ask for nothing else."""
        if task_id is None:
            return self._permission_mode or self._architect.permission_mode()
        return self._task(task_id).permission_mode

    def permissions_of_tasks(self) -> tuple[TaskPermissions, ...]:
        """Give what the live tasks were allowed for as long as they live."""
        return tuple(task.permissions for task in self._live.values())

    def report(self) -> str:
        """Describe the live tasks for a bug report: no words of theirs, only how they stand."""
        lines = [f"listeners: {len(self._listeners)}", f"live tasks: {len(self._live)}"]
        for task in self._live.values():
            status = task.status()
            ask = status.ask.kind.value if status.ask else "none"
            lines.append(f"task {task.id}: {status.state.value}, ask {ask}, seq {status.seq}, model {status.model}")
        return "\n".join(lines) + "\n"

    async def close(self) -> None:
        """Settle all tasks, end their commands, and let go of their journals."""
        await self._moves.until_made()
        ends = await asyncio.gather(*map(self._put_away, list(self._live.values())), return_exceptions=True)
        for problem in ends:
            if problem:
                log.error("A task was not put away well: its journal tells what became of it", exc_info=problem)
        self._index.close()

    def _known(self, client_request_id: str | None) -> TaskReference | None:
        """Find the task that a request with this id began already, in this server or an earlier one."""
        task_id = self._index.find_request(client_request_id) if client_request_id else None
        if task_id is None:
            return None
        task = self._live.get(task_id)
        return TaskReference(task_id, task.instance_id if task else "")

    def _admit(self, request: NewTask) -> Task:
        equipment = self._architect.equipment()
        mode = check_mode(self._architect.modes, request.mode or self.mode(None))
        chosen = request.profile or self._profile
        profile = equipment.model(chosen or equipment.mode_profile(mode)).profile
        task_id, now = new_task_id(self._folder), now_ms()
        start = TaskStart(
            task_id=task_id,
            instance_id=fresh_id(),
            title=_title(self._redact(request.text)) or "Images",
            created_ts=now,
            folder=self._folder / task_id,
            mode=mode,
            profile=profile,
            permission_mode=request.permission_mode or self.permission_mode(None),
            has_chosen_profile=chosen is not None,
        )
        journal = Journal.create(start.folder, self._redact)
        journal.append(started(start, self._architect.roots(), request.client_request_id))
        task = Task(start, journal, equipment, self._listeners, self._note)
        self._equip(task, request.context)
        self._live[task_id] = task
        self._current = task_id
        return task

    def _begin(self, task: Task, request: NewTask) -> None:
        try:
            task.begin(request.text, request.images)
        except StorageProblem:
            self._take_off_screen(task)
            task.ledger.close()
            raise

    def _equip(self, task: Task, context: tuple[ContextReference, ...] = ()) -> None:
        facts = TaskFacts(
            task.id,
            task.folder,
            task.kit.profile,
            lambda: task.mode,
            lambda: task.permission_mode,
            context,
            history=lambda: task.recorder.history,
            cost=lambda: task.spending.total.cost,
            last_ts=task.stream.last_ts,
            profile_now=lambda: task.kit.profile,
            window=lambda: task.kit.window,
        )
        task.kit.equip(*self._architect.equip(facts, task))

    async def _bring_back(self, task_id: str) -> Task:
        if live := self._live.get(task_id):
            return live
        journal, reading = await asyncio.to_thread(Journal.open, self._task_folder(task_id), self._redact)
        try:
            stored = await asyncio.to_thread(restore, reading, task_id)
            task = self._restarted(task_id, journal, stored)
            task.come_back()
        except BaseException:
            journal.close()  # Else nobody could open the task again while this server lives.
            raise
        self._live[task_id] = task
        self._note(task)
        return task

    def _restarted(self, task_id: str, journal: Journal, stored: StoredTask) -> Task:
        records = settle(stored)
        for record in records:
            journal.append(record)
        changes = {record.ts: record for record in records if isinstance(record, MessageChanged)}
        start = restart(stored, self._task_folder(task_id), changes, self.permission_mode(None))
        task = Task(start, journal, self._architect.equipment(), self._listeners, self._note)
        self._equip(task)
        return task

    async def _held(self, task_id: str, work: Callable[[Task], Coroutine[None, None, T]]) -> T:
        task = self._task(task_id)
        with task.held():
            await task.until_kept()
            task.stream.flush()
            return await work(task)

    async def _delete(self, task_id: str) -> None:
        if task := self._live.get(task_id):
            await self._put_away(task, is_cleared=True)
        self._task_folder(task_id)
        await asyncio.to_thread(self._index.delete, task_id)

    def _rename_stored(self, task_id: str, title: str) -> None:
        journal, _ = Journal.open(self._task_folder(task_id), self._redact)
        try:
            journal.append(Renamed(title))
        finally:
            journal.close()

    async def _put_away(self, task: Task, *, is_cleared: bool = False) -> None:
        self._take_off_screen(task)
        await (task.clear() if is_cleared else task.close())
        self._note(task)

    def _take_off_screen(self, task: Task) -> None:
        self._live.pop(task.id, None)
        if self._current == task.id:
            self._current = None

    def _task(self, task_id: str) -> Task:
        if task := self._live.get(task_id):
            return task
        if self._task_folder(task_id).is_dir():
            raise TaskUnknown(f"Task {task_id} is not loaded: agent/resumeTask brings it back.")
        raise TaskUnknown(f"There is no task {task_id}: agent/listTasks tells those there are.")

    def _task_folder(self, task_id: str) -> Path:
        if not is_task_id(task_id):
            raise TaskUnknown("That is no task id: agent/listTasks tells those there are.")
        return self._folder / task_id

    def _as_live(self, summary: TaskSummary) -> TaskSummary:
        task = self._live.get(summary.task_id)
        return task.summary() if task else summary

    def _note(self, task: Task) -> None:
        self._index.upsert(task.summary())


def _title(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1] + "…"
