"""Folds the events of a turn into the task's messages, history and journal: the one `emit`."""

import json
from collections.abc import Callable
from dataclasses import replace

from agent_lsp.agent.settle import INTERRUPTED
from agent_lsp.domain.condensing import Condensed, HistoryChange, ResultsLeftOut, shorter
from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.events import (
    CallGrowing,
    CallsRunning,
    Event,
    Kept,
    RetryDelayed,
    Said,
    StepEnded,
    StepStarted,
    TextGrew,
    ThoughtGrew,
    TodosChanged,
)
from agent_lsp.domain.history import HistoryItem, Reply, Result
from agent_lsp.domain.messages import Say
from agent_lsp.domain.status import Todo
from agent_lsp.storage.pairing import pair
from agent_lsp.storage.records import MessageChanged
from agent_lsp.storage.stored import StoredTask
from agent_lsp.tasks.growing import GrowingCalls
from agent_lsp.tasks.ports import Ledger
from agent_lsp.tasks.stream import MessageStream


class Recorder:
    """The writer of one task. Whatever a turn does passes through `emit`, in order."""

    def __init__(self, stream: MessageStream, ledger: Ledger, calls: GrowingCalls, history: list[HistoryItem]) -> None:
        self.history = history
        self.todos: tuple[Todo, ...] = ()
        self.calls_running = 0
        self.on_request: Callable[[StepEnded], None] = lambda _ended: None
        """Called for every request that is over, before its row says so."""
        self.on_taken: Callable[[str], None] = lambda _message_id: None
        """Called when queued words are in the history."""
        self.on_step: Callable[[], None] = lambda: None
        self.on_shortened: Callable[[HistoryChange], None] = lambda _change: None
        """Called when the history was made shorter."""
        self._stream = stream
        self._ledger = ledger
        self._calls = calls
        self._request_ts: int | None = None
        self._growing: tuple[Say, int] | None = None
        self._retry_ts: int | None = None

    def emit(self, event: Event) -> None:
        match event:
            case TextGrew(text):
                self._grow(Say.TEXT, text)
            case ThoughtGrew(text):
                self._grow(Say.REASONING, text)
            case CallGrowing():
                self._calls.grow(event)
            case StepStarted():
                self._begin_step()
            case StepEnded():
                self._end_step(event)
            case Kept():
                self._keep(event)
            case Condensed() | ResultsLeftOut():
                self._shorten(event)
            case TodosChanged():
                self._change_todos(event)
            case Said() | RetryDelayed() | CallsRunning():
                self._show(event)

    def settle_open_calls(self) -> None:
        """Give results to calls whose turn broke before they had them: no service takes a history without."""
        newest_first = range(len(self.history) - 1, -1, -1)
        last = next((index for index in newest_first if isinstance(self.history[index], Reply)), len(self.history))
        for made_up in pair(self.history[last:]).missing:
            self._keep(Kept(replace(made_up, text=INTERRUPTED)))

    def turn_back(self, to: StoredTask) -> None:
        """Go on from what a rewind has left of the task."""
        self.history, self.todos = [*to.history], to.todos
        for made_up in to.missing_results:
            self._ledger.append(Kept(made_up))

    def _keep(self, kept: Kept) -> None:
        """Journal an item of the history, then let the model see it."""
        self._ledger.append(kept)
        self.history.append(kept.item)
        if kept.takes:
            self.on_taken(kept.takes)
        if isinstance(kept.item, Result):
            self._calls.settle(kept.item.call_id)

    def _shorten(self, change: HistoryChange) -> None:
        """Journal it, then let the model see no more than is left. The turn goes on with the same list."""
        self._ledger.append(change)
        self.history[:] = shorter(self.history, change)
        self.on_shortened(change)
        self._stream.on_change()

    def _show(self, event: Said | RetryDelayed | CallsRunning) -> None:
        match event:
            case Said(say, text, images, progress):
                self._stream.say(say, text, images=images, progress=progress)
            case RetryDelayed():
                self._delay(event)
            case CallsRunning(count):
                self.calls_running = count
                self._stream.on_change()

    def _change_todos(self, changed: TodosChanged) -> None:
        self.todos = changed.todos
        self._ledger.append(changed)
        self._stream.on_change()

    def _grow(self, say: Say, text: str) -> None:
        if self._growing and self._growing[0] is say:
            self._stream.grow(self._growing[1], text)
            return
        self._close_growing(is_cut_off=False)
        self._growing = (say, self._stream.say(say, text, partial=True))

    def _close_growing(self, *, is_cut_off: bool) -> None:
        if self._growing:
            if is_cut_off:
                self._stream.change(MessageChanged(self._growing[1], partial=False, state="interrupted"))
            else:
                self._stream.change(MessageChanged(self._growing[1], partial=False))
        self._growing = None

    def _begin_step(self) -> None:
        self._calls.settle_all()
        self._close_growing(is_cut_off=True)  # What a broken journal left open.
        self._retry_ts = None
        self.on_step()
        self._request_ts = self._stream.say(Say.API_REQ_STARTED, "{}")

    def _end_step(self, event: StepEnded) -> None:
        self._close_growing(is_cut_off=event.cancel_reason is not None)
        if event.cancel_reason is not None:
            self._calls.settle_all()
        self.on_request(event)
        if self._request_ts is not None:
            self._stream.change(
                MessageChanged(self._request_ts, text=json.dumps(_request_row(event), ensure_ascii=False))
            )
        self._request_ts = None

    def is_counted_down(self, ts: int | None) -> bool:
        """Whether the row of this ts is the one that counts down to another attempt; any, where none is named."""
        return self._retry_ts is not None and ts in (None, self._retry_ts)

    def _delay(self, event: RetryDelayed) -> None:
        row: Json = {"attempt": event.attempt, "seconds": event.seconds, "reason": event.reason}
        text = json.dumps(row, ensure_ascii=False)
        if self._retry_ts is None:
            self._retry_ts = self._stream.say(Say.API_REQ_RETRY_DELAYED, text)
        else:
            self._stream.change(MessageChanged(self._retry_ts, text=text))


def _request_row(event: StepEnded) -> Json:
    """The row of a request that is over. It has `cost` where the answer came whole, else `cancelReason`."""
    row: Json = to_wire(event.usage) if event.usage else {}
    if event.cancel_reason:
        row["cancelReason"] = event.cancel_reason
    else:
        row.setdefault("cost", None)
    if event.usage and event.is_estimated:
        row["estimated"] = True
    return row | ({"error": event.error} if event.error else {})
