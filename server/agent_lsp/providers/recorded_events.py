"""The events of an answer as a recording holds them, and how secrets are taken out of them. No I/O."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agent_lsp.domain.encoding import Json, to_wire
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
from agent_lsp.providers.secrets import Secrets

_Growing = TextDelta | ThoughtDelta | CallGrew


@dataclass(frozen=True, slots=True)
class Batch:
    """What one read of the network brought, and how long it was waited for."""

    after_seconds: float
    events: tuple[ModelEvent, ...]


def event_to_json(event: ModelEvent) -> Json:
    match event:
        case TextDelta(text):
            return {"text": text}
        case ThoughtDelta(text):
            return {"thought": text}
        case ThoughtSealed(Thought(text, seal)):
            return {"sealed": text} | ({} if seal is None else {"seal": seal})
        case CallBegan(key, id_, name):
            return {"call": key, "id": id_, "name": name}
        case CallGrew(key, arguments):
            return {"call": key, "arguments": arguments}
        case CallEnded(key):
            return {"call": key, "ended": True}
        case UsageKnown(usage):
            return {"usage": to_wire(usage)}
        case Stopped(reason):
            return {"stopped": reason.value}


def event_from_json(wire: Json) -> ModelEvent:
    """Read an event; a ValueError if it is none."""
    match wire:
        case {"text": str(text)}:
            return TextDelta(text)
        case {"thought": str(text)}:
            return ThoughtDelta(text)
        case {"sealed": str(text)}:
            return ThoughtSealed(Thought(text, wire.get("seal")))
        case {"call": int(key), "name": str(name)}:
            return CallBegan(key, wire.get("id", ""), name)
        case {"call": int(key), "arguments": str(arguments)}:
            return CallGrew(key, arguments)
        case {"call": int(key), "ended": True}:
            return CallEnded(key)
        case {"usage": {**figures}}:
            return UsageKnown(_usage(figures))
        case {"stopped": reason}:
            return Stopped(StopReason(reason))
        case _:
            raise ValueError(f"no such event: {wire}")


def _usage(figures: Mapping[str, float | None]) -> Usage:
    cost = figures.get("cost", 0.0)
    names = ("tokensIn", "tokensOut", "cacheReads", "cacheWrites")
    return Usage(*(int(figures.get(name) or 0) for name in names), cost=cost)


def cleaned(batches: Sequence[Batch], secrets: Secrets) -> Iterator[Batch]:
    """Take secrets out of a whole answer, also those that lie across events."""
    clean = iter(_cleaned([event for batch in batches for event in batch.events], secrets))
    for batch in batches:
        yield Batch(batch.after_seconds, tuple(next(clean) for _ in batch.events))


def _cleaned(events: Sequence[ModelEvent], secrets: Secrets) -> list[ModelEvent]:
    """Clean each text as a whole: the prose, the reasoning, and each call's arguments."""
    runs: dict[str, list[tuple[int, _Growing]]] = {}
    clean: list[ModelEvent] = []
    for place, event in enumerate(events):
        clean.append(_cleaned_alone(event, secrets))
        match event:
            case TextDelta() | ThoughtDelta():
                runs.setdefault(type(event).__name__, []).append((place, event))
            case CallGrew(key):
                runs.setdefault(f"call {key}", []).append((place, event))
            case _:
                pass
    for run in runs.values():
        pieces = secrets.removed_from_pieces([_text_of(event) for _, event in run])
        for (place, event), piece in zip(run, pieces, strict=True):
            clean[place] = _with_text(event, piece)
    return clean


def _cleaned_alone(event: ModelEvent, secrets: Secrets) -> ModelEvent:
    match event:
        case ThoughtSealed(Thought(text, seal)):
            sealed = None if seal is None else secrets.removed_from(seal)
            return ThoughtSealed(Thought(secrets.removed_from(text), sealed))
        case CallBegan():
            return replace(event, id=secrets.removed_from(event.id), name=secrets.removed_from(event.name))
        case _:
            return event


def _text_of(event: _Growing) -> str:
    return event.arguments if isinstance(event, CallGrew) else event.text


def _with_text(event: _Growing, text: str) -> _Growing:
    return replace(event, arguments=text) if isinstance(event, CallGrew) else replace(event, text=text)
