"""Windows, prices and what a request costs."""

from typing import Any

import pytest

from agent_lsp.domain.model import ModelFacts
from agent_lsp.domain.status import Usage
from agent_lsp.domain.tariffs import Surcharge, Tariff
from agent_lsp.providers.catalog import UNKNOWN, facts, known, priced, tariff
from agent_lsp.providers.definitions import TYPES
from agent_lsp.settings.model import Prices, Profile

PLAIN = Tariff(3.0, 15.0)
CACHED = Tariff(3.0, 15.0, cache_read=0.3, cache_write=3.75)
LONG = Tariff(2.0, 10.0, cache_read=0.2, surcharge=Surcharge(1000, 2.0, 1.5))


@pytest.mark.parametrize(
    ("prices", "usage", "cost"),
    [
        (PLAIN, Usage(), 0.0),
        (PLAIN, Usage(1_000_000, 0), 3.0),
        (PLAIN, Usage(0, 1_000_000), 15.0),
        (PLAIN, Usage(1_000_000, 0, cache_reads=500_000, cache_writes=100_000), 3.0),
        (CACHED, Usage(1_000_000, 0, cache_reads=1_000_000), 0.3),
        (CACHED, Usage(1_000_000, 0, cache_writes=1_000_000), 3.75),
        (CACHED, Usage(1_000_000, 100_000, 600_000, 100_000), 0.9 + 0.18 + 0.375 + 1.5),
        (LONG, Usage(1000, 1000), 0.012),
        (LONG, Usage(1001, 1000), (1001 * 4 + 1000 * 15) / 1e6),
    ],
)
def test_a_request_costs_what_its_parts_cost(prices: Tariff, usage: Usage, cost: float) -> None:
    assert prices.cost(usage) == pytest.approx(cost)


def test_without_prices_the_cost_is_unknown() -> None:
    assert priced(Usage(10, 10), None) == Usage(10, 10, cost=None)


@pytest.mark.parametrize(
    ("name", "same_as"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("anthropic/claude-opus-5", "claude-opus-5"),
        ("gpt-4o-2024-11-20", "gpt-4o"),
        ("openai/gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("gpt-4o-latest", "gpt-4o"),
        ("anthropic.claude-sonnet-5", "claude-sonnet-5"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("anthropic/claude-3.7-sonnet:thinking", "claude-3-7-sonnet"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("devstral-medium-2507", "devstral-medium"),
        ("gpt-3.5-turbo-0125", "gpt-3.5-turbo"),
        ("openai/gpt-oss-20b:free", "gpt-oss-20b"),
        ("global.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"),
    ],
)
def test_a_dated_name_is_the_same_model(name: str, same_as: str) -> None:
    assert known(name) is known(same_as) is not UNKNOWN


@pytest.mark.parametrize(
    "name", ["", "qwen3-coder", "claude", "claude-opus-99", "gpt-5-turbo", "my-gpt-4o", "gpt-4o-audio"]
)
def test_a_name_that_only_resembles_is_unknown(name: str) -> None:
    assert known(name) is UNKNOWN


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"model": "claude-haiku-4-5"},
            ModelFacts("claude-haiku-4-5", 200_000, 32_000, tariff=Tariff(1.0, 5.0, 0.1, 1.25)),
        ),
        ({"model": "gpt-4o"}, ModelFacts("gpt-4o", 128_000, 16_384, tariff=Tariff(2.5, 10.0, 1.25))),
        ({"model": "local"}, ModelFacts("local", 128_000, 8_192)),
        ({"model": "local", "window": 32_768, "max_output": 2_048}, ModelFacts("local", 32_768, 2_048)),
    ],
)
def test_a_profile_wins_over_what_is_known(fields: dict[str, Any], expected: ModelFacts) -> None:
    assert facts(Profile.model_validate(fields)) == expected


@pytest.mark.parametrize(("provider", "model"), [(one.name, model) for one in TYPES for model in one.models])
def test_what_is_suggested_is_known(provider: str, model: str) -> None:
    assert known(model) is not UNKNOWN, f"{provider} suggests {model}"


@pytest.mark.parametrize(
    ("model", "window", "sees"),
    [
        ("gpt-4", 8_192, False),
        ("gpt-4-turbo", 128_000, True),
        ("gpt-3.5-turbo", 16_385, False),
        ("gemini-2.5-pro", 1_048_576, True),
        ("deepseek-chat", 131_072, False),
        ("openai/gpt-oss-120b", 131_072, False),
        ("grok-4", 256_000, True),
    ],
)
def test_how_much_a_model_takes_and_whether_it_sees_is_known(model: str, window: int, sees: bool) -> None:
    known_facts = facts(Profile(model=model))

    assert (known_facts.window, known_facts.sees_images) == (window, sees)


def test_an_answer_leaves_room_in_a_small_window() -> None:
    assert facts(Profile(model="gpt-4")).max_output == 2_048


def test_a_profiles_prices_win() -> None:
    profile = Profile(model="gpt-4o", prices=Prices(input=1.0, output=2.0))

    assert tariff(profile) == Tariff(1.0, 2.0)
