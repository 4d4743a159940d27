"""The state of a task, derived from its messages alone, and the Status that every client is shown."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agent_lsp.domain.encoding import KEEP
from agent_lsp.domain.messages import Ask, Category, Message, Response, Say


class State(StrEnum):
    NO_TASK = "no_task"
    RUNNING = "running"
    STREAMING = "streaming"
    WAITING_FOR_INPUT = "waiting_for_input"
    IDLE = "idle"
    RESUMABLE = "resumable"


class PermissionMode(StrEnum):
    PLAN = "plan"
    DEFAULT = "default"
    ACCEPT_EDITS = "acceptEdits"
    BYPASS_PERMISSIONS = "bypassPermissions"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money spent. `tokens_in` is all of the prompt, cached parts included; a cost of None is unknown."""

    tokens_in: int = 0
    tokens_out: int = 0
    cache_reads: int = 0
    cache_writes: int = 0
    cost: float | None = field(default=0.0, metadata=KEEP)

    def __add__(self, other: "Usage") -> "Usage":
        """Sum two usages; the sum's cost is unknown when either one's is."""
        known = self.cost is not None and other.cost is not None
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cache_reads + other.cache_reads,
            self.cache_writes + other.cache_writes,
            (self.cost or 0.0) + (other.cost or 0.0) if known else None,
        )


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What a task used of one model."""

    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class ContextUse:
    """How much of the model's window the last request filled, or the next one will where much has changed since."""

    tokens: int = 0
    window: int = 0
    percent: float = 0.0

    @staticmethod
    def of(tokens: int, window: int) -> "ContextUse":
        """Work out the share; a window of 0 is not known."""
        return ContextUse(tokens, window, round(100 * tokens / window, 1) if window else 0.0)


@dataclass(frozen=True, slots=True)
class Todo:
    id: str
    content: str
    status: str
    """`pending`, `in_progress` or `completed`."""


@dataclass(frozen=True, slots=True)
class Action:
    """A button: what a client shows, and the response it stands for."""

    label: str
    response: str


@dataclass(frozen=True, slots=True)
class WaitingAsk:
    ts: int
    kind: Ask
    category: Category
    actions: tuple[Action, ...] = field(default=(), metadata=KEEP)


@dataclass(frozen=True, slots=True)
class Status:
    """The authority on a task's state. Its `state` always equals `derive_state` of the task's messages."""

    task_id: str
    instance_id: str
    seq: int
    state: State
    ask: WaitingAsk | None = field(default=None, metadata=KEEP)
    activity: str = "Idle"
    mode: str = "code"
    profile: str = ""
    model: str = ""
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    usage: Usage = Usage()
    context: ContextUse = ContextUse()
    todos: tuple[Todo, ...] = field(default=(), metadata=KEEP)
    queue: int = 0
    parent_task_id: str | None = None
    child_task_id: str | None = None
    title: str = ""
    usage_by_model: tuple[ModelUsage, ...] = ()
    """Of a task that asked several models."""


_STATE_OF_CATEGORY = {
    Category.INTERACTIVE: State.WAITING_FOR_INPUT,
    Category.IDLE: State.IDLE,
    Category.RESUMABLE: State.RESUMABLE,
}


def derive_state(messages: Sequence[Message]) -> State:
    """Tell a task's state from its messages alone: the rule any client can apply for itself."""
    if not messages:
        return State.NO_TASK
    for message in reversed(messages):
        if message.waits and (state := state_of_ask(message)):
            return state
    if messages[-1].partial and not is_non_blocking(messages[-1]):
        return State.STREAMING
    newest_request = next((m for m in reversed(messages) if m.say is Say.API_REQ_STARTED), None)
    if newest_request and not is_request_finished(newest_request.text):
        return State.STREAMING
    return State.RUNNING


def state_of_ask(message: Message) -> State | None:
    """The state that a waiting ask puts its task in; None for an ask that blocks nothing."""
    return _STATE_OF_CATEGORY.get(message.ask.category) if message.ask else None


def is_non_blocking(message: Message) -> bool:
    return message.ask is not None and message.ask.category is Category.NON_BLOCKING


def is_request_finished(text: str | None) -> bool:
    """A request is finished exactly when its row has the key `cost` or `cancelReason`."""
    row = json.loads(text or "{}")
    return "cost" in row or "cancelReason" in row


_YES, _NO, _WORDS = Response.YES.value, Response.NO.value, Response.MESSAGE.value

ACTIONS: dict[Ask, tuple[Action, ...]] = {
    Ask.TOOL: (Action("Approve", _YES), Action("Reject", _NO)),
    Ask.COMMAND: (Action("Run", _YES), Action("Reject", _NO)),
    Ask.BROWSER_ACTION_LAUNCH: (Action("Approve", _YES), Action("Reject", _NO)),
    Ask.USE_MCP_SERVER: (Action("Approve", _YES), Action("Reject", _NO)),
    Ask.FOLLOWUP: (Action("Answer", _WORDS),),
    Ask.COMPLETION_RESULT: (Action("New task", "agent/clearTask"), Action("Give feedback", _WORDS)),
    Ask.API_REQ_FAILED: (Action("Retry", _YES), Action("New task", "agent/clearTask")),
    Ask.MISTAKE_LIMIT_REACHED: (Action("Proceed anyway", _YES), Action("New task", "agent/clearTask")),
    Ask.AUTO_APPROVAL_MAX_REQ_REACHED: (Action("Continue", _YES), Action("Stop", _NO)),
    Ask.RESUME_COMPLETED_TASK: (Action("Go on", _WORDS), Action("New task", "agent/clearTask")),
    Ask.RESUME_TASK: (Action("Resume", _YES), Action("End", "agent/clearTask")),
    Ask.COMMAND_OUTPUT: (Action("Continue", "continue"), Action("Abort", "abort")),
}
"""The buttons of each ask, the primary one first. A response with a slash is a method to call instead."""
