import pytest

from agent_lsp.domain.requests import AskReply, NewTask
from support.front_door import FrontDoor
from support.lsp_client import Json, RpcError


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
    ],
)
async def test_command_does_what_the_method_does(
    plain: FrontDoor, command: str, arguments: list[object] | None, asked: tuple[str, object]
) -> None:
    params: Json = {"command": command} if arguments is None else {"command": command, "arguments": arguments}

    await plain.client.request("workspace/executeCommand", params)

    assert plain.hall.calls[-1] == asked


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
