"""When a task's checkpoints are taken, and what of the agent's doing is noted beside them. How is `storage/`.

Before the first change of a step and before each command the task waits for it; at the user's words it goes on.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from agent_lsp.agent.ports import Tools
from agent_lsp.domain.approvals import Deed
from agent_lsp.domain.checkpoints import Altered, Checkpoint, FileState, Reason
from agent_lsp.domain.errors import AgentError, FileProblem
from agent_lsp.domain.files import FileEdit, FileText
from agent_lsp.domain.history import Call
from agent_lsp.domain.messages import CheckpointMark, Say
from agent_lsp.domain.model import ToolSpec
from agent_lsp.domain.turns import Outcome
from agent_lsp.storage.checkpoints_walk import GivenUp
from agent_lsp.storage.records import MessageChanged
from agent_lsp.tasks.ports import Checkpoints
from agent_lsp.tasks.stream import MessageStream
from agent_lsp.workspace.texts import encode

T = TypeVar("T")
log = logging.getLogger(__name__)


class Checkpointing:
    """Keeps one task's files. After the first failure it keeps nothing any more, and has said so."""

    def __init__(self, task_id: str, checkpoints: Checkpoints | None, stream: MessageStream) -> None:
        self._task_id = task_id
        self._checkpoints = checkpoints
        self._stream = stream
        self._has_changed_in_step = False
        self._before_command: Checkpoint | None = None
        self._under_way: asyncio.Task[None] | None = None

    def new_step(self) -> None:
        self._has_changed_in_step = False

    def at_words(self, ts: int) -> None:
        """Take a checkpoint at the user's words, while the task goes on."""
        self._go_on_with(self._take(Reason.MESSAGE, ts))

    async def before(self, deed: Deed, ts: int) -> None:
        """Return once the files are kept as they are before an approved action; `ts` is the message about it."""
        match deed:
            case Deed.WRITE if not self._has_changed_in_step:
                self._has_changed_in_step = True
                await self.settle()
                await self._take(Reason.CHANGE, ts)
            case Deed.EXECUTE:
                await self.settle()
                self._before_command = await self._take(Reason.COMMAND, ts)
            case _:
                pass

    async def changing(self, edits: Sequence[FileEdit], permissions: Mapping[Path, int]) -> None:
        """Note what is to be done to files now: should the server be killed meanwhile, it is known for the agent's."""
        await self.settle()
        try:
            changes = _alterations(edits, permissions)
        except FileProblem:  # The file cannot hold the text: the edit will say so, and not be made.
            return
        await self._guarded(lambda kept: kept.note_intent(self._task_id, changes))

    async def changed(self, edits: Sequence[FileEdit], permissions: Mapping[Path, int]) -> None:
        """Note what the agent did to files by name."""
        await self.settle()
        await self._guarded(
            lambda kept: kept.note_changes(self._task_id, Reason.CHANGE, _alterations(edits, permissions))
        )

    def after_call(self) -> None:
        """Note what a command did, if one ran."""
        checkpoint, self._before_command = self._before_command, None
        if checkpoint:
            self._has_changed_in_step = False
            self._go_on_with(self._guarded(lambda kept: kept.note_changes_since(self._task_id, checkpoint)))

    async def settle(self) -> None:
        """Return once nothing is under way any more."""
        while self._under_way:
            await asyncio.shield(self._under_way)

    def _go_on_with(self, work: Coroutine[None, None, object]) -> None:
        earlier = self._under_way

        async def all_of_it() -> None:
            if earlier:
                await earlier
            try:
                await work
            except AgentError as error:
                # The journal's fault: the turn meets it, too, and the user hears of it there.
                log.warning("A checkpoint is not in the journal: %s", error)
            finally:
                if self._under_way is asyncio.current_task():
                    self._under_way = None

        self._under_way = asyncio.create_task(all_of_it(), name=f"checkpoint of {self._task_id}")

    async def _take(self, reason: Reason, ts: int) -> Checkpoint | None:
        checkpoint = await self._guarded(lambda kept: kept.take(self._task_id, reason))
        if checkpoint:
            self._stream.change(MessageChanged(ts, checkpoint=CheckpointMark(checkpoint.id)))
        return checkpoint

    async def _guarded(self, work: Callable[[Checkpoints], Coroutine[None, None, T]]) -> T | None:
        if self._checkpoints is None:
            return None
        try:
            return await work(self._checkpoints)
        except GivenUp:
            return None
        except AgentError as error:
            # Once is enough: what took too long here will do so again, and every command would wait for it.
            self._checkpoints = None
            self._stream.say(Say.INFO, f"No checkpoints are taken for this task from here on. {error}")
            return None


class KeptTools:
    """A task's tools, with a look at the files after each call."""

    def __init__(self, tools: Tools, checkpointing: Checkpointing) -> None:
        self._tools = tools
        self._checkpointing = checkpointing

    def specs(self) -> tuple[ToolSpec, ...]:
        return self._tools.specs()

    async def run(self, call: Call, *, has_failed_before: bool) -> Outcome:
        try:
            return await self._tools.run(call, has_failed_before=has_failed_before)
        finally:
            self._checkpointing.after_call()


def _alterations(edits: Sequence[FileEdit], permissions: Mapping[Path, int]) -> dict[Path, Altered]:
    found = dict[Path, Altered]()
    for edit in edits:
        path, usual = edit.place.absolute, FileState(b"").permissions
        like = FileState(b"", permissions=permissions.get(path, usual))
        before = replace(like, content=_content(edit.before.text, edit.before)) if edit.before else None
        after = None if edit.after is None else replace(like, content=_content(edit.after, edit.before))
        if edit.move_to:
            found[path] = Altered(before, None)
            found[edit.move_to.absolute] = Altered(None, after)
        else:
            found[path] = Altered(before, after)
    return found


def _content(text: str, like: FileText | None) -> bytes:
    if like is None or like.is_open:
        return text.encode("utf-8", "surrogatepass")  # Editors can hold half a character.
    return encode(text, like.encoding)
