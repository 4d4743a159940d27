import json
from dataclasses import replace

import pytest

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.files import Change
from agent_lsp.domain.messages import Answer, Ask, Message, Response
from agent_lsp.domain.notices import MessageNotice, StatusNotice
from agent_lsp.domain.requests import AskReply
from agent_lsp.domain.status import ACTIONS, State, Status, WaitingAsk
from agent_lsp.lsp.waiting import Edited
from agent_lsp.workspace.diffs import compare, unified
from support.front_door import FrontDoor
from support.lsp_client import AGENT, Json, RpcError

URI = "file:///w/a.txt"
BEFORE = "".join(f"{n}\n" for n in range(1, 31))
AFTER = BEFORE.replace("\n2\n", "\ntwo\n").replace("\n29\n", "\nend\n")
DIFFERENCE = compare("a.txt", BEFORE, AFTER)
HUNKS = DIFFERENCE.hunks
FIRST, SECOND = (hunk.id for hunk in HUNKS)
CHANGE = Change(
    URI, "a.txt", "edit", unified("edit", "a.txt", None, DIFFERENCE), 2, 2, "agent-preview:/p/a.txt",
    hunks=HUNKS, before=BEFORE, after=AFTER,
)  # fmt: skip


def text_of(change: Change) -> str:
    hunks = [
        {"id": hunk.id, "header": hunk.header, "startLine": hunk.start_line, "lines": list(hunk.lines)}
        for hunk in change.hunks
    ]
    shown = {
        "uri": change.uri, "path": change.path, "kind": change.kind, "diff": change.diff, "added": change.added,
        "removed": change.removed, "previewUri": change.preview_uri, "hunks": hunks,
    }  # fmt: skip
    return json.dumps({"tool": "appliedDiff", "path": change.path, "changes": [shown]})


def propose(door: FrontDoor, *, ts: int = 7, task_id: str = "t1", change: Change = CHANGE) -> None:
    """A task asks about a change."""
    door.hall.changes = (change,)
    ask = WaitingAsk(ts, Ask.TOOL, Ask.TOOL.category, ACTIONS[Ask.TOOL])
    message = Message(ts=ts, type="ask", ask=Ask.TOOL, text=text_of(change))
    for listener in door.hall.listeners:
        listener.notice(MessageNotice(task_id, "i1", 1, message))
        listener.notice(StatusNotice(Status(task_id, "i1", 2, State.WAITING_FOR_INPUT, ask)))


def settle(door: FrontDoor, *, ts: int = 7, task_id: str = "t1") -> None:
    answer = Answer(Response.YES, "user", 1)
    message = Message(ts=ts, type="ask", ask=Ask.TOOL, text=text_of(CHANGE), answer=answer)
    for listener in door.hall.listeners:
        listener.notice(MessageNotice(task_id, "i1", 3, message))
        listener.notice(StatusNotice(Status(task_id, "i1", 4, State.RUNNING)))


async def command(door: FrontDoor, name: str, *arguments: object) -> Json:
    return await door.client.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})


def answers(door: FrontDoor) -> list[object]:
    return door.hall.named("answer")


def yes(*, response: str = "yesButtonClicked", **fields: dict[str, str]) -> tuple[str, int, AskReply]:
    return "t1", 7, AskReply(response, **fields)  # pyright: ignore[reportArgumentType]  The fields of a reply.


# Hunk by hunk


@pytest.mark.parametrize("agent", [None, AGENT])
async def test_the_last_hunk_answers_the_ask(door: FrontDoor, agent: Json | None) -> None:
    await door.client.initialize(agent=agent)
    propose(door)

    first = await command(door, "agent.rejectHunk", SECOND)
    before = answers(door)
    last = await command(door, "agent.acceptHunk", FIRST, "7")

    assert (first, before) == ({"accepted": True, "undecided": 1}, [])
    assert last == {"accepted": True, "undecided": 0}
    assert answers(door) == [yes(response="objectResponse", hunks={SECOND: "reject", FIRST: "accept"})]


async def test_a_hunk_that_is_not_named_is_the_next_one(plain: FrontDoor) -> None:
    propose(plain)

    await command(plain, "agent.rejectHunk")
    await command(plain, "agent.acceptHunk")

    assert answers(plain) == [yes(response="objectResponse", hunks={FIRST: "reject", SECOND: "accept"})]


async def test_all_hunks_rejected_reject_the_change(plain: FrontDoor) -> None:
    propose(plain)

    await command(plain, "agent.rejectHunk")
    await command(plain, "agent.rejectHunk")

    assert answers(plain) == [("t1", 7, AskReply("noButtonClicked"))]


async def test_the_last_word_about_a_hunk_counts(plain: FrontDoor) -> None:
    propose(plain)

    await command(plain, "agent.rejectHunk", FIRST)
    await command(plain, "agent.acceptHunk", FIRST)
    await command(plain, "agent.acceptHunk", SECOND)

    assert answers(plain) == [yes(response="objectResponse", hunks={FIRST: "accept", SECOND: "accept"})]


async def test_approving_takes_the_rest(plain: FrontDoor) -> None:
    propose(plain)

    await command(plain, "agent.rejectHunk", FIRST)
    await command(plain, "agent.approve")

    assert answers(plain) == [yes(hunks={FIRST: "reject"})]


async def test_rejecting_forgets_what_was_accepted(plain: FrontDoor) -> None:
    propose(plain)

    await command(plain, "agent.acceptHunk", FIRST)
    await command(plain, "agent.reject", "no")

    assert answers(plain) == [("t1", 7, AskReply("noButtonClicked", "no"))]


async def test_what_was_decided_is_in_a_clients_own_answer_and_its_own_word_counts_more(ready: FrontDoor) -> None:
    propose(ready)

    await command(ready, "agent.rejectHunk", FIRST)
    params = {"taskId": "t1", "response": "yesButtonClicked", "hunks": {SECOND: "reject"}}
    await ready.client.request("agent/askResponse", params)
    params["hunks"] = {FIRST: "accept"}
    await ready.client.request("agent/askResponse", params)

    assert answers(ready) == [yes(hunks={FIRST: "reject", SECOND: "reject"}), yes(hunks={FIRST: "accept"})]


async def test_decisions_end_with_their_ask(plain: FrontDoor) -> None:
    propose(plain)
    await command(plain, "agent.rejectHunk", FIRST)

    settle(plain)
    gone = await command(plain, "agent.acceptHunk", SECOND)
    propose(plain, ts=9)
    await command(plain, "agent.approve")

    assert gone == {"accepted": False, "reason": "AskGone"}
    assert answers(plain) == [("t1", 9, AskReply("yesButtonClicked"))]


# Which ask


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("agent.acceptHunk", ["", "8"]), ("agent.rejectHunk", [None, 8]), ("agent.acceptHunk", ["", "7", "t9"])],
)
async def test_a_hunk_of_another_ask_is_gone(plain: FrontDoor, name: str, arguments: list[object]) -> None:
    propose(plain)

    assert await command(plain, name, *arguments) == {"accepted": False, "reason": "AskGone"}


async def test_an_ask_of_another_task_is_found_by_its_ts(plain: FrontDoor) -> None:
    propose(plain)
    propose(plain, ts=9, task_id="t2")

    await command(plain, "agent.approve", "9")
    await command(plain, "agent.approve")
    await command(plain, "agent.approve", "", "t2")

    reply = AskReply("yesButtonClicked")
    assert answers(plain) == [("t2", 9, reply), ("t1", 7, reply), ("t2", 9, reply)]


async def test_the_only_ask_is_the_one_even_of_another_task(plain: FrontDoor) -> None:
    propose(plain, ts=9, task_id="t2")

    await command(plain, "agent.reject")

    assert answers(plain) == [("t2", 9, AskReply("noButtonClicked"))]


async def test_an_ask_of_a_task_that_was_put_away_is_none(plain: FrontDoor) -> None:
    propose(plain, ts=9, task_id="t2")
    plain.hall.live, plain.hall.task = ("t1",), None

    with pytest.raises(RpcError) as error:
        await command(plain, "agent.acceptHunk")

    assert error.value.kind == "TaskUnknown"


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("agent.acceptHunk", ["nope"], f"There is no hunk nope; there are {FIRST}, {SECOND}."),
        ("agent.rejectHunk", ["", "soon"], "The ts of a message is a number; agent.rejectHunk cannot do with 'soon'."),
        ("agent.acceptHunk", [{"id": FIRST}], "The arguments of agent.acceptHunk are strings."),
        ("agent.approve", [True], "The arguments of agent.approve are strings."),
        ("agent.approve", ["²"], "The ts of a message is a number; agent.approve cannot do with '²'."),
        ("agent.approve", ["9" * 5000], f"The ts of a message is a number; agent.approve cannot do with '{'9' * 40}'."),
    ],
)
async def test_bad_arguments_are_told(plain: FrontDoor, name: str, arguments: list[object], message: str) -> None:
    propose(plain)

    with pytest.raises(RpcError) as error:
        await command(plain, name, *arguments)

    assert (error.value.code, error.value.kind, error.value.message) == (-32602, "BadParams", message)


async def test_what_has_no_hunks_is_decided_as_a_whole(plain: FrontDoor) -> None:
    propose(plain, change=replace(CHANGE, kind="rename", hunks=()))

    with pytest.raises(RpcError, match="approve or reject it as a whole"):
        await command(plain, "agent.acceptHunk")


# Texts that the user wrote


@pytest.mark.parametrize(
    ("edited", "reply"),
    [
        ({"diff": "@@ -2 +2 @@\n-2\n+zwei\n"}, {"edited": {URI: BEFORE.replace("\n2\n", "\nzwei\n")}}),
        ({"text": "all new"}, {"edited": {URI: "all new"}}),
    ],
)
async def test_an_answer_brings_a_text_or_a_diff(ready: FrontDoor, edited: Json, reply: Json) -> None:
    propose(ready)

    params = {"taskId": "t1", "response": "objectResponse", "edited": [{"uri": URI, **edited}]}
    await ready.client.request("agent/askResponse", params)

    assert answers(ready) == [yes(response="objectResponse", **reply)]


@pytest.mark.parametrize(
    ("edited", "message"),
    [
        ({"uri": URI}, "give either the text or the diff"),
        ({"uri": URI, "text": "", "diff": ""}, "give either the text or the diff"),
        ({"uri": URI, "diff": 1}, "valid string"),
        ({"uri": URI, "diff": "@@ -2 +2 @@\n-zwei\n+2\n"}, "does not fit"),
        ({"uri": "file:///w/b.txt", "diff": "@@ -2 +2 @@\n-2\n+zwei\n"}, "not among the proposed"),
    ],
)
async def test_an_edit_that_makes_no_sense_is_refused_and_decides_nothing(
    ready: FrontDoor, edited: Json, message: str
) -> None:
    propose(ready)

    with pytest.raises(RpcError, match=message) as error:
        await ready.client.request(
            "agent/askResponse", {"taskId": "t1", "response": "yesButtonClicked", "edited": [edited]}
        )

    assert (error.value.code, answers(ready)) == (-32602, [])


async def test_a_rejection_of_no_hunk_accepts_nothing(ready: FrontDoor) -> None:
    propose(ready)

    params = {"taskId": "t1", "response": "yesButtonClicked", "hunks": {FIRST: "accept", "gone": "reject"}}
    with pytest.raises(RpcError, match=f"There is no hunk gone; there are {FIRST}") as error:
        await ready.client.request("agent/askResponse", params)

    assert (error.value.code, answers(ready)) == (-32602, [])


async def test_a_diff_for_an_ask_that_is_gone_is_gone(ready: FrontDoor) -> None:
    propose(ready)

    params = {"taskId": "t1", "ts": 6, "response": "yesButtonClicked", "edited": [{"uri": URI, "diff": "nonsense"}]}
    answered = await ready.client.request("agent/askResponse", params)

    assert (answered, answers(ready)) == ({"accepted": False, "reason": "AskGone"}, [])


async def test_a_rejected_hunk_is_not_in_an_edited_text(plain: FrontDoor) -> None:
    propose(plain)
    plain.server.asks.edited = lambda _: Edited({URI: AFTER.replace("two\n", "zwei\n")})

    await command(plain, "agent.rejectHunk", SECOND)
    await command(plain, "agent.approve")

    assert answers(plain) == [yes(hunks={SECOND: "reject"}, edited={URI: BEFORE.replace("\n2\n", "\nzwei\n")})]


@pytest.mark.parametrize(
    ("text", "hunks", "made"),
    [
        (AFTER.replace("two\n", "zwei\n"), {SECOND: "reject"}, BEFORE.replace("\n2\n", "\nzwei\n")),
        (BEFORE.replace("\n2\n", "\nzwei\n"), {SECOND: "reject"}, BEFORE.replace("\n2\n", "\nzwei\n")),
        (AFTER, {FIRST: "reject", SECOND: "accept"}, BEFORE.replace("\n29\n", "\nend\n")),
    ],
)
async def test_a_hunk_rejected_in_an_answer_is_not_in_the_text_that_comes_with_it(
    ready: FrontDoor, text: str, hunks: dict[str, str], made: str
) -> None:
    propose(ready)
    edited = [{"uri": URI, "text": text}]

    await ready.client.request(
        "agent/askResponse", {"taskId": "t1", "response": "objectResponse", "hunks": hunks, "edited": edited}
    )

    assert answers(ready) == [yes(response="objectResponse", hunks=hunks, edited={URI: made})]


async def test_a_text_in_an_answer_takes_the_place_of_what_was_decided_of_its_hunks(ready: FrontDoor) -> None:
    propose(ready)
    await command(ready, "agent.rejectHunk", SECOND)

    await ready.client.request(
        "agent/askResponse",
        {"taskId": "t1", "response": "yesButtonClicked", "edited": [{"uri": URI, "text": AFTER + "mine\n"}]},
    )

    assert answers(ready) == [yes(edited={URI: AFTER + "mine\n"})]


async def test_a_hunk_that_is_edited_and_rejected_is_neither(plain: FrontDoor) -> None:
    propose(plain)
    plain.server.asks.edited = lambda _: Edited({URI: AFTER.replace("two\n", "zwei\n")})
    await command(plain, "agent.rejectHunk", FIRST)

    with pytest.raises(RpcError, match="take back one of the two"):
        await command(plain, "agent.approve")

    assert answers(plain) == []


async def test_pop_up_whose_yes_cannot_be_taken_says_why(plain: FrontDoor) -> None:
    plain.client.answers["window/showMessageRequest"] = lambda _: {"title": "Approve"}

    def refuse(_: object) -> Edited:
        raise BadParams("Mend the diff.")

    plain.server.asks.edited = refuse
    propose(plain)

    assert await plain.client.notification("window/showMessage") == {"type": 2, "message": "Mend the diff."}


# Previews


async def test_preview_shows_what_is_decided(plain: FrontDoor) -> None:
    plain.hall.previews[CHANGE.preview_uri] = AFTER
    propose(plain)

    texts = [await preview(plain)]
    await command(plain, "agent.rejectHunk", FIRST)
    texts.append(await preview(plain))
    plain.server.asks.edited = lambda _: Edited({URI: "mine"})
    await command(plain, "agent.acceptHunk", FIRST)
    texts.append(await preview(plain))

    assert texts == [AFTER, BEFORE.replace("\n29\n", "\nend\n"), "mine"]


async def test_preview_has_what_the_user_typed_since_as_the_file_will(plain: FrontDoor) -> None:
    propose(plain)
    item = {"uri": URI, "languageId": "plaintext", "version": 1, "text": BEFORE}
    plain.client.notify("textDocument/didOpen", {"textDocument": item})

    def typed(text: str) -> None:
        document = {"uri": URI, "version": 2}
        plain.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    texts = [await preview(plain)]
    for text in (BEFORE + "typed\n", BEFORE.replace("\n2\n", "\nzwei\n")):
        typed(text)
        texts.append(await preview(plain))

    assert texts == [AFTER, AFTER + "typed\n", AFTER]


async def preview(door: FrontDoor) -> str:
    result = await door.client.request("workspace/textDocumentContent", {"uri": CHANGE.preview_uri})
    return result["text"]


async def test_previews_are_refreshed_when_a_hunk_is_decided(door: FrontDoor) -> None:
    await door.client.initialize(capabilities={"workspace": {"textDocumentContent": {}}})
    propose(door)

    await command(door, "agent.rejectHunk", FIRST)
    refresh = await door.client.question("workspace/textDocumentContent/refresh")

    assert refresh == {"uri": CHANGE.preview_uri}
    assert len(door.client.questions) == 1


async def test_clients_that_cannot_refresh_are_not_asked_to(ready: FrontDoor) -> None:
    propose(ready)

    await command(ready, "agent.rejectHunk", FIRST)
    await ready.client.request("agent/debugReport")

    assert ready.client.questions == []
