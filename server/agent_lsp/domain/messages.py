"""Messages: what the user sees of a task. Every task is a stream of these asks and says."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from agent_lsp.domain.encoding import UNTOLD, Json
from agent_lsp.domain.files import Selection


class Category(StrEnum):
    """What an ask means for the state of its task."""

    INTERACTIVE = "interactive"
    IDLE = "idle"
    RESUMABLE = "resumable"
    NON_BLOCKING = "non-blocking"


class Ask(StrEnum):
    """The kinds of ask."""

    TOOL = "tool"
    COMMAND = "command"
    BROWSER_ACTION_LAUNCH = "browser_action_launch"
    USE_MCP_SERVER = "use_mcp_server"
    FOLLOWUP = "followup"
    COMPLETION_RESULT = "completion_result"
    API_REQ_FAILED = "api_req_failed"
    MISTAKE_LIMIT_REACHED = "mistake_limit_reached"
    AUTO_APPROVAL_MAX_REQ_REACHED = "auto_approval_max_req_reached"
    RESUME_COMPLETED_TASK = "resume_completed_task"
    RESUME_TASK = "resume_task"
    COMMAND_OUTPUT = "command_output"

    @property
    def category(self) -> Category:
        return _CATEGORIES.get(self, Category.INTERACTIVE)


_CATEGORIES = {
    Ask.COMPLETION_RESULT: Category.IDLE,
    Ask.API_REQ_FAILED: Category.IDLE,
    Ask.MISTAKE_LIMIT_REACHED: Category.IDLE,
    Ask.AUTO_APPROVAL_MAX_REQ_REACHED: Category.IDLE,
    Ask.RESUME_COMPLETED_TASK: Category.IDLE,
    Ask.RESUME_TASK: Category.RESUMABLE,
    Ask.COMMAND_OUTPUT: Category.NON_BLOCKING,
}


class Say(StrEnum):
    """The kinds of say."""

    TEXT = "text"
    REASONING = "reasoning"
    USER_FEEDBACK = "user_feedback"
    USER_FEEDBACK_DIFF = "user_feedback_diff"
    API_REQ_STARTED = "api_req_started"
    API_REQ_RETRY_DELAYED = "api_req_retry_delayed"
    API_REQ_RATE_LIMIT_WAIT = "api_req_rate_limit_wait"
    COMPLETION_RESULT = "completion_result"
    TOOL = "tool"
    COMMAND = "command"
    COMMAND_OUTPUT = "command_output"
    MCP_SERVER_REQUEST_STARTED = "mcp_server_request_started"
    MCP_SERVER_RESPONSE = "mcp_server_response"
    BROWSER_ACTION = "browser_action"
    BROWSER_ACTION_RESULT = "browser_action_result"
    CHECKPOINT_SAVED = "checkpoint_saved"
    CONDENSE_CONTEXT = "condense_context"
    CONDENSE_CONTEXT_ERROR = "condense_context_error"
    SLIDING_WINDOW_TRUNCATION = "sliding_window_truncation"
    DIFF_ERROR = "diff_error"
    IGNORE_ERROR = "ignore_error"
    SUBTASK_RESULT = "subtask_result"
    SUBAGENT = "subagent"
    TODOS = "todos"
    HOOK = "hook"
    SKILL = "skill"
    ERROR = "error"
    INFO = "info"


class Response(StrEnum):
    """How an ask can be answered."""

    YES = "yesButtonClicked"
    NO = "noButtonClicked"
    MESSAGE = "messageResponse"
    OBJECT = "objectResponse"


@dataclass(frozen=True, slots=True)
class Answer:
    """The one answer of an ask, as every client sees it."""

    response: Response
    by: Literal["user", "policy", "timeout"]
    at: int
    text: str | None = None
    selection: Selection | None = field(default=None, compare=False, metadata=UNTOLD)
    """What the user made of a proposal, where they took it in part or changed it."""


@dataclass(frozen=True, slots=True)
class Progress:
    icon: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class CheckpointMark:
    id: str


@dataclass(frozen=True, slots=True)
class Message:
    """An ask or a say. `ts` is its identity; `partial` is None where it never streamed."""

    ts: int
    type: Literal["ask", "say"]
    ask: Ask | None = None
    say: Say | None = None
    text: str | None = None
    images: tuple[str, ...] = ()
    partial: bool | None = None
    answer: Answer | None = None
    state: Literal["interrupted"] | None = None
    progress: Progress | None = None
    checkpoint: CheckpointMark | None = None
    agent: str | None = None

    @property
    def waits(self) -> bool:
        """Whether this is an ask that still wants its answer."""
        return self.ask is not None and not self.partial and self.answer is None and self.state is None

    @staticmethod
    def from_wire(wire: Json) -> "Message":
        """Read a message back from its wire form (the journal's)."""
        answer = wire.get("answer")
        return Message(
            ts=wire["ts"],
            type=wire["type"],
            ask=Ask(wire["ask"]) if "ask" in wire else None,
            say=Say(wire["say"]) if "say" in wire else None,
            text=wire.get("text"),
            images=tuple(wire.get("images", ())),
            partial=wire.get("partial"),
            answer=answer_from_wire(answer) if answer else None,
            state=wire.get("state"),
            progress=progress_from_wire(wire["progress"]) if "progress" in wire else None,
            checkpoint=CheckpointMark(wire["checkpoint"]["id"]) if "checkpoint" in wire else None,
            agent=wire.get("agent"),
        )


@dataclass(frozen=True, slots=True)
class DeletedMessage:
    """What clients are sent of a message that is not shown any more."""

    ts: int
    deleted: bool = True


def proposed_files(message: Message) -> dict[str, str]:
    """The files that an ask about a change names: the path and the uri of each."""
    body: Json = json.loads(message.text or "{}")
    return {change["path"]: change["uri"] for change in body.get("changes", ())}


def progress_from_wire(wire: Json) -> Progress:
    return Progress(wire.get("icon"), wire.get("text"))


def answer_from_wire(wire: Json) -> Answer:
    return Answer(Response(wire["response"]), wire["by"], wire["at"], wire.get("text"))
