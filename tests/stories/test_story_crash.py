"""The server is killed, at any moment: what was acknowledged is there afterwards, and the task goes on."""

import asyncio
import json
import os
import random
import shutil
from pathlib import Path

import pytest
from story import SERVER, Picture, environment, settings_for, story

from agent_lsp.workspace.leftovers import Leftovers
from support.lsp_client import LspClient
from support.model_server import APIS, CallTool, Hold, Say, ScriptedServer, scripted_model

WHOLE = {"autoApprove": {"write": True, "execute": True}, "allowedCommands": ["cat"]}
KILLS = int(os.environ.get("AGENT_LSP_TEST_KILLS", "18"))
"""In all; more of them take longer, and find no more in most runs."""
TEXT = "the quick brown fox\n" * 40


def steps() -> list[list]:
    return [
        [Say("Looking. " * 20), CallTool("read_file", path="a.txt"), CallTool("list_files", path=".", recursive=False)],
        [CallTool("write_to_file", path="b.txt", content=TEXT)],
        [CallTool("edit_file", path="a.txt", old_string="old", new_string="new")],
        [CallTool("execute_command", command="cat a.txt b.txt")],
        [CallTool("attempt_completion", result="Done.")],
    ]


def replay(api: str, index: int, request) -> list:
    """Play the script by how far the task has come, not by how many requests were made: it is resumed midway."""
    del api, index
    done = len({result.call_id for result in request.results})
    return next((step for count, step in zip((0, 2, 3, 4), steps(), strict=False) if done <= count), steps()[-1])


async def open_client(folder: Path, model: ScriptedServer, api: str) -> LspClient:
    client = await LspClient.start(SERVER, cwd=folder, env=environment(folder / "state"))
    options = {"agent": settings_for(model, api, **WHOLE)}
    await client.initialize(capabilities={}, options=options, root=folder / "workspace")
    return client


async def killed_run(folder: Path, model: ScriptedServer, api: str, bytes_read: int) -> tuple[str, Picture]:
    """Run the task and kill the server after the client has read so many bytes; what the client knew then."""
    client = await open_client(folder, model, api)
    admitted = await client.request("agent/newTask", {"text": "go"})
    picture = Picture(client)
    await client.until(lambda: bytes_told(client) >= bytes_read or picture.status.get("state") == "idle")
    assert client.process is not None
    client.process.kill()
    await client.aclose()
    return admitted["taskId"], picture.update()


def bytes_told(client: LspClient) -> int:
    return sum(len(json.dumps(params)) for _, params in client.notifications)


@pytest.mark.timeout(60 + 10 * KILLS)
@pytest.mark.parametrize("api", APIS)
async def test_a_kill_loses_no_whole_message_and_tears_no_file(tmp_path: Path, api: str) -> None:
    moments = random.Random(api)  # the same moments in every run of this test
    for round_number in range(KILLS // len(APIS)):
        folder = tmp_path / str(round_number)
        (folder / "workspace").mkdir(parents=True)
        (folder / "workspace/a.txt").write_text("old\n")
        async with scripted_model(lambda index, request: replay(api, index, request)) as model:
            task_id, known = await killed_run(folder, model, api, moments.randrange(1, 9000))
            await assert_resumes(folder, model, api, task_id, known)
            assert model.problems == []


async def assert_resumes(folder: Path, model: ScriptedServer, api: str, task_id: str, known: Picture) -> None:
    assert (folder / "workspace/a.txt").read_text() in ("old\n", "new\n")
    assert not (folder / "workspace/b.txt").exists() or (folder / "workspace/b.txt").read_text() == TEXT
    client = await open_client(folder, model, api)
    try:
        status = await client.request("agent/resumeTask", {"taskId": task_id})
        assert status["state"] in ("resumable", "idle")
        snapshot = await client.request("agent/state", {"taskId": task_id})
        kept = {message["ts"]: message for message in snapshot["messages"]}
        for ts, message in known.messages.items():
            if not message.get("partial"):
                assert kept[ts].get("text") == message.get("text") or message.get("say") == "api_req_started"
        if status["state"] == "resumable":
            picture = Picture(client)
            await client.request("agent/askResponse", {"taskId": task_id, "response": "yesButtonClicked"})
            await client.until(lambda: picture.status.get("state") == "idle" and picture.ask())
            assert (picture.ask() or {}).get("ask") == "completion_result"
        assert await client.shut_down() == 0
    finally:
        await client.aclose()
    assert [path.name for path in (folder / "workspace").iterdir() if path.name not in ("a.txt", "b.txt")] == []


async def test_a_kill_in_the_middle_of_a_stream_keeps_what_was_streamed(tmp_path: Path) -> None:
    hold = Hold()
    async with story(tmp_path, [[Say("half of an answer"), hold]]) as s:
        await s.new_task()
        await hold.reached.wait()
        await s.client.until(
            lambda: "half of an answer" in [m.get("text") for m in s.picture.update().messages.values()]
        )
        assert s.client.process is not None
        s.client.process.kill()
        await s.client.wait_for_exit()
        shutil.copytree(s.state, tmp_path / "kept")
        hold.release.set()

    journal = (tmp_path / "kept/tasks" / s.task_id / "journal.jsonl").read_text()
    assert "half of an answer" in journal


async def test_a_client_that_vanishes_leaves_a_task_that_was_settled(tmp_path: Path) -> None:
    async with story(tmp_path, [[CallTool("write_to_file", path="x", content="y")]]) as s:
        await s.new_task()
        await s.ask("tool")
        s.client.end_input()
        assert await s.client.wait_for_exit() == 1

    assert not (s.workspace / "x").exists()
    journal = (s.state / "tasks" / s.task_id / "journal.jsonl").read_text()
    assert '"state":"interrupted"' in journal


async def test_what_a_kill_left_beside_a_file_is_swept_at_the_next_start(tmp_path: Path) -> None:
    workspace, notes = tmp_path / "workspace", tmp_path / "state/notes"
    workspace.mkdir()
    dead = await asyncio.create_subprocess_exec("true")
    await dead.wait()
    with_note = Leftovers(notes)
    with with_note.noted(workspace) as name:
        (workspace / name).write_text("half")
        note = next(notes.iterdir())
        kept = note.read_bytes()
    (workspace / name).write_text("half")
    (notes / f"{dead.pid}-x").write_bytes(kept)

    async with story(tmp_path, [[CallTool("attempt_completion", result="x")]]) as s:
        await s.new_task()
        await s.ask("completion_result")

    assert list(workspace.iterdir()) == []
