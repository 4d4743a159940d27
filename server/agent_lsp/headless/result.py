"""How a run ended, and what is made of that: an exit code, and the last line of the JSON formats. Pure."""

from dataclasses import dataclass, field
from enum import StrEnum

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.messages import Message
from agent_lsp.domain.status import Usage


class Ending(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"
    """The model or the program failed, or a limit was reached, and nobody made it go on."""
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class RunResult:
    ending: Ending
    task_id: str | None = None
    text: str = ""
    """The model's result."""
    error: str = ""
    """Why it did not complete, one sentence."""
    usage: Usage = field(default_factory=Usage)
    refusals: int = 0
    """What the model was refused for want of a person to ask."""
    interrupted_by: int | None = None
    """The exit code that the interruption stands for."""

    @property
    def is_success(self) -> bool:
        """Whether the task was done, and all that the model wanted for it was allowed or answered by someone."""
        return self.ending is Ending.COMPLETED and not self.refusals

    @property
    def exit_code(self) -> int:
        if self.interrupted_by is not None:
            return self.interrupted_by
        return 0 if self.is_success else 1

    def problem(self) -> str:
        """Why this is no success, one sentence; empty where it is one."""
        if self.ending is not Ending.COMPLETED:
            return self.error or f"The task was {self.ending}."
        if not self.refusals:
            return ""
        what = "One approval was" if self.refusals == 1 else f"{self.refusals} approvals were"
        return f"{what} refused, since nobody could be asked: run it in a terminal, or with --yes."

    def to_json(self, messages: tuple[Message, ...] | None) -> Json:
        wire: Json = {
            "type": "result",
            "success": self.is_success,
            "ending": self.ending.value,
            "taskId": self.task_id,
            "result": self.text,
            "usage": to_wire(self.usage),
            "refusals": self.refusals,
        }
        if problem := self.problem():
            wire["error"] = problem
        if messages is not None:
            wire["messages"] = to_wire(messages)
        return wire
