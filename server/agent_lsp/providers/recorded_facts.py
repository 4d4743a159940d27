"""What was known of a model when it was recorded, as JSON: a play decides by the same figures. No I/O."""

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.model import ModelFacts
from agent_lsp.domain.tariffs import Surcharge, Tariff


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
    """Read a header, or what a line says in its place; recordings of older versions say less."""
    return ModelFacts(
        told.get("model") or "replay",
        int(told.get("window") or 0),
        int(told.get("maxOutput") or 0),
        bool(told.get("seesImages", True)),
        _tariff(told["prices"]) if told.get("prices") else None,
    )


def _tariff(told: Json) -> Tariff:
    dear = told.get("surcharge")
    surcharge = Surcharge(dear["above"], dear["input"], dear["output"]) if dear else None
    return Tariff(told["input"], told["output"], told.get("cacheRead"), told.get("cacheWrite"), surcharge)
