"""What passes between the agent and a model: a request, and the events of its answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.history import HistoryItem, Thought
from agent_lsp.domain.status import Usage
from agent_lsp.domain.tariffs import Tariff


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it; `parameters` is its JSON Schema."""

    name: str
    description: str
    parameters: Json


@dataclass(frozen=True, slots=True, eq=False)
class ModelRequest:
    """One step's request. `history` is the task's own list, which only ever grows: adapters keep what they encoded."""

    system: str
    tools: tuple[ToolSpec, ...]
    history: Sequence[HistoryItem]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model beforehand."""

    name: str
    window: int
    """Tokens that fit into one request and its answer; 0 if unknown."""
    max_output: int
    sees_images: bool = True
    tariff: Tariff | None = None
    """What it costs, where that is known."""


class StopReason(StrEnum):
    END = "end"
    CALLS = "calls"
    LENGTH = "length"
    REFUSAL = "refusal"
    """The model, or a filter before it, would not go on."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThoughtSealed:
    """A thought is whole; it goes back to the vendor as it is here."""

    thought: Thought


@dataclass(frozen=True, slots=True)
class CallBegan:
    """`key` tells the calls of one answer apart; ids may be missing or twice the same, keys are not."""

    key: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class CallGrew:
    key: int
    arguments: str


@dataclass(frozen=True, slots=True)
class CallEnded:
    key: int


@dataclass(frozen=True, slots=True)
class UsageKnown:
    """The request's usage so far; a later one replaces it."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Stopped:
    """The answer is whole. A stream that ends without this event was cut off."""

    reason: StopReason


ModelEvent = TextDelta | ThoughtDelta | ThoughtSealed | CallBegan | CallGrew | CallEnded | UsageKnown | Stopped
