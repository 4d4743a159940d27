"""The scripted model server is read by the vendors' own clients, and refuses what the vendors would."""

import asyncio
import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from support.model_requests import seen
from support.model_script import turns_from_json
from support.model_server import CallTool, Refusal, Say, Think, scripted_model

TURN = [Think("Hm"), Say("Hello, you."), CallTool("read_file", path="a")]
ARGUMENTS = '{"path": "a"}'


async def test_anthropics_client_reads_the_answers() -> None:
    import anthropic

    async with asyncio.timeout(20), scripted_model([TURN]) as server:
        client = anthropic.AsyncAnthropic(api_key="k", base_url=server.base_url("anthropic"))
        async with client.messages.stream(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}]
        ) as stream:
            message = await stream.get_final_message()
        await client.close()

    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
    assert message.stop_reason == "tool_use"
    assert (message.usage.input_tokens, message.usage.output_tokens) == (100, 10)


async def test_openais_client_reads_the_answers_of_both_apis() -> None:
    import openai

    async with asyncio.timeout(20), scripted_model([TURN, TURN]) as server:
        client = openai.AsyncOpenAI(api_key="k", base_url=server.base_url("openai"))
        async with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "x"}]) as stream:
            completion = await stream.get_final_completion()
        async with client.responses.stream(model="m", input=[{"role": "user", "content": "x"}]) as stream:
            response = await stream.get_final_response()
        await client.close()

    message = completion.choices[0].message
    assert message.content == response.output_text == "Hello, you."
    assert [call.function.arguments for call in message.tool_calls or ()] == [ARGUMENTS]
    assert [item.arguments for item in response.output if item.type == "function_call"] == [ARGUMENTS]


USER: Any = {"role": "user", "content": "x"}
CALL: Any = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
RESULT: Any = {"type": "tool_result", "tool_use_id": "a", "content": "y"}


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([USER, {"role": "assistant", "content": [CALL]}], "without a result"),
        ([USER, {"role": "assistant", "content": [CALL]}, USER], "without a result directly after"),
        ([USER, {"role": "assistant", "content": [CALL, CALL]}, {"role": "user", "content": [RESULT]}], "one id"),
        ([{"role": "user", "content": [RESULT]}], "which no call"),
        (
            [USER, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": [RESULT, RESULT]}],
            "a second one",
        ),
        ([USER, {"role": "assistant", "content": [CALL | {"input": 1}]}], "must be an object"),
        ([USER, USER], "alternate"),
        ([{"role": "user", "content": []}], "empty"),
        ([{"role": "user", "content": [{"type": "text", "text": " "}]}], "empty"),
        (
            [
                USER,
                {"role": "assistant", "content": [CALL]},
                {"role": "user", "content": [{"type": "text", "text": "x"}, RESULT]},
            ],
            "first",
        ),
    ],
)
def test_a_request_that_the_vendor_would_refuse_is_refused(messages: list[Any], problem: str) -> None:
    body = json.dumps({"model": "m", "max_tokens": 9, "stream": True, "messages": messages}).encode()

    with pytest.raises(ValueError, match=problem):
        seen("anthropic", "/v1/messages", {}, body)


def test_a_script_file_holds_the_same_turns() -> None:
    script = [
        ["Hello, you.", {"call": "read_file", "arguments": {"path": "a"}}],
        {"parts": [{"think": "Hm"}], "stop": "length", "repeat": 2},
        {"status": 429, "message": "slow down"},
    ]

    turns = turns_from_json(script)

    assert len(turns) == 4
    assert turns[1] is turns[2]
    assert turns[3] == Refusal(429, "slow down")


def test_it_can_be_started_by_hand(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[["Hello, you."]]')
    tests = Path(__file__).parents[1]

    with subprocess.Popen(
        [sys.executable, "-m", "support.model_server", str(script)], cwd=tests, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        body = {"model": "m", "stream": True, "messages": [USER]}
        request = urllib.request.Request(f"{address}/v1/chat/completions", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=10) as response:
            answer = response.read().decode()
        process.terminate()

    assert '"content": "Hello, you."' in answer
