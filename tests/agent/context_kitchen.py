"""A kitchen with a small window: a model that counts, refuses and summarises, and histories of any length."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from agent_lsp.agent.loop import run_turn
from agent_lsp.agent.ports import Ports
from agent_lsp.agent.sizes import size_of_items
from agent_lsp.agent.summary import WANTED
from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.events import Said
from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Spoken, Words
from agent_lsp.domain.messages import Say
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest, Stopped, StopReason, TextDelta, UsageKnown
from agent_lsp.domain.status import Usage
from agent_lsp.domain.turns import After, Ending, Limits, Outcome
from support.kitchen import Kitchen, ScriptedModel, ScriptedTools, calls

SUMMARY = "The user wants it done. It is half done; next comes the other half."
OPENING = WANTED.partition(".")[0]

Answers = list[Sequence[ModelEvent] | ModelFault]


def summary(text: str = SUMMARY, stop: StopReason = StopReason.END) -> list[ModelEvent]:
    return [TextDelta(text), UsageKnown(Usage(900, 50, cost=0.25)), Stopped(stop)]


@dataclass
class NarrowModel:
    """Takes so many bytes; `takes` counts what is really there, whatever the facts say."""

    takes: int = 60_000
    window: int = 20_000
    answers: Answers = field(default_factory=list)
    summaries: Answers = field(default_factory=list)
    origin: str = "narrow"
    name: str = "narrow"
    requests: list[list[HistoryItem]] = field(default_factory=list)

    @property
    def facts(self) -> ModelFacts:
        return ModelFacts(self.name, self.window, 1_000)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        history = list(request.history)
        self.requests.append(history)
        size = size_of_items(history)
        if size > self.takes:
            raise ContextOverflow("too long", status=400)
        if wants_summary(history):
            answer = self.summaries.pop(0) if self.summaries else summary()
        else:
            answer = self.answers.pop(0) if self.answers else calls("finish")
        if isinstance(answer, ModelFault):
            raise answer
        yield [*answer, UsageKnown(Usage(size // 3, 50, cost=0.01))]

    @property
    def asked(self) -> list[list[HistoryItem]]:
        """The requests that were not for a summary."""
        return [request for request in self.requests if not wants_summary(request)]

    @property
    def asked_to_summarise(self) -> list[list[HistoryItem]]:
        return [request for request in self.requests if wants_summary(request)]


def wants_summary(history: Sequence[HistoryItem]) -> bool:
    return bool(history) and isinstance(last := history[-1], Words) and OPENING in "".join(last.texts)


def step(number: int, size: int = 600, tool: str = "read_file", **fields: str) -> list[HistoryItem]:
    """A reply with a call, and its result of so many characters."""
    call = Call(f"call-{number}", tool, fields.get("arguments", f'{{"path": "{number}.py"}}'))
    return [Reply((Spoken(f"Step {number}."), call), "narrow"), Result(call.id, f"{number} " + "x" * size)]


def long_history(
    steps: int = 60, size: int = 1_000, task: str = "Do it, and never touch main.py."
) -> list[HistoryItem]:
    return [Words((task,), by="user"), *(item for n in range(steps) for item in step(n, size))]


@dataclass
class NarrowKitchen(Kitchen):
    narrow: NarrowModel = field(default_factory=NarrowModel)
    percent: int = 80

    @property
    def ports(self) -> Ports:
        return Ports(self.narrow, self.tools, self.surroundings, Limits(), condense_at_percent=self.percent)


def narrow_kitchen(model: NarrowModel, history: list[HistoryItem], percent: int = 80, **outcomes) -> NarrowKitchen:
    tools = ScriptedTools({"finish": Outcome("shown", after=After.COMPLETED, completion="all is well"), **outcomes})
    return NarrowKitchen(ScriptedModel([]), tools, history=history, narrow=model, percent=percent)


async def run(kitchen: Kitchen) -> Ending:
    async with asyncio.timeout(20):
        return await run_turn(kitchen.history, kitchen.ports, kitchen.emit)


def rows(kitchen: Kitchen, say: Say) -> list[str]:
    return [event.text for event in kitchen.events if isinstance(event, Said) and event.say is say]


def assert_pairs_are_whole(history: Sequence[HistoryItem]) -> None:
    """Each call has its one result directly behind its reply, in order; nothing else has any."""
    open_ids: list[str] = []
    for item in history:
        match item:
            case Result(call_id):
                assert open_ids
                assert call_id == open_ids.pop(0)
            case Reply(calls=made):
                assert not open_ids
                open_ids = [call.id for call in made]
            case Words():
                assert not open_ids
    assert not open_ids
