"""The rows of calls that the model still writes: what is going to be asked or done is seen growing.

A row grows as what it will become: an ask, where policy would ask, else a say. What it comes to is the gate's business.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from agent_lsp.approvals.policy import Rules, judge
from agent_lsp.domain.approvals import Action, Verdict
from agent_lsp.domain.events import CallGrowing
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.storage.records import MessageChanged
from agent_lsp.tasks.ports import GrowingCall
from agent_lsp.tasks.stream import MERGE_SECONDS, MessageStream


@dataclass(slots=True)
class _Row:
    call: GrowingCall
    ts: int | None = None
    kind: Ask | Say | None = None
    unread: list[str] = field(default_factory=list[str])
    """Pieces that came too soon after those before to be looked at alone."""
    read_at: float = 0.0


class GrowingCalls:
    """The calls of the answer at hand that have no decision yet."""

    def __init__(
        self,
        stream: MessageStream,
        rules: Callable[[], Rules],
        begin: Callable[[str, str], GrowingCall | None],
    ) -> None:
        self._stream = stream
        self._rules = rules
        self._begin = begin
        self._rows: dict[str, _Row | None] = {}
        """By the call's id; None for a call that is not shown before it runs."""

    def grow(self, event: CallGrowing) -> None:
        row = self._row(event)
        if row is None:
            return
        row.unread.append(event.arguments)
        now = time.monotonic()
        # What would be sent together is looked at together: a piece is often but a few letters.
        if row.ts is None or now - row.read_at >= MERGE_SECONDS:
            row.read_at = now
            self._read(row)

    def take(self, call_id: str, kind: Ask | Say) -> int | None:
        """Hand over the row of a call that is decided about now. One that grew as another kind is settled."""
        row = self._rows.get(call_id)
        if row is None or row.ts is None or row.kind is not kind:
            self.settle(call_id)
            return None
        self._rows[call_id] = None
        return row.ts

    def settle(self, call_id: str) -> None:
        """End the row of a call that comes to nothing."""
        row = self._rows.get(call_id)
        self._rows[call_id] = None
        if row and row.ts is not None:
            self._read(row)
            self._stream.change(MessageChanged(row.ts, partial=False, state="interrupted"))

    def settle_all(self) -> None:
        for call_id in self._rows:
            self.settle(call_id)
        self._rows.clear()

    def _row(self, event: CallGrowing) -> _Row | None:
        if event.call_id not in self._rows:
            call = self._begin(event.call_id, event.name)
            self._rows[event.call_id] = _Row(call) if call else None
        return self._rows[event.call_id]

    def _read(self, row: _Row) -> None:
        text = row.call.feed("".join(row.unread))
        row.unread.clear()
        if row.ts is not None:
            if text:
                self._stream.grow(row.ts, text)
        elif action := row.call.action:
            self._open(row, action, text)

    def _open(self, row: _Row, action: Action, text: str) -> None:
        head = json.dumps(action.body, ensure_ascii=False) + "\n"
        match judge(action, self._rules()).verdict:
            case Verdict.DENY:
                self._rows[action.call_id] = None
            case Verdict.APPROVE:
                row.ts, row.kind = self._stream.say(action.say, head + text, partial=True), action.say
            case Verdict.ASK:
                row.ts, row.kind = self._stream.ask(action.ask, head + text, partial=True), action.ask
