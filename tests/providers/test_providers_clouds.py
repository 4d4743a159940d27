"""Anthropic's models in others' clouds: what goes over the wire, and what is said where nobody is signed in."""

import json
from typing import Any

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.history import Spoken
from agent_lsp.domain.model import Stopped, StopReason
from agent_lsp.providers.build import build_model
from agent_lsp.settings.model import Profile
from support.models import events_of, parts_of
from support.stand_in import Page, StandIn, stand_in

ANSWER: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "x", "usage": {"input_tokens": 3, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]
STREAM = Page(
    "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in ANSWER).encode(),
    content_type="text/event-stream",
)
VERTEX_PATH = "/projects/p/locations/eu/publishers/anthropic/models/claude-sonnet-5:streamRawPredict"


def profile_at(server: StandIn, name: str, **fields: Any) -> Profile:
    given = {"type": name, "model": "claude-sonnet-5", "base_url": server.address, "region": "eu", "project": "p"}
    return Profile.model_validate(given | fields)


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("anthropic-bedrock", "/v1/messages", {"model": "claude-sonnet-5"}),
        ("anthropic-vertex", VERTEX_PATH, {"anthropic_version": "vertex-2023-10-16"}),
    ],
)
async def test_cloud_is_asked_in_its_own_way(name: str, path: str, expected: dict[str, Any]) -> None:
    async with stand_in({path: STREAM}) as server:
        model = build_model(profile_at(server, name, api_key="open-sesame"), name="work", environment={})
        events = await events_of(model)
        await model.aclose()

    asked = server.asked[0]
    body = json.loads(asked.content)
    assert [part.text for part in parts_of(events) if isinstance(part, Spoken)] == ["Hi"]
    assert events[-1] == Stopped(StopReason.END)
    assert asked.headers["authorization"] == "Bearer open-sesame"
    assert {key: body.get(key) for key in ("model", "anthropic_version")} == {
        "model": None,
        "anthropic_version": None,
        **expected,
    }
    assert body["stream"] is True


@pytest.mark.parametrize(("name", "package"), [("anthropic-bedrock", "boto3"), ("anthropic-vertex", "google-auth")])
async def test_who_is_not_signed_in_is_told_so(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_AWS_API_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(variable, raising=False)
    async with stand_in({}) as server:
        model = build_model(profile_at(server, name), name="work", environment={})
        with pytest.raises(ModelFault) as caught:
            await events_of(model)
        await model.aclose()

    assert (server.asked, caught.value.is_passing) == ([], False)
    assert str(caught.value).startswith("Signing in to 127.0.0.1")
    assert "\n" not in str(caught.value)
    assert package in (caught.value.hint or "")
