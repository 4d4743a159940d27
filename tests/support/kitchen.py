"""A kitchen for the loop's tests: a model that says what it was told to, tools that do what they were told to."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from agent_lsp.agent.ports import Ports
from agent_lsp.domain.condensing import Condensed, ResultsLeftOut, shorter
from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.events import Event, Kept
from agent_lsp.domain.history import Call, HistoryItem, Words
from agent_lsp.domain.model import (
    CallBegan,
    CallEnded,
    CallGrew,
    ModelEvent,
    ModelFacts,
    ModelRequest,
    Stopped,
    StopReason,
    TextDelta,
    ToolSpec,
    UsageKnown,
)
from agent_lsp.domain.status import Todo, Usage
from agent_lsp.domain.turns import LimitReached, Limits, Outcome, PauseEnd

Answer = Iterable[ModelEvent] | ModelFault


def says(text: str) -> list[ModelEvent]:
    return [TextDelta(text), Stopped(StopReason.END)]


def calls(*names: str, arguments: str = "{}") -> list[ModelEvent]:
    """An answer that calls these tools, one after another, each with an id that is its name and place."""
    events: list[ModelEvent] = []
    for key, name in enumerate(names):
        events += [CallBegan(key, f"{name}-{key}", name), CallGrew(key, arguments), CallEnded(key)]
    return [*events, UsageKnown(Usage(tokens_in=10, tokens_out=5, cost=0.01)), Stopped(StopReason.CALLS)]


@dataclass
class ScriptedModel:
    answers: list[Answer]
    facts: ModelFacts = field(default_factory=lambda: ModelFacts("scripted", 100_000, 4_000))
    origin: str = "scripted"
    histories: list[list[HistoryItem]] = field(default_factory=list[list[HistoryItem]])

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        self.histories.append(list(request.history))
        answer = self.answers.pop(0)
        if isinstance(answer, ModelFault):
            raise answer
        for event in answer:
            yield [event]


@dataclass
class ScriptedTools:
    outcomes: dict[str, Outcome | Callable[[], Outcome]] = field(default_factory=dict)
    hangs_on: str = ""
    names: tuple[str, ...] = ()
    ran: list[tuple[str, bool]] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(ToolSpec(name, "", {}) for name in self.names)

    async def run(self, call: Call, *, has_failed_before: bool) -> Outcome:
        self.ran.append((call.name, has_failed_before))
        if call.name == self.hangs_on:
            self.reached.set()
            await asyncio.Event().wait()
        outcome = self.outcomes.get(call.name, Outcome(f"{call.name} done"))
        return outcome() if callable(outcome) else outcome


@dataclass
class Surroundings:
    system: str = "system"
    environments: list[str] = field(default_factory=list)
    steering: list[Words] = field(default_factory=list)
    limit: LimitReached | None = None
    expected: list[int] = field(default_factory=list)
    """How many tokens each next request was expected to take, as often as a cap was looked at."""
    wishes: list[str] = field(default_factory=list)
    paused: list[float] = field(default_factory=list)
    cuts_pauses: list[PauseEnd] = field(default_factory=list)
    """How the next pauses end; all others run their time, of which nothing is waited for."""

    def system_prompt(self) -> str:
        return self.system

    async def environment(self) -> Words | None:
        return Words((self.environments.pop(0),)) if self.environments else None

    def limit_reached(self, tokens_in: int, /) -> LimitReached | None:
        self.expected.append(tokens_in)
        return self.limit

    def take_steering(self) -> Sequence[Kept]:
        taken, self.steering = self.steering, []
        return [Kept(words) for words in taken]

    async def pause(self, seconds: float) -> PauseEnd:
        self.paused.append(seconds)
        return self.cuts_pauses.pop(0) if self.cuts_pauses else PauseEnd.OVER

    def todos(self) -> tuple[Todo, ...]:
        return ()

    def take_wish(self) -> str | None:
        return self.wishes.pop(0) if self.wishes else None


@dataclass
class Kitchen:
    """A turn's ports, with its history and all that it emitted."""

    model: ScriptedModel
    tools: ScriptedTools = field(default_factory=ScriptedTools)
    surroundings: Surroundings = field(default_factory=Surroundings)
    mistakes: int = 3
    history: list[HistoryItem] = field(default_factory=lambda: [Words(("do it",))])
    events: list[Event] = field(default_factory=list)

    @property
    def ports(self) -> Ports:
        return Ports(self.model, self.tools, self.surroundings, Limits(self.mistakes))

    def emit(self, event: Event) -> None:
        self.events.append(event)
        match event:
            case Kept(item):
                self.history.append(item)
            case Condensed() | ResultsLeftOut():
                self.history[:] = shorter(self.history, event)
            case _:
                pass


def words_at(history: Sequence[HistoryItem], place: int) -> Words:
    item = history[place]
    assert isinstance(item, Words)
    return item


def passing(message: str = "busy", retry_after: float | None = None) -> ModelFault:
    return ModelFault(message, is_passing=True, status=529, retry_after_seconds=retry_after)


def lasting(message: str = "bad key") -> ModelFault:
    return ModelFault(message, is_passing=False, status=401, hint="check it")
