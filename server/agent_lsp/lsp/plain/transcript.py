"""The text of one transcript: what happens now at its top, finished messages below it, the newest first. Pure.

The page has a bound: what is older goes to pages of its own, so that the work per message does not grow with the task.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from agent_lsp.domain.messages import Message, Say
from agent_lsp.domain.status import State, Status
from agent_lsp.lsp.plain.entries import checklist, entry, growing, is_pause, paused, spelled_out
from agent_lsp.lsp.plain.ways import BY_NAME, Ways
from agent_lsp.lsp.waiting import Waiting

PAGE_CHARS = 32_000
"""The page has up to twice as many; then the older half goes to a page of its own."""

TAIL_CHARS = 1_200
"""So much is shown of a message that grows."""

TAIL_LINES = 12

_STATES = {
    State.RUNNING: "at work",
    State.STREAMING: "at work",
    State.WAITING_FOR_INPUT: "waiting for you",
    State.IDLE: "at rest",
}

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Entry:
    ts: int
    text: str


class Transcript:
    """Told what its task tells; `text` is the page as it is to be now."""

    def __init__(self, task_id: str, redact: Redact, ways: Ways = BY_NAME) -> None:
        self.task_id = task_id
        self._redact = redact
        self._ways = ways
        self._entries: list[_Entry] = []
        """The oldest first."""
        self._size = 0
        self._growing: dict[int, tuple[Message, str]] = {}
        self._first_ts: int | None = None
        self._last_moved_ts = 0
        self._status: Status | None = None
        self._pause: Message | None = None

    def take(self, message: Message) -> None:
        """Take a message that is new or has changed."""
        if self._first_ts is None:
            self._first_ts = message.ts
        self._growing.pop(message.ts, None)
        if is_pause(message) or (self._pause and message.ts >= self._pause.ts):
            self._pause = message if is_pause(message) else None
        if message.partial and message.state is None:
            self._growing[message.ts] = message, self._tail(message.text or "")
        elif message.ts > self._last_moved_ts:
            is_task = message.ts == self._first_ts and message.say is Say.TEXT
            self._put(message.ts, "" if message.waits else self._entry(message, is_task=is_task))

    def grow(self, ts: int, text: str) -> None:
        if ts in self._growing:
            message, tail = self._growing[ts]
            self._growing[ts] = message, self._tail(tail + text)

    def delete(self, ts: int) -> None:
        self._growing.pop(ts, None)
        self._put(ts, "")

    def take_status(self, status: Status) -> None:
        self._status = status

    def text(self, waiting: Waiting | None, earlier: str | None) -> str:
        """Write the page. `earlier` names the page before this one."""
        parts = [self._head(), *self._now(waiting), "---\n\n", *(each.text for each in reversed(self._entries))]
        if earlier:
            parts.append(f"Earlier: {earlier}\n")
        return "".join(parts)

    def overflow(self) -> str | None:
        """Take the older half out of a page that has become too long, as the text of a page of its own."""
        if self._size <= 2 * PAGE_CHARS:
            return None
        moved: list[_Entry] = []
        while self._size > PAGE_CHARS and len(self._entries) > 1:
            moved.append(oldest := self._entries.pop(0))
            self._size -= len(oldest.text)
        if not moved:
            return None
        self._last_moved_ts = moved[-1].ts
        return "".join(each.text for each in reversed(moved))

    def _entry(self, message: Message, *, is_task: bool) -> str:
        # Before, since what is cut could cut a key in two; and after, since a key may be escaped in JSON.
        redacted = replace(message, text=self._redact(message.text)) if message.text else message
        return self._redact(entry(redacted, is_task=is_task))

    def _put(self, ts: int, text: str) -> None:
        """Put an entry where it belongs, in the place of what was there; most belong at the end."""
        at = len(self._entries)
        while at and self._entries[at - 1].ts > ts:
            at -= 1
        if at and self._entries[at - 1].ts == ts:
            at -= 1
            self._size -= len(self._entries.pop(at).text)
        if text:
            self._entries.insert(at, _Entry(ts, text))
            self._size += len(text)

    def _tail(self, text: str) -> str:
        """The end of a text, in whole lines as far as it has any: half a key must not escape the redaction."""
        text = self._redact(text)
        lines = text[-2 * TAIL_CHARS :].splitlines(keepends=True)[-TAIL_LINES:]
        while len(lines) > 1 and sum(map(len, lines)) > TAIL_CHARS:
            lines.pop(0)
        return "".join(lines)[-TAIL_CHARS:]

    def _head(self) -> str:
        status = self._status
        if status is None:
            return "# Task\n\n"
        spent = f"{status.usage.tokens_in + status.usage.tokens_out:,} tokens"
        cost = f" · ${status.usage.cost:.2f}" if status.usage.cost else ""
        stopped = f"stopped: {self._ways.marked('agent.resume')} goes on"
        state = stopped if status.state is State.RESUMABLE else _STATES.get(status.state, status.state.value)
        title = self._redact(" ".join(status.title.split()))
        steps = self._redact(checklist((todo.status, todo.content) for todo in status.todos))
        head = f"# {title}\n\n*{state}* · {status.mode} · {status.permission_mode.value} · {spent}{cost}\n\n"
        return f"{head}{steps}\n\n" if steps else head

    def _now(self, waiting: Waiting | None) -> Iterable[str]:
        for message, tail in self._growing.values():
            yield growing(message, tail)
        if self._pause:
            yield self._redact(paused(self._pause, self._ways))
        if waiting:
            yield self._redact(spelled_out(waiting, self._ways))
