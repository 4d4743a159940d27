"""Before a request is tried again: what the user does about the wait, and what they never have to pay for."""

import pytest

from agent_lsp.agent.ask import CAPPED, ask
from agent_lsp.agent.loop import run_turn
from agent_lsp.agent.retry import GiveUp, Wait, after_fault
from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.events import RetryDelayed
from agent_lsp.domain.history import Reply, Thought
from agent_lsp.domain.model import CallBegan, CallEnded, CallGrew, Stopped, StopReason, TextDelta, ThoughtDelta
from agent_lsp.domain.turns import After, Completed, LimitReached, Outcome, PauseEnd, RequestFailed
from support.kitchen import Kitchen, ScriptedModel, Surroundings, calls, lasting, passing


def kitchen(*answers: object, cuts: tuple[PauseEnd, ...] = ()) -> Kitchen:
    return Kitchen(ScriptedModel(list(answers)), surroundings=Surroundings(cuts_pauses=list(cuts)))  # type: ignore[arg-type] - answers of any kind


def countdown(k: Kitchen) -> list[tuple[int, int]]:
    return [(event.attempt, event.seconds) for event in k.events if isinstance(event, RetryDelayed)]


async def test_a_wait_that_is_skipped_is_over_at_once() -> None:
    k = kitchen(passing(retry_after=200), calls("read"), cuts=(PauseEnd.OVER, PauseEnd.SKIPPED))

    heard = await ask(k.history, k.ports, k.emit)

    assert not isinstance(heard, RequestFailed)
    assert countdown(k) == [(1, 200), (1, 199), (1, 0)]


async def test_a_wait_that_is_given_up_ends_in_the_failure() -> None:
    k = kitchen(passing("busy", retry_after=200), cuts=(PauseEnd.GIVEN_UP,))

    heard = await ask(k.history, k.ports, k.emit)

    assert heard == RequestFailed("busy", 1, 529, None)
    assert countdown(k) == [(1, 200), (1, 0)]


async def test_no_attempt_passes_a_cap() -> None:
    k = kitchen(passing("busy"))
    k.surroundings.limit = LimitReached("requests", 5, 5)

    heard = await ask(k.history, k.ports, k.emit)

    assert heard == RequestFailed("busy", 1, 529, CAPPED)
    assert len(k.model.histories) == 1


async def test_what_was_called_before_a_refusal_is_not_run() -> None:
    refused = [CallBegan(0, "a", "write"), CallGrew(0, "{}"), CallEnded(0), Stopped(StopReason.REFUSAL)]

    heard = await ask((k := kitchen(refused)).history, k.ports, k.emit)

    assert isinstance(heard, RequestFailed)
    assert heard.message == "The model declined to answer."


async def test_a_model_that_only_thought_up_to_the_limit_is_not_asked_the_same_again() -> None:
    k = kitchen([ThoughtDelta("hm"), Stopped(StopReason.LENGTH)])

    heard = await ask(k.history, k.ports, k.emit)

    assert not isinstance(heard, RequestFailed)
    assert isinstance(heard.reply, Reply)
    assert [part.text for part in heard.reply.parts if isinstance(part, Thought)] == ["hm"]
    assert heard.stop is StopReason.LENGTH


@pytest.mark.parametrize(
    "answer",
    [
        [Stopped(StopReason.END)],
        [Stopped(StopReason.LENGTH)],
        [TextDelta(" \n"), Stopped(StopReason.END)],
        [ThoughtDelta("hm"), Stopped(StopReason.END)],
    ],
)
async def test_an_answer_that_says_nothing_is_asked_for_again(answer: list[object]) -> None:
    k = kitchen(answer, calls("read"))

    await ask(k.history, k.ports, k.emit)

    assert len(k.model.histories) == 2


async def test_an_overflow_is_told_as_one_with_the_window_that_was_named() -> None:
    k = kitchen(ContextOverflow("too long", status=400, hint="shorter", window=8192))

    heard = await ask(k.history, k.ports, k.emit)

    assert heard == RequestFailed("too long", 1, 400, "shorter", is_overflow=True, window=8192)


@pytest.mark.parametrize("jitter", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("attempt", "least"), [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0)])
def test_waits_double_and_are_spread(attempt: int, least: float, jitter: float) -> None:
    assert after_fault(passing(), attempt, jitter=jitter) == Wait(least * (1 + 0.25 * jitter))


@pytest.mark.parametrize(
    ("fault", "attempt", "then"),
    [
        (lasting(), 1, GiveUp("check it")),
        (passing(), 5, GiveUp(None)),
        (passing(retry_after=7), 1, Wait(7)),
        (passing(retry_after=0.1), 1, Wait(1.0)),
        (passing(retry_after=300), 1, Wait(300)),
        (passing(retry_after=301), 1, GiveUp("The service asks for a pause of 301 s; retry after that.")),
    ],
)
def test_what_a_service_asks_for_is_kept_within_reason(fault: ModelFault, attempt: int, then: Wait | GiveUp) -> None:
    assert after_fault(fault, attempt, jitter=0.0) == then


async def test_a_request_that_was_refused_as_too_long_is_sent_again_when_the_user_wants_it() -> None:
    k = kitchen(ContextOverflow("too long", status=413), calls("finish"))
    k.tools.outcomes["finish"] = Outcome("shown", after=After.COMPLETED, completion="done")
    ports = k.ports

    refused, then = [await run_turn(k.history, ports, k.emit) for _ in range(2)]

    assert isinstance(refused, RequestFailed)
    assert (refused.message, refused.status, refused.is_overflow) == ("too long", 413, True)
    assert then == Completed("done")
