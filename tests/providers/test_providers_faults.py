"""Faults: what they say, whether they pass, how long to wait; and the cases of misbehaving services."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.model import Stopped, StopReason
from agent_lsp.providers import faults
from agent_lsp.providers.build import build_model
from agent_lsp.providers.recording import Streaming
from support.decoding import decoded, stream_of
from support.model_server import APIS, Answer, Cut, Hold, Part, Pause, Raw, RawCall, Refusal, Say, Turn, scripted_model
from support.models import events_of, parts_of, profile_for, said

JSON = {"content-type": "application/json"}

BODIES = {
    "anthropic": ('{"type": "error", "error": {"type": "x", "message": "words"}}', "words"),
    "openai": ('{"error": {"message": "words", "type": "x", "code": null}}', "words"),
    "an error that is text": ('{"error": "words"}', "words"),
    "a bare object": ('{"message": "words"}', "words"),
    "fastapi": ('{"detail": "words"}', "words"),
    "a detail that is a list": ('{"detail": [{"msg": "w"}]}', '[{"msg": "w"}]'),
    "only a kind": ('{"error": {"type": "odd_error"}}', "odd_error"),
    "plain text": ("words\n  and more", "words and more"),
    "a web page": ("<html><body>words</body></html>", "it gave no reason"),
    "an empty object": ("{}", "it gave no reason"),
    "a list": ("[1]", "it gave no reason"),
    "nothing": ("", "it gave no reason"),
    "deep nesting": ("[" * 100_000, "[" * 600 + "…"),
    "what steers a terminal": ('{"message": "a\\u001b[2Jb\\u0000c\\u202ed\\u200be \\n f"}', "a[2Jbcde f"),
    "bytes that are no text": ("\0\1\2\3" * 50, "it gave no reason"),
    "a kind without end": (json.dumps({"error": {"type": "k" * 5000}}), "k" * 600 + "…"),
    "long words": (json.dumps({"message": "w" * 5000}), "w" * 600 + "…"),
}


@pytest.mark.parametrize(("body", "message"), BODIES.values(), ids=BODIES.keys())
def test_a_bodys_own_words_are_found(body: str, message: str) -> None:
    fault = faults.refused(500, JSON, body.encode())

    assert str(fault) == f"The model's service answered 500: {message}"


@pytest.mark.parametrize(
    ("status", "kind", "message", "is_passing", "hint"),
    [
        (401, "authentication_error", "no", False, "apiKey"),
        (403, "permission_error", "no", False, "rights"),
        (404, "not_found_error", "no", False, "baseURL"),
        (413, "request_too_large", "no", False, "outgrown"),
        (400, "invalid_request_error", "prompt is too long: 300000 tokens", False, "outgrown"),
        (400, "context_length_exceeded", "This model's maximum context length is 8192", False, "outgrown"),
        (500, "exceed_context_size_error", "too big", False, "outgrown"),
        (429, "rate_limit_error", "slow down", True, None),
        (429, "insufficient_quota", "You exceeded your current quota", False, "credit or quota"),
        (400, "invalid_request_error", "Your credit balance is too low", False, "credit or quota"),
        (402, "", "Insufficient Balance", False, "credit or quota"),
        (529, "overloaded_error", "Overloaded", True, None),
        (307, "", "", False, None),
    ],
)
def test_a_refusal_says_what_to_do(status: int, kind: str, message: str, is_passing: bool, hint: str | None) -> None:
    fault = faults.refused(status, JSON, json.dumps({"error": {"type": kind, "message": message}}).encode())

    assert fault.is_passing is is_passing
    assert (fault.hint or "").find(hint or "") >= 0
    assert (fault.hint is None) == (hint is None)


@pytest.mark.parametrize(
    ("error", "is_passing"),
    [
        ({"type": "overloaded_error", "message": "x"}, True),
        ({"type": "api_error", "message": "x"}, True),
        ({"type": "invalid_request_error", "message": "x"}, False),
        ({"type": "invalid_request_error", "code": "server_error", "message": "x"}, True),
        ({"code": 500, "message": "x"}, True),
        ({"code": 400, "message": "x"}, False),
        ({"code": "insufficient_quota", "message": "x"}, False),
        ({"message": "prompt is too long"}, False),
        ("x", True),
        (None, True),
        ([1], True),
    ],
)
def test_an_error_in_a_stream_may_pass_or_not(error: object, is_passing: bool) -> None:
    assert faults.in_stream(error).is_passing is is_passing


STATUSES_THAT_PASS = {408, 409, 425, 429, *range(500, 600)}


@pytest.mark.parametrize("body", [b"{}", b"<html>", b"", b'{"error": {"message": "words", "type": "odd"}}'])
def test_every_status_is_either_worth_another_try_or_not(body: bytes) -> None:
    passing = {status for status in range(400, 600) if faults.refused(status, {}, body).is_passing}

    assert passing == STATUSES_THAT_PASS


@pytest.mark.parametrize(
    ("status", "advice", "is_passing"),
    [(503, "false", False), (400, "true", True), (429, "TRUE", True), (503, "perhaps", True), (400, "", False)],
)
def test_a_service_says_itself_whether_to_try_again(status: int, advice: str, is_passing: bool) -> None:
    assert faults.refused(status, {"x-should-retry": advice}, b"{}").is_passing is is_passing


@pytest.mark.parametrize(
    ("body", "is_passing", "words"),
    [
        ('{"error": {"code": 429, "message": "Rate limit exceeded"}}', True, "answered 429: Rate limit exceeded"),
        ('{"error": {"code": 401, "message": "No auth"}}', False, "answered 401: No auth"),
        ('{"error": {"code": "502", "message": "upstream"}}', True, "answered 502: upstream"),
        ('{"error": {"message": "prompt is too long"}}', False, "prompt is too long"),
        ('{"error": {"message": "odd"}}', False, "application/json instead of a stream: odd"),
        ('{"choices": []}', False, "application/json instead of a stream"),
    ],
)
def test_an_error_with_status_200_counts_as_what_it_says(body: str, is_passing: bool, words: str) -> None:
    fault = faults.not_a_stream("application/json", body.encode())

    assert fault.is_passing is is_passing
    assert words in str(fault)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("body", "is_passing", "words"),
    [
        (b"upstream timed out\n", True, "answered with plain text instead of a stream: upstream timed out"),
        (b"\r\n<!doctype html><p>Sign in", False, "answered with text/html instead of a stream"),
        (b"prompt is too long", False, "prompt is too long"),
        *(
            (begun, True, "cut off before its end")
            for begun in (b"", b"\n", b": hi\n\n", b"da", b"\xef\xbb\xbfevent: x")
        ),
    ],
)
def test_an_answer_without_any_event_is_told_from_one_that_was_cut_off(
    api: str, body: bytes, is_passing: bool, words: str
) -> None:
    for pieces in ([body], [body[at : at + 1] for at in range(len(body))]):
        with pytest.raises(ModelFault) as caught:
            decoded(api, *pieces)

        assert str(caught.value).endswith((words, f"{words}."))
        assert caught.value.is_passing is is_passing
        assert (caught.value.has_begun is False) == ("cut off" not in words)


def test_what_stands_behind_a_gateways_own_words_is_shown() -> None:
    metadata = {"raw": json.dumps({"error": {"message": "Unexpected role"}}), "provider_name": "x"}
    body = {"error": {"code": 400, "message": "Provider returned error", "metadata": metadata}}

    fault = faults.refused(400, JSON, json.dumps(body).encode())

    assert str(fault) == "The model's service answered 400: Provider returned error: Unexpected role"


PAUSES = {
    "the header": ({"retry-after": "7"}, {"message": "Try again in 9s"}, 7.0),
    "the words": ({}, {"message": "Rate limit reached. Please try again in 1m2.5s. Visit …"}, 62.5),
    "the words, in milliseconds": ({}, {"message": "Please try again in 120ms."}, 0.12),
    "the words, spelled out": ({}, {"message": "Please retry after 12 seconds."}, 12.0),
    "Google's details": (
        {},
        {"message": "Quota", "details": [{"@type": "x"}, {"@type": "…RetryInfo", "retryDelay": "36s"}]},
        36.0,
    ),
    "an allowance that is used up": (
        {
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "6m0s",
            "x-ratelimit-remaining-tokens": "5",
            "x-ratelimit-reset-tokens": "9h",
        },
        {},
        360.0,
    ),
    "none": ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "6m0s"}, {"message": "no"}, None),
    "details of odd shapes": ({}, {"message": "no", "details": [1, {"retryDelay": 5}, {"retryDelay": "soon"}]}, None),
}


@pytest.mark.parametrize(("headers", "error", "seconds"), PAUSES.values(), ids=PAUSES.keys())
def test_the_pause_is_taken_from_wherever_it_stands(
    headers: dict[str, str], error: dict[str, Any], seconds: float | None
) -> None:
    fault = faults.refused(429, JSON | headers, json.dumps({"error": error}).encode())

    assert fault.retry_after_seconds == seconds


async def test_a_service_that_only_says_that_it_is_there_is_given_up_in_the_end() -> None:
    # Three times as long as for a first byte.
    profile = {"first_byte_seconds": 2, "between_bytes_seconds": 20}
    alive = [part for _ in range(1_200) for part in (Raw(b": still here\n\n"), Pause(0.01))]

    async with asyncio.timeout(20), scripted_model([[Say("x"), *alive]]) as server:
        model = build_model(profile_for(server, "openai", **profile), name="test", environment={})
        with pytest.raises(ModelFault, match=r"nothing but that it is there, for 6 s") as caught:
            await events_of(model)
        await model.aclose()

    assert caught.value.is_passing


async def test_a_service_that_says_that_it_is_there_is_waited_for() -> None:
    profile = {"first_byte_seconds": 10, "between_bytes_seconds": 1}
    alive = [part for _ in range(8) for part in (Raw(b": still here\n\n"), Pause(0.15))]

    async with asyncio.timeout(20), scripted_model([[*alive, Say("x")]]) as server:
        model = build_model(profile_for(server, "openai", **profile), name="test", environment={})
        assert said(parts_of(await events_of(model))) == [("say", "x")]
        await model.aclose()


def test_a_bad_certificate_does_not_pass() -> None:
    error = OSError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")

    assert not faults.unreachable("host", error).is_passing


@pytest.mark.parametrize(("api", "end_mark"), [("anthropic", b"event: message_stop"), ("openai", b"data: [DONE]")])
async def test_a_connection_that_breaks_behind_the_finish_mark_breaks_nothing(api: str, end_mark: bytes) -> None:
    answer = Answer((Say("x"),))
    whole = stream_of(api, answer, "test-model")

    async with asyncio.timeout(20), scripted_model([replace(answer, cut_after_bytes=whole.rfind(end_mark))]) as server:
        model = build_model(profile_for(server, api), name="test", environment={})
        events = await events_of(model)
        await model.aclose()

    assert events[-1] == Stopped(StopReason.END)


async def test_a_service_that_keeps_the_connection_busy_after_its_end_is_not_waited_for() -> None:
    mark = b"data: [DONE]\n\n"
    last = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'

    async with asyncio.timeout(5), scripted_model([[Say("x"), Raw(last + mark), Hold()], [Say("y")]]) as server:
        model = build_model(profile_for(server, "openai"), name="test", environment={})
        events = [*await events_of(model), *await events_of(model)]
        await model.aclose()

    assert said(parts_of(events)) == [("say", "xy")]


async def test_no_more_of_an_errors_body_is_read_than_makes_sense() -> None:
    async with asyncio.timeout(20), scripted_model([Refusal(500, body=b"w" * 10_000_000)]) as server:
        model = build_model(profile_for(server, "openai"), name="test", environment={})
        with pytest.raises(ModelFault) as caught:
            await events_of(model)
        await model.aclose()

    assert len(str(caught.value)) < 1000


# The cases of misbehaving services, as far as one model request can tell

CASES = [
    json.loads(line) for line in (Path(__file__).parents[1] / "cases/sse_faults.jsonl").read_text("utf-8").splitlines()
]
_STOPS = {"stop": "end", "tool": "calls", "length": "length", "filter": "refusal"}
_OF_THE_LOOP = {"cancelled", "killed"}
"""Outcomes that need a task around the model."""


def turn_of(steps: list[dict[str, Any]]) -> Turn:
    """Translate a case's steps into what the scripted server plays."""
    if "status" in steps[0]:
        headers = tuple((k, v) for k, v in steps[0]["headers"].items() if k != "content-type")
        return Refusal(steps[0]["status"], headers=headers, body=steps[1]["body"].encode())
    parts: list[Part] = []
    options: dict[str, Any] = {}
    for step in steps:
        match step:
            case {"split": split}:
                options["split_bytes"] = int(split.removeprefix("bytes:"))
            case {"eol": eol}:
                options["eol"] = eol
            case {"finish": finish}:
                options["stop"] = _STOPS[finish]
            case {"tool_args": arguments}:
                opened = parts.pop()
                assert isinstance(opened, RawCall)
                parts.append(replace(opened, arguments=opened.arguments + arguments))
            case {"end": True}:
                pass
            case _:
                parts.append(part_of(step))
    return Answer(tuple(parts), **options)


def part_of(step: dict[str, Any]) -> Part:
    match step:
        case {"text": text}:
            return Say(text)
        case {"tool": call}:
            return RawCall(call["name"], json.dumps(call["args"]), call["id"])
        case {"tool_raw": call} | {"tool_open": call}:
            return RawCall(call["name"], call.get("args", ""), call["id"])
        case {"raw": text}:
            return Raw(text.encode())
        case {"close": True} | {"reset": True}:
            return Cut(is_reset="reset" in step)
        case _:
            raise ValueError(f"no such step: {step}")


async def played(model: Streaming, turns: int) -> tuple[str, str]:
    """Ask until an answer comes or a fault is lasting: the outcome, and what was said."""
    outcome = "ok"
    for _ in range(turns + 1):
        try:
            parts = parts_of(await events_of(model))
        except ModelFault as fault:
            if not fault.is_passing:
                return "error_shown", str(fault)
            outcome = "ok_after_retry"
        else:
            return outcome, "".join(part[1] for part in said(parts) if part[0] == "say")
    return "error_shown", ""


@pytest.mark.parametrize("api", ["anthropic", "openai", "openai-responses"])
@pytest.mark.parametrize(
    "case", [c for c in CASES if c["expect"].get("outcome") not in _OF_THE_LOOP], ids=lambda c: c["id"]
)
async def test_a_misbehaving_service_is_borne(case: dict[str, Any], api: str) -> None:
    expect = case["expect"]
    # A call that the tools must refuse, and an answer that says nothing, are whole answers here.
    wanted = {expect.get("outcome"), *expect.get("outcome_in", ())}
    allowed = wanted | ({"ok"} if "model_told" in wanted or case["id"] == "r017" else set())

    async with asyncio.timeout(20), scripted_model([turn_of(steps) for steps in case["turns"]]) as server:
        model = build_model(profile_for(server, api), name="test", environment={})
        outcome, words = await played(model, len(case["turns"]))
        await model.aclose()

    assert outcome in allowed
    assert expect.get("must_show", "") in words
    if outcome.startswith("ok") and case["id"] != "r008":
        assert words == expect.get("text", words)
