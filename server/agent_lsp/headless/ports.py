"""What the back door needs of the hall and of its terminal. Structural: whoever has these methods will do."""

from typing import Protocol

from agent_lsp.domain.notices import Listener
from agent_lsp.domain.requests import Answered, AskReply, NewTask, Snapshot, TaskReference
from agent_lsp.domain.status import Status


class Hall(Protocol):
    """Where tasks live."""

    def listen(self, listener: Listener) -> None: ...

    def new_task(self, request: NewTask) -> TaskReference: ...

    async def advice(self) -> tuple[str, ...]:
        """Tell what could be done where no model can be used, a sentence each; looks what runs on this machine."""
        ...

    def answer(self, task_id: str, ts: int | None, reply: AskReply) -> Answered: ...

    async def cancel(self, task_id: str) -> Status: ...

    def snapshot(
        self, task_id: str | None, *, instance_id: str | None, since: int | None, limit: int, before: int | None
    ) -> Snapshot: ...

    async def close(self) -> None:
        """Settle all tasks, end their commands, and let go of their journals."""
        ...


class Console(Protocol):
    """Where a run shows itself, and the person at it, if there is one. No call but `ask` and `drained` waits."""

    def show(self, text: str) -> None:
        """Write to the standard output."""
        ...

    def warn(self, text: str) -> None:
        """Write to the standard error output."""
        ...

    def is_congested(self) -> bool: ...

    def can_ask(self) -> bool:
        """Whether a person reads along and can answer."""
        ...

    async def ask(self, prompt: str) -> str | None:
        """Put a prompt and wait for a line; None once nobody is there any more."""
        ...

    async def drained(self) -> None:
        """Return once all that was shown so far has been written, or cannot be."""
        ...
