"""A hall that plays a script of asks to a run, and a console with a person who types from a script."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.notices import Listener, MessageNotice, StatusNotice
from agent_lsp.domain.requests import Answered, AskReply, NewTask, Snapshot, TaskReference
from agent_lsp.domain.status import State, Status, Usage

ROOT = Path("/srv/project")
STATUS = Status("t1", "i1", 9, State.IDLE, usage=Usage(1200, 34, cost=0.0125))


def say(ts: int, kind: Say, text: str = "", *, partial: bool | None = None) -> Message:
    return Message(ts, "say", say=kind, text=text, partial=partial)


def ask(ts: int, kind: Ask, text: str = "") -> Message:
    return Message(ts, "ask", kind, text=text)


@dataclass(eq=False)
class ScriptedHall:
    """Says each message of its script once the ask before it is answered; then the task rests on its last ask."""

    script: Sequence[Message]
    failure: AgentError | None = None
    close_failure: AgentError | None = None
    advised: tuple[str, ...] = ()
    asked_for: list[NewTask] = field(default_factory=list[NewTask])
    replies: list[AskReply] = field(default_factory=list[AskReply])
    deeds: list[str] = field(default_factory=list[str])
    at_rest: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when all of the script has been said."""
    _listener: Listener | None = None
    _said: int = 0

    def listen(self, listener: Listener) -> None:
        self._listener = listener

    def new_task(self, request: NewTask) -> TaskReference:
        if self.failure:
            raise self.failure
        self.asked_for.append(request)
        asyncio.get_running_loop().call_soon(self._go_on)
        return TaskReference("t1", "i1")

    async def advice(self) -> tuple[str, ...]:
        return self.advised

    def answer(self, task_id: str, ts: int | None, reply: AskReply) -> Answered:
        assert (task_id, ts) == ("t1", self.script[self._said - 1].ts)
        self.replies.append(reply)
        asyncio.get_running_loop().call_soon(self._go_on)
        return Answered(accepted=True)

    async def cancel(self, task_id: str) -> Status:
        self.deeds.append(f"cancel {task_id}")
        return STATUS

    def snapshot(
        self, task_id: str | None, *, instance_id: str | None, since: int | None, limit: int, before: int | None
    ) -> Snapshot:
        return Snapshot(STATUS, tuple(self.script[: self._said]), 9, has_more=False)

    async def close(self) -> None:
        self.deeds.append("close")
        if self.close_failure:
            raise self.close_failure

    def _go_on(self) -> None:
        assert self._listener
        while self._said < len(self.script):
            message = self.script[self._said]
            self._said += 1
            self._listener.notice(MessageNotice("t1", "i1", self._said, message))
            if message.waits:
                self._listener.notice(StatusNotice(STATUS))
                break
        if self._said == len(self.script):
            self.at_rest.set()


@dataclass(eq=False)
class ScriptedConsole:
    """Takes what is shown. With `lines`, a person types them, one for each prompt, and then leaves (^D)."""

    lines: list[str] | None = None
    shown: str = ""
    warned: str = ""
    prompts: list[str] = field(default_factory=list[str])
    is_slow: bool = False

    def show(self, text: str) -> None:
        self.shown += text

    def warn(self, text: str) -> None:
        self.warned += text

    def is_congested(self) -> bool:
        return self.is_slow

    def can_ask(self) -> bool:
        return self.lines is not None

    async def ask(self, prompt: str) -> str | None:
        self.prompts.append(prompt)
        if not self.lines:
            self.lines = None
            return None
        return self.lines.pop(0) + "\n"

    async def drained(self) -> None:
        """Everything is written at once."""


COMMAND: Json = {"command": "make test", "cwd": str(ROOT), "segments": [{"text": "make test", "verdict": "ask"}]}
EDIT: Json = {
    "tool": "appliedDiff",
    "path": "src/a.py",
    "changes": [{"path": "src/a.py", "added": 1, "removed": 1, "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"}],
}
