"""What is asked of services besides answers, against real HTTP servers on this machine."""

import asyncio
import json
import re
from dataclasses import replace

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.providers.build import build_model
from agent_lsp.providers.definitions import ProviderType, type_named
from agent_lsp.providers.listing import ListedModel
from agent_lsp.providers.probing import LARGEST_LIST, found_servers, models_of, seconds_to_answer
from agent_lsp.settings.model import Profile
from support.stand_in import Page, StandIn, listing, page, speaking, stand_in

TAGS = page({"models": [{"name": "qwen3:8b"}, {"name": "gpt-oss"}]})


def provider(name: str) -> ProviderType:
    found = type_named(name)
    assert found
    return found


def at(server: StandIn, name: str, **fields: object) -> Profile:
    given = {"type": name, "model": "m", "api_key": "open-sesame", "base_url": f"{server.address}/v1"}
    return Profile.model_validate(given | fields)


@pytest.mark.parametrize(
    ("name", "path", "header"),
    [
        ("openai", "/v1/models", ("authorization", "Bearer open-sesame")),
        ("anthropic", "/v1/models?limit=1000", ("x-api-key", "open-sesame")),
        ("ollama", "/api/tags", ("authorization", "Bearer open-sesame")),
    ],
)
async def test_models_are_listed_with_the_key(name: str, path: str, header: tuple[str, str]) -> None:
    base = {"base_url": None} if name == "anthropic" else {}
    async with stand_in({path: listing("a", "b")}) as server:
        profile = at(server, name, headers={"x-team": "blue"}, **base)
        models = await models_of(
            provider(name), profile.model_copy(update={} if not base else {"base_url": server.address})
        )

    assert models == (ListedModel("a"), ListedModel("b"))
    asked = server.asked[0].headers
    assert (asked[header[0]], asked["x-team"]) == (header[1], "blue")


async def test_type_without_a_list_has_none() -> None:
    async with stand_in({}) as server:
        assert await models_of(provider("azure"), at(server, "azure")) == ()

    assert server.asked == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (page({"error": {"message": "wrong key open-sesame"}}, 401), "answered 401: wrong key [secret]"),
        (Page(b"<html>", content_type="text/html"), "something else than its models"),
        (Page(b"", 302), "it redirects elsewhere"),
        (Page(b" " * (LARGEST_LIST + 1)), "more than 8000000 bytes"),
    ],
)
async def test_service_that_does_not_list_says_why(answer: Page, words: str) -> None:
    async with stand_in({"/v1/models": answer}) as server:
        with pytest.raises(ModelFault, match=re.escape(words)):
            await models_of(provider("openai"), at(server, "openai"))


async def test_service_that_is_silent_is_given_up() -> None:
    async with stand_in({"/v1/models": Page(b"", is_held=True)}) as server, asyncio.timeout(10):
        with pytest.raises(ModelFault, match="did not answer: nothing came"):
            await models_of(provider("openai"), at(server, "openai"), seconds=0.05)


async def test_servers_that_run_here_are_found() -> None:
    async with stand_in({"/api/tags": TAGS}) as one, stand_in({"/v1/models": listing("local-model")}) as other:
        types = (provider("ollama"), replace(provider("lm-studio"), base_url=f"{other.address}/v1"), provider("vllm"))
        found = await found_servers({"OLLAMA_HOST": one.host}, types)

    assert [(server.type.name, server.base_url, server.models) for server in found] == [
        ("ollama", f"{one.address}/v1", (ListedModel("qwen3:8b"), ListedModel("gpt-oss"))),
        ("lm-studio", f"{other.address}/v1", (ListedModel("local-model"),)),
    ]


async def test_server_that_is_something_else_is_not_found() -> None:
    async with stand_in({"/api/tags": Page(b"<html>")}) as server:
        assert await found_servers({"OLLAMA_HOST": server.host}, (provider("ollama"),)) == ()

    assert [asked.path for asked in server.asked] == ["/api/tags"]


async def test_no_other_machine_is_looked_at() -> None:
    async with asyncio.timeout(5):
        assert await found_servers({"OLLAMA_HOST": "192.0.2.1"}, (provider("ollama"),)) == ()


async def test_model_on_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with stand_in({"/v1/chat/completions": speaking("OK")}) as server:
        model = build_model(at(server, "openai"), name="work", environment={})
        seconds = await seconds_to_answer(model)
        await model.aclose()

    assert 0 < seconds < 60
    (asked,) = [asked for asked in server.asked if asked.path == "/v1/chat/completions"]
    assert json.loads(asked.content)["model"] == "m"


async def test_service_that_refuses_a_question_says_why() -> None:
    async with stand_in({"/v1/chat/completions": page({"error": {"message": "no such model"}}, 404)}) as server:
        model = build_model(at(server, "openai"), name="work", environment={})
        with pytest.raises(ModelFault, match="answered 404: no such model"):
            await seconds_to_answer(model)
        await model.aclose()


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("openrouter", "max_tokens"),
        ("vllm", "max_tokens"),
        ("openai", "max_tokens"),
        ("azure", "max_completion_tokens"),
    ],
)
async def test_limit_of_an_answer_has_the_name_that_the_server_knows(name: str, field: str) -> None:
    async with stand_in({"/v1/chat/completions": speaking("OK")}) as server:
        model = build_model(at(server, name, max_output=5), name="work", environment={})
        await seconds_to_answer(model)
        await model.aclose()

    body = json.loads(next(asked.content for asked in server.asked if asked.path == "/v1/chat/completions"))
    assert {key: body[key] for key in body if key.startswith("max_")} == {field: 5}
