"""A stock client that never heard of the agent: commands, pop-ups that are only doorbells, and no custom message."""

from pathlib import Path
from typing import Any

import pytest
from story import Story, story

from support.lsp_client import RpcError
from support.model_server import CallTool

CAPABILITIES = {
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "executeCommand": {}},
    "window": {"showMessage": {"messageActionItem": {}}},
}
TURNS = [
    [CallTool("edit_file", path="a.txt", old_string="two", new_string="2")],
    [CallTool("ask_followup_question", question="Which?", follow_up=[{"text": "red"}, {"text": "blue"}])],
    [CallTool("attempt_completion", result="Done.")],
]


async def command(s: Story, name: str, *arguments: str) -> Any:
    return await s.client.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})


async def state(s: Story) -> dict:
    return await s.client.request("agent/state", {})


async def until_ask(s: Story, kind: str) -> dict:
    """Ask the server for its state until this ask waits: a plain client is not told."""
    while True:
        status = await state(s)
        if status["ask"] and status["ask"]["kind"] == kind:
            return status["ask"]


async def test_a_whole_task_by_commands_alone(tmp_path: Path) -> None:
    async with story(tmp_path, TURNS, capabilities=CAPABILITIES, agent=None) as s:
        path = s.file("a.txt", "one\ntwo\n")
        started = await command(s, "agent.newTask", "make it a number")
        await until_ask(s, "tool")
        await command(s, "agent.approve")
        await until_ask(s, "followup")
        await command(s, "agent.answer", "red")
        await until_ask(s, "completion_result")

        assert started["taskId"] == (await state(s))["taskId"]
        assert path.read_text() == "one\n2\n"
        assert "red" in s.model.requests[2].results[1].text
        assert [method for method, _ in s.client.notifications if method.startswith("agent/")] == []


@pytest.mark.parametrize("name", ["agent.approve", "agent.reject"])
async def test_a_question_is_not_answered_by_a_bare_command(tmp_path: Path, name: str) -> None:
    async with story(tmp_path, TURNS[1:], capabilities=CAPABILITIES, agent=None) as s:
        await command(s, "agent.newTask", "make it a number")
        asked = await until_ask(s, "followup")

        with pytest.raises(RpcError, match="answered with words, not by yes or no alone: “red”, “blue”, or your own"):
            await command(s, name)

        assert (await state(s))["ask"] == asked


async def test_reject_with_words_and_go_on_with_more(tmp_path: Path) -> None:
    async with story(tmp_path, [TURNS[0], TURNS[2], TURNS[2]], capabilities=CAPABILITIES, agent=None) as s:
        path = s.file("a.txt", "one\ntwo\n")
        await command(s, "agent.newTask", "make it a number")
        await until_ask(s, "tool")
        await command(s, "agent.reject", "leave it")
        await until_ask(s, "completion_result")
        await command(s, "agent.send", "and now rest")
        await s.model.arrived(3)

        assert path.read_text() == "one\ntwo\n"
        assert "leave it" in s.model.requests[1].results[0].text
        assert "and now rest" in s.model.requests[2].new_texts


async def test_cancel_by_command_makes_the_task_resumable(tmp_path: Path) -> None:
    async with story(tmp_path, TURNS, capabilities=CAPABILITIES, agent=None) as s:
        s.file("a.txt", "two\n")
        await command(s, "agent.newTask", "make it a number")
        await until_ask(s, "tool")
        await command(s, "agent.cancel")

        assert (await until_ask(s, "resume_task"))["category"] == "resumable"


@pytest.mark.parametrize("answer", [None, RpcError({"code": -32601, "message": "unknown"})])
async def test_a_doorbell_that_nobody_answers_leaves_the_ask_waiting(tmp_path: Path, answer: object) -> None:
    async with story(tmp_path, TURNS, capabilities=CAPABILITIES, agent=None) as s:
        s.client.answers["window/showMessageRequest"] = lambda _: respond(answer)
        path = s.file("a.txt", "two\n")
        await command(s, "agent.newTask", "make it a number")
        bell = await s.client.question("window/showMessageRequest")

        assert (await until_ask(s, "tool"))["kind"] == "tool"
        assert len(bell["message"].split("\n")) <= 6
        assert path.read_text() == "two\n"


def respond(answer: object) -> None:
    if isinstance(answer, RpcError):
        raise answer


async def test_a_doorbell_answered_with_yes_approves(tmp_path: Path) -> None:
    async with story(tmp_path, [TURNS[0], TURNS[2]], capabilities=CAPABILITIES, agent=None) as s:
        path = s.file("a.txt", "two\n")
        s.client.answers["window/showMessageRequest"] = lambda params: next(
            (action for action in params["actions"] if action["title"] == "Approve"), None
        )
        await command(s, "agent.newTask", "make it a number")
        await until_ask(s, "completion_result")

        assert path.read_text() == "2\n"
