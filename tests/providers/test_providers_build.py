"""From a profile to a model, or to one sentence that says what is missing."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_lsp.domain.errors import NotConfigured
from agent_lsp.providers import definitions
from agent_lsp.providers.build import build_model
from agent_lsp.settings.model import Profile
from support.model_server import APIS, Say, scripted_model
from support.models import events_of, parts_of, profile_for, said

GOOD = {"type": "anthropic", "model": "m", "api_key": "k"}
TYPES = ", ".join(known.name for known in definitions.TYPES)

PROBLEMS: list[tuple[dict[str, Any], str]] = [
    ({"type": ""}, f"Profile work has no type; it must be one of {TYPES}."),
    ({"type": "bard"}, f"Profile work has the unknown type bard; it must be one of {TYPES}."),
    ({"model": ""}, "Profile work has no model, which type anthropic needs."),
    (
        {"api_key": None},
        "Profile work has no apiKey, which type anthropic needs: run `agent-lsp configure`, or set ANTHROPIC_API_KEY in the environment.",
    ),
    (
        {"type": "openai", "api_key": "", "base_url": "http://127.0.0.1:1/v1"},
        "Profile work has no apiKey, which type openai needs.",
    ),
    ({"type": "azure"}, "Profile work has no baseURL, which type azure needs."),
    (
        {"type": "anthropic-vertex", "project": "p"},
        "Profile work has no region, which type anthropic-vertex needs: run `agent-lsp configure`, or set CLOUD_ML_REGION in the environment.",
    ),
    ({"type": "openai-responses", "model": ""}, "Profile work has no model, which type openai-responses needs."),
    ({"type": "replay"}, "Profile work has no file, which type replay needs."),
    (
        {"type": "replay", "file": "/nowhere/x.jsonl"},
        "Profile work: The recording /nowhere/x.jsonl cannot be read: No such file or directory.",
    ),
    ({"api_key": "$ENV:MISSING"}, "Profile work takes its apiKey from MISSING, which is not set in the environment."),
    ({"api_key": "$ENV:BLANK"}, "Profile work takes its apiKey from BLANK, which is not set in the environment."),
    ({"base_url": "$ENV:MISSING"}, "Profile work takes its baseURL from MISSING, which is not set in the environment."),
    (
        {"headers": {"X-Team": "$ENV:MISSING"}},
        "Profile work takes its header X-Team from MISSING, which is not set in the environment.",
    ),
    ({"base_url": "localhost:8080"}, "Profile work has a baseURL that does not begin with http:// or https://."),
    ({"api_key": "kéy"}, "Profile work has characters in its apiKey that no HTTP header can carry."),
    ({"headers": {"x": "a\r\nb: c"}}, "Profile work has characters in its x that no HTTP header can carry."),
    ({"thinking_budget": 9000}, "Profile work: thinkingBudget must be below maxOutput, which is 8192."),
]


@pytest.mark.parametrize(("fields", "sentence"), PROBLEMS, ids=[sentence for _, sentence in PROBLEMS])
def test_what_is_missing_is_said_before_any_request(fields: dict[str, Any], sentence: str) -> None:
    profile = Profile.model_validate(GOOD | fields)

    with pytest.raises(NotConfigured) as caught:
        build_model(profile, name="work", environment={"BLANK": " \n"})

    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("api", "header", "value"),
    [
        ("anthropic", "x-api-key", "sesame"),
        ("openai", "authorization", "Bearer sesame"),
        ("openai-responses", "authorization", "Bearer sesame"),
    ],
)
async def test_references_are_resolved_and_the_key_goes_where_the_api_wants_it(
    api: str, header: str, value: str
) -> None:
    async with scripted_model([[Say("x")]]) as server:
        profile = profile_for(server, api, api_key="$ENV:KEY", headers={"X-Team": "$ENV:TEAM", "User-Agent": "mine"})
        model = build_model(profile, name="work", environment={"KEY": "sesame\n", "TEAM": "blue"})
        await events_of(model)
        await model.aclose()

    headers = server.requests[0].headers
    assert (headers[header], headers["x-team"], headers["user-agent"]) == (value, "blue", "mine")


async def test_a_slash_behind_the_base_url_does_no_harm() -> None:
    async with scripted_model([[Say("x")]]) as server:
        profile = profile_for(server, "openai", base_url=server.base_url("openai") + "/")
        model = build_model(profile, name="work", environment={})
        await events_of(model)
        await model.aclose()

    assert server.requests[0].path == "/v1/chat/completions"


def test_an_alias_is_the_same_type() -> None:
    model = build_model(Profile(type="openai-compatible", model="m", api_key="none"), name="work", environment={})

    assert model.origin == "openai/m"


@pytest.mark.parametrize("api", APIS)
def test_the_key_is_in_no_repr(api: str) -> None:
    model = build_model(Profile(type=api, model="m", api_key="open-sesame"), name="work", environment={})

    assert "open-sesame" not in repr(model)


def test_building_a_model_imports_no_client() -> None:
    program = (
        "import sys; from agent_lsp.providers.build import build_model; from agent_lsp.settings.model import Profile;"
        "[build_model(Profile(type=t, model='m', api_key='k', transport=x), name='n', environment={})"
        " for t in ('anthropic', 'openai', 'openai-responses') for x in ('direct', 'sdk')];"
        "print(sorted({'httpx2', 'anthropic', 'openai'} & set(sys.modules)))"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path.cwd())

    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("transport", ["direct", "sdk"])
@pytest.mark.parametrize(
    "base_url",
    [
        "http://",
        "http://two words",
        "http://host:port/v1",
        "http://host:99999/v1",
        "http://host:0/v1",
        "http://[::1/v1",
        "https://\x01host",
        "https:///v1",
    ],
)
def test_base_url_that_is_no_address_is_told_before_anything_is_sent(base_url: str, transport: str) -> None:
    profile = Profile.model_validate({"type": "openai", "model": "m", "apiKey": "k"}).model_copy(
        update={"base_url": base_url, "transport": transport}
    )

    with pytest.raises(NotConfigured, match="baseURL that is no address"):
        build_model(profile, name="work", environment={})


@pytest.mark.parametrize("transport", ["direct", "sdk"])
async def test_query_of_a_base_url_stays_behind_the_path(transport: str) -> None:
    async with asyncio.timeout(20), scripted_model([[Say("x")]]) as server:
        base_url = server.base_url("openai") + "/?api-version=2024-10-21"
        model = build_model(
            profile_for(server, "openai", type="azure", base_url=base_url, transport=transport),
            name="work",
            environment={},
        )
        await events_of(model)
        await model.aclose()

    (request,) = server.requests
    assert (request.path, request.headers[":query"]) == ("/v1/chat/completions", "api-version=2024-10-21")


async def test_azure_is_spoken_to_in_the_responses_api_too() -> None:
    async with asyncio.timeout(20), scripted_model([[Say("x")]]) as server:
        model = build_model(
            profile_for(server, "openai-responses", type="azure-responses"), name="work", environment={}
        )
        events = await events_of(model)
        await model.aclose()

    assert said(parts_of(events)) == [("say", "x")]
    assert (server.requests[0].path, server.requests[0].headers["api-key"]) == ("/v1/responses", "test-key")
