"""A task's messages: the one place that mints a `ts`, journals a message, counts `seq` and tells the listeners.

A message that grows is kept in pieces; what it grew by is journaled and sent merged, at most once in 30 ms. Work for
a message does not depend on how many there are. What a message means for the task's state is `standing.py`.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from agent_lsp.domain.messages import Ask, DeletedMessage, Message, Progress, Say
from agent_lsp.domain.moments import is_played, now_ms
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, Listener, MessageNotice, Notice, StatusNotice
from agent_lsp.domain.status import Status
from agent_lsp.storage.records import MessageAdded, MessageChanged, MessageGrew
from agent_lsp.storage.stored import changed
from agent_lsp.tasks.ports import Ledger
from agent_lsp.tasks.standing import Standing

MERGE_SECONDS = 0.03


@dataclass(slots=True)
class _Growth:
    """Text that a message has beyond its last whole form."""

    pieces: list[str] = field(default_factory=list[str])
    unjournaled: list[str] = field(default_factory=list[str])
    unsent: list[str] = field(default_factory=list[str])
    timer: asyncio.TimerHandle | None = None


class MessageStream:
    """The messages of one task, in the order of their `ts`."""

    def __init__(
        self,
        task_id: str,
        instance_id: str,
        ledger: Ledger,
        listeners: Sequence[Listener],
        messages: Iterable[Message],
        last_ts: int = 0,
    ) -> None:
        self._task_id, self._instance_id = task_id, instance_id
        self._ledger = ledger
        self._listeners = listeners
        self._messages = {message.ts: message for message in messages}
        self._growth: dict[int, _Growth] = {}
        self.last_ts = max((last_ts, *self._messages))
        self._last_seq_of: dict[int, int] = {}
        self.seq = 0
        self.standing = Standing(self._messages.values())
        self.on_change: Callable[[], None] = lambda: None
        """Called after a message was added or changed; the task looks whether its Status did, too."""

    def say(
        self,
        say: Say,
        text: str | None = None,
        *,
        images: tuple[str, ...] = (),
        partial: bool | None = None,
        progress: Progress | None = None,
    ) -> int:
        message = Message(self._mint(), "say", None, say, text, images, partial, progress=progress)
        return self._add(message)

    def ask(self, ask: Ask, text: str | None = None, *, partial: bool | None = None) -> int:
        return self._add(Message(self._mint(), "ask", ask, text=text, partial=partial))

    def ask_unkept(self, ask: Ask, text: str) -> int:
        """Ask where the journal cannot be written: the user has to hear of just that."""
        return self._show(Message(self._mint(), "ask", ask, text=text))

    def grow(self, ts: int, text: str) -> None:
        """Append to a partial message."""
        growth = self._growth.setdefault(ts, _Growth())
        growth.pieces.append(text)
        growth.unjournaled.append(text)
        growth.unsent.append(text)
        if growth.timer is None:
            self._flush(ts, growth)

    def change(self, change: MessageChanged) -> None:
        """Replace fields of a message; its grown text becomes part of it first."""
        message = changed(self._whole(change.ts), change)
        self._ledger.append(change)
        self._drop_growth(change.ts)
        self._show(message)

    def message(self, ts: int) -> Message:
        """Tell a message as it is now, grown text included."""
        growth = self._growth.get(ts)
        message = self._messages[ts]
        return message if growth is None else replace(message, text=(message.text or "") + "".join(growth.pieces))

    def shows(self, ts: int) -> bool:
        return ts in self._messages

    def checkpoint_from(self, ts: int) -> str | None:
        """The first checkpoint that a message from `ts` on has."""
        later = (message for message in self._messages.values() if message.ts >= ts)
        return next((message.checkpoint.id for message in later if message.checkpoint), None)

    def newest(self, limit: int, before: int | None) -> tuple[tuple[Message, ...], bool]:
        """Tell the newest messages older than `before`, and whether there are still older ones."""
        self.flush()
        every = [ts for ts in self._messages if before is None or ts < before]
        chosen = every[-limit:] if limit else []
        return tuple(self.message(ts) for ts in chosen), len(chosen) < len(every)

    def turn_to(self, messages: Iterable[Message]) -> None:
        """Show these messages and no others. Nobody looks at the state before all of that is told."""
        shown = {message.ts: message for message in messages}
        for ts in [ts for ts in self._messages if ts not in shown]:
            del self._messages[ts]
            self._count(ts)
            self._tell(DeletionNotice(self._task_id, self._instance_id, self.seq, DeletedMessage(ts)))
        for ts in [ts for ts in shown if ts not in self._messages]:
            self._messages[ts] = shown[ts]
            self._count(ts)
            self._tell(MessageNotice(self._task_id, self._instance_id, self.seq, shown[ts]))
        self.standing = Standing(self._messages.values())

    def changed_since(self, seq: int) -> tuple[tuple[Message, ...], tuple[int, ...]]:
        """Tell the messages that were new or changed after notification `seq`, and those that are hidden since."""
        self.flush()
        changed: list[int] = []
        for ts, last_seq in reversed(self._last_seq_of.items()):
            if last_seq <= seq:
                break
            changed.append(ts)
        changed.sort()
        messages = tuple(self.message(ts) for ts in changed if ts in self._messages)
        return messages, tuple(ts for ts in changed if ts not in self._messages)

    def send_status(self, status: Status) -> None:
        """Send a Status under the next `seq`."""
        self.seq += 1
        self._tell(StatusNotice(replace(status, seq=self.seq)))

    def flush(self) -> None:
        """Journal and send all that waits to be merged, also to a client that lags."""
        for ts, growth in self._growth.items():
            self._journal_growth(ts, growth)
            self._send_growth(ts, growth)

    def close(self) -> None:
        for growth in self._growth.values():
            if growth.timer:
                growth.timer.cancel()

    def _mint(self) -> int:
        self.last_ts = max(self.last_ts + 1, now_ms())
        return self.last_ts

    def _add(self, message: Message) -> int:
        self._ledger.append(MessageAdded(message))
        return self._show(message)

    def _whole(self, ts: int) -> Message:
        if growth := self._growth.get(ts):
            self._journal_growth(ts, growth)
        return self.message(ts)

    def _drop_growth(self, ts: int) -> None:
        growth = self._growth.pop(ts, None)
        if growth and growth.timer:
            growth.timer.cancel()

    def _show(self, message: Message) -> int:
        self._messages[message.ts] = message
        self.standing.note(message)
        self._count(message.ts)
        self._tell(MessageNotice(self._task_id, self._instance_id, self.seq, message))
        self.on_change()
        return message.ts

    def _flush(self, ts: int, growth: _Growth) -> None:
        growth.timer = None
        if not growth.unsent:
            return
        if not is_played():  # There, what is journaled must not depend on how fast it goes.
            self._journal_growth(ts, growth)
        if not any(listener.is_congested() for listener in self._listeners):
            self._send_growth(ts, growth)
        growth.timer = asyncio.get_running_loop().call_later(MERGE_SECONDS, self._flush, ts, growth)

    def _journal_growth(self, ts: int, growth: _Growth) -> None:
        if growth.unjournaled:
            self._ledger.append(MessageGrew(ts, "".join(growth.unjournaled)))
            growth.unjournaled.clear()

    def _send_growth(self, ts: int, growth: _Growth) -> None:
        if not growth.unsent:
            return
        append = "".join(growth.unsent)
        growth.unsent.clear()
        self._count(ts)
        self._tell(DeltaNotice(self._task_id, self._instance_id, self.seq, ts, append))

    def _tell(self, notice: Notice) -> None:
        for listener in self._listeners:
            listener.notice(notice)

    def _count(self, ts: int) -> None:
        self.seq += 1
        self._last_seq_of.pop(ts, None)
        self._last_seq_of[ts] = self.seq
