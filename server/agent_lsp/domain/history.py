"""The conversation as the model sees it: a flat, append-only list of words, replies and results.

Each vendor's adapter groups the items into its own shape. Items are compared by identity, so that an adapter can keep
the bytes it made of one: a history is serialised once.
"""

from dataclasses import dataclass
from typing import Literal

from agent_lsp.domain.encoding import Json


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Words:
    """What reaches the model from the user's side: the task, feedback, the environment."""

    texts: tuple[str, ...]
    images: tuple[str, ...] = ()
    """Data URLs."""
    by: Literal["user", "program", "summary"] = "program"
    """Whose words they are: the user's own, what the program tells in their place, or what stands for all before."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Call:
    """A tool call as the model wrote it; `arguments` is the JSON text, whole, and may be invalid."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Thought:
    """Reasoning. `seal` is what the vendor wants back verbatim (a signature, encrypted content), as JSON text."""

    text: str
    seal: str | None = None


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Spoken:
    """Prose of the model."""

    text: str


Part = Thought | Spoken | Call


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Reply:
    """One answer of the model, in the order it came. `origin` names the profile type and model that made it."""

    parts: tuple[Part, ...]
    origin: str = ""

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(part for part in self.parts if isinstance(part, Call))

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Spoken))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Result:
    """The one result of a call."""

    call_id: str
    text: str
    images: tuple[str, ...] = ()
    is_error: bool = False


HistoryItem = Words | Reply | Result


def history_item_to_wire(item: HistoryItem) -> Json:
    """The journal's form of an item."""
    match item:
        case Words():
            wire = {"role": "user", "texts": list(item.texts), "images": list(item.images)}
            return _without_empty(wire) | ({"by": item.by} if item.by != "program" else {})
        case Reply():
            return {
                "role": "assistant",
                "parts": [_part_to_wire(p) for p in item.parts],
                "origin": item.origin,
            }
        case Result():
            wire = {"role": "tool", "callId": item.call_id, "text": item.text, "images": list(item.images)}
            return _without_empty(wire | {"isError": item.is_error})


def history_item_from_wire(wire: Json) -> HistoryItem:
    role: Literal["user", "assistant", "tool"] = wire["role"]
    match role:
        case "user":
            by = by if (by := wire.get("by")) in ("user", "summary") else "program"
            return Words(tuple(wire.get("texts", ())), tuple(wire.get("images", ())), by)
        case "assistant":
            return Reply(tuple(_part_from_wire(part) for part in wire["parts"]), wire["origin"])
        case "tool":
            images = tuple(wire.get("images", ()))
            return Result(wire["callId"], wire.get("text", ""), images, wire.get("isError", False))


def _part_to_wire(part: Part) -> Json:
    match part:
        case Spoken():
            return {"text": part.text}
        case Thought():
            return {"thought": part.text} | ({"seal": part.seal} if part.seal else {})
        case Call():
            return {"call": part.id, "name": part.name, "arguments": part.arguments}


def _part_from_wire(wire: Json) -> Part:
    if "call" in wire:
        return Call(wire["call"], wire["name"], wire["arguments"])
    if "thought" in wire:
        return Thought(wire["thought"], wire.get("seal"))
    return Spoken(wire["text"])


def _without_empty(wire: Json) -> Json:
    return {key: value for key, value in wire.items() if value not in ([], False, "")}
