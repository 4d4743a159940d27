"""Whatever a task's history has become, each request is what the vendor's own SDK describes, and what its API takes."""

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lsp.domain.history import Call, HistoryItem, Part, Reply, Result, Spoken, Thought, Words
from agent_lsp.domain.model import ModelRequest
from agent_lsp.providers.service import ServiceModel
from agent_lsp.settings.model import Profile
from support.model_requests import SeenReply, SeenResult, seen
from support.models import READ_FILE, service_model
from support.vendor_types import problems_of, vendor_type

IMAGE = "data:image/png;base64,iVBORw0KGgo="
PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "openai-responses": "/v1/responses"}

PROFILES: dict[str, tuple[str, dict[str, Any]]] = {
    "claude": ("anthropic", {"model": "claude-sonnet-5-5"}),
    "claude that thinks": ("anthropic", {"model": "claude-opus-4-1", "thinkingBudget": 2000}),
    "claude with effort": ("anthropic", {"model": "claude-opus-5-5", "effort": "high", "maxOutput": 5000}),
    "gpt": ("openai", {"model": "gpt-4.1"}),
    "gpt with effort": ("openai", {"model": "gpt-5.2", "effort": "low", "maxOutput": 5000}),
    "mistral": ("openai", {"type": "mistral", "model": "devstral-medium-latest", "maxOutput": 5000}),
    "gemini": ("openai", {"type": "gemini", "model": "gemini-3-pro", "effort": "low"}),
    "qwen, here": ("openai", {"type": "ollama", "model": "qwen3-coder", "window": 32768}),
    "gpt of the newer API": ("openai-responses", {"model": "gpt-6.1-sol", "effort": "high", "maxOutput": 5000}),
    "gpt that does not reason": ("openai-responses", {"model": "gpt-4.1"}),
    "gpt at Azure": ("openai", {"type": "azure", "model": "d", "baseURL": "https://r.openai.azure.com/openai/v1"}),
}

TEXTS = st.one_of(st.sampled_from(["", " \n", "I look.", "\ud83d", "\u0000", '"']), st.text(max_size=6))
IMAGES = st.sampled_from([(), (IMAGE,), ("https://example.org/a.png",)])
IDS = st.sampled_from(["call_1", "functions.f:0", "x" * 64, "é", " ", "a/b", "chatcmpl-tool-" + "0" * 32, "Abc123xyz"])
ARGUMENTS = st.sampled_from(['{"path": "a"}', "{}", "", "not JSON", "[1]", "null", '{"path": NaN}', '{"a": "\\ud83d"}'])
SEALS = {
    "anthropic": ('{"type": "thinking", "signature": "s"}', '{"type": "redacted_thinking", "data": "d"}'),
    "openai": (
        '{"field": "reasoning_content"}',
        '{"extra_content": {"google": {"thought_signature": "s"}}}',
        '{"reasoning_details": [{"type": "reasoning.text", "text": "t"}]}',
    ),
    "openai-responses": ('{"id": "r", "type": "reasoning", "summary": [], "encrypted_content": "e"}',),
}


def model_of(profile: str) -> ServiceModel:
    api, fields = PROFILES[profile]
    given = {"type": api, "apiKey": "key", "toolFormat": "native", **fields}
    return service_model(Profile.model_validate(given))


@st.composite
def replies(draw: st.DrawFn, api: str, origin: str, number: int) -> Reply:
    """One answer, of this model or another one, with whatever of parts."""
    is_own = draw(st.booleans())
    seals = SEALS[api] if is_own else ('{"odd": "seal of another"}', None)
    parts: list[Part] = []
    for place in range(draw(st.integers(0, 4))):
        match draw(st.sampled_from(("thought", "said", "call"))):
            case "thought":
                parts.append(Thought(draw(TEXTS), draw(st.sampled_from(seals))))
            case "said":
                parts.append(Spoken(draw(TEXTS)))
            case _:
                parts.append(Call(f"{draw(IDS)}{number}{place}"[-70:], "read_file", draw(ARGUMENTS)))
    return Reply(tuple(parts), origin if is_own else "another/model")


@st.composite
def histories(draw: st.DrawFn, api: str, origin: str) -> list[HistoryItem]:
    """A task as it may stand before a request: its words, then replies with all results, and words where there are."""
    history: list[HistoryItem] = [Words(("task", draw(TEXTS)), draw(IMAGES))]
    for number in range(draw(st.integers(0, 4))):
        reply = draw(replies(api, origin, number))
        history.append(reply)
        history += [Result(call.id, draw(TEXTS), draw(IMAGES), draw(st.booleans())) for call in reply.calls]
        if not reply.calls or draw(st.booleans()):
            history.append(Words((draw(TEXTS), "go on"), draw(IMAGES)))
    return history


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_history_makes_a_request_that_the_vendors_sdk_describes(profile: str, data: st.DataObject) -> None:
    model, api = model_of(profile), PROFILES[profile][0]
    history = data.draw(histories(api, model.origin))
    system, tools = data.draw(st.sampled_from(["", "Be brief."])), data.draw(st.sampled_from([(), (READ_FILE,)]))

    raw = model.bodies.body(ModelRequest(system, tools, history)).bytes

    body = json.loads(raw)
    assert problems_of(body, vendor_type(api)) == []
    assert_results_follow_their_calls(seen(api, PATHS[api], {}, raw).items)
    RULES[api](body)


def assert_results_follow_their_calls(items: Sequence[Any]) -> None:
    called = [call.id for item in items if isinstance(item, SeenReply) for call in item.calls]
    assert called == [item.call_id for item in items if isinstance(item, SeenResult)]


def messages_rules(body: dict[str, Any]) -> None:
    messages = body["messages"]
    blocks = [block for message in messages for block in message["content"]]
    assert [one["role"] for one in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"]
    assert all(message["content"][-1]["type"] not in ("thinking", "redacted_thinking") for message in messages)
    ids = [block.get("id") or block.get("tool_use_id") for block in blocks if "tool_" in block["type"]]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id_) for id_ in ids)
    assert json.dumps(body).count('"cache_control"') <= 4


def chat_rules(body: dict[str, Any]) -> None:
    messages = body["messages"]
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    if body["model"].startswith("devstral"):
        assert all(re.fullmatch(r"[A-Za-z0-9]{9}", call["id"]) for call in calls)
        assert ("tool", "user") not in {(one["role"], two["role"]) for one, two in pairwise(messages)}
    assert all(re.fullmatch(r"[!-~]{1,40}", call["id"]) for call in calls)
    if body["model"].startswith("gemini"):
        last_calls = [m["tool_calls"] for m in messages if "tool_calls" in m]
        assert all(set(call) <= {"id", "type", "function", "extra_content"} for own in last_calls for call in own)
    assert all(message["content"] or message.get("tool_calls") for message in messages if message["role"] != "tool")
    assert messages[-1]["role"] in ("user", "tool")


def responses_rules(body: dict[str, Any]) -> None:
    items = body["input"]
    assert all(
        two.get("type") in ("reasoning", "function_call") or two.get("role") == "assistant"
        for one, two in pairwise([*items, {}])
        if one.get("type") == "reasoning"
    )
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", item["call_id"]) for item in items if "call_id" in item)
    assert body["store"] is False


RULES = {"anthropic": messages_rules, "openai": chat_rules, "openai-responses": responses_rules}


def body_of(profile: str, *history: HistoryItem) -> Any:
    return json.loads(model_of(profile).bodies.body(ModelRequest("", (), list(history))).bytes)


CALLED = Call("toolu_01", "read_file", "{}")


def test_results_and_words_are_parted_for_models_of_mistral() -> None:
    history = (Words(("x",)), Reply((CALLED,)), Result("toolu_01", "text"), Words(("more",)))

    *_, call, result, bridge, words = body_of("mistral", *history)["messages"]

    assert call["tool_calls"][0]["id"] == result["tool_call_id"]
    assert (bridge["role"], words) == ("assistant", {"role": "user", "content": "more"})


def test_calls_of_gemini_go_back_signed_and_those_of_others_marked() -> None:
    signed = Thought("", '{"extra_content": {"google": {"thought_signature": "s"}}}')
    own = Reply((signed, CALLED), "gemini/gemini-3-pro")
    other = Reply((Call("toolu_02", "read_file", "{}"),), "anthropic/claude")
    history = (Words(("x",)), own, Result("toolu_01", "y"), other, Result("toolu_02", "y"))

    calls = [m["tool_calls"][0] for m in body_of("gemini", *history)["messages"] if "tool_calls" in m]

    assert [call["extra_content"]["google"]["thought_signature"] for call in calls] == [
        "s",
        "skip_thought_signature_validator",
    ]


def test_reasoning_in_details_goes_back_whole_to_the_server_that_made_it() -> None:
    details = [{"type": "reasoning.encrypted", "data": "d"}]
    thoughts = Thought("hm", '{"field": "reasoning"}'), Thought("", json.dumps({"reasoning_details": details}))

    messages = body_of("gpt", Words(("x",)), Reply((*thoughts, Spoken("y")), "openai/gpt-4.1"))["messages"]

    assert messages[-1] == {"role": "assistant", "content": "y", "reasoning_details": details}


@pytest.mark.parametrize("id_", ["functions.read_file:0", "call_" + "0" * 35])
def test_an_id_that_a_model_wrote_sense_into_stays_as_it_is(id_: str) -> None:
    history = (Words(("x",)), Reply((Call(id_, "read_file", "{}"),)), Result(id_, "y"))

    *_, call, result = body_of("qwen, here", *history)["messages"]

    assert (call["tool_calls"][0]["id"], result["tool_call_id"]) == (id_, id_)


@pytest.mark.parametrize("profile", ["claude that thinks", "gpt of the newer API"])
def test_thoughts_that_led_nowhere_are_left_out(profile: str) -> None:
    api, model = PROFILES[profile][0], model_of(profile)
    seal = SEALS[api][0]
    reply = Reply((Thought("a", seal), Spoken("y"), Thought("b", seal), Spoken("  ")), model.origin)

    body = body_of(profile, Words(("x",)), reply, Words(("go on",)))

    assert json.dumps(body).count(json.dumps(json.loads(seal))[1:-1]) == 1
