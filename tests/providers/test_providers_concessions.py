"""What compatible servers refuse of a request: it is sent without, at once and from then on."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Words
from agent_lsp.providers.build import build_model
from agent_lsp.providers.concessions import Concessions
from support.model_server import Refusal, Say, ScriptedServer, scripted_model
from support.models import HELLO, events_of, parts_of, profile_for, request_of, said

CALLED: Sequence[HistoryItem] = (HELLO, Reply((Call("c1", "read_file", "{}"),)), Result("c1", "x"), Words(("On.",)))
STREAMED = b'{"model":"m","stream":true,"stream_options":{"include_usage":true}}'
SERVERS = {
    "OpenAI": (400, {"error": {"message": "%s", "type": "invalid_request_error", "param": "p", "code": "c"}}),
    "FastAPI": (422, {"detail": [{"type": "t", "loc": ["body", "p"], "msg": "%s"}]}),
    "vLLM": (400, {"object": "error", "message": "%s", "type": "BadRequestError", "param": None, "code": 400}),
    "one string": (400, {"error": "%s"}),
}


async def bodies(api: str, *answers: Any, history: Sequence[HistoryItem] = (HELLO,), **fields: Any) -> list[Any]:
    """Ask until something is answered, then once more; give what was sent each time."""
    turns = [*answers, [Say("So.")], [Say("So.")]]
    async with scripted_model(turns) as server:
        model = build_model(profile_for(server, api, **fields), name="test", environment={})
        rows = [said(parts_of(await events_of(model, request_of(*history)))) for _ in range(2)]
        await model.aclose()

    assert rows == [[("say", "So.")]] * 2
    return [request.body for request in server.requests]


def refusal(words: str, server: str = "OpenAI") -> Refusal:
    status, shape = SERVERS[server]
    return Refusal(status, body=json.dumps(shape).replace("%s", json.dumps(words)[1:-1]).encode())


FIELDS = {
    "OpenAI's words": ("openai", "stream_options", "Unknown parameter: 'stream_options'."),
    "of vLLM": (
        "openai",
        "stream_options",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {}}]",
    ),
    "of Azure": (
        "openai",
        "stream_options",
        "Extra parameters ['stream_options'] are not allowed when extra-parameters is not set or set to be 'error'.",
    ),
    "of Mistral": ("openai", "stream_options", "stream_options: Extra inputs are not permitted"),
    "of a gateway in Go": ("openai", "stream_options", 'json: unknown field "stream_options"'),
    "of one that knows when": ("openai", "stream_options", "stream_options is only allowed when stream is set to true"),
    "nothing is stored": ("openai-responses", "store", "Unsupported parameter: store"),
    "as a gateway of OpenAI says it": ("openai-responses", "store", "Unrecognized request argument supplied: store"),
    "as JSON": ("openai-responses", "include", 'json: unknown field "include"'),
    "a path": ("openai-responses", "include", "include: Extra inputs are not permitted"),
    "by a sentence": ("openai-responses", "store", "This model does not support the store parameter."),
    "no thoughts to be had": ("openai-responses", "include", "Encrypted content is not supported with this model."),
    "a limit": ("openai-responses", "max_output_tokens", "Unsupported parameter: 'max_output_tokens'"),
}


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize(("api", "field", "words"), FIELDS.values(), ids=FIELDS.keys())
async def test_a_field_that_is_refused_is_left_out_from_then_on(api: str, field: str, words: str, server: str) -> None:
    sent = await bodies(api, refusal(words, server), max_output=1000, model="gpt-5")

    assert [field in body for body in sent] == [True, False, False]
    assert sent[1] == sent[2] == {name: value for name, value in sent[0].items() if name != field}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            ["max_tokens", "max_completion_tokens"],
        ),
        ("max_tokens: Extra inputs are not permitted", ["max_tokens", "max_completion_tokens"]),
    ],
)
async def test_a_limit_is_sent_by_its_other_name(words: str, names: list[str]) -> None:
    sent = await bodies("openai", refusal(words), max_output=1000)

    assert [[name for name in body if name.startswith("max_")] for body in sent] == [
        [name] for name in [*names, names[1]]
    ]
    assert sent[1]["max_completion_tokens"] == 1000


async def test_one_thing_after_the_other_is_conceded() -> None:
    refusals = [refusal("Unknown parameter: 'stream_options'."), refusal("Unknown parameter: 'max_tokens'.")]

    sent = await bodies("openai", *refusals, max_output=1000)

    shown = [
        [name for name in ("stream_options", "max_tokens", "max_completion_tokens") if name in body] for body in sent
    ]
    assert shown == [["stream_options", "max_tokens"], ["max_tokens"], *[["max_completion_tokens"]] * 2]


@pytest.mark.parametrize(
    "words",
    [
        "System role not supported",
        "Jinja Exception: System role not supported",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "Invalid role: system",
    ],
)
async def test_a_system_that_is_refused_is_told_by_the_user(words: str) -> None:
    async with scripted_model([refusal(words), [Say("So.")]]) as server:
        model = build_model(profile_for(server, "openai"), name="test", environment={})
        await events_of(model, request_of(system='Say "hi"}, then \\ stop.'))
        await model.aclose()

    before, after = (request.body["messages"] for request in server.requests)
    assert before[0] == {"role": "system", "content": 'Say "hi"}, then \\ stop.'}
    assert [message["role"] for message in after] == ["user", "assistant", "user"]
    assert after[0]["content"] == before[0]["content"]
    assert after[2] == before[1]


@pytest.mark.parametrize(
    "words",
    [
        "Invalid value for 'content': expected a string, got null.",
        "[{'type': 'string_type', 'loc': ('body', 'messages', 2, 'content'), 'msg': 'Input should be a valid string'}]",
        "messages.2.content: field required",
    ],
)
async def test_null_that_is_refused_becomes_an_empty_text(words: str) -> None:
    sent = await bodies("openai", refusal(words), history=CALLED)

    assert [body["messages"][2]["content"] for body in sent] == [None, "", ""]


@pytest.mark.parametrize(
    "words",
    [
        "Unsupported value: 'stream' does not support true with this model. Only the default (false) value is supported.",
        "This model does not support streaming.",
    ],
)
def test_a_stream_that_is_refused_is_not_asked_for(words: str) -> None:
    body = b'{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[]}'
    concessions = Concessions()

    assert concessions.make(ModelFault(words, is_passing=False, status=400), body, body)
    assert concessions.applied(body) == b'{"model":"m","stream":false,"messages":[]}'


async def test_marks_for_a_cache_that_are_refused_are_left_out() -> None:
    sent = await bodies("anthropic", refusal("system.0.cache_control: Extra inputs are not permitted"), history=CALLED)

    assert ["cache_control" in json.dumps(body) for body in sent] == [True, False, False]


async def test_strictness_that_is_refused_is_left_out() -> None:
    sent = await bodies("openai-responses", refusal("tools[0].strict: unknown field"))

    assert ["strict" in body["tools"][0] for body in sent] == [True, False, False]


async def asked(server: ScriptedServer, api: str = "openai", **fields: Any) -> None:
    model = build_model(profile_for(server, api, **fields), name="test", environment={})
    try:
        await events_of(model)
    finally:
        await model.aclose()


OTHERS = [
    (400, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
    (400, "max_tokens is too large: 99999. This model supports at most 8192 completion tokens"),
    (400, "Unknown parameter: 'temperature'."),
    (400, "temperature is not supported, nor is my_stream_options"),
    (401, "Unknown parameter: 'stream_options'."),
    (429, "Unknown parameter: 'stream_options'."),
    (400, "The model `x` does not exist"),
]


@pytest.mark.parametrize(("status", "words"), OTHERS)
async def test_any_other_refusal_is_told(status: int, words: str) -> None:
    async with scripted_model([Refusal(status, words)]) as server:
        with pytest.raises(ModelFault, match=words.split(" ", maxsplit=1)[0]):
            await asked(server, max_output=99999)

    assert len(server.requests) == 1


async def test_a_service_that_refuses_what_was_left_out_already_is_not_asked_again() -> None:
    async with scripted_model([refusal("Unknown parameter: 'stream_options'.")] * 5) as server:
        with pytest.raises(ModelFault, match="stream_options"):
            await asked(server)

    assert len(server.requests) == 2


async def test_a_limit_that_goes_by_no_name_is_told() -> None:
    words = "max_tokens and max_completion_tokens are not supported"

    async with scripted_model([refusal(words)] * 5) as server:
        with pytest.raises(ModelFault, match="not supported"):
            await asked(server, max_output=1000)

    assert len(server.requests) == 3


async def test_an_answer_that_has_begun_is_never_asked_for_again() -> None:
    error = {"error": {"code": 400, "message": "Unknown parameter: 'stream_options'."}}
    body = b'data: {"choices": [{"delta": {"content": "So"}}]}\n\ndata: ' + json.dumps(error).encode() + b"\n\n"

    async with scripted_model([Refusal(200, body=body, content_type="text/event-stream")]) as server:
        with pytest.raises(ModelFault, match="stream_options"):
            await asked(server)

    assert len(server.requests) == 1


def test_a_request_that_is_too_long_is_not_changed() -> None:
    overflow = ContextOverflow("Unknown parameter: 'stream_options'.", status=400)

    assert not Concessions().make(overflow, STREAMED, STREAMED)


@pytest.mark.parametrize(
    "words",
    [
        "Unsupported file. Supported types include png",
        "Unsupported file. Supported types include: png",
        "The service does not support this model in this store",
        "Unknown model: see our store, please.",
        "temperature is not supported in strict mode",
    ],
)
def test_words_of_english_are_no_fields(words: str) -> None:
    body = b'{"model":"m","store":false,"include":["x"],"tools":[{"name":"f","strict":false}],"input":[]}'

    assert not Concessions().make(ModelFault(words, is_passing=False, status=400), body, body)


def test_what_was_conceded_for_nothing_is_sent_again() -> None:
    unknown = ModelFault("Unknown parameter: 'stream_options'.", is_passing=False, status=400)
    another = ModelFault("Unknown parameter: 'temperature'.", is_passing=False, status=400)
    concessions, sent, kept = Concessions(), [], []

    for refused in (unknown, another, unknown):
        sent.append(concessions.applied(STREAMED))
        concessions.make(refused, STREAMED, sent[-1])
        kept.append("stream_options" in concessions.applied(STREAMED).decode())

    assert kept == [False, False, True]


def test_what_another_task_learnt_meanwhile_is_conceded_to_all_that_were_asking() -> None:
    refused = ModelFault("Unknown parameter: 'stream_options'.", is_passing=False, status=400)
    concessions, theirs = Concessions(), STREAMED.replace(b'"m"', b'"m","n":1')

    made = [concessions.make(refused, body, body) for body in (STREAMED, theirs, theirs)]

    assert made == [True, True, True]
    assert not concessions.make(refused, theirs, concessions.applied(theirs))


def test_what_stands_in_tools_and_texts_is_never_changed() -> None:
    body = b'{"model":"m","tools":[{"a":{"b":1,"include":["x"],"store":{},"max_tokens":1}}],"messages":[]}'
    refusals = [
        ModelFault(f"Unknown: {name}", is_passing=False, status=400) for name in ("include", "store", "max_tokens")
    ]

    assert not any(Concessions().make(refusal, body, body) for refusal in refusals)
