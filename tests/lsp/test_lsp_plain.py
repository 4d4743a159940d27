import json

import pytest

from agent_lsp.domain.encoding import to_wire
from agent_lsp.domain.errors import TaskUnknown
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.notices import DeltaNotice, MessageNotice, StatusNotice
from agent_lsp.domain.requests import AskReply
from agent_lsp.domain.status import ACTIONS, State, Status, WaitingAsk
from support.front_door import FrontDoor
from support.lsp_client import Json, NoAnswer, RpcError

EDIT = json.dumps(
    {"tool": "appliedDiff", "path": "a.py", "changes": [{"kind": "edit", "path": "a.py", "added": 3, "removed": 1}]}
)


def asks(kind: Ask, text: str = "", ts: int = 7) -> tuple[MessageNotice, StatusNotice]:
    """What a task tells when it asks."""
    message = Message(ts=ts, type="ask", ask=kind, text=text)
    state = {"interactive": State.WAITING_FOR_INPUT, "idle": State.IDLE, "resumable": State.RESUMABLE}[kind.category]
    waiting = WaitingAsk(ts, kind, kind.category, ACTIONS[kind])
    return MessageNotice("t1", "i1", 1, message), StatusNotice(Status("t1", "i1", 2, state, waiting))


def status(state: State = State.RUNNING, activity: str = "Thinking") -> StatusNotice:
    return StatusNotice(Status("t1", "i1", 3, state, activity=activity))


def says(say: Say, text: str, *, ts: int = 3, partial: bool | None = None) -> MessageNotice:
    return MessageNotice("t1", "i1", 1, Message(ts=ts, type="say", say=say, text=text, partial=partial))


def tell(door: FrontDoor, *notices: MessageNotice | StatusNotice | DeltaNotice) -> None:
    for notice in notices:
        for listener in door.hall.listeners:
            listener.notice(notice)


# A client that announced the agent


async def test_notices_are_sent_as_they_are(ready: FrontDoor) -> None:
    message, state = asks(Ask.TOOL, EDIT)
    delta = DeltaNotice("t1", "i1", 2, 7, "é😀")

    tell(ready, message, delta, state)
    await ready.client.notification("agent/state")

    assert ready.client.notifications == [
        ("agent/message", to_wire(message)),
        ("agent/messageDelta", {"taskId": "t1", "instanceId": "i1", "seq": 2, "ts": 7, "append": "é😀"}),
        ("agent/state", to_wire(state.status)),
    ]
    assert to_wire(delta) == ready.client.notifications[1][1]


async def test_congestion_is_the_outlets(ready: FrontDoor) -> None:
    listener = ready.hall.listeners[-1]

    before, ready.outlet.congested = listener.is_congested(), True

    assert (before, listener.is_congested()) == (False, True)


# A client that did not


async def test_plain_client_gets_no_agent_message(plain: FrontDoor) -> None:
    tell(plain, says(Say.TEXT, "task"), DeltaNotice("t1", "i1", 2, 7, "x"), status(), *asks(Ask.TOOL, EDIT))
    await plain.client.question("window/showMessageRequest")

    sent = [name for name, _ in (*plain.client.notifications, *plain.client.questions)]
    assert [name for name in sent if name.startswith("agent/")] == []


async def test_pop_up_about_unsaved_files_comes_where_they_are_not_saved_in_a_moment(plain: FrontDoor) -> None:
    unsaved = json.dumps({"tool": "saveFiles", "paths": ["a.py"]})
    plain.client.answers["window/showMessageRequest"] = lambda _: None

    tell(plain, *asks(Ask.TOOL, unsaved, ts=7), status(), *asks(Ask.TOOL, unsaved, ts=8))
    first = await plain.client.question("window/showMessageRequest")
    await plain.client.request("agent/debugReport")

    assert "Save, so that the command sees your edits" in first["message"]
    assert [name for name, _ in plain.client.questions] == ["window/showMessageRequest"]


async def test_whole_sayings_become_one_liners(plain: FrontDoor) -> None:
    tell(
        plain,
        says(Say.TEXT, "the task", ts=1),
        says(Say.TEXT, "the task", ts=1),
        says(Say.TEXT, "half", ts=2, partial=True),
        says(Say.TEXT, "half\nand whole", ts=2, partial=False),
        says(Say.TEXT, "half\nand whole", ts=2, partial=False),
        says(Say.REASONING, "hm", ts=3),
        says(Say.ERROR, "broken", ts=4),
        *asks(Ask.COMPLETION_RESULT, "\nIt works.\n\n| a | table |\n", ts=5),
    )
    await plain.client.notification("window/showMessage", lambda p: "Done" in p["message"])

    assert plain.client.named("window/showMessage") == [
        {"type": 3, "message": "half and whole"},
        {"type": 1, "message": "broken"},
        {"type": 3, "message": "Done: It works."},
    ]


def pause(seconds: int) -> MessageNotice:
    row = {"attempt": 1, "seconds": seconds, "reason": "It is busy."}
    return says(Say.API_REQ_RETRY_DELAYED, json.dumps(row), ts=4)


async def test_a_long_wait_for_another_attempt_is_told_once(plain: FrontDoor) -> None:
    tell(plain, pause(2), pause(1), pause(9), pause(8), pause(0), *asks(Ask.COMPLETION_RESULT, "It works.", ts=5))
    await plain.client.notification("window/showMessage", lambda p: "Done" in p["message"])

    told = "It is busy. Next try in 9 s; agent.approve tries now, agent.reject gives up."
    assert plain.client.named("window/showMessage")[0] == {"type": 2, "message": told}
    assert len(plain.client.named("window/showMessage")) == 2


@pytest.mark.parametrize(
    ("title", "answered"),
    [
        ("Approve", [("t1", 7, AskReply("yesButtonClicked"))]),
        ("Reject", [("t1", 7, AskReply("noButtonClicked"))]),
        ("Later", []),
        ("Something else", []),
        (None, []),
    ],
)
async def test_pop_up_answers_the_ask_or_leaves_it(plain: FrontDoor, title: str | None, answered: list[object]) -> None:
    plain.client.answers["window/showMessageRequest"] = lambda _: title and {"title": title}

    tell(plain, *asks(Ask.TOOL, EDIT))
    params = await plain.client.question("window/showMessageRequest")
    await plain.client.request("agent/debugReport")
    await plain.client.request("agent/debugReport")

    assert plain.hall.named("answer") == answered
    assert params == {
        "type": 3,
        "message": "Edit a.py (+3 -1)",
        "actions": [{"title": "Later"}, {"title": "Approve"}, {"title": "Reject"}],
    }


async def test_undecided_ask_is_not_rung_for_again(plain: FrontDoor) -> None:
    tell(plain, *asks(Ask.TOOL, EDIT))
    await plain.client.question("window/showMessageRequest")

    tell(plain, *asks(Ask.TOOL, EDIT))
    await plain.client.request("agent/debugReport")

    assert len(plain.client.questions) == 1


async def test_pop_ups_come_one_at_a_time(plain: FrontDoor) -> None:
    def leave_open(_: Json) -> None:
        raise NoAnswer

    plain.client.answers["window/showMessageRequest"] = leave_open
    tell(plain, *asks(Ask.TOOL, EDIT))
    await plain.client.question("window/showMessageRequest")

    message, state = asks(Ask.COMMAND, '{"command": "ls"}', ts=9)
    other = Status("t2", "i1", 1, State.WAITING_FOR_INPUT, state.status.ask)
    tell(plain, MessageNotice("t2", "i1", 1, message.message), StatusNotice(other))
    await plain.client.request("agent/debugReport")
    before = len(plain.client.questions)
    tell(plain, status())
    await plain.client.question("window/showMessageRequest", lambda p: "ls" in p["message"])

    assert before == 1
    assert plain.client.named("$/cancelRequest") == [{"id": 1}]


async def test_answer_to_a_pop_up_that_was_withdrawn_is_ignored(plain: FrontDoor) -> None:
    def leave_open(_: Json) -> None:
        raise NoAnswer

    plain.client.answers["window/showMessageRequest"] = leave_open
    tell(plain, *asks(Ask.TOOL, EDIT))
    await plain.client.question("window/showMessageRequest")

    tell(plain, status())
    await plain.client.notification("$/cancelRequest")
    plain.client.send({"jsonrpc": "2.0", "id": 1, "result": {"title": "Approve"}})
    await plain.client.request("agent/debugReport")

    assert plain.hall.named("answer") == []


@pytest.mark.parametrize(("has_pop_ups", "count"), [(True, 1), (False, 2)])
async def test_end_that_a_save_has_covered_is_told_again(plain: FrontDoor, has_pop_ups: bool, count: int) -> None:
    def answer(_: Json) -> None:
        if not has_pop_ups:
            raise RpcError({"code": -32601, "message": "no"})

    plain.client.answers["window/showMessageRequest"] = answer
    document = {"uri": "file:///w/a.py", "languageId": "python", "version": 1, "text": ""}
    plain.client.notify("textDocument/didOpen", {"textDocument": document})
    tell(plain, *asks(Ask.TOOL, EDIT))
    await plain.client.question("window/showMessageRequest")
    await plain.client.request("agent/debugReport")
    tell(plain, status(), *asks(Ask.COMPLETION_RESULT, "It works.", ts=9))
    plain.client.notify("textDocument/didSave", {"textDocument": document})
    await plain.client.request("agent/debugReport")

    told = [params["message"] for params in plain.client.named("window/showMessage")]
    assert told.count("Done: It works.") == count


async def test_client_without_pop_ups_is_told_once_and_then_only_told(plain: FrontDoor) -> None:
    def refuse(_: Json) -> None:
        raise RpcError({"code": -32601, "message": "no"})

    plain.client.answers["window/showMessageRequest"] = refuse
    tell(plain, *asks(Ask.TOOL, EDIT))
    await plain.client.notification("window/showMessage")
    tell(plain, status(), *asks(Ask.COMMAND, '{"command": "ls"}', ts=9))
    await plain.client.notification("window/showMessage", lambda p: "ls" in p["message"])

    assert len(plain.client.questions) == 1
    assert plain.client.named("window/showMessage") == [
        {"type": 2, "message": "The agent asks: Edit a.py (+3 -1)"},
        {"type": 2, "message": "The agent asks: Run this command? ls"},
    ]


async def test_client_without_pop_ups_is_told_again_after_it_has_saved(plain: FrontDoor) -> None:
    def refuse(_: Json) -> None:
        raise RpcError({"code": -32601, "message": "no"})

    plain.client.answers["window/showMessageRequest"] = refuse
    document = {"uri": "file:///w/a.py", "languageId": "python", "version": 1, "text": ""}
    tell(plain, *asks(Ask.COMMAND, '{"command": "ls"}'))
    await plain.client.notification("window/showMessage")
    plain.client.notify("textDocument/didOpen", {"textDocument": document})
    plain.client.notify("textDocument/didSave", {"textDocument": document})
    await plain.client.request("agent/debugReport")
    tell(plain, status())
    plain.client.notify("textDocument/didSave", {"textDocument": document})
    await plain.client.request("agent/debugReport")

    assert [p["message"] for p in plain.client.named("window/showMessage")] == [
        "The agent asks: Run this command? ls"
    ] * 3


async def test_suggestion_is_answered_with_its_words(plain: FrontDoor) -> None:
    plain.client.answers["window/showMessageRequest"] = lambda p: p["actions"][2]
    text = json.dumps({"question": "Which?", "suggest": [{"answer": "this"}, {"answer": "that one"}]})

    tell(plain, *asks(Ask.FOLLOWUP, text))
    await plain.client.question("window/showMessageRequest")
    await plain.client.until(lambda: True)
    await plain.client.request("agent/debugReport")
    await plain.client.request("agent/debugReport")

    assert plain.hall.named("answer") == [("t1", 7, AskReply("messageResponse", "that one"))]


async def test_button_that_names_a_method_calls_it(plain: FrontDoor) -> None:
    plain.client.answers["window/showMessageRequest"] = lambda _: {"title": "New task"}

    tell(plain, *asks(Ask.API_REQ_FAILED, '{"message": "down", "attempts": 3}'))
    await plain.client.question("window/showMessageRequest")
    await plain.client.request("agent/debugReport")
    await plain.client.request("agent/debugReport")

    assert plain.hall.named("clear") == ["t1"]


async def test_answer_that_comes_too_late_is_no_bug(plain: FrontDoor, caplog: pytest.LogCaptureFixture) -> None:
    plain.client.answers["window/showMessageRequest"] = lambda _: {"title": "Approve"}
    plain.hall.failure = TaskUnknown("It is gone.")

    tell(plain, *asks(Ask.TOOL, EDIT))
    await plain.client.question("window/showMessageRequest")
    for _ in range(3):
        with pytest.raises(RpcError):
            await plain.client.request("no/such")

    assert plain.hall.named("answer") != []
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


# Progress


async def test_progress_shows_what_the_task_is_doing(door: FrontDoor) -> None:
    await door.client.initialize(agent=None, capabilities={"window": {"workDoneProgress": True}})

    tell(door, status())
    await door.client.notification("$/progress")
    tell(door, status(), status(activity="Tools x2"), status(State.IDLE, "Idle"), status(State.IDLE, "Idle"))
    await door.client.notification("$/progress", lambda p: p["value"]["kind"] == "end")

    assert door.client.questions == [("window/workDoneProgress/create", {"token": "agent-1"})]
    assert [p["value"] for p in door.client.named("$/progress")] == [
        {"kind": "begin", "title": "Agent", "message": "Thinking", "cancellable": True},
        {"kind": "report", "message": "Tools x2"},
        {"kind": "end"},
    ]


async def test_progress_ends_before_its_user_is_told_that_the_task_is_done(door: FrontDoor) -> None:
    await door.client.initialize(agent=None, capabilities={"window": {"workDoneProgress": True}})

    tell(door, status())
    await door.client.notification("$/progress")
    tell(door, *asks(Ask.COMPLETION_RESULT, "It works."))
    await door.client.notification("window/showMessage")

    assert [name for name, _ in door.client.notifications] == ["$/progress", "$/progress", "window/showMessage"]


async def test_progress_that_ended_before_it_began_is_not_shown(door: FrontDoor) -> None:
    await door.client.initialize(agent=None, capabilities={"window": {"workDoneProgress": True}})

    tell(door, status(), status(State.IDLE))
    await door.client.request("agent/debugReport")

    assert door.client.named("$/progress") == []


async def test_refused_progress_is_not_shown(door: FrontDoor) -> None:
    def refuse(_: Json) -> None:
        raise RpcError({"code": -32603, "message": "no"})

    await door.client.initialize(agent=None, capabilities={"window": {"workDoneProgress": True}})
    door.client.answers["window/workDoneProgress/create"] = refuse

    tell(door, status())
    await door.client.question("window/workDoneProgress/create")
    await door.client.request("agent/debugReport")
    tell(door, status(activity="Tools x1"))
    await door.client.request("agent/debugReport")

    assert door.client.named("$/progress") == []


async def test_cancelled_progress_cancels_its_task(door: FrontDoor) -> None:
    await door.client.initialize(agent=None, capabilities={"window": {"workDoneProgress": True}})
    tell(door, status())
    await door.client.notification("$/progress")

    door.client.notify("window/workDoneProgress/cancel", {"token": "agent-9"})
    door.client.notify("window/workDoneProgress/cancel", {"token": "agent-1"})
    await door.client.request("agent/debugReport")

    assert door.hall.named("cancel") == ["t1"]
