"""Standing permissions and trust at the front door: what is refused, what is asked of the user, and how often."""

import asyncio
from dataclasses import replace

import pytest

from agent_lsp.domain.trust import FolderTrust, Trust
from agent_lsp.lsp.trusting import DECLINE, FEW_LINES, LATER, MANY_LINES, TRUST, is_shown_whole, question
from support.front_door import FrontDoor
from support.lsp_client import Json, RpcError

FOLDER = FolderTrust("/w", "d1", Trust.UNDECIDED, ('permissionMode = "acceptEdits"',))
QUESTION = "window/showMessageRequest"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("agent/permissions", {"op": "grant"}),
        ("agent/permissions", {"op": "revoke"}),
        ("agent/permissions", {"op": "add", "scope": "user", "kind": "command"}),
        ("agent/permissions", {"op": "add", "scope": "everyone", "kind": "command", "rule": "ls"}),
        ("agent/permissions", {"op": "add", "scope": "user", "kind": "everything", "rule": "ls"}),
        ("agent/trust", {"op": "trust", "root": "/w"}),
        ("agent/trust", {"op": "forget"}),
        ("agent/askResponse", {"taskId": "t1", "response": "yesButtonClicked", "remember": {"scope": "always"}}),
        ("agent/askResponse", {"taskId": "t1", "response": "yesButtonClicked", "remember": True}),
    ],
)
async def test_wishes_that_say_too_little_or_too_much_are_refused(ready: FrontDoor, method: str, params: Json) -> None:
    with pytest.raises(RpcError) as caught:
        await ready.client.request(method, params)

    assert (caught.value.code, caught.value.kind) == (-32602, "BadParams")


async def started(door: FrontDoor) -> None:
    """Connect, and wait until the server has taken that in."""
    await door.client.initialize()
    await door.client.request("agent/debugReport")


async def answered(door: FrontDoor) -> None:
    """Wait until the server has taken the answers to its questions, and done what follows."""
    for _ in range(2):
        await door.client.request("agent/debugReport")


def asked(door: FrontDoor) -> list[Json]:
    return [params for method, params in door.client.questions if method == QUESTION]


async def test_user_is_asked_about_a_folder_that_wants_more(door: FrontDoor) -> None:
    door.client.answers[QUESTION] = lambda _: {"title": TRUST}

    await started(door)
    door.hall.folders = (FOLDER,)
    door.hall.on_settings[0]()
    await door.client.until(lambda: asked(door))
    await answered(door)

    assert [action["title"] for action in asked(door)[0]["actions"]] == [LATER, DECLINE, TRUST]
    assert door.hall.named("trust") == [("/w", "d1", True)]


@pytest.mark.parametrize(("title", "decided"), [(TRUST, [("/w", "d1", True)]), (DECLINE, [("/w", "d1", False)])])
async def test_answer_of_the_user_is_what_is_decided(door: FrontDoor, title: str, decided: object) -> None:
    door.client.answers[QUESTION] = lambda _: {"title": title}
    await started(door)

    door.hall.folders = (FOLDER,)
    door.hall.on_settings[0]()
    await door.client.until(lambda: asked(door))
    await answered(door)

    assert door.hall.named("trust") == decided


def unknown(_: Json) -> None:
    raise RpcError({"code": -32601, "message": "no"})


@pytest.mark.parametrize("answer", [lambda _: None, lambda _: {"title": LATER}, lambda _: {"title": "Sure"}, unknown])
async def test_anything_but_a_decision_decides_nothing(door: FrontDoor, answer) -> None:
    door.client.answers[QUESTION] = answer
    await started(door)
    door.hall.folders = (FOLDER, replace(FOLDER, root="/v"))

    door.hall.on_settings[0]()
    await door.client.until(lambda: len(asked(door)) == 2)
    await door.client.request("agent/debugReport")

    assert door.hall.named("trust") == []


async def test_a_folder_is_asked_about_once_for_what_it_asks(door: FrontDoor) -> None:
    door.client.answers[QUESTION] = lambda _: None
    await started(door)

    for folder in (FOLDER, FOLDER, replace(FOLDER, digest="d2"), FOLDER):
        door.hall.folders = (folder,)
        door.hall.on_settings[0]()
    await door.client.until(lambda: len(asked(door)) == 2)
    await door.client.request("agent/debugReport")

    assert len(asked(door)) == 2


async def test_one_folder_is_asked_about_at_a_time(door: FrontDoor) -> None:
    pending: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    door.client.answers[QUESTION] = lambda _: pending
    await started(door)
    door.hall.folders = (FOLDER, replace(FOLDER, root="/v"))

    door.hall.on_settings[0]()
    await door.client.until(lambda: asked(door))
    await door.client.request("agent/debugReport")
    assert len(asked(door)) == 1
    pending.set_result(None)
    await door.client.until(lambda: len(asked(door)) == 2)

    assert "/v" in asked(door)[1]["message"]


@pytest.mark.parametrize("trust", [Trust.TRUSTED, Trust.DECLINED])
async def test_what_is_decided_is_not_asked(door: FrontDoor, trust: Trust) -> None:
    await started(door)
    door.hall.folders = (replace(FOLDER, trust=trust),)

    door.hall.on_settings[0]()
    await door.client.request("agent/debugReport")

    assert asked(door) == []


async def test_remarks_of_a_later_reading_are_told_once(door: FrontDoor) -> None:
    await started(door)
    door.hall.ignored = ("There is no setting fooBar.",)

    door.hall.on_settings[0]()
    door.hall.on_settings[0]()
    await door.client.request("agent/debugReport")

    assert [p["message"] for p in door.client.named("window/showMessage")] == ["There is no setting fooBar."]


ASKS = {
    "one": ("/w", ("a = 1",), True),
    "as many as there is room for": ("/w", ("a = 1", "b = 2", "c = 3"), True),
    "more": ("/w", tuple(f"key{number} = 1" for number in range(40)), False),
    "long ones": ("/very-long" * 40, ("a = " + "b" * 500, "c = 1"), False),
    "what cannot be seen": ("/w\n\u202e漢字", ("a = \u202e",), True),
    "what is long once it is seen": ("/w", ("a = " + "\u202e" * 20,), False),
}


@pytest.mark.parametrize(("root", "asks", "is_whole"), ASKS.values(), ids=ASKS)
def test_question_fits_and_a_yes_is_offered_to_what_is_shown_whole(
    root: str, asks: tuple[str, ...], is_whole: bool
) -> None:
    folder = FolderTrust(root, "d", asks=asks)

    lines = question(folder, FEW_LINES).split("\n")

    assert len(lines) <= 6
    assert all(len(line) <= 76 and line.isascii() for line in lines if "…" not in line)
    assert all(len(line) <= 76 for line in lines)
    assert is_shown_whole(folder, FEW_LINES) is is_whole
    assert lines[-1].endswith("agent-lsp trust add") is not is_whole


async def test_what_is_not_shown_whole_cannot_be_trusted_by_a_pop_up(door: FrontDoor) -> None:
    await started(door)
    door.hall.folders = (replace(FOLDER, asks=tuple(f"key{number} = 1" for number in range(MANY_LINES + 1))),)

    door.hall.on_settings[0]()
    await door.client.until(lambda: asked(door))

    assert [action["title"] for action in asked(door)[0]["actions"]] == [LATER, DECLINE]
