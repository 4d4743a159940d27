"""What a request took is estimated where its service did not say, and never counted as nothing."""

import asyncio
from dataclasses import dataclass, replace

import pytest
from context_kitchen import NarrowModel, long_history, narrow_kitchen, run, summary

from agent_lsp.agent.loop import run_turn
from agent_lsp.agent.measuring import Measured, size_of_request
from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.events import CallGrowing, Event, StepEnded, StepStarted, TextGrew, ThoughtGrew
from agent_lsp.domain.history import Words
from agent_lsp.domain.model import ModelFacts, ModelRequest, TextDelta, UsageKnown
from agent_lsp.domain.status import Usage
from agent_lsp.domain.tariffs import Tariff
from agent_lsp.domain.turns import LimitReached, RequestFailed
from support.kitchen import Kitchen, ScriptedModel, calls, lasting, says

PRICED = ModelFacts("m", 100_000, 4_000, tariff=Tariff(10.0, 100.0))
UNPRICED = replace(PRICED, tariff=None)
SIZE = 3_000
"""Bytes of a request: 1,000 tokens, before a service has counted any."""
SAID = (ThoughtGrew("t" * 30), TextGrew("x" * 30), CallGrowing("c", "run", "a" * 30))
"""Thirty tokens."""
CUT = StepEnded(None, cancel_reason="streaming_failed")
UNTOLD = Usage(cost=None)


@dataclass(frozen=True)
class Case:
    said: tuple[Event, ...]
    ended: StepEnded
    counted: Usage | None
    facts: ModelFacts = PRICED


TOLD = Usage(900, 40, 100, 50, cost=0.5)
CASES = {
    "all is told": Case(SAID, StepEnded(TOLD), TOLD),
    "nothing is told": Case(SAID, StepEnded(None), Usage(1_000, 30, cost=0.013)),
    "noughts are told": Case(SAID, StepEnded(Usage(0, 0, cost=0.0)), Usage(1_000, 30, cost=0.013)),
    "the answer alone is told": Case(SAID, StepEnded(Usage(0, 50, cost=0.005)), Usage(1_000, 50, cost=0.015)),
    "nothing is told, and no price known": Case(SAID, StepEnded(None), Usage(1_000, 30, cost=None), UNPRICED),
    "cut off before anything was told": Case(SAID, CUT, Usage(1_000, 30, cost=0.013)),
    "cut off when it had only begun": Case((), CUT, Usage(1_000, 0, cost=0.01)),
    "cut off, the prompt being told": Case(SAID, replace(CUT, usage=Usage(900, 1)), Usage(900, 30, cost=0.012)),
    "cut off, and more told than was shown": Case(SAID, replace(CUT, usage=TOLD), TOLD),
    "cancelled": Case(SAID, StepEnded(None, cancel_reason="user_cancelled"), Usage(1_000, 30, cost=0.013)),
    "refused": Case((), replace(CUT, has_begun=False), None),
}


def measured(case: Case) -> tuple[Kitchen, StepEnded]:
    kitchen = Kitchen(ScriptedModel([], facts=case.facts))
    emit = Measured(SIZE, kitchen.ports, kitchen.emit)
    for event in (StepStarted(), TextGrew("of an attempt before"), StepStarted(), *case.said, case.ended):
        emit(event)
    ended = kitchen.events[-1]
    assert isinstance(ended, StepEnded)
    return kitchen, ended


@pytest.mark.parametrize("name", CASES)
def test_what_a_service_does_not_tell_is_estimated(name: str) -> None:
    case = CASES[name]

    _, ended = measured(case)

    assert ended.usage == case.counted
    assert ended.is_estimated == (ended.usage != case.ended.usage)


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_learnt_of_an_estimate(name: str) -> None:
    case = CASES[name]
    kitchen = Kitchen(ScriptedModel([], facts=case.facts))

    Measured(SIZE, ports := kitchen.ports, kitchen.emit)(case.ended)

    assert ports.gauge.knows("m") == (name == "all is told")


async def ended_of(*answers: object, facts: ModelFacts = PRICED) -> list[StepEnded]:
    kitchen = Kitchen(ScriptedModel(list(answers), facts=facts))  # type: ignore[arg-type] - answers of either kind
    async with asyncio.timeout(20):
        await run_turn(kitchen.history, kitchen.ports, kitchen.emit)
    return [event for event in kitchen.events if isinstance(event, StepEnded)]


async def test_a_service_that_refuses_has_taken_nothing() -> None:
    (ended,) = await ended_of(ModelFault("no", is_passing=False, status=400))

    assert (ended.usage, ended.is_estimated) == (None, False)


async def test_an_answer_that_had_begun_is_paid_for_though_nothing_of_it_was_seen() -> None:
    cut = ModelFault("cut off", is_passing=False)
    cut.has_begun = True

    (ended,) = await ended_of(cut)

    assert ended.usage
    assert (ended.usage.tokens_in > 0, ended.usage.cost, ended.is_estimated) == (
        True,
        pytest.approx(ended.usage.tokens_in / 1e5),
        True,
    )


async def test_the_cap_is_looked_at_with_all_that_the_next_request_tells() -> None:
    kitchen = Kitchen(ScriptedModel([calls("read"), lasting("enough")]))
    kitchen.surroundings.environments = ["e" * 3_000]

    ending = await run_turn(kitchen.history, kitchen.ports, kitchen.emit)

    first, told, *_ = kitchen.surroundings.expected
    assert isinstance(ending, RequestFailed)
    assert told - first >= 1_000


async def test_a_cap_that_words_of_the_surroundings_pass_stops_before_the_request() -> None:
    kitchen = Kitchen(ScriptedModel([]))
    kitchen.surroundings.environments = ["e" * 3_000]
    cap = LimitReached("cost", 0.0, 0.01)
    kitchen.surroundings.limit_reached = lambda tokens_in: cap if tokens_in > 500 else None

    ending = await run_turn(kitchen.history, kitchen.ports, kitchen.emit)

    assert (ending, kitchen.model.histories) == (cap, [])


async def test_what_is_refused_as_too_long_is_made_shorter_and_not_sent_again_past_a_cap() -> None:
    kitchen = narrow_kitchen(NarrowModel(takes=30_000, window=0), long_history(100, 300))
    cap = LimitReached("cost", 0.0, 0.01)
    kitchen.surroundings.limit_reached = lambda _tokens: cap if len(kitchen.narrow.requests) > 1 else None

    ending = await run(kitchen)

    assert isinstance(ending, RequestFailed)
    assert ending.hint == "One more request would pass a limit of yours: trying again asks whether it may."
    assert len(kitchen.narrow.asked) == 1


async def test_a_summary_is_not_asked_for_again_past_a_cap() -> None:
    model = NarrowModel(summaries=[calls("read"), summary()])
    kitchen = narrow_kitchen(model, long_history(122, 300))
    cap = LimitReached("requests", 1, 1)
    kitchen.surroundings.limit_reached = lambda _tokens: cap if model.requests else None

    ending = await run(kitchen)

    assert (ending, len(model.requests)) == (cap, 1)


async def test_a_request_for_a_summary_is_estimated_like_any_other() -> None:
    model = NarrowModel(summaries=[[TextDelta("The user wants it done, and it is half done."), *says("")[1:]]])
    kitchen = narrow_kitchen(model, long_history(122, 300))
    without_usage(model)

    await run(kitchen)

    first = next(event for event in kitchen.events if isinstance(event, StepEnded))
    asked = model.asked_to_summarise[0]
    assert first.usage
    assert first.is_estimated
    assert first.usage.tokens_in == pytest.approx(size_of_request(asked, kitchen.ports) / 3, rel=0.01)


def without_usage(model: NarrowModel) -> None:
    whole = model.stream

    async def stream(request: ModelRequest):
        async for events in whole(request):
            yield [event for event in events if not isinstance(event, UsageKnown)]

    model.stream = stream


def test_what_stands_before_the_history_is_of_the_request_too() -> None:
    kitchen = Kitchen(ScriptedModel([]))

    assert size_of_request([Words(("x" * 100,))], kitchen.ports) == len("system") + 124
