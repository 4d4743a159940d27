"""One answer of a model as it is decoded: events in order, neighbours merged, calls with ids of their own."""

import re
from collections.abc import Callable, Container
from uuid import uuid4

from agent_lsp.domain.history import Thought
from agent_lsp.domain.model import (
    CallBegan,
    CallEnded,
    CallGrew,
    ModelEvent,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ThoughtSealed,
    UsageKnown,
)
from agent_lsp.domain.status import Usage
from agent_lsp.providers import faults

_HALF = re.compile("[\ud800-\udfff]")
"""One of a surrogate pair, which is no character alone."""

LONGEST_ANSWER = 16 * 1024 * 1024
"""Characters of text, thoughts and arguments; twenty times what models can say at once."""

Price = Callable[[Usage], Usage]
"""Gives a usage its cost, where the service has not told it or the user knows better."""


def fresh_id() -> str:
    return f"call_{uuid4().hex[:24]}"


class CallIds:
    """Sees to it that no two calls of a task have one id, whatever a service sends: some count anew in each answer."""

    def __init__(self, taken: Container[str], mint: Callable[[], str] = fresh_id) -> None:
        self._taken = taken
        self._mint = mint
        self._own: set[str] = set()

    def unique(self, id_: str) -> str:
        unique = id_ if id_ and id_ not in self._own and id_ not in self._taken else self._mint()
        self._own.add(unique)
        return unique


class Answer:
    """Where a vendor's reader writes what it reads. What grows in one read of the network leaves as one event."""

    def __init__(self, ids: CallIds, price: Price) -> None:
        self.has_ended = False
        """The service's own end mark was seen: nothing more is expected."""
        self._ids = ids
        self._price = price
        self._events: list[ModelEvent] = []
        self._growing: tuple[type[TextDelta | ThoughtDelta] | None, int] = (None, 0)
        """What the pieces belong to: text, thought, or (None) the call of that key."""
        self._pieces: list[str] = []
        self._halves: dict[tuple[type[TextDelta | ThoughtDelta] | None, int], str] = {}
        """The first halves of characters whose second ones come with a later piece of the same."""
        self._thought: list[str] = []
        self._open_calls: list[int] = []
        self._calls = 0
        self._left = LONGEST_ANSWER

    def take(self) -> list[ModelEvent]:
        """Hand over what has come since the last time."""
        self._flush()
        events, self._events = self._events, []
        return events

    def text(self, text: str) -> None:
        self._grow(TextDelta, 0, text)

    def thought(self, text: str) -> None:
        self._grow(ThoughtDelta, 0, text)
        self._thought.append(text)

    @property
    def has_open_thought(self) -> bool:
        return bool(self._thought)

    def seal_thought(self, seal: Callable[[str], str | None], text: str | None = None) -> None:
        """End a thought; `seal` is given its text. A thought that never streamed comes as `text`."""
        whole = "".join(self._thought) if text is None else text
        self._thought.clear()
        self._give_up_half(ThoughtDelta, 0)
        whole = _whole_characters(whole)
        self._add(ThoughtSealed(Thought(whole, seal(whole))))

    def begin_call(self, id_: str, name: str) -> int:
        self._give_up_half(TextDelta, 0)
        key = self._calls
        self._calls += 1
        self._open_calls.append(key)
        self._add(CallBegan(key, self._ids.unique(_whole_characters(id_)), _whole_characters(name)))
        return key

    def grow_call(self, key: int, arguments: str) -> None:
        self._grow(None, key, arguments)

    def end_call(self, key: int) -> None:
        if key in self._open_calls:
            self._open_calls.remove(key)
            self._give_up_half(None, key)
            self._add(CallEnded(key))

    def count(self, usage: Usage | None) -> None:
        if usage:
            self._add(UsageKnown(self._price(usage)))

    def stop(self, reason: StopReason) -> None:
        for key in tuple(self._open_calls):
            self.end_call(key)
        self._give_up_half(TextDelta, 0)
        is_calling = reason is StopReason.END and self._calls > 0
        self._add(Stopped(StopReason.CALLS if is_calling else reason))

    def _grow(self, kind: type[TextDelta | ThoughtDelta] | None, key: int, piece: str) -> None:
        if not piece:
            return
        if not isinstance(piece, str):  # pyright: ignore[reportUnnecessaryIsInstance] - it is of whatever type a service sent
            raise TypeError("a piece must be text")
        self._left -= len(piece)
        if self._left < 0:
            raise faults.unreadable("an answer without an end")
        if self._growing != (kind, key):
            self._flush()
            self._growing = (kind, key)
            if half := self._halves.pop(self._growing, ""):
                self._pieces.append(half)
        self._pieces.append(piece)

    def _give_up_half(self, kind: type[TextDelta | ThoughtDelta] | None, key: int) -> None:
        self._flush()
        if self._halves.pop((kind, key), ""):
            self._events.append(_grown(kind, key, "\ufffd"))

    def _add(self, event: ModelEvent) -> None:
        self._flush()
        self._events.append(event)

    def _flush(self) -> None:
        if not self._pieces:
            return
        kind, key = self._growing
        grown = "".join(self._pieces)
        self._pieces.clear()
        if "\ud800" <= grown[-1] <= "\udbff":
            self._halves[self._growing] = grown[-1]
            self._growing = (None, -1)
            grown = grown[:-1]
        if grown:
            self._events.append(_grown(kind, key, _whole_characters(grown)))


def _grown(kind: type[TextDelta | ThoughtDelta] | None, key: int, text: str) -> ModelEvent:
    return kind(text) if kind else CallGrew(key, text)


def _whole_characters(text: str) -> str:
    """Make characters of halves that belong together; a half alone becomes the mark for what is none."""
    if not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
