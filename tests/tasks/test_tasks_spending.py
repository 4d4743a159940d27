"""Caps on requests and money: they stop a task before they are passed, and count anew when the user lets it go on."""

from pathlib import Path

import pytest
from hall import open_house

from agent_lsp.domain.events import StepEnded
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.model import UsageKnown
from agent_lsp.domain.status import ContextUse, ModelUsage, Usage
from agent_lsp.domain.turns import LimitReached
from agent_lsp.settings.model import LimitSettings
from agent_lsp.tasks.spending import Spending
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
    assert not spending.is_cap_void(limits)

    spending.count(StepEnded(Usage(cost=None)), 100)

    assert not spending.is_cap_void(LimitSettings(requests=5))
    assert [spending.is_cap_void(limits) for _ in range(2)] == [True, False]


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
