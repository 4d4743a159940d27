"""A real server killed at every single journal write, in its middle or right behind it, and what the next one finds."""

import asyncio
import sys
from pathlib import Path

import pytest
from story import environment, settings_for

from agent_lsp.domain.history import Reply, Result
from agent_lsp.storage.journal import Journal
from agent_lsp.storage.restore import restore, settle
from support.lsp_client import LspClient
from support.model_server import CallTool, Say, ScriptedServer, scripted_model

TURNS = [
    [Say("Looking."), CallTool("read_file", path="a.txt")],
    [
        CallTool("edit_file", path="a.txt", old_string="old", new_string="new"),
        CallTool("write_to_file", path="b.txt", content="b\n"),
    ],
    [CallTool("attempt_completion", result="Done.")],
]
SETTINGS = {"autoApprove": {"write": True}}
KILLER = str(Path(__file__).with_name("killing_server.py"))
MOST_WRITES = 60


async def run_until_killed(folder: Path, model: ScriptedServer, number: int, moment: str) -> tuple[str, list[dict]]:
    """Run the task in a server that dies at write `number`; the task and the whole messages its client had seen."""
    command = [sys.executable, KILLER, str(number), moment, "--stdio"]
    client = await LspClient.start(command, cwd=folder, env=environment(folder / "state"))
    try:
        options = {"agent": settings_for(model, "openai", **SETTINGS)}
        await client.initialize(capabilities={}, options=options, root=folder / "workspace")
        client.send_request("agent/newTask", {"text": "go"})
        await until_over(client)
    finally:
        await client.aclose()
    seen = [params["message"] for params in client.named("agent/message") if not params["message"].get("partial")]
    tasks = [path.name for path in (folder / "state/tasks").glob("*")]
    return (tasks[0] if tasks else ""), seen


async def until_over(client: LspClient) -> None:
    """Wait until the server is dead or the task done."""
    assert client.process is not None
    dead = asyncio.create_task(client.process.wait())
    done = asyncio.create_task(client.until(lambda: is_done(client)))
    await asyncio.wait((dead, done), return_when=asyncio.FIRST_COMPLETED)
    for waiting in (dead, done):
        waiting.cancel()
    await asyncio.gather(dead, done, return_exceptions=True)


def is_done(client: LspClient) -> bool:
    return any(status["state"] == "idle" for status in client.named("agent/state"))


@pytest.mark.timeout(300)
async def test_a_kill_at_every_journal_write_loses_nothing_that_was_told(tmp_path: Path) -> None:
    for number in range(1, MOST_WRITES):
        folder, moment = tmp_path / str(number), ("torn", "after")[number % 2]
        (folder / "workspace").mkdir(parents=True)
        (folder / "workspace/a.txt").write_text("old\n")
        async with scripted_model(TURNS) as model:
            task_id, seen = await run_until_killed(folder, model, number, moment)
        if task_id:
            assert_kept(folder, task_id, seen)
        if any(message.get("ask") == "completion_result" for message in seen):
            assert number > 15
            return
    pytest.fail("the task never ran to its end")


def assert_kept(folder: Path, task_id: str, seen: list[dict]) -> None:
    journal, reading = Journal.open(folder / "state/tasks" / task_id)
    journal.close()
    stored = restore(reading, task_id)
    settle(stored)
    texts = {message.ts: message.text for message in stored.messages}
    for message in seen:
        assert message.get("say") == "api_req_started" or texts[message["ts"]] == message.get("text")
    open_calls: list[str] = []
    for item in stored.history:
        if isinstance(item, Result):
            open_calls.remove(item.call_id)
        elif isinstance(item, Reply):
            assert open_calls == []
            open_calls = [call.id for call in item.calls]
    assert open_calls == []
    assert (folder / "workspace/a.txt").read_text() in ("old\n", "new\n")
    assert sorted(path.name for path in (folder / "workspace").iterdir()) in (["a.txt"], ["a.txt", "b.txt"])
