"""The window of a model on the user's own machine: what each server says of it, and when it is asked."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.providers import windows
from agent_lsp.providers.build import build_model
from agent_lsp.providers.recording import Streaming
from agent_lsp.settings.model import Profile
from support.models import events_of, parts_of, said
from support.stand_in import Page, StandIn, page, speaking, stand_in

READ = {
    "vLLM": (windows.of_list, {"data": [{"id": "x"}, {"id": "m", "max_model_len": 8192}]}, 8192),
    "LM Studio, loaded": (
        windows.of_list,
        {"data": [{"id": "m", "max_context_length": 131072, "loaded_context_length": 4096}]},
        4096,
    ),
    "LM Studio, not loaded": (windows.of_list, {"data": [{"id": "m", "max_context_length": 131072}]}, 131072),
    "a list without the model": (windows.of_list, {"data": [{"id": "x", "max_model_len": 8192}]}, None),
    "llama.cpp": (windows.of_properties, {"default_generation_settings": {"n_ctx": 16384}, "total_slots": 1}, 16384),
    "llama.cpp of old": (windows.of_properties, {"default_generation_settings": 3}, None),
    "Ollama, loaded": (windows.of_loaded, {"models": [{"name": "m:latest", "context_length": 4096}]}, 4096),
    "Ollama, another loaded": (windows.of_loaded, {"models": [{"name": "n", "context_length": 4096}, 3]}, None),
    "Ollama, nothing loaded": (windows.of_loaded, {"models": []}, None),
    "Ollama, described": (windows.of_description, {"parameters": 'stop "x"\nnum_ctx   32768\ntop_k 5'}, 32768),
    "Ollama, not described": (windows.of_description, {"model_info": {"qwen.context_length": 262144}}, None),
    "no number": (windows.of_loaded, {"models": [{"name": "m", "context_length": True}]}, None),
    "less than nothing": (windows.of_loaded, {"models": [{"name": "m", "context_length": -1}]}, None),
}


@pytest.mark.parametrize(("read", "answer", "window"), READ.values(), ids=READ.keys())
def test_window_is_read(read: Callable[[bytes, str], int | None], answer: Any, window: int | None) -> None:
    assert read(json.dumps(answer).encode(), "m") == window


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), lambda x: st.lists(x, max_size=3))
SHAPES = st.dictionaries(st.sampled_from(["models", "data", "default_generation_settings", "parameters"]), JSON)


@pytest.mark.parametrize("read", [windows.of_list, windows.of_properties, windows.of_loaded, windows.of_description])
@given(answer=SHAPES | st.binary(max_size=20))
def test_no_answer_breaks_the_reader(read: Callable[[bytes, str], int | None], answer: Any) -> None:
    content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()

    try:
        window = read(content, "m")
    except ValueError:
        return

    assert window is None or window > 0


def model_at(server: StandIn, type_: str, **fields: Any) -> Streaming:
    given = {"type": type_, "model": "m", "baseURL": f"{server.address}/v1", "toolFormat": "native"}
    return build_model(Profile.model_validate(given | fields), name="work", environment={})


SPEAKING = {"/v1/chat/completions": speaking("OK")}
SERVERS: dict[str, tuple[str, Mapping[str, Page], int]] = {
    "ollama": ("/api/ps", {"/api/ps": page({"models": [{"name": "m", "context_length": 4096}]})}, 4096),
    "lm-studio": (
        "/api/v0/models",
        {"/api/v0/models": page({"data": [{"id": "m", "loaded_context_length": 8192}]})},
        8192,
    ),
    "llama.cpp": ("/props", {"/props": page({"default_generation_settings": {"n_ctx": 2048}})}, 2048),
    "vllm": ("/v1/models", {"/v1/models": page({"data": [{"id": "m", "max_model_len": 16384}]})}, 16384),
}


@pytest.mark.parametrize("type_", SERVERS)
async def test_window_is_asked_for_before_the_first_request_and_behind_its_answer(type_: str) -> None:
    path, pages, window = SERVERS[type_]
    async with asyncio.timeout(20), stand_in({**SPEAKING, **pages}) as server:
        model = model_at(server, type_)
        before = model.facts.window
        for _ in range(3):
            await events_of(model)
        await model.aclose()

    asked = [one.path for one in server.asked]
    assert asked == [path, "/v1/chat/completions", path, *["/v1/chat/completions"] * 2]
    assert (before, model.facts.window, model.facts.max_output) == (128_000, window, window // 4)


async def test_description_of_a_model_counts_until_it_is_loaded() -> None:
    pages = {**SPEAKING, "/api/show": page({"parameters": "num_ctx 32768"})}
    async with asyncio.timeout(20), stand_in(pages) as server:
        model = model_at(server, "ollama")
        await events_of(model)
        described = model.facts.window
        await model.aclose()

    assert described == 32768
    assert json.loads(next(one.content for one in server.asked if one.path == "/api/show")) == {"model": "m"}


@pytest.mark.parametrize("answer", [Page(b"<html>"), page({}, 500), Page(b"", 204), Page(b"[" * 100_000), page([1])])
@pytest.mark.parametrize("type_", SERVERS)
async def test_server_that_does_not_say_is_used_all_the_same(type_: str, answer: Page) -> None:
    path = SERVERS[type_][0]
    async with asyncio.timeout(20), stand_in({**SPEAKING, path: answer}) as server:
        model = model_at(server, type_)
        events = await events_of(model)
        await model.aclose()

    assert said(parts_of(events)) == [("say", "OK")]
    assert model.facts.window == 128_000


@pytest.mark.parametrize(
    ("type_", "fields"),
    [("ollama", {"window": 5000}), ("openai", {"apiKey": "none"}), ("groq", {"apiKey": "k"})],
)
async def test_nobody_is_asked_where_the_profile_says_it_or_the_server_is_of_another_kind(
    type_: str, fields: dict[str, Any]
) -> None:
    async with asyncio.timeout(20), stand_in(SPEAKING) as server:
        model = model_at(server, type_, **fields)
        await events_of(model)
        await model.aclose()

    assert [one.path for one in server.asked] == ["/v1/chat/completions"]
