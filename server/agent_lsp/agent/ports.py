"""What the loop needs from the rest of the house. Structural: whoever has these methods will do."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agent_lsp.agent.gauge import Gauge
from agent_lsp.domain.events import Event, Kept
from agent_lsp.domain.history import Call, Words
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest, ToolSpec
from agent_lsp.domain.status import Todo
from agent_lsp.domain.turns import LimitReached, Limits, Outcome, PauseEnd

Emit = Callable[[Event], None]
"""The one way out of a turn. Returns once the event is journaled; never blocks."""


class Model(Protocol):
    """A model behind whichever service. Raises ModelFault; events come in batches, one for each network read."""

    @property
    def facts(self) -> ModelFacts: ...

    @property
    def origin(self) -> str: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]: ...


class Tools(Protocol):
    """The tools of the current mode. `run` always has an outcome: what went wrong is in it."""

    def specs(self) -> tuple[ToolSpec, ...]: ...

    async def run(self, call: Call, *, has_failed_before: bool) -> Outcome: ...


class Surroundings(Protocol):
    """What the model is told besides the user's words, and what the user says while a turn runs."""

    def system_prompt(self) -> str: ...

    async def environment(self) -> Words | None:
        """Describe the editor and the workspace; None where nothing changed since it was last told."""
        ...

    def limit_reached(self, tokens_in: int, /) -> LimitReached | None:
        """Whether one more request, which tells the model so much, would pass a cap of the user's."""
        ...

    def take_steering(self) -> Iterable[Kept]:
        """Words of the user that are to reach the model with the next request; each is emitted as it comes."""
        ...

    async def pause(self, seconds: float) -> PauseEnd:
        """Wait before a request is tried again; the user may cut it short."""
        ...

    def todos(self) -> tuple[Todo, ...]: ...

    def take_wish(self) -> str | None:
        """What the user wants of a summary that they want now; None where they want none. Told once."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    model: Model
    tools: Tools
    surroundings: Surroundings
    limits: Limits
    gauge: Gauge = field(default_factory=Gauge)
    """Outlives the turn: what a service counted once still holds."""
    context_tokens: int = 0
    """What the newest request took, as the service counted it."""
    condense_at_percent: int = 80
    """How full the window may be before the history is condensed; 0 is never."""
