"""The types of provider: what each fills in, what it never does with a key, and that each makes a model."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from agent_lsp.providers.build import build_model, problem_of
from agent_lsp.providers.definitions import TYPES, ProviderType, key_variables, type_named
from agent_lsp.settings.model import Prices, Profile

KEYS = dict.fromkeys(key_variables(), "customary-key") | {"AWS_REGION": "eu-west-1"}
MODELS = [known for known in TYPES if known.name != "replay"]
COMPATIBLE = [known for known in TYPES if known.model_list and known.name not in ("anthropic", "openai-responses")]


def by_name(known: ProviderType) -> str:
    return known.name


def profile_of(known: ProviderType, **fields: Any) -> Profile:
    given = {"type": known.name, "model": "m", "region": "r", "project": "p", "base_url": None}
    if known.base_url is None and "base_url" in known.needs:
        given["base_url"] = "https://mine.example/v1"
    return Profile.model_validate(given | fields)


def test_names_and_aliases_are_each_of_one_type() -> None:
    names = [name for known in TYPES for name in (known.name, *known.aliases)]

    assert len(names) == len(set(names))
    assert [type_named(name) for name in ("lmstudio", "vertex", "no such")] == [
        type_named("lm-studio"),
        type_named("anthropic-vertex"),
        None,
    ]


@pytest.mark.parametrize("known", TYPES, ids=by_name)
def test_every_type_says_what_there_is_to_do_first(known: ProviderType) -> None:
    assert known.name == "replay" or known.steps
    assert all(step.endswith(".") for step in known.steps)


@pytest.mark.parametrize("known", MODELS, ids=by_name)
async def test_type_and_model_and_a_key_in_the_environment_make_a_model(known: ProviderType) -> None:
    needed = {"base_url", "region", "project"} & set(known.needs)
    own = {field: value for field, value in profile_of(known).model_dump().items() if field in needed}
    # At Azure every customer has an address of their own, so that none can be told to be Microsoft's.
    own |= {"api_key": "k"} if known.name.startswith("azure") else {}

    model = build_model(Profile(type=known.name, model="m", **own), name="work", environment=KEYS)

    assert model.origin == f"{known.name}/m"
    await model.aclose()


@pytest.mark.parametrize("known", MODELS, ids=by_name)
def test_key_of_the_environment_goes_to_the_vendors_own_address_alone(known: ProviderType) -> None:
    completed = known.completed(profile_of(known, base_url="https://elsewhere.example/v1"), KEYS)

    assert completed.api_key in (None, "none")


@pytest.mark.parametrize("known", [known for known in MODELS if known.key_variable], ids=by_name)
def test_key_of_the_profile_wins_over_the_environments(known: ProviderType) -> None:
    assert known.completed(profile_of(known, api_key="mine"), KEYS).api_key == "mine"


@pytest.mark.parametrize(
    ("fields", "prices"),
    [
        ({}, Prices(input=0, output=0)),
        ({"base_url": "http://localhost:9999/v1"}, Prices(input=0, output=0)),
        ({"base_url": "https://gpus.example/v1"}, None),
        ({"prices": Prices(input=1, output=2)}, Prices(input=1, output=2)),
    ],
)
def test_only_what_runs_here_costs_nothing(fields: dict[str, Any], prices: Prices | None) -> None:
    vllm = type_named("vllm")
    assert vllm

    assert vllm.completed(profile_of(vllm, **fields), {}).prices == prices


def test_price_of_a_vendors_unknown_model_is_not_guessed() -> None:
    assert [known.completed(profile_of(known), {}).prices for known in COMPATIBLE if not known.is_local] == [
        None for known in COMPATIBLE if not known.is_local
    ]


@pytest.mark.parametrize(
    ("named", "address"),
    [
        (None, "http://127.0.0.1:11434/v1"),
        ("", "http://127.0.0.1:11434/v1"),
        ("127.0.0.1:9", "http://127.0.0.1:9/v1"),
        (":9", "http://127.0.0.1:9/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:9", "http://127.0.0.1:9/v1"),
        ("[::1]:9", "http://[::1]:9/v1"),
        ("gpu.example", "http://gpu.example:11434/v1"),
        ("https://gpu.example:1/", "https://gpu.example:1/v1"),
        ("127.0.0.1:x", "http://127.0.0.1:11434/v1"),
        ("[::", "http://127.0.0.1:11434/v1"),
    ],
)
def test_ollama_is_where_its_own_variable_says(named: str | None, address: str) -> None:
    ollama = type_named("ollama")
    assert ollama
    environment: Mapping[str, str] = {} if named is None else {"OLLAMA_HOST": named}

    assert ollama.completed(Profile(type="ollama", model="m"), environment).base_url == address


def test_cloud_is_found_by_its_own_variables() -> None:
    vertex = type_named("vertex")
    assert vertex

    completed = vertex.completed(
        Profile(type="vertex", model="m", region="eu"),
        {"CLOUD_ML_REGION": "us", "GOOGLE_CLOUD_PROJECT": "other", "ANTHROPIC_VERTEX_PROJECT_ID": "mine"},
    )

    assert (completed.region, completed.project) == ("eu", "mine")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"type": "groq", "model": "m"},
            "no apiKey, which type groq needs: run `agent-lsp configure`, or set GROQ_API_KEY",
        ),
        ({"type": "ollama"}, "no model, which type ollama needs"),
        ({"type": "azure", "model": "m", "api_key": "k"}, "no baseURL, which type azure needs"),
        (
            {"type": "vertex", "model": "m"},
            "no project, which type anthropic-vertex needs: run `agent-lsp configure`, or set ANTHROPIC_V",
        ),
        ({"type": "ollama", "model": "m"}, None),
        ({"type": "groq", "model": "m", "api_key": "k"}, None),
    ],
)
def test_problem_of_a_profile_is_told_without_a_network(fields: dict[str, Any], words: str | None) -> None:
    problem = problem_of(Profile.model_validate(fields), name="work", environment={})

    assert (problem is None) is (words is None)
    assert re.search(re.escape(words or ""), problem or "")
