"""Caps on requests and money: they stop a task before they are passed, and count anew when the user lets it go on."""

from dataclasses import replace
from pathlib import Path

import pytest
from hall import YES, open_house

from agent_lsp.domain.events import StepEnded
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.model import ModelFacts, UsageKnown
from agent_lsp.domain.moments import entered, played_moments
from agent_lsp.domain.status import ContextUse, ModelUsage, Usage
from agent_lsp.domain.tariffs import Tariff
from agent_lsp.domain.turns import LimitReached
from agent_lsp.settings.model import LimitSettings
from agent_lsp.tasks.spending import ESTIMATED, NO_PRICE, Coming, Spending
from support.kitchen import calls


def spent(*costs: float | None) -> Spending:
    spending = Spending(Usage(), ContextUse())
    for cost in costs:
        spending.count(StepEnded(Usage(1, 1, cost=cost)), 100)
    return spending


def test_what_was_used_is_summed_model_by_model() -> None:
    spending = Spending(Usage(5, 5), ContextUse(), by_model=[ModelUsage("a", Usage(5, 5))])

    spending.count(StepEnded(Usage(1, 2, cost=0.5)), 100, "b")
    spending.count(StepEnded(Usage(10, 20, cost=1.5)), 100, "a")
    spending.count(StepEnded(None), 100, "b")
    spending.count(StepEnded(None, cancel_reason="user_cancelled"), 100, "c")

    assert spending.by_model == (
        ModelUsage("a", Usage(15, 25, cost=1.5)),
        ModelUsage("b", Usage(1, 2, cost=None)),
    )
    assert spending.total == Usage(16, 27, cost=None)


@pytest.mark.parametrize(
    ("costs", "limits", "reached"),
    [
        ([], LimitSettings(requests=1, cost=0.01), None),
        ([0.01] * 50, LimitSettings(), None),
        ([0.0], LimitSettings(requests=2), None),
        ([0.0] * 2, LimitSettings(requests=2), LimitReached("requests", 2, 2)),
        ([0.01], LimitSettings(cost=0.02), None),
        ([0.01] * 2, LimitSettings(cost=0.02), LimitReached("cost", 0.02, 0.02)),
        ([0.01] * 2, LimitSettings(cost=0.029), LimitReached("cost", 0.02, 0.029)),
        ([0.1] * 9, LimitSettings(cost=1), None),
        ([0.1] * 10, LimitSettings(cost=1), LimitReached("cost", 1.0, 1)),
        ([5.0], LimitSettings(cost=1), LimitReached("cost", 5.0, 1)),
        ([0.01, 0.05], LimitSettings(cost=0.11), None),
        ([0.01, 0.05], LimitSettings(cost=0.1), LimitReached("cost", 0.06, 0.1)),
        ([0.05, 0.01], LimitSettings(cost=0.09), None),
        ([0.05, 0.01], LimitSettings(cost=0.08), LimitReached("cost", 0.06, 0.08)),
        ([None] * 9, LimitSettings(cost=1), None),
        ([0.1, None, 0.1], LimitSettings(cost=0.2), LimitReached("cost", 0.2, 0.2)),
    ],
)
def test_a_cap_stops_before_the_request_that_would_pass_it(costs, limits, reached) -> None:
    assert spent(*costs).limit_reached(limits) == reached


def test_going_on_counts_anew_and_lets_at_least_one_request_through() -> None:
    limits, spending = LimitSettings(requests=1, cost=0.001), spent(5.0)

    spending.reset()

    assert spending.limit_reached(limits) is None
    spending.count(StepEnded(Usage(cost=5.0)), 100)
    assert spending.limit_reached(limits) == LimitReached("requests", 1, 1)


def test_what_was_spent_before_a_restart_still_counts() -> None:
    spending = Spending(Usage(cost=0.02), ContextUse(), requests=2, cost=0.02)

    assert spending.limit_reached(LimitSettings(cost=0.02)) == LimitReached("cost", 0.02, 0.02)


def test_a_cap_that_cannot_hold_for_want_of_a_price_is_told_once() -> None:
    limits, spending = LimitSettings(cost=1), spent(0.1)
    assert spending.news_of_cap(limits) is None

    spending.count(StepEnded(Usage(cost=None)), 100)

    assert spending.news_of_cap(LimitSettings(requests=5)) is None
    assert [spending.news_of_cap(limits) for _ in range(2)] == [NO_PRICE, None]


async def test_the_user_learns_that_a_cap_cannot_hold(tmp_path: Path) -> None:
    unpriced = [UsageKnown(Usage(cost=None)) if isinstance(event, UsageKnown) else event for event in calls("read")]
    house = open_house(tmp_path, [unpriced, unpriced, calls("finish")], LimitSettings(cost=1))
    house.new_task()

    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    (told,) = house.watcher.said(Say.INFO)
    assert told.startswith("What this model costs is not known")
    house.assert_consistent()


def test_requests_that_grow_by_little_never_pass_the_cap_by_more_than_they_grew() -> None:
    spending, limits, cost = spent(), LimitSettings(cost=1.0), 0.01

    while not spending.limit_reached(limits):
        spending.count(StepEnded(Usage(cost=cost)), 100)
        cost += 0.001

    assert spending.total.cost is not None
    assert spending.total.cost <= 1.0 + 0.001


@pytest.mark.parametrize("limit", [0.01, 0.07, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("cost", [0.001, 0.01, 0.03])
def test_requests_of_the_same_price_never_pass_the_cap(cost: float, limit: float) -> None:
    spending, limits = spent(cost), LimitSettings(cost=limit)
    if cost > limit:
        return

    while not spending.limit_reached(limits):
        spending.count(StepEnded(Usage(cost=cost)), 100)

    total = spending.total.cost
    assert total is not None
    assert limit - cost - 1e-6 < total <= limit + 1e-6


PRICES = Tariff(10.0, 50.0)
CACHED = Tariff(10.0, 50.0, cache_read=1.0, cache_write=12.5)
UNTOLD = Tariff(10.0, 50.0, cache_read=1.0)
"""Of a service that caches by itself, and tells only what it read."""


def coming(tokens_in: int, tariff: Tariff | None = PRICES, name: str = "m") -> Coming:
    return Coming(tokens_in, ModelFacts(name, 200_000, 8_000, tariff=tariff))


COMING = {
    "the first, at a guess of its answer": ([], coming(1_000), 0.01 + 0.025),
    "the first, which writes into a cache": ([], coming(1_000, CACHED), 0.0125 + 0.025),
    "one that is as long": ([Usage(1_000, 100, cost=0.015)], coming(1_000), 0.015),
    "one behind a large read": ([Usage(1_000, 100, cost=0.015)], coming(50_000), 0.505),
    "one of a cached history": ([Usage(1_000, 100, 0, 800, cost=0.0)], coming(2_000, CACHED), 0.0008 + 0.015 + 0.005),
    "one whose service caches nothing": ([Usage(1_000, 100, cost=0.0)], coming(2_000, CACHED), 0.02 + 0.005),
    "one of another model": ([Usage(1_000, 100, 800, cost=0.0)], coming(2_000, CACHED, "n"), 0.025 + 0.005),
    "one of a history made shorter": ([Usage(9_000, 100, 8_000, cost=0.0)], coming(2_000, CACHED), 0.02 + 0.005),
    "one behind a long answer": ([Usage(1_000, 900, cost=0.0), Usage(1_000, 100, cost=0.0)], coming(1_000), 0.035),
    "one behind an answer far longer than is usual": ([Usage(1_000, 30_000, cost=0.0)], coming(1_000), 0.01 + 0.2),
    "one behind the longest of long answers": (
        [Usage(1_000, 2_000, cost=0.0)] * 9 + [Usage(1_000, 30_000, cost=0.0)],
        coming(1_000),
        0.01 + 0.4,
    ),
    "one among long answers": ([Usage(1_000, 30_000, cost=0.0)] * 2, coming(1_000), 0.01 + 1.5),
    "one that is cached untold": ([Usage(30_000, 0, cost=0.0)], coming(31_000, UNTOLD), 0.03 + 0.01),
    "one whose newest part is cached untold": (
        [Usage(10_000, 0, cost=0.0), Usage(30_000, 0, 10_000, cost=0.0)],
        coming(31_000, UNTOLD),
        0.03 + 0.01,
    ),
    "one of which a half is cached untold": (
        [Usage(10_000, 0, cost=0.0), Usage(20_000, 0, 5_000, cost=0.0)],
        coming(20_000, UNTOLD),
        0.01 + 0.1,
    ),
    "one whose service has read nothing again": ([Usage(30_000, 0, cost=0.0)] * 2, coming(31_000, UNTOLD), 0.31),
    "one cached untold, then made shorter": ([Usage(30_000, 0, cost=0.0)], coming(29_000, UNTOLD), 0.29),
    "one of another model, untold": ([Usage(30_000, 0, cost=0.0)], coming(31_000, UNTOLD, "n"), 0.31),
    "one without prices": ([Usage(1_000, 100, cost=0.02)], coming(3_000, None), 0.06),
    "one that is shorter, without prices": ([Usage(1_000, 100, cost=0.02)], coming(500, None), 0.02),
}


@pytest.mark.parametrize("name", COMING)
def test_the_next_request_is_priced_by_what_it_tells(name: str) -> None:
    before, next_one, cost = COMING[name]
    spending = Spending(Usage(), ContextUse())
    for usage in before:
        spending.count(StepEnded(usage), 100, "m")
    spent_so_far = spending.total.cost or 0.0

    assert spending.limit_reached(LimitSettings(cost=spent_so_far + cost + 1e-6), next_one) is None
    assert spending.limit_reached(LimitSettings(cost=spent_so_far + cost - 1e-6), next_one)


@pytest.mark.parametrize(
    ("before", "cost"),
    [([], 0.31), ([Usage(20_000, 0, cost=0.0)], 0.04), ([Usage(30_000, 0, cost=0.0)] * 2, 0.31)],
)
def test_a_service_that_tells_nothing_is_taken_to_cache_what_it_did_before(before: list[Usage], cost: float) -> None:
    spending = Spending(Usage(), ContextUse())
    for usage in before:
        spending.count(StepEnded(usage), 100, "m")

    spending.count(StepEnded(Usage(30_000, 0, cost=0.0), is_estimated=True), 100, "m")

    assert spending.limit_reached(LimitSettings(cost=cost + 1e-6), coming(31_000, UNTOLD)) is None
    assert spending.limit_reached(LimitSettings(cost=cost - 1e-6), coming(31_000, UNTOLD))


def test_a_service_that_caches_untold_passes_the_cap_by_no_request() -> None:
    spending, limits, cached, tokens = Spending(Usage(), ContextUse()), LimitSettings(cost=1.0), 0, 20_000

    while not spending.limit_reached(limits, coming(tokens, UNTOLD)):
        usage = Usage(tokens, 600, cached)
        spending.count(StepEnded(replace(usage, cost=UNTOLD.cost(usage))), 100, "m")
        # Services cache whole blocks only.
        cached, tokens = tokens // 128 * 128, tokens + 2_000

    assert 0.9 < (spending.total.cost or 0.0) <= 1.0


@pytest.mark.parametrize(("later_ms", "is_reached"), [(299_999, False), (300_000, True)])
def test_what_a_service_has_cached_is_not_counted_on_after_a_while(later_ms: int, is_reached: bool) -> None:
    spending = Spending(Usage(), ContextUse())
    with entered(played_moments(1)):
        spending.count(StepEnded(Usage(1_000, 0, 1_000, cost=0.0)), 100, "m")

    with entered(played_moments(1 + later_ms)):
        reached = spending.limit_reached(LimitSettings(cost=0.0105), coming(1_900, CACHED))

    assert bool(reached) == is_reached


def test_one_request_that_is_dearer_than_the_cap_is_let_through_when_the_user_says_so() -> None:
    spending, limits = Spending(Usage(), ContextUse()), LimitSettings(cost=0.01)
    assert spending.limit_reached(limits, coming(5_000)) == LimitReached("cost", 0.0, 0.01)

    spending.reset()

    assert spending.limit_reached(limits, coming(5_000)) is None
    spending.count(StepEnded(Usage(5_000, 10, cost=0.0505)), 100, "m")
    assert spending.limit_reached(limits, coming(5_000)) == LimitReached("cost", 0.0505, 0.01)


@pytest.mark.parametrize(
    ("attempt", "is_reached"),
    [
        (StepEnded(None, cancel_reason="streaming_failed", error="429", has_begun=False), False),
        (StepEnded(Usage(5_000, 10, cost=0.09), cancel_reason="streaming_failed"), True),
        (StepEnded(Usage(5_000, 10, cost=0.09), is_estimated=True), True),
        (StepEnded(None), True),
    ],
)
def test_going_on_is_used_up_by_a_request_that_is_paid_alone(attempt: StepEnded, is_reached: bool) -> None:
    spending, limits = Spending(Usage(), ContextUse()), LimitSettings(cost=0.05)
    spending.reset()

    spending.count(attempt, 100, "m")

    assert bool(spending.limit_reached(limits, coming(9_000))) == is_reached


def test_that_costs_are_estimates_is_told_once_and_that_none_is_known_instead() -> None:
    spending, limits = Spending(Usage(), ContextUse()), LimitSettings(cost=1)

    spending.count(StepEnded(Usage(1, 1, cost=0.1), is_estimated=True), 100)
    assert [spending.news_of_cap(limits) for _ in range(2)] == [ESTIMATED, None]
    spending.count(StepEnded(Usage(1, 1, cost=None), is_estimated=True), 100)
    assert [spending.news_of_cap(limits) for _ in range(2)] == [NO_PRICE, None]


async def test_a_large_read_is_not_sent_past_the_cap(tmp_path: Path) -> None:
    house = open_house(tmp_path, [calls("read"), calls("finish")], LimitSettings(cost=0.05))
    house.model.facts = ModelFacts("m", 200_000, 4_000, tariff=Tariff(10.0, 10.0))
    house.new_task("do it " * 2_000)

    await house.watcher.until_ask(Ask.AUTO_APPROVAL_MAX_REQ_REACHED)

    asked, usage = len(house.model.histories), house.status.usage
    assert (asked, usage.cost) == (1, 0.01)
    house.assert_consistent()


async def test_a_first_request_that_is_dearer_than_the_cap_is_asked_about(tmp_path: Path) -> None:
    house = open_house(tmp_path, [calls("finish")], LimitSettings(cost=0.01))
    house.model.facts = ModelFacts("m", 200_000, 4_000, tariff=Tariff(10.0, 10.0))
    house.new_task("do it " * 2_000)
    await house.watcher.until_ask(Ask.AUTO_APPROVAL_MAX_REQ_REACHED)
    asked = len(house.model.histories)

    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert (asked, len(house.model.histories)) == (0, 1)
    house.assert_consistent()
