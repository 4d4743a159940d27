"""What reaches the model beside the user's words, from the editor and the disk to the request."""

import base64
import subprocess
from pathlib import Path

import pytest
from story import story

from support.model_requests import SeenRequest, SeenWords
from support.model_server import APIS, CallTool

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
DONE = [CallTool("attempt_completion", result="done")]


def words(request: SeenRequest) -> list[str]:
    """All that stands on the user's side, in order; some services are sent it as one text."""
    texts = [text for item in request.items if isinstance(item, SeenWords) for text in item.texts]
    return "\n\n".join(texts).split("\n\n")


def begin_repository(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "trunk"], cwd=folder, check=True)


def images(request: SeenRequest) -> int:
    return sum(item.images for item in request.items if isinstance(item, SeenWords))


@pytest.mark.parametrize("api", APIS)
async def test_mentions_reach_the_model_behind_the_words(tmp_path: Path, api: str) -> None:
    async with story(tmp_path, [DONE, DONE], api=api) as s:
        s.file("src/a b.py", "one\ntwo\n")
        (s.workspace / "shot.png").write_bytes(PNG)
        await s.new_task("See @/src/a\\ b.py:2, @/shot.png, @/gone.py and @app.route.")
        await s.ask("completion_result")
        first = s.model.requests[0]
        told = words(first)

        assert told[0] == "See @/src/a\\ b.py:2, @/shot.png, @/gone.py and @app.route."
        assert told[1].splitlines()[0] == '<attached from="@/src/a\\ b.py:2" path="src/a b.py">'
        assert "2 | two\n</attached>" in told[1]
        assert images(first) == 1
        gone = "@/gone.py: there is nothing of this name; check the path."
        assert f"<attached>\n{gone}\n</attached>" in told
        assert told[-1].startswith("<environment>")
        assert [m["text"] for m in s.picture.messages.values() if m.get("say") == "info"] == [gone]


async def test_changes_of_the_user_and_of_commands_are_told_apart(tmp_path: Path) -> None:
    turns = [
        [CallTool("read_file", path="a.py"), CallTool("read_file", path="b.py")],
        [CallTool("execute_command", command="echo formatted > a.py")],
        [CallTool("write_to_file", path="c.py", content="mine\n")],
        DONE,
        DONE,
    ]
    settings = {"autoApprove": {"write": True, "execute": True}, "permissionMode": "bypassPermissions"}
    async with story(tmp_path, turns, settings=settings) as s:
        s.file("a.py", "a\n")
        opened = s.file("b.py", "b\n")
        s.editor.open(opened.as_uri(), "b\n")
        await s.new_task("go")
        await s.ask("completion_result")
        by_command = words(s.model.requests[2])[-1]
        by_model = words(s.model.requests[3])[-1]
        s.editor.type(opened.as_uri(), "typed\n")
        await s.client.request("agent/sendMessage", {"taskId": s.task_id, "text": "go on"})
        by_user = words(await s.model.arrived(5))[-1]

    assert "Changed while your commands ran; read them again before you edit them:\n- a.py" in by_command
    assert by_model == by_command
    assert "Changed by the user since you saw them; read them again before you edit them:\n- b.py" in by_user


async def test_rules_language_and_git_are_told(tmp_path: Path) -> None:
    turns = [[CallTool("read_file", path="src/a.py")], DONE]
    async with story(tmp_path, turns, settings={"language": "Deutsch"}) as s:
        s.file("AGENTS.md", "Use tabs.")
        s.file("src/AGENTS.md", "Be brief.")
        s.file("src/a.py", "x")
        begin_repository(s.workspace)
        await s.new_task("go")
        await s.ask("completion_result")
        first, second = s.model.requests

    assert "Use tabs." in first.system
    assert "Language: speak Deutsch" in first.system
    assert "Git: trunk, no commit yet; 2 untracked" in words(first)[-1]
    assert "Be brief." in words(second)[-1]
    assert first.system == second.system


async def test_words_are_heard_by_a_server_that_was_started_anew(tmp_path: Path) -> None:
    async with story(tmp_path, [[CallTool("read_file", path="b.py")], DONE]) as s:
        s.file("a.py", "x")
        s.file("b.py", "x")
        await s.new_task("go")
        await s.ask("completion_result")
        task_id = s.task_id
    async with story(tmp_path, [DONE]) as s:
        s.file("b.py", "y")
        await s.client.request("agent/resumeTask", {"taskId": task_id})
        s.task_id = task_id
        await s.answer("messageResponse", text="now @/a.py")
        told = words(await s.model.arrived(1))

    assert "Changed by the user since you saw them; read them again before you edit them:\n- b.py" in told[-1]
    assert '<attached from="@/a.py" path="a.py">\n1 | x\n</attached>' in told
