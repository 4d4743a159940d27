import contextlib
from dataclasses import replace

import pytest

from agent_lsp.domain.messages import Ask
from agent_lsp.domain.requests import AskReply, ContextReference, NewTask
from agent_lsp.domain.status import ACTIONS, PermissionMode, WaitingAsk
from agent_lsp.lsp.capabilities import COMMANDS, initialize_result
from support.fake_hall import STATUS, SUMMARY
from support.front_door import FrontDoor
from support.lsp_client import Json, RpcError


def place(first: int | None, last: int | None) -> ContextReference:
    return ContextReference("file:///a", first, last)


@pytest.mark.parametrize(
    ("command", "arguments", "asked"),
    [
        ("agent.newTask", ["do it"], ("new_task", NewTask("do it"))),
        ("agent.newTask", ["do it", "more", None], ("new_task", NewTask("do it"))),
        ("agent.send", ["and"], ("send", ("t1", "and", (), "queue"))),
        ("agent.approve", None, ("answer", ("t1", None, AskReply("yesButtonClicked")))),
        ("agent.approve", [], ("answer", ("t1", None, AskReply("yesButtonClicked")))),
        ("agent.approve", ["12"], ("answer", ("t1", 12, AskReply("yesButtonClicked")))),
        ("agent.approve", [12], ("answer", ("t1", 12, AskReply("yesButtonClicked")))),
        ("agent.reject", [], ("answer", ("t1", None, AskReply("noButtonClicked")))),
        ("agent.reject", ["not so", "12"], ("answer", ("t1", 12, AskReply("noButtonClicked", "not so")))),
        ("agent.answer", ["yes", ""], ("answer", ("t1", None, AskReply("messageResponse", "yes")))),
        ("agent.newTask", ["x", "file:///a", "3-7"], ("new_task", NewTask("x", context=(place(3, 7),)))),
        ("agent.newTask", ["x", "file:///a", "3"], ("new_task", NewTask("x", context=(place(3, 3),)))),
        ("agent.newTask", ["x", "file:///a"], ("new_task", NewTask("x", context=(place(None, None),)))),
        ("agent.send", ["and", "t5"], ("send", ("t5", "and", (), "queue"))),
        ("agent.condense", [], ("condense", ("t1", ""))),
        ("agent.condense", ["the API", "t5"], ("condense", ("t5", "the API"))),
        ("agent.clear", [], ("clear", "t1")),
        ("agent.clear", ["t5"], ("clear", "t5")),
        ("agent.resume", [], ("resume", "t1")),
    ],
)
async def test_command_does_what_the_method_does(
    plain: FrontDoor, command: str, arguments: list[object] | None, asked: tuple[str, object]
) -> None:
    params: Json = {"command": command} if arguments is None else {"command": command, "arguments": arguments}

    await plain.client.request("workspace/executeCommand", params)

    assert plain.hall.calls[-1] == asked


@pytest.mark.parametrize(
    ("command", "arguments", "told"),
    [
        ("agent.newTask", [], "Give agent.newTask the words as argument 1."),
        ("agent.acceptHunk", [], "Nothing waits for this answer any more."),
        ("agent.send", ["words"], None),
    ],
)
async def test_user_is_told_what_helix_would_only_log(
    door: FrontDoor, command: str, arguments: list[str], told: str | None
) -> None:
    await door.client.initialize(agent=None, name="helix")

    with contextlib.suppress(RpcError):
        await door.client.request("workspace/executeCommand", {"command": command, "arguments": arguments})

    assert door.client.named("window/showMessage") == ([{"type": 3, "message": told}] if told else [])


async def test_new_task_command_answers_with_the_task(plain: FrontDoor) -> None:
    answer = await plain.client.request("workspace/executeCommand", {"command": "agent.newTask", "arguments": ["x"]})

    assert answer == {"taskId": "t1", "instanceId": "i1"}


@pytest.mark.parametrize(("arguments", "task_id"), [([], "t1"), (["t5"], "t5")])
async def test_cancel_command_answers_before_the_task_has_stopped(
    plain: FrontDoor, arguments: list[str], task_id: str
) -> None:
    answer = await plain.client.request("workspace/executeCommand", {"command": "agent.cancel", "arguments": arguments})
    await plain.client.request("agent/debugReport")

    assert answer is None
    assert plain.hall.named("cancel") == [task_id]


@pytest.mark.parametrize(
    ("command", "arguments", "code"),
    [
        ("agent.newTask", [], -32602),
        ("agent.newTask", ["  "], -32602),
        ("agent.newTask", [{"text": "x"}], -32602),
        ("agent.approve", ["soon"], -32602),
        ("agent.noSuch", [], -32602),
        ("agent.send", [], -32602),
        ("agent.send", [["x"]], -32602),
        ("agent.answer", [" "], -32602),
        ("agent.cancel", [{}], -32602),
        ("agent.clear", [1.5], -32602),
        ("agent.resume", [False], -32602),
        ("agent.resume", ["t9"], -32803),
        ("agent.tasks", [[]], -32602),
        pytest.param("agent.tasks", [], -32803, id="a page that cannot be written"),
        ("agent.mode", [{}], -32602),
        ("agent.restore", [{}], -32602),
        ("agent.restore", ["nope"], -32602),
        ("agent.showTranscript", [[]], -32602),
        ("agent.showDiff", [], -32602),
        ("agent.showDiff", [{}], -32602),
        ("agent.newTask", ["x", "file:///a", "soon"], -32602),
        ("agent.newTask", ["x", "file:///a", "0"], -32602),
    ],
)
async def test_command_that_makes_no_sense_is_refused(
    plain: FrontDoor, command: str, arguments: list[object], code: int
) -> None:
    with pytest.raises(RpcError) as error:
        await plain.client.request("workspace/executeCommand", {"command": command, "arguments": arguments})

    assert error.value.code == code


async def test_command_without_a_task_says_how_to_start_one(plain: FrontDoor) -> None:
    plain.hall.task = None

    with pytest.raises(RpcError) as error:
        await plain.client.request("workspace/executeCommand", {"command": "agent.approve"})

    assert (error.value.code, error.value.kind) == (-32803, "TaskUnknown")
    assert "agent.newTask" in error.value.message


async def execute(door: FrontDoor, command: str, *arguments: object) -> Json:
    return await door.client.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})


def test_every_command_is_announced() -> None:
    announced = initialize_result({"capabilities": {}})["capabilities"]

    assert isinstance(announced, dict)
    assert announced["executeCommandProvider"] == {"commands": list(COMMANDS)}


async def test_every_command_that_is_announced_is_there(plain: FrontDoor) -> None:
    assert sorted(plain.server.known_commands) == sorted(COMMANDS)


# Resuming


@pytest.mark.parametrize(
    ("kind", "answered"),
    [
        (Ask.RESUME_TASK, [("t1", 7, AskReply("yesButtonClicked"))]),
        (Ask.API_REQ_FAILED, [("t1", 7, AskReply("yesButtonClicked"))]),
        (Ask.COMPLETION_RESULT, []),
        (Ask.TOOL, []),
        (None, []),
    ],
)
async def test_resuming_goes_on_where_a_yes_does_that(
    plain: FrontDoor, kind: Ask | None, answered: list[object]
) -> None:
    ask = WaitingAsk(7, kind, kind.category, ACTIONS[kind]) if kind else None
    plain.hall.status = replace(STATUS, ask=ask)

    answer = await execute(plain, "agent.resume", "t1")

    assert answer == {"taskId": "t1", "isResumed": bool(answered)}
    assert plain.hall.named("answer") == answered


async def test_without_a_current_task_the_newest_is_resumed(plain: FrontDoor) -> None:
    plain.hall.task, plain.hall.listed = None, (SUMMARY,)

    await execute(plain, "agent.resume")

    assert plain.hall.named("resume") == ["t1"]


async def test_there_may_be_nothing_to_resume(plain: FrontDoor) -> None:
    plain.hall.task = None

    with pytest.raises(RpcError, match="no task to resume"):
        await execute(plain, "agent.resume")


# Modes


@pytest.mark.parametrize(
    ("mode", "asked"),
    [("ask", ("set_mode", ("t1", "ask"))), ("plan", ("set_permission_mode", ("t1", PermissionMode.PLAN)))],
)
async def test_mode_is_changed(plain: FrontDoor, mode: str, asked: tuple[str, object]) -> None:
    await execute(plain, "agent.mode", mode)

    assert asked in plain.hall.calls


async def test_mode_is_told(plain: FrontDoor) -> None:
    answer = await execute(plain, "agent.mode")
    told = await plain.client.notification("window/showMessage")

    modes = ["code", "ask", "plan", "default", "acceptEdits", "bypassPermissions"]
    assert answer == {"modes": modes, "mode": "code", "permissionMode": "default"}
    assert told["message"] == f"The task is in mode code, default. agent.mode takes one of: {', '.join(modes)}."


async def test_mode_without_a_task_is_for_those_to_come(plain: FrontDoor) -> None:
    plain.hall.task = None

    await execute(plain, "agent.mode", "ask")

    assert plain.hall.named("set_mode") == [(None, "ask")]


# Restoring


@pytest.mark.parametrize("arguments", [[], ["c1"]])
async def test_files_are_taken_back_and_the_way_back_is_told(plain: FrontDoor, arguments: list[str]) -> None:
    plan = await execute(plain, "agent.restore", *arguments)
    done = await plain.client.notification("window/showMessage", lambda p: "Taken back" in p["message"])

    assert plan["checkpoint"] == "c1"
    assert plain.hall.named("restore") == [("t1", "c1", None, is_dry_run, "files") for is_dry_run in (True, False)]
    assert plain.client.named("window/showMessage")[0]["message"] == "What the agent did is taken back in a."
    assert done["message"] == "Taken back: a. agent.restore c2 undoes that."
