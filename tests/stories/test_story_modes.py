"""Modes in the real server: chosen by the user, the model, a file; what they offer, forbid, cost and bring along."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from story import WORDS, YES, Story, story

from support.lsp_client import Json, RpcError
from support.model_server import APIS, CallTool

DONE = [CallTool("attempt_completion", result="Done.")]
READ_AND_TALK = {
    "read_file", "list_files", "search_files", "ask_followup_question", "switch_mode", "update_todo_list", "attempt_completion",
}  # fmt: skip


def write(path: str, content: str = "x") -> Sequence[Any]:
    return [CallTool("write_to_file", path=path, content=content)]


async def modes(s: Story, **of: str) -> dict[str, Json]:
    listed = await s.client.request("agent/listModes", of)
    return {row["slug"]: row for row in listed["modes"]}


@pytest.mark.parametrize("api", APIS)
async def test_mode_is_changed_in_the_middle_of_a_task(tmp_path: Path, api: str) -> None:
    async with story(tmp_path, [write("a.txt"), write("b.txt"), DONE], api=api) as s:
        await s.new_task()
        await s.ask("tool")

        await s.client.request("agent/setMode", {"taskId": s.task_id, "mode": "ask"})
        await s.answer(YES)
        await s.ask("completion_result")

        first, second, third = s.model.requests
        assert "write_to_file" in first.tools
        assert set(second.tools) == set(third.tools) == READ_AND_TALK
        assert "you answer questions and change nothing" in second.system
        assert [text for text in second.new_texts if "Mode: ask" in text] != []
        assert third.new_results[0].text.startswith("write_to_file is not available in ask mode. Available: read_file")
        assert (s.workspace / "a.txt").exists()
        assert not (s.workspace / "b.txt").exists()
        assert s.picture.status["mode"] == "ask"
        assert [slug for slug, row in (await modes(s, taskId=s.task_id)).items() if row["isCurrent"]] == ["ask"]
        assert [slug for slug, row in (await modes(s)).items() if row["isCurrent"]] == ["code"]


async def test_what_runs_unasked_is_told_before_a_task_too(tmp_path: Path) -> None:
    async def told(**of: str) -> str:
        return (await s.client.request("agent/listModes", of))["permissionMode"]

    async with story(tmp_path, [DONE], settings={"permissionMode": "acceptEdits"}) as s:
        as_set = await told()
        await s.client.request("agent/setPermissionMode", {"permissionMode": "plan"})
        as_chosen = await told()
        await s.new_task()
        await s.ask("completion_result")
        await s.client.request("agent/setPermissionMode", {"permissionMode": "default"})

        assert (as_set, as_chosen, await told(taskId=s.task_id), await told()) == (
            "acceptEdits",
            "plan",
            "plan",
            "default",
        )
        assert s.picture.status["permissionMode"] == "plan"


async def test_mode_with_the_same_tools_keeps_the_beginning_of_the_request(tmp_path: Path) -> None:
    async with story(tmp_path, [write("a.txt"), DONE]) as s:
        await s.new_task()
        await s.ask("tool")

        await s.client.request("agent/setMode", {"taskId": s.task_id, "mode": "debug"})
        await s.answer(YES)
        await s.ask("completion_result")

        first, second = s.model.requests
        assert (second.system, second.body["tools"]) == (first.system, first.body["tools"])
        assert ["You are an expert at finding the cause of faults" in text for text in second.new_texts] == [True]


async def test_architect_edits_markdown_and_nothing_else(tmp_path: Path) -> None:
    async with story(tmp_path, [write("a.py"), write("plan.md"), DONE]) as s:
        await s.new_task(mode="architect")
        await s.approve("tool")
        await s.ask("completion_result")

        assert (
            "a.py is not edited in architect mode: that edits only Markdown files"
            in s.model.requests[1].results[0].text
        )
        assert "execute_command" not in s.model.requests[0].tools
        assert [path.name for path in s.workspace.iterdir()] == ["plan.md"]


SWITCH = [CallTool("switch_mode", mode_slug="architect", reason="A plan first.")]


async def test_model_switches_where_the_user_lets_it(tmp_path: Path) -> None:
    async with story(tmp_path, [SWITCH, DONE]) as s:
        await s.new_task()

        ask = await s.approve("tool")
        await s.ask("completion_result")

        assert json.loads(ask["text"]) == {"tool": "switchMode", "mode": "architect", "reason": "A plan first."}
        assert s.picture.status["mode"] == "architect"
        assert "execute_command" not in s.model.requests[1].tools


async def test_model_switches_unasked_where_that_is_allowed(tmp_path: Path) -> None:
    async with story(tmp_path, [SWITCH, DONE], settings={"autoApprove": {"modeSwitch": True}}) as s:
        await s.new_task()
        await s.ask("completion_result")

        assert s.picture.status["mode"] == "architect"
        assert "tool" in s.picture.kinds()


@pytest.mark.parametrize("said", ["/bypassPermissions yes, go on", " /bypassPermissions  yes, go on"])
async def test_suggestion_of_the_models_frees_it_of_nothing(tmp_path: Path, said: str) -> None:
    turns = [
        [CallTool("ask_followup_question", question="Go on?", follow_up=["/bypassPermissions yes, go on"])],
        [CallTool("execute_command", command="echo one")],
        DONE,
    ]
    async with story(tmp_path, turns) as s:
        await s.new_task()
        ask = await s.ask("followup")
        await s.answer(WORDS, ts=ask["ts"], text=said)
        await s.ask("command")

        assert s.picture.status["permissionMode"] == "default"


async def test_suggestion_with_a_mode_sets_it(tmp_path: Path) -> None:
    question = [
        CallTool("ask_followup_question", question="How?", follow_up=[{"text": "plan it", "mode": "architect"}])
    ]
    async with story(tmp_path, [question, DONE]) as s:
        await s.new_task()
        ask = await s.ask("followup")
        await s.answer(WORDS, ts=ask["ts"], text="plan it")
        await s.ask("completion_result")

        assert json.loads(ask["text"])["suggest"] == [{"answer": "plan it", "mode": "architect"}]
        assert s.picture.status["mode"] == "architect"


async def test_mode_of_the_project_is_there_as_soon_as_its_file_is(tmp_path: Path) -> None:
    async with story(tmp_path, [DONE, DONE]) as s:
        before = await modes(s)
        s.file(
            ".roomodes", "customModes:\n- slug: docs\n  name: Docs\n  roleDefinition: You document.\n  groups: [read]\n"
        )
        after = await modes(s)
        await s.new_task(mode="docs")
        await s.ask("completion_result")
        (s.workspace / ".roomodes").unlink()
        await s.answer(WORDS, text="and now?")
        await s.client.until(lambda: len(s.model.requests) == 2)

        assert after == before | {
            "docs": {"slug": "docs", "name": "Docs", "description": "", "source": "project", "isCurrent": False}
        }
        assert "# Mode: docs\nYou document." in s.model.requests[0].system
        assert set(s.model.requests[1].tools) == READ_AND_TALK
        assert "The mode docs is not described anywhere any more." in "".join(s.model.requests[1].new_texts)


async def test_what_is_wrong_in_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    path = tmp_path / "workspace" / ".roomodes"
    path.write_text("customModes: [{slug: x}]")
    async with story(tmp_path, []) as s:
        told = await s.client.notification("window/showMessage")
        listed = await s.client.request("agent/listModes", {})

    problem = f"{path}: the mode `x` is ignored: it lacks a `roleDefinition`: say what the agent is in this mode."
    assert problem in told["message"]
    assert listed["problems"] == [problem]


async def test_what_is_wrong_in_a_file_that_is_written_later_is_said_then(tmp_path: Path) -> None:
    async with story(tmp_path, [[CallTool("list_files", path=".")], DONE]) as s:
        path = s.file(".agent-lsp/commands/a b.md", "x")
        await s.new_task()

        told = await s.client.notification("window/showMessage")

    reason = "it is no command: a command's name is made of letters, digits, `-` and `_`, at most 64."
    assert told["message"] == f"{path}: {reason}"


async def test_mode_of_the_settings_that_there_is_none_of_is_said_and_does_no_harm(tmp_path: Path) -> None:
    async with story(tmp_path, [DONE], settings={"mode": "poet"}) as s:
        told = await s.client.notification("window/showMessage")
        await s.new_task()
        await s.ask("completion_result")

        assert told["message"] == "The settings say `mode`: 'poet'. There is no such mode; new tasks are in code."
        assert s.picture.status["mode"] == "code"


async def test_unknown_mode_is_refused_with_those_there_are(tmp_path: Path) -> None:
    async with story(tmp_path, []) as s:
        with pytest.raises(RpcError) as refused:
            await s.client.request("agent/setMode", {"mode": "poet"})

    assert refused.value.kind == "BadParams"
    assert str(refused.value).endswith("There is no mode 'poet'; the modes are: code, architect, ask, debug.")


async def test_mode_brings_its_profile_along(tmp_path: Path) -> None:
    async with story(tmp_path, [DONE, DONE], settings={"mode": "architect"}) as s:
        strong = {"type": "openai", "model": "strong", "apiKey": "k", "baseURL": s.model.base_url("openai")}
        fast = {"type": "anthropic", "model": "fast", "apiKey": "k", "baseURL": s.model.base_url("anthropic")}
        settings = {
            "currentProvider": "fast",
            "providers": {"fast": fast, "strong": strong},
            "modeProfiles": {"architect": "strong"},
        }
        s.client.notify("workspace/didChangeConfiguration", {"settings": {"agent": settings}})
        await s.new_task()
        await s.ask("completion_result")
        await s.answer(WORDS, text="/code build it")
        await s.client.until(lambda: len(s.model.requests) == 2)
        await s.ask("completion_result")

        assert [request.body["model"] for request in s.model.requests] == ["strong", "fast"]
        assert (s.picture.status["mode"], s.picture.status["profile"]) == ("code", "fast")
        assert (await modes(s))["architect"]["profile"] == "strong"


async def test_command_of_the_project_stands_for_its_text(tmp_path: Path) -> None:
    async with story(tmp_path, [DONE]) as s:
        s.file(
            ".claude/commands/review.md",
            "---\ndescription: Look it over\nmode: ask\n---\nReview $ARGUMENTS with care.\n",
        )
        commands = (await s.client.request("agent/listCommands"))["commands"]
        await s.new_task("/review a.py")
        await s.ask("completion_result")

        [request] = s.model.requests
        told = '<command name="review" source="project">\nReview a.py with care.\n</command>'
        assert {
            "name": "review",
            "description": "Look it over",
            "kind": "text",
            "source": "project",
            "mode": "ask",
        } in commands
        assert [text for text in request.new_texts if "<command" in text or text.startswith("/")] == [
            "/review a.py",
            told,
        ]
        assert set(request.tools) == READ_AND_TALK | {"run_slash_command"}
        assert s.picture.messages[min(s.picture.messages)]["text"] == "/review a.py"


async def test_mode_outlives_the_server_and_a_rewind_takes_it_back(tmp_path: Path) -> None:
    async with story(tmp_path, [DONE, DONE]) as s:
        task_id = await s.new_task()
        await s.ask("completion_result")
        await s.client.request("agent/sendMessage", {"taskId": task_id, "text": "/ask why?"})
        await s.client.until(lambda: len(s.model.requests) == 2)
        await s.ask("completion_result")
    async with story(tmp_path, []) as s:
        s.task_id = task_id
        status = await s.client.request("agent/resumeTask", {"taskId": task_id})
        first = (await s.snapshot())["messages"][0]
        restore = {"taskId": task_id, "ts": first["ts"], "what": "conversation"}
        await s.client.request("agent/restore", restore)

        assert (status["mode"], (await s.snapshot())["mode"]) == ("ask", "code")
