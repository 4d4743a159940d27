"""What was known of a model when it was recorded, as JSON: a play decides by the same figures. No I/O."""

from typing import cast

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.model import ModelFacts
from agent_lsp.domain.tariffs import Surcharge, Tariff

_LARGEST = 250_000_000_000_000
"""In milliseconds it is the year 9892, the last century that calendars know; tokens and prices are less."""


def facts_to_json(facts: ModelFacts) -> Json:
    shown = {
        "model": facts.name,
        "window": facts.window,
        "maxOutput": facts.max_output,
        "seesImages": facts.sees_images,
    }
    return shown | ({"prices": to_wire(facts.tariff)} if facts.tariff else {})


def differ(facts: Json, header: Json) -> bool:
    """Whether a recording's header says something else of the model."""
    return any(header.get(name) != facts.get(name) for name in ("model", "window", "maxOutput", "seesImages", "prices"))


def facts_from_json(told: Json) -> ModelFacts:
    """Read a header, or what a line says in its place; recordings of older versions say less.

    A ValueError or TypeError says what in it makes no sense.
    """
    return ModelFacts(
        str(told.get("model") or "replay"),
        int(number_of(told, "window")),
        int(number_of(told, "maxOutput")),
        bool(told.get("seesImages", True)),
        _tariff(_object(told, "prices")) if told.get("prices") else None,
    )


def _tariff(told: Json) -> Tariff:
    dear = _object(told, "surcharge") if told.get("surcharge") else None
    surcharge = Surcharge(int(number_of(dear, "above")), *_prices(dear)) if dear else None
    reads, writes = (None if told.get(name) is None else number_of(told, name) for name in ("cacheRead", "cacheWrite"))
    return Tariff(*_prices(told), reads, writes, surcharge)


def _prices(told: Json) -> tuple[float, float]:
    return number_of(told, "input"), number_of(told, "output")


def number_of(told: Json, name: str, default: float = 0) -> float:
    """Read a number from 0 on; a ValueError where it is anything else."""
    value: object = told.get(name)
    if value is None:
        return default
    if not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise ValueError(f"{name} is no number from 0 on that makes sense")
    return value


def _object(told: Json, name: str) -> Json:
    value: object = told.get(name)
    if not isinstance(value, dict):
        raise TypeError(f"{name} is no object")
    return cast("Json", value)  # The keys of JSON are strings.
