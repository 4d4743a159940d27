"""Hostile input, case by case, against the front door as a process."""

import asyncio
import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from support.lsp_client import LspClient

SERVER = Path(__file__).parent.parent / "support" / "fake_server.py"
CASES = Path(__file__).parent.parent / "cases" / "jsonrpc_bad.jsonl"
PROBE_CODES = {"fresh": -32002, "ready": -32601, "shutdown": -32600}
Case = dict[str, Any]


def cases() -> list[Any]:
    found = [json.loads(line) for line in CASES.read_text().splitlines()]
    return [pytest.param(case, id=f"{case['id']} {case['why']}") for case in found]


@pytest.mark.parametrize("case", cases())
async def test_hostile_input_does_no_harm(case: Case) -> None:
    client = await LspClient.start((sys.executable, str(SERVER)))
    try:
        await reach(client, case["phase"])
        for step in case["send"]:
            await take_step(client, step)
        await check(client, case["expect"], case["phase"])
    finally:
        await client.aclose()


async def reach(client: LspClient, phase: str) -> None:
    if phase != "fresh":
        await client.initialize()
        await client.request("agent/debugReport")
    if phase == "shutdown":
        await client.request("shutdown")
    client.responses.clear()


async def take_step(client: LspClient, step: Case) -> None:
    ((kind, what),) = step.items()
    match kind:
        case "eof":
            client.end_input()
        case "wait_ms":
            # The case wants the messages before it to have been answered.
            await client.until(lambda: client.responses)
        case "repeat":
            for number in range(what["times"]):
                client.send(filled(what["msg"], number))
        case _:
            client.write(encoded(kind, what))


def encoded(kind: str, what: Any) -> bytes:
    match kind:
        case "raw":
            return what.encode()
        case "frame":
            return framed(what.encode("utf-8", "surrogatepass"))
        case "frame_b64":
            return framed(base64.b64decode(what))
        case "msg":
            return framed(json.dumps(what).encode())
        case _:
            raise AssertionError(f"no such step: {kind}")


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def filled(message: Case, number: int) -> Case:
    return {key: 100_000 + number if value == "@N@" else value for key, value in message.items()}


async def check(client: LspClient, expect: Case, phase: str) -> None:
    if "exit" in expect:
        assert await client.wait_for_exit() in expect["exit"]
        return
    await probe(client, phase)
    for reply in expect.get("replies", ()):
        assert [code_of(r) for r in client.responses if r["id"] == reply["id"]] in [[code] for code in reply["error"]]
    for code in expect.get("null_id_error", ()):
        assert [code_of(r) for r in client.responses if r["id"] is None] == [code]
    for reply_id in expect.get("no_reply", ()):
        assert reply_id not in [r["id"] for r in client.responses]
    if "count_replies" in expect:
        # One more: the probe's.
        assert len(client.responses) == expect["count_replies"] + 1


async def probe(client: LspClient, phase: str) -> None:
    """The server still listens, and answers as its phase wants."""
    request_id = client.send_request("$/probe", {}, request_id=999_999)
    async with asyncio.timeout(20):
        response = await client.response(request_id)
    assert code_of(response) == PROBE_CODES[phase]


def code_of(response: Case) -> int | None:
    return response.get("error", {}).get("code")
