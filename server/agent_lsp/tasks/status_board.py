"""A task's Status: how it is worked out, and when it is sent. The state in it is the messages' business alone."""

import asyncio
from dataclasses import replace
from typing import Protocol

from agent_lsp.domain.messages import Message
from agent_lsp.domain.status import ACTIONS, PermissionMode, State, Status, WaitingAsk
from agent_lsp.tasks.kit import Kit
from agent_lsp.tasks.queue import Queue
from agent_lsp.tasks.recorder import Recorder
from agent_lsp.tasks.spending import Spending
from agent_lsp.tasks.stream import MessageStream


class Described(Protocol):
    """What a Status tells of a task."""

    title: str
    mode: str
    permission_mode: PermissionMode

    @property
    def id(self) -> str: ...

    @property
    def instance_id(self) -> str: ...

    @property
    def kit(self) -> Kit: ...

    @property
    def stream(self) -> MessageStream: ...

    @property
    def recorder(self) -> Recorder: ...

    @property
    def spending(self) -> Spending: ...

    @property
    def queue(self) -> Queue: ...


class StatusBoard:
    """Sends the Status when it has changed: at once where the state did, else merged with what else changes now."""

    def __init__(self, task: Described) -> None:
        self._task = task
        self._sent = status_of(task)
        self._is_due = False

    def look(self) -> None:
        status = status_of(self._task)
        if status.state is not self._sent.state or status.ask != self._sent.ask:
            self._send(status)
        elif not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._send_due)

    def now(self) -> Status:
        """Tell the Status as of now; its `seq` is the newest notification's."""
        self._send_due()
        return replace(self._sent, seq=self._task.stream.seq)

    def _send_due(self) -> None:
        self._is_due = False
        if (status := status_of(self._task)) != self._sent:
            self._send(status)

    def _send(self, status: Status) -> None:
        self._sent = status
        self._task.stream.send_status(status)


def status_of(task: Described) -> Status:
    """Work out the Status; its `seq` is filled in when it leaves."""
    standing = task.stream.standing
    state = standing.state()
    return Status(
        task_id=task.id,
        instance_id=task.instance_id,
        seq=0,
        state=state,
        ask=_waiting_ask(standing.waiting),
        activity=_activity(task, state),
        mode=task.mode,
        profile=task.kit.profile,
        model=task.kit.model_name,
        permission_mode=task.permission_mode,
        usage=task.spending.total,
        context=task.spending.context,
        todos=task.recorder.todos,
        queue=len(task.queue),
        title=task.title,
        usage_by_model=by_model if len(by_model := task.spending.by_model) > 1 else (),
    )


def _activity(task: Described, state: State) -> str:
    if state is State.STREAMING:
        return "Thinking"
    if state is State.RUNNING and task.recorder.calls_running:
        return f"Tools x{task.recorder.calls_running}"
    if count := task.kit.background_count():
        return f"Background x{count}"
    return "Queued" if len(task.queue) else "Idle"


def _waiting_ask(message: Message | None) -> WaitingAsk | None:
    if message is None or message.ask is None:
        return None
    return WaitingAsk(message.ts, message.ask, message.ask.category, ACTIONS[message.ask])
