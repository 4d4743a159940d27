import subprocess
from pathlib import Path
from typing import Any

import pytest
from story import Story, story

from support.lsp_client import Json, RpcError
from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="done")]
EDIT = [CallTool("edit_file", path="a.txt", old_string="two", new_string="2")]
COMMAND = [CallTool("execute_command", command="rm gone.txt; mkdir -p sub; echo new > sub/made.txt; chmod 700 run.sh")]


async def restore(s: Story, **fields: Any) -> Json:
    return await s.client.request("agent/restore", {"taskId": s.task_id, **fields})


async def test_a_task_is_taken_back_whole_and_once_more_forth(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, COMMAND, DONE]) as s:
        path, gone, script = s.file("a.txt", "one\ntwo\n"), s.file("gone.txt", "g\n"), s.file("run.sh", "#!/bin/sh\n")
        script.chmod(0o640)
        made, own = s.workspace / "sub/made.txt", s.workspace / "own.txt"
        await s.new_task()
        edit = await s.approve("tool")
        await s.approve("command")
        await s.ask("completion_result")
        own.write_text("the user's\n")

        rows = (await s.client.request("agent/checkpoints", {"taskId": s.task_id}))["checkpoints"]
        marks = [m["checkpoint"]["id"] for m in s.picture.update().messages.values() if "checkpoint" in m]
        plan = await restore(s, ts=edit["ts"], dryRun=True)
        assert (made.exists(), gone.exists()) == (True, False)
        done = await restore(s, ts=edit["ts"])

        assert set(marks) <= {row["id"] for row in rows}
        assert plan["files"] == done["files"]
        assert [(file["path"], file["kind"]) for file in done["files"]] == [
            ("a.txt", "edit"),
            ("gone.txt", "create"),
            ("run.sh", "edit"),
            ("sub/made.txt", "delete"),
        ]
        assert (path.read_text(), gone.read_text(), made.exists()) == ("one\ntwo\n", "g\n", False)
        assert (script.stat().st_mode & 0o777, own.read_text()) == (0o640, "the user's\n")
        await restore(s, checkpoint=done["undo"])
        assert (path.read_text(), gone.exists(), made.read_text()) == ("one\n2\n", False, "new\n")


async def test_typing_of_the_user_outlives_a_restore_of_an_open_document(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        path = s.file("a.txt", "one\ntwo\nthree\nfour\n")
        s.editor.open(path.as_uri(), path.read_text())
        await s.new_task()
        edit = await s.approve("tool")
        await s.ask("completion_result")
        s.editor.type(path.as_uri(), "one\n2\nthree\nfour\nfive\n")
        done = await restore(s, ts=edit["ts"])

        assert s.editor.documents[path.as_uri()].text == "one\ntwo\nthree\nfour\nfive\n"
        assert [(file["path"], file["isMerged"]) for file in done["files"]] == [("a.txt", True)]


async def test_difference_shows_what_the_agent_did(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        s.file("a.txt", "one\ntwo\n")
        await s.new_task()
        edit = await s.approve("tool")
        await s.ask("completion_result")
        checkpoint = s.picture.update().messages[edit["ts"]]["checkpoint"]["id"]

        shown = await s.client.request("agent/checkpointDiff", {"taskId": s.task_id, "checkpoint": checkpoint})

        assert [(change["path"], change["diff"].splitlines()[-3:]) for change in shown["changes"]] == [
            ("a.txt", [" one", "-two", "+2"])
        ]


async def test_task_at_work_is_not_restored(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        s.file("a.txt", "one\ntwo\n")
        await s.new_task()
        ask = await s.ask("tool")

        with pytest.raises(RpcError, match="cancel it first"):
            await restore(s, ts=ask["ts"])


async def test_checkpoints_go_with_their_task(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        s.file("a.txt", "one\ntwo\n")
        await s.new_task()
        await s.approve("tool")
        await s.ask("completion_result")

        await s.client.request("agent/deleteTask", {"taskId": s.task_id})

        assert list(s.state.glob("checkpoints/*/refs/tasks/*")) == []


BAITS = {
    "core.fsmonitor": "touch {bait}",
    "core.hooksPath": "{hooks}",
    "filter.bait.clean": "touch {bait}; cat",
    "filter.bait.smudge": "touch {bait}; cat",
    "filter.bait.process": "touch {bait}",
    "diff.external": "touch {bait}",
    "diff.bait.textconv": "touch {bait}",
    "core.pager": "touch {bait}",
}


async def test_repository_of_the_user_is_neither_run_nor_changed(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, COMMAND, DONE]) as s:
        bait, hooks = tmp_path / "bait", tmp_path / "hooks"
        plant(s.workspace, bait, hooks)
        s.file("a.txt", "one\ntwo\n")
        s.file("run.sh", "")
        own = {file: file.read_bytes() for file in (s.workspace / ".git").rglob("*") if file.is_file()}
        await s.new_task()
        edit = await s.approve("tool")
        await s.approve("command")
        await s.ask("completion_result")
        await s.client.request(
            "agent/checkpointDiff",
            {"taskId": s.task_id, "checkpoint": s.picture.update().messages[edit["ts"]]["checkpoint"]["id"]},
        )
        await restore(s, ts=edit["ts"])

        assert not bait.exists()
        assert {file: file.read_bytes() for file in (s.workspace / ".git").rglob("*") if file.is_file()} == own
        assert (s.workspace / "a.txt").read_text() == "one\ntwo\n"


def plant(workspace: Path, bait: Path, hooks: Path) -> None:
    """Make a repository in which whatever git can be made to run leaves a trace."""
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    for name, value in BAITS.items():
        command = ["git", "-C", str(workspace), "config", name, value.format(bait=bait, hooks=hooks)]
        subprocess.run(command, check=True)
    (workspace / ".gitattributes").write_text("* filter=bait diff=bait text eol=crlf\n")
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "pre-commit", "post-checkout"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {bait}\n")
        (hooks / hook).chmod(0o755)
