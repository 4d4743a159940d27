"""The models of the settings' profiles: made once, listed without secrets, and what is advised where none can be used."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.requests import ProfileList, ProfileRow
from agent_lsp.providers.models import Models
from agent_lsp.settings.live import LiveSettings
from support.stand_in import page, stand_in

USABLE = {"type": "openai", "model": "m", "apiKey": "open-sesame"}
NO_KEY = {"type": "groq", "model": "g"}
FAR_PROBLEM = "Profile far has no apiKey, which type groq needs: run `agent-lsp configure`, or set GROQ_API_KEY in the environment."
TAGS = {"/api/tags": page({"models": [{"name": "qwen3:8b"}]})}


def models_of(home: Path, environment: dict[str, str] | None = None, **settings: Any) -> Models:
    (home / "settings.json").write_text(json.dumps(settings))
    live = LiveSettings(home, (), None, lambda _root, _digest: False)
    return Models(live, environment or {}, None, lambda _key: None)


def test_model_of_a_profile_is_made_once_and_again_when_it_changes(tmp_path: Path) -> None:
    models = models_of(tmp_path, providers={"work": USABLE})
    first, again = models.model("work"), models.model(None)

    (tmp_path / "settings.json").write_text(json.dumps({"providers": {"work": {**USABLE, "model": "other"}}}))

    assert first == again
    assert models.model("work")[1].facts.name == "other"


def test_listed_profiles_say_what_is_wrong_and_nothing_secret(tmp_path: Path) -> None:
    listed = models_of(tmp_path, providers={"work": USABLE, "far": NO_KEY}, currentProvider="work").listed("far")

    assert listed == ProfileList(
        (ProfileRow("work", "openai", "m"), ProfileRow("far", "groq", "g", is_current=True, problem=FAR_PROBLEM))
    )


def test_name_that_no_profile_has_is_refused(tmp_path: Path) -> None:
    models = models_of(tmp_path, providers={"work": USABLE})

    models.check("work")

    with pytest.raises(BadParams, match="There is no profile `x`"):
        models.check("x")


@pytest.mark.parametrize("providers", [{}, {"far": NO_KEY}])
async def test_server_that_runs_here_is_advised_where_no_profile_can_be_used(
    tmp_path: Path, providers: dict[str, Any]
) -> None:
    async with stand_in(TAGS) as server:
        advice = await models_of(tmp_path, {"OLLAMA_HOST": server.host}, providers=providers).advice()

    sentence = "Ollama runs here with 1 model: `agent-lsp configure --type ollama --model qwen3:8b` sets it up."
    assert sentence in advice


async def test_nothing_is_looked_for_where_a_profile_can_be_used(tmp_path: Path) -> None:
    async with stand_in(TAGS) as server:
        providers = {"work": USABLE, "far": NO_KEY}
        advice = await models_of(tmp_path, {"OLLAMA_HOST": server.host}, providers=providers).advice()

    assert (advice, server.asked) == ((), [])
