"""Going back with files and words, through the real server; also when it is killed in between."""

from pathlib import Path
from typing import Any

from story import WORDS, Story, story
from test_story_checkpoints import DONE, EDIT

from support.lsp_client import Json
from support.model_server import CallTool

AGAIN = [CallTool("edit_file", path="a.txt", old_string="two", new_string="zwei")]


async def restore(s: Story, what: str, **fields: Any) -> Json:
    return await s.client.request("agent/restore", {"taskId": s.task_id, "what": what, **fields})


def text(s: Story, path: Path) -> str:
    """A file as the user sees it."""
    document = s.editor.documents.get(path.as_uri())
    return document.text if document else path.read_text()


def deleted(s: Story) -> list[int]:
    messages = [params["message"] for params in s.client.named("agent/message")]
    return [message["ts"] for message in messages if message.get("deleted")]


async def test_words_and_files_go_back_together_and_forth_again(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE, AGAIN, DONE]) as s:
        path = s.file("a.txt", "one\ntwo\n")
        await s.new_task("in digits")
        await s.approve("tool")
        await s.ask("completion_result")
        before = (await s.snapshot())["messages"]

        plan = await restore(s, "both", ts=before[0]["ts"], dryRun=True)
        done = await restore(s, "both", ts=before[0]["ts"])

        assert (plan["rewind"], plan["files"]) == (done["rewind"], done["files"])
        assert done["rewind"] == {"ts": before[0]["ts"], "hidden": len(before), "shown": 0, "text": "in digits"}
        assert [file["path"] for file in done["files"]] == ["a.txt"]
        assert deleted(s) == [message["ts"] for message in before]
        assert text(s, path) == "one\ntwo\n"
        assert [message["ask"] for message in (await s.snapshot())["messages"]] == ["resume_task"]

        await s.answer(WORDS, text="in German")
        await s.approve("tool")
        await s.ask("completion_result")
        assert text(s, path) == "one\nzwei\n"
        await restore(s, "files", ts=(await s.snapshot())["messages"][1]["ts"])
        await restore(s, "both", checkpoint=done["undo"])

        assert text(s, path) == "one\n2\n"
        assert (await s.snapshot())["messages"] == before


async def test_queue_and_rewind_are_there_when_the_server_comes_back(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        s.file("a.txt", "one\ntwo\n")
        task_id = await s.new_task("in digits")
        await s.ask("tool")
        sent = await s.client.request("agent/sendMessage", {"taskId": task_id, "text": "and then"})
        assert s.client.process is not None
        s.client.process.kill()
        await s.client.process.wait()
    async with story(tmp_path, [DONE, DONE]) as s:
        s.task_id = task_id
        status = await s.client.request("agent/resumeTask", {"taskId": task_id})
        listed = await s.client.request("agent/queue", {"taskId": task_id, "op": "list"})
        await s.answer("yesButtonClicked")
        await s.ask("completion_result")

        assert status["queue"] == 1
        assert listed["words"] == [{"messageId": sent["messageId"], "text": "and then", "delivery": "queue"}]
        assert "and then" in str(s.model.requests[0].body)
