"""Secrets planted wherever people and services leave them, and every byte that was written searched for them."""

import json
from pathlib import Path
from typing import Any

import psutil
from story import CAPABILITIES, SERVER, Picture, Story, environment

from support.fake_editor import FakeEditor
from support.lsp_client import AGENT, LspClient
from support.model_server import CallTool, Refusal, Say, ScriptedServer, StreamError, Think, scripted_model

NAMED = {
    name: f"planted-{name.lower().replace('_', '-')}-0a1b2c3d"
    for name in (
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "NPM_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "STRIPE_SECRET",
        "DB_PASSWORD",
        "SESSION_COOKIE",
        "PROXY_AUTH",
    )
}
"""What the environment calls a secret."""
LITERAL = "planted-literal-key-0a1b2c3d"
HEADER = "planted-header-0a1b2c3d"
IN_ADDRESS = "planted-password-0a1b2c3d"
IN_QUERY = "planted-query-0a1b2c3d"
SHAPED = {
    "in the user's words": "sk-ant-api03-aaaabbbbccccdddd1111",
    "in a file": "ghp_aaaabbbbccccddddeeeeffff22223333abcd",
    "in a command's output": "glpat-aaaabbbbcccc4444dddd",
    "in the model's words": "AKIAABCDEFGH12345678",
    "in the model's thoughts": "xoxb-555555555555-aaaabbbbcccc",
    "in a call": "npm_aaaabbbbccccddddeeeeffff666677778888",
    "in an error": "sk-proj-aaaabbbbccccdddd9999eeee",
    "in a page that refuses": "AIzaaaaabbbbccccddddeeeeffff00001111222",
    "in an error of the stream": "hf_aaaabbbbccccddddeeeeffff33334444",
    "in a title": "dckr_pat_aaaabbbbccccdddd5555eeee",
}
VALUES = [*NAMED.values(), LITERAL, HEADER, IN_ADDRESS, IN_QUERY, *SHAPED.values()]


def turns() -> list[Any]:
    quoted = f"{LITERAL} {NAMED['OPENAI_API_KEY']}"
    return [
        Refusal(500, f"you sent {quoted}, {SHAPED['in an error']}"),
        Refusal(
            503, body=f"<html>{SHAPED['in a page that refuses']} {HEADER}</html>".encode(), content_type="text/html"
        ),
        [Say("so far"), StreamError(f"{SHAPED['in an error of the stream']} {LITERAL}")],
        [
            Think("hm " + SHAPED["in the model's thoughts"]),
            Say("your key is " + SHAPED["in the model's words"] + f" and {LITERAL}"),
            CallTool("read_file", path=".env"),
        ],
        [CallTool("execute_command", command="cat out.txt; env; sed s/^/x/ .env; seq 9000; cat out.txt .env")],
        [CallTool("write_to_file", path="new.txt", content=SHAPED["in a call"] + "\n")],
        [CallTool("attempt_completion", result=f"All done with {LITERAL}")],
    ]


def settings(model: ScriptedServer) -> dict[str, Any]:
    host = model.base_url("anthropic").removeprefix("http://")
    profile = {"type": "anthropic", "model": "m", "apiKey": LITERAL, "baseURL": f"http://{host}"}
    other = {"type": "openai", "model": "m", "apiKey": "$ENV:OPENAI_API_KEY"}
    return {
        "currentProvider": "test",
        "providers": {
            "test": {**profile, "headers": {"x-gateway": HEADER, "x-more": "$ENV:STRIPE_SECRET"}},
            "other": {**other, "baseURL": f"http://me:{IN_ADDRESS}@{host}/v1?code={IN_QUERY}"},
        },
        "autoApprove": {"write": True},
    }


async def play(folder: Path) -> tuple[Story, str]:
    """Play a task that meets all of them; what the server told of it, as one text."""
    (workspace := folder / "workspace").mkdir()
    (workspace / ".env").write_text(f"A={SHAPED['in a file']}\nB={NAMED['DB_PASSWORD']}\n")
    (workspace / "out.txt").write_text(SHAPED["in a command's output"] + "\n")
    async with scripted_model(turns()) as model:
        command = [*SERVER, "--log-file", str(folder / "log"), "--log-level", "debug"]
        client = await LspClient.start(command, cwd=folder, env={**environment(folder / "state"), **NAMED})
        try:
            options = {"agent": settings(model)}
            await client.initialize(capabilities=CAPABILITIES, agent=AGENT, options=options, root=workspace)
            story = Story(model, client, FakeEditor(client, "utf-16"), workspace, folder / "state", Picture(client))
            await story.new_task(f"use {SHAPED['in a title']} and " + SHAPED["in the user's words"])
            await story.approve("command")
            await story.ask("completion_result")
            told = [
                await client.request("agent/debugReport", {}),
                await client.request("agent/exportTask", {"taskId": story.task_id}),
                await client.request("agent/listTasks", {}),
            ]
            assert await client.shut_down() == 0
        finally:
            await client.aclose()
    return story, json.dumps(told) + bytes(client.stderr).decode()


def written(folder: Path) -> dict[str, bytes]:
    """All that was written outside the workspace, by file."""
    files = [path for path in folder.rglob("*") if path.is_file() and "workspace" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


async def test_no_secret_is_written_wherever_it_was_planted(tmp_path: Path) -> None:
    story, told = await play(tmp_path)

    found = {
        (where, value) for where, content in written(tmp_path).items() for value in VALUES if value.encode() in content
    }
    assert found == set()
    assert [value for value in VALUES if value in told] == []
    assert story.model.problems == []


async def test_a_command_is_given_no_secret_of_the_environment(tmp_path: Path) -> None:
    story, _ = await play(tmp_path)

    output = story.model.requests[5].results[1].text
    assert SHAPED["in a command's output"] in output
    assert [value for name, value in NAMED.items() if value in output and name != "DB_PASSWORD"] == []


async def test_no_process_that_is_started_has_a_secret_in_its_environment(tmp_path: Path) -> None:
    waiting = [CallTool("execute_command", command="sleep 600 & echo it-runs; wait")]
    async with scripted_model([waiting]) as model:
        client = await LspClient.start(SERVER, cwd=tmp_path, env={**environment(tmp_path / "state"), **NAMED})
        try:
            await client.initialize(options={"agent": settings(model)}, root=tmp_path)
            story = Story(model, client, FakeEditor(client, "utf-16"), tmp_path, tmp_path, Picture(client))
            await story.new_task()
            await story.approve("command")
            await client.until(lambda: "it-runs\n" in [m.get("text") for m in story.picture.update().messages.values()])
            environments = {process.name(): str(process.environ()) for process in children(client)}
            await client.request("agent/cancelTask", {"taskId": story.task_id})
        finally:
            await client.aclose()

    assert "bash" in environments
    assert {(name, value) for name, held in environments.items() for value in VALUES if value in held} == set()


def children(client: LspClient) -> list[psutil.Process]:
    assert client.process
    return psutil.Process(client.process.pid).children(recursive=True)
