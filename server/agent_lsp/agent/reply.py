"""Folds the events of one model answer into a reply, and tells what of it the user should see grow. No I/O."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agent_lsp.domain.events import CallGrowing, Event, TextGrew, ThoughtGrew
from agent_lsp.domain.history import Call, Part, Reply, Spoken, Thought
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


@dataclass(slots=True)
class _Prose:
    pieces: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Thinking:
    pieces: list[str] = field(default_factory=list[str])
    sealed: Thought | None = None


@dataclass(slots=True)
class _Calling:
    id: str
    name: str
    pieces: list[str] = field(default_factory=list[str])


class ReplyFold:
    """Takes events as they come; each piece of text is looked at once."""

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self.stop: StopReason | None = None
        self._parts: list[_Prose | _Thinking | _Calling] = []
        self._calls: dict[int, _Calling] = {}

    def take(self, events: Sequence[ModelEvent]) -> Iterator[Event]:
        """Fold a batch of events; yields what the user sees of it."""
        for event in events:
            match event:
                case TextDelta(text):
                    self._prose().pieces.append(text)
                    yield TextGrew(text)
                case ThoughtDelta(text):
                    self._thinking().pieces.append(text)
                    yield ThoughtGrew(text)
                case ThoughtSealed(thought):
                    self._thinking().sealed = thought
                case CallBegan(key, id_, name):
                    self._calls[key] = _Calling(id_, name)
                    self._parts.append(self._calls[key])
                case CallGrew(key, arguments):
                    call = self._calls[key]
                    call.pieces.append(arguments)
                    yield CallGrowing(call.id, call.name, arguments)
                case UsageKnown(usage):
                    self.usage = usage
                case Stopped(reason):
                    self.stop = reason
                case CallEnded():
                    pass

    def reply(self, origin: str) -> Reply:
        """Tell the whole answer, as it goes into the history."""
        return Reply(tuple(part for part in map(_frozen, self._parts) if not _is_empty(part)), origin)

    def spoken(self, origin: str) -> Reply:
        """Tell only what was said of an answer that was cut off: its calls may not be whole."""
        return Reply(tuple(part for part in self.reply(origin).parts if isinstance(part, Spoken)), origin)

    def _prose(self) -> _Prose:
        if self._parts and isinstance(last := self._parts[-1], _Prose):
            return last
        self._parts.append(prose := _Prose())
        return prose

    def _thinking(self) -> _Thinking:
        if self._parts and isinstance(last := self._parts[-1], _Thinking) and last.sealed is None:
            return last
        self._parts.append(thinking := _Thinking())
        return thinking


def _frozen(part: _Prose | _Thinking | _Calling) -> Part:
    match part:
        case _Prose():
            return Spoken("".join(part.pieces))
        case _Thinking():
            return part.sealed or Thought("".join(part.pieces))
        case _Calling():
            return Call(part.id, _speakable(part.name), "".join(part.pieces))


def _is_empty(part: Part) -> bool:
    match part:
        case Spoken(text):
            return not text.strip()
        case Thought(text, seal):
            return not text and not seal
        case Call():
            return False


def _speakable(name: str) -> str:
    """Make a name that a service will take back in the history, whatever the model called."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"
