"""A server that is killed while its edit is made: what the agent did is known for its own all the same."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from story import Story, story

from support.lsp_client import Json, NoAnswer
from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="Done.")]
EDIT = [CallTool("edit_file", path="a.txt", old_string="two", new_string="2")]
TEXT = "one\ntwo\nthree\n"


def killed_by_its_edit(s: Story, *, is_made: bool) -> Callable[[Json], Awaitable[Json]]:
    """Kill the server when its edit comes: behind the edit, or before it."""

    async def answer(params: Json) -> Json:
        if is_made:
            await s.editor.apply(params)
            s.editor.save((s.workspace / "a.txt").as_uri())
        assert s.client.process is not None
        s.client.process.kill()
        await s.client.process.wait()
        raise NoAnswer

    return answer


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("is_made", [True, False])
async def test_edit_of_a_killed_server_is_taken_back(tmp_path: Path, is_open: bool, is_made: bool) -> None:
    async with story(tmp_path, [EDIT]) as s:
        path = s.file("a.txt", TEXT)
        if is_open:
            s.editor.open(path.as_uri(), TEXT)
        s.client.answers["workspace/applyEdit"] = killed_by_its_edit(s, is_made=is_made)
        task_id = await s.new_task()
        ask = await s.ask("tool")
        s.client.send_request("agent/askResponse", {"taskId": task_id, "response": "yesButtonClicked"})
        assert s.client.process is not None
        await s.client.process.wait()
    assert path.read_text() == (TEXT.replace("two", "2") if is_made else TEXT)
    path.write_text(path.read_text() + "typed\n")
    async with story(tmp_path, [DONE]) as s:
        await s.client.request("agent/resumeTask", {"taskId": task_id})

        done = await s.client.request("agent/restore", {"taskId": task_id, "ts": ask["ts"], "what": "files"})

        assert ([file["path"] for file in done["files"]], done["conflicts"]) == (["a.txt"] * is_made, [])
        assert path.read_text() == TEXT + "typed\n"
