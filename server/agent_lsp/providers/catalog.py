"""What is known of models beforehand: windows and prices, for the vendors' own models. Dollars for a million tokens.

As published in November 2026. A profile's `window`, `maxOutput` and `prices` win over this table.
"""

import re
from dataclasses import dataclass, replace

from agent_lsp.domain.model import ModelFacts
from agent_lsp.domain.status import Usage
from agent_lsp.domain.tariffs import Surcharge, Tariff
from agent_lsp.settings.model import Prices, Profile

MOST_OUTPUT = 32_000
"""Asked of a model in one answer unless the profile says otherwise: a long file fits, a runaway answer does not."""


@dataclass(frozen=True, slots=True)
class Known:
    window: int
    max_output: int
    tariff: Tariff | None
    has_reasoning: bool = False
    """It thinks, and seals its thoughts (OpenAI's reasoning models)."""
    sees_images: bool = True


UNKNOWN = Known(128_000, 8_192, None)
"""A model of another name: most that can call tools have at least this window; the cost is not guessed."""


_BEHIND = re.compile(
    r"(-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-\d{4}|-latest|-preview|-v\d+(:\d+)?|:(free|beta|thinking|extended|nitro|floor|exacto))+$"
)
"""A date or a version of a model, or the way in which OpenRouter is to reach it."""


def priced(usage: Usage, tariff: Tariff | None) -> Usage:
    return replace(usage, cost=tariff.cost(usage) if tariff else None)


def known(model: str) -> Known:
    """Look a model up by its name, with or without a date or version behind it or a vendor before it."""
    name = _BEHIND.sub("", model.rpartition("/")[2])
    name = re.sub(r"^(\w+\.)?anthropic\.", "", name)
    # OpenRouter writes claude-sonnet-4.5 for what its vendor calls claude-sonnet-4-5.
    return _MODELS.get(name.replace(".", "-") if name.startswith("claude-") else name, UNKNOWN)


def facts(profile: Profile) -> ModelFacts:
    model = known(profile.model)
    window = profile.window or model.window
    # Services add the longest answer to the prompt: in a small window it must leave room for one.
    max_output = profile.max_output or min(model.max_output, MOST_OUTPUT, window // 4)
    sees_images = model.sees_images if profile.sees_images is None else profile.sees_images
    return ModelFacts(profile.model, window, max_output, sees_images, tariff(profile))


def tariff(profile: Profile) -> Tariff | None:
    prices: Prices | None = profile.prices
    if prices is None:
        return known(profile.model).tariff
    return Tariff(prices.input, prices.output, prices.cache_read, prices.cache_write)


def _claude(
    window: int, output: int, prices: tuple[float, float, float, float], surcharge: Surcharge | None = None
) -> Known:
    return Known(window, output, Tariff(*prices, surcharge))


def _gpt(window: int, output: int, prices: tuple[float, float, float | None], write: float | None = None) -> Known:
    long = Surcharge(272_000, 2.0, 1.5) if window > 1_000_000 else None
    return Known(window, output, Tariff(*prices, write, long), has_reasoning=True)


def _plain_gpt(window: int, output: int, prices: tuple[float, float, float]) -> Known:
    return Known(window, output, Tariff(*prices))


def _open(window: int, output: int, *, sees_images: bool = True) -> Known:
    """A model that many offer, or whose prices change: what it costs, the profile says."""
    return Known(window, output, None, sees_images=sees_images)


_M, _K200, _K400, _LONG = 1_000_000, 200_000, 400_000, 1_050_000
_K128, _GEMINI = 131_072, 1_048_576

_MODELS = {
    "claude-fable-5": _claude(_M, 128_000, (10.0, 50.0, 1.0, 12.5)),
    "claude-fable-5-1": _claude(_M, 128_000, (10.0, 50.0, 0.25, 12.5)),
    "claude-fable-5-2": _claude(_M, 128_000, (8.0, 40.0, 0.2, 10.0)),
    "claude-mythos-5-2": _claude(_M, 128_000, (8.0, 40.0, 0.2, 10.0)),
    "claude-opus-5-5": _claude(_M, 128_000, (4.0, 20.0, 0.2, 5.0)),
    "claude-opus-5": _claude(_M, 128_000, (5.0, 25.0, 0.5, 6.25)),
    "claude-opus-4-8": _claude(_M, 128_000, (5.0, 25.0, 0.5, 6.25)),
    "claude-opus-4-7": _claude(_M, 128_000, (5.0, 25.0, 0.5, 6.25)),
    "claude-opus-4-6": _claude(_M, 128_000, (5.0, 25.0, 0.5, 6.25)),
    "claude-opus-4-5": _claude(_K200, 64_000, (5.0, 25.0, 0.5, 6.25)),
    "claude-opus-4-1": _claude(_K200, 32_000, (15.0, 75.0, 1.5, 18.75)),
    "claude-sonnet-5-5": _claude(_M, 128_000, (2.0, 10.0, 0.1, 2.5)),
    "claude-sonnet-5": _claude(_M, 128_000, (2.0, 10.0, 0.2, 2.5)),
    "claude-sonnet-4-6": _claude(_M, 64_000, (3.0, 15.0, 0.3, 3.75)),
    "claude-sonnet-4-5": _claude(_K200, 64_000, (3.0, 15.0, 0.3, 3.75), Surcharge(_K200, 2.0, 1.5)),
    "claude-haiku-5-5": _claude(_M, 64_000, (0.1, 0.5, 0.01, 0.125), Surcharge(100_000, 5.0, 5.0)),
    "claude-haiku-4-5": _claude(_K200, 64_000, (1.0, 5.0, 0.1, 1.25)),
    "gpt-6-astra": _gpt(_LONG, 128_000, (10.0, 50.0, 1.0), 12.5),
    "gpt-6.1-sol": _gpt(_LONG, 128_000, (2.0, 10.0, 0.1), 2.5),
    "gpt-6.1-terra": _gpt(_LONG, 128_000, (1.0, 5.0, 0.05), 1.25),
    "gpt-6-sol": _gpt(_LONG, 128_000, (2.0, 10.0, 0.2), 2.5),
    "gpt-6-luna": _gpt(_LONG, 128_000, (0.1, 0.5, 0.01), 0.125),
    "gpt-5.6-sol": _gpt(_LONG, 128_000, (4.0, 20.0, 0.4), 5.0),
    "gpt-5.6-terra": _gpt(_LONG, 128_000, (2.0, 12.0, 0.2), 2.5),
    "gpt-5.6-luna": _gpt(_LONG, 128_000, (0.2, 1.2, 0.02), 0.25),
    "gpt-5.5": _gpt(_LONG, 128_000, (5.0, 30.0, 0.5)),
    "gpt-5.4": _gpt(_LONG, 128_000, (2.5, 15.0, 0.25)),
    "gpt-5.4-mini": _gpt(_K400, 128_000, (0.75, 4.5, 0.075)),
    "gpt-5.4-nano": _gpt(_K400, 128_000, (0.2, 1.25, 0.02)),
    "gpt-5.3-codex": _gpt(_K400, 128_000, (1.75, 14.0, 0.175)),
    "gpt-5.2": _gpt(_K400, 128_000, (1.75, 14.0, 0.175)),
    "gpt-5.1": _gpt(_K400, 128_000, (1.25, 10.0, 0.125)),
    "gpt-5.1-codex-mini": _gpt(_K400, 128_000, (0.25, 2.0, 0.025)),
    "gpt-5": _gpt(_K400, 128_000, (1.25, 10.0, 0.125)),
    "gpt-5-mini": _gpt(_K400, 128_000, (0.25, 2.0, 0.025)),
    "gpt-5-nano": _gpt(_K400, 128_000, (0.05, 0.4, 0.005)),
    "o3": _gpt(_K200, 100_000, (2.0, 8.0, 0.5)),
    "o4-mini": _gpt(_K200, 100_000, (1.1, 4.4, 0.275)),
    "gpt-4.1": _plain_gpt(_M, 32_768, (2.0, 8.0, 0.5)),
    "gpt-4.1-mini": _plain_gpt(_M, 32_768, (0.4, 1.6, 0.1)),
    "gpt-4.1-nano": _plain_gpt(_M, 32_768, (0.1, 0.4, 0.025)),
    "gpt-4o": _plain_gpt(128_000, 16_384, (2.5, 10.0, 1.25)),
    "gpt-4o-mini": _plain_gpt(128_000, 16_384, (0.15, 0.6, 0.075)),
    "o1": _gpt(_K200, 100_000, (15.0, 60.0, 7.5)),
    "o3-mini": replace(_gpt(_K200, 100_000, (1.1, 4.4, 0.55)), sees_images=False),
    "gpt-4-turbo": Known(128_000, 4_096, Tariff(10.0, 30.0)),
    "gpt-4": Known(8_192, 4_096, Tariff(30.0, 60.0), sees_images=False),
    "gpt-4-32k": Known(32_768, 4_096, Tariff(60.0, 120.0), sees_images=False),
    "gpt-3.5-turbo": Known(16_385, 4_096, Tariff(0.5, 1.5), sees_images=False),
    "gpt-oss-120b": _open(_K128, 32_768, sees_images=False),
    "gpt-oss-20b": _open(_K128, 32_768, sees_images=False),
    "claude-opus-4": _claude(_K200, 32_000, (15.0, 75.0, 1.5, 18.75)),
    "claude-sonnet-4": _claude(_K200, 64_000, (3.0, 15.0, 0.3, 3.75)),
    "claude-3-7-sonnet": _claude(_K200, 64_000, (3.0, 15.0, 0.3, 3.75)),
    "claude-3-5-sonnet": _claude(_K200, 8_192, (3.0, 15.0, 0.3, 3.75)),
    "claude-3-5-haiku": _claude(_K200, 8_192, (0.8, 4.0, 0.08, 1.0)),
    "claude-3-opus": _claude(_K200, 4_096, (15.0, 75.0, 1.5, 18.75)),
    "claude-3-haiku": _claude(_K200, 4_096, (0.25, 1.25, 0.03, 0.3)),
    "gemini-2.5-pro": _open(_GEMINI, 65_536),
    "gemini-2.5-flash": _open(_GEMINI, 65_536),
    "gemini-2.5-flash-lite": _open(_GEMINI, 65_536),
    "deepseek-chat": _open(_K128, 8_192, sees_images=False),
    "deepseek-reasoner": _open(_K128, 32_768, sees_images=False),
    "devstral-medium": _open(_K128, 16_384, sees_images=False),
    "devstral-small": _open(_K128, 16_384, sees_images=False),
    "mistral-large": _open(_K128, 16_384),
    "grok-4": _open(256_000, 32_768),
    "qwen3-coder-plus": _open(_M, 65_536, sees_images=False),
}
