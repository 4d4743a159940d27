"""Request bodies: valid for the vendors' own types, the same from step to step, and encoded once."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Spoken, Thought, Words
from agent_lsp.domain.model import ModelRequest, ToolSpec
from agent_lsp.providers.service import ServiceModel
from agent_lsp.settings.model import Profile
from support.model_requests import seen
from support.model_server import APIS, SeenReply, SeenResult, SeenWords
from support.models import READ_FILE, request_of, service_model

IMAGE = "data:image/png;base64,iVBORw0KGgo="
PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "openai-responses": "/v1/responses"}


def model_of(api: str, **fields: Any) -> ServiceModel:
    given = {"type": api, "model": "test-model", "api_key": "key", "tool_format": "native"}
    return service_model(Profile.model_validate(given | fields))


def body_of(model: ServiceModel, history: Sequence[HistoryItem], **more: Any) -> Any:
    return json.loads(model.bodies.body(request_of(*history, **more)).bytes)


def steps(model: ServiceModel, count: int) -> list[HistoryItem]:
    """A history of a task, as it stands after so many steps."""
    history: list[HistoryItem] = [Words(("Fix it.", "<environment>"), (IMAGE,))]
    for n in range(count):
        seal = {
            "anthropic": '{"type": "thinking", "signature": "s"}',
            "openai": '{"field": "reasoning_content"}',
            "openai-responses": '{"id": "r", "type": "reasoning", "summary": [], "encrypted_content": "e"}',
        }[model.origin.partition("/")[0]]
        calls = [Call(f"c{n}a", "read_file", '{"path": "a"}'), Call(f"c{n}b", "read_file", "not JSON")]
        history.append(Reply((Thought("hm", seal), Spoken("I look."), *calls), model.origin))
        history += [Result(f"c{n}a", "text", (IMAGE,)), Result(f"c{n}b", "Bad arguments.", is_error=True)]
        if n % 2:
            history.append(Words(("Go on.",)))
    return history


def vendor_type(api: str) -> Any:
    match api:
        case "anthropic":
            from anthropic.types.message_create_params import MessageCreateParamsStreaming

            return MessageCreateParamsStreaming
        case "openai":
            from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

            return CompletionCreateParamsStreaming
        case _:
            from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

            return ResponseCreateParamsStreaming


def consumed(value: Any) -> None:
    """Walk what pydantic validates lazily."""
    if isinstance(value, dict):
        value = value.values()
    if not isinstance(value, str | int | None):
        for inner in value:
            consumed(inner)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fields", [{}, {"effort": "high", "max_output": 5000}, {"thinking_budget": 2000}])
def test_a_body_is_what_the_vendors_own_types_take(api: str, fields: dict[str, Any]) -> None:
    model = model_of(api, **fields)

    body = body_of(model, steps(model, 3))

    adapter = TypeAdapter(vendor_type(api))
    consumed(adapter.validate_python(body))
    assert set(body) <= set(vendor_type(api).__annotations__) | set(_inherited(vendor_type(api)))


def _inherited(cls: Any) -> set[str]:
    return {name for base in getattr(cls, "__orig_bases__", ()) for name in getattr(base, "__annotations__", {})}


@pytest.mark.parametrize("api", APIS)
def test_a_body_is_what_the_api_takes(api: str) -> None:
    model = model_of(api)
    history = steps(model, 3)

    request = seen(api, PATHS[api], {}, model.bodies.body(request_of(*history)).bytes)

    assert [type(item).__name__ for item in request.items if not isinstance(item, SeenWords)] == (
        ["SeenReply", "SeenResult", "SeenResult"] * 3
    )
    assert [call.arguments for call in request.calls] == [{"path": "a"}, {}] * 3


TEXTS = st.text(max_size=8)
CALLS = st.builds(Call, st.text(min_size=1, max_size=4), st.just("read_file"), st.one_of(TEXTS, st.just('{"a": 1}')))


@pytest.mark.parametrize("api", APIS)
@given(data=st.data())
def test_any_history_makes_a_body_that_the_api_takes(api: str, data: st.DataObject) -> None:
    model = model_of(api)
    history: list[HistoryItem] = [Words(("task",))]
    for n in range(data.draw(st.integers(0, 4))):
        spoken = data.draw(st.lists(TEXTS.map(Spoken), max_size=2))
        calls = [
            Call(f"{n}.{k} é", call.name, call.arguments)
            for k, call in enumerate(data.draw(st.lists(CALLS, max_size=2)))
        ]
        history.append(Reply((*spoken, *calls), data.draw(st.sampled_from([model.origin, "other/model"]))))
        history += [Result(call.id, data.draw(TEXTS), data.draw(st.sampled_from([(), (IMAGE,)]))) for call in calls]
        history.append(
            Words(tuple(data.draw(st.lists(TEXTS, max_size=2))), data.draw(st.sampled_from([(), (IMAGE,), ("x",)])))
        )

    request = seen(api, PATHS[api], {}, model.bodies.body(request_of(*history)).bytes)

    calls_sent = [call.id for item in request.items if isinstance(item, SeenReply) for call in item.calls]
    assert calls_sent == [item.call_id for item in request.items if isinstance(item, SeenResult)]


def without_marks(body: bytes) -> bytes:
    return body.replace(b',"cache_control":{"type":"ephemeral"}', b"")


@pytest.mark.parametrize("api", APIS)
def test_a_request_begins_with_the_bytes_of_the_one_before(api: str) -> None:
    model = model_of(api)
    whole = steps(model, 6)
    ends = [n for n, item in enumerate(whole) if isinstance(item, Reply)] + [len(whole)]

    bodies = [without_marks(model.bodies.body(request_of(*whole[:end])).bytes) for end in ends]

    assert all(after.startswith(before.removesuffix(b"]}")) for before, after in pairwise(bodies))


@pytest.mark.parametrize("api", APIS)
def test_a_kept_history_gives_the_same_bytes_as_a_new_one(api: str) -> None:
    model = model_of(api)
    whole = steps(model, 5)

    for end in range(1, len(whole) + 1):
        kept = model.bodies.body(request_of(*whole[:end])).bytes

        assert kept == model_of(api).bodies.body(request_of(*whole[:end])).bytes


@pytest.mark.parametrize("api", APIS)
def test_a_history_that_was_rewritten_is_encoded_anew(api: str) -> None:
    model = model_of(api)
    first, *rest = steps(model, 2)
    model.bodies.body(request_of(first, *rest))

    body = body_of(model, [first, Reply((Spoken("Condensed."),)), Words(("Go on.",))])

    assert b"I look." not in json.dumps(body).encode()


@pytest.mark.parametrize("api", APIS)
def test_an_item_is_encoded_once(api: str) -> None:
    model = model_of(api)
    history = steps(model, 3)
    model.bodies.body(request_of(*history))
    writer = model.bodies._writer
    encoded: list[HistoryItem] = []
    model.bodies._transcripts[history[0]]._writer = Counting(writer, encoded)  # type: ignore[assignment] - counts what it passes on

    new = Words(("More.",))
    model.bodies.body(request_of(*history, new))

    assert encoded == [new]


class Counting:
    def __init__(self, writer: Any, encoded: list[HistoryItem]) -> None:
        self._writer, self._encoded = writer, encoded

    def encode(self, item: HistoryItem) -> Any:
        self._encoded.append(item)
        return self._writer.encode(item)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


def test_a_history_nobody_keeps_is_forgotten() -> None:
    model = model_of("anthropic")
    history = steps(model, 2)
    model.bodies.body(request_of(*history))

    history.clear()

    assert len(model.bodies._transcripts) == 0


def test_cache_marks_stand_on_tools_system_and_the_last_two_messages_of_the_user() -> None:
    model = model_of("anthropic")

    body = body_of(model, steps(model, 4))

    marked = [n for n, message in enumerate(body["messages"]) if "cache_control" in message["content"][-1]]
    assert (marked, len(body["messages"])) == ([6, 8], 9)
    assert "cache_control" in body["system"][-1]
    assert "cache_control" in body["tools"][-1]
    assert json.dumps(body).count("cache_control") == 4


def test_results_come_first_in_their_message() -> None:
    model = model_of("anthropic")
    history = [Words(("x",)), Reply((Call("a", "f", "{}"),)), Words(("steering",)), Result("a", "text")]

    message = body_of(model, history)["messages"][-1]

    assert [block["type"] for block in message["content"]] == ["tool_result", "text"]


def test_ids_of_other_services_are_made_plain_the_same_way_for_call_and_result() -> None:
    history = [Words(("x",)), Reply((Call("functions.f:0", "f", "{}"),)), Result("functions.f:0", "y")]

    messages = body_of(model_of("anthropic"), history)["messages"]

    call, result = messages[1]["content"][0]["id"], messages[2]["content"][0]["tool_use_id"]
    assert call == result
    assert call.startswith("call_")


def test_texts_of_the_user_are_one_string_for_chat() -> None:
    messages = body_of(model_of("openai"), [Words(("a", '"quoted"\n'))])["messages"]

    assert messages == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": 'a\n\n"quoted"\n'},
    ]


def test_images_of_results_follow_in_the_users_message_for_chat() -> None:
    history = [Words(("x",)), Reply((Call("a", "f", "{}"),)), Result("a", "text", (IMAGE,)), Words(("more",))]

    *_, tool, user = body_of(model_of("openai"), history)["messages"]

    assert tool == {"role": "tool", "tool_call_id": "a", "content": "text"}
    assert user["content"] == [
        {"type": "text", "text": "The image of the result of a:"},
        {"type": "image_url", "image_url": {"url": IMAGE}},
        {"type": "text", "text": "more"},
    ]


def test_reasoning_goes_back_to_the_chat_server_that_made_it() -> None:
    model = model_of("openai")
    thought = Thought("hm", '{"field": "reasoning"}')

    own, foreign = (body_of(model, [Words(("x",)), Reply((thought, Spoken("y")), o)]) for o in (model.origin, "z"))

    assert own["messages"][-1] == {"role": "assistant", "content": "y", "reasoning": "hm"}
    assert foreign["messages"][-1] == {"role": "assistant", "content": "y"}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("image", ["http://example.org/a.png", "data:text/plain;base64,eA==", "", IMAGE[:-20] + "!"])
def test_what_is_no_image_is_said_to_be_left_out(api: str, image: str) -> None:
    body = body_of(model_of(api), [Words(("x",), (image,))])

    assert "An image was left out" in json.dumps(body)


@pytest.mark.parametrize("api", APIS)
def test_half_a_surrogate_pair_is_no_obstacle(api: str) -> None:
    assert "a?" in json.dumps(body_of(model_of(api), [Words(("a\ud83d",))]))


@pytest.mark.parametrize("api", APIS)
def test_no_system_and_no_tools_leave_their_fields_out(api: str) -> None:
    body = body_of(model_of(api), [Words(("x",))], system="", tools=())

    assert not {"system", "instructions", "tools"} & set(body)


@pytest.mark.parametrize("api", APIS)
def test_other_tools_make_another_envelope(api: str) -> None:
    model = model_of(api)
    body_of(model, [Words(("x",))])

    body = body_of(model, [Words(("x",))], tools=(READ_FILE, ToolSpec("other", "", {"type": "object"})))

    assert len(body["tools"]) == 2


PARAMETERS = [
    ("anthropic", {}, {"max_tokens": 8192}),
    ("anthropic", {"max_output": 9}, {"max_tokens": 9}),
    ("anthropic", {"model": "claude-opus-4-6"}, {"max_tokens": 32_000}),
    ("anthropic", {"thinking_budget": 2048}, {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
    (
        "anthropic",
        {"effort": "low"},
        {"output_config": {"effort": "low"}, "thinking": {"type": "adaptive", "display": "summarized"}},
    ),
    ("openai", {"max_output": 9}, {"max_completion_tokens": 9}),
    ("openai", {"max_output": 9, "base_url": "http://localhost/v1"}, {"max_tokens": 9}),
    ("openai", {"effort": "low"}, {"reasoning_effort": "low"}),
    ("openai-responses", {"max_output": 9}, {"max_output_tokens": 9, "store": False}),
    (
        "openai-responses",
        {"effort": "low"},
        {"reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"]},
    ),
    ("openai-responses", {"model": "gpt-5.2"}, {"include": ["reasoning.encrypted_content"]}),
    ("openai-responses", {"model": "gpt-9"}, {"include": ["reasoning.encrypted_content"]}),
    ("openai-responses", {"model": "gpt-4.1"}, {"include": None}),
    ("openai-responses", {"model": "gpt-9", "base_url": "http://localhost/v1"}, {"include": None}),
    ("azure-responses", {"model": "my-deployment"}, {"include": ["reasoning.encrypted_content"]}),
]


@pytest.mark.parametrize(("api", "fields", "expected"), PARAMETERS)
def test_a_profiles_fields_become_the_apis_own(api: str, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    body = body_of(model_of(api, **fields), [Words(("x",))])

    assert {key: body.get(key) for key in expected} == expected


@pytest.mark.parametrize("api", ["openai", "openai-responses"])
def test_openai_is_told_which_requests_begin_alike(api: str) -> None:
    model = model_of(api)

    first, second = (body_of(model, steps(model, count))["prompt_cache_key"] for count in (1, 5))
    other = body_of(model, steps(model, 1), tools=())["prompt_cache_key"]

    assert len(first) == 32
    assert (second == first, other == first) == (True, False)
    assert "prompt_cache_key" not in body_of(model_of(api, base_url="http://localhost/v1"), [Words(("x",))])


def test_an_empty_history_is_still_json() -> None:
    for api in APIS:
        assert json.loads(model_of(api).bodies.body(ModelRequest("s", (), [])).bytes)
