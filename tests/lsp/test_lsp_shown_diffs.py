from dataclasses import replace
from pathlib import Path

import pytest
from test_lsp_waiting import AFTER, BEFORE, CHANGE, FIRST, SECOND, URI, answers, command, propose, settle, yes

from agent_lsp.domain.requests import AskReply
from agent_lsp.workspace.diffs import compare, unified
from support.front_door import FrontDoor
from support.lsp_client import Json, RpcError


@pytest.fixture
async def shown(door: FrontDoor, tmp_path: Path) -> FrontDoor:
    """A plain client that opens what it is shown."""
    await begin(door, tmp_path)
    propose(door)
    return door


async def begin(door: FrontDoor, folder: Path) -> None:
    door.client.answers["window/showDocument"] = lambda _: {"success": True}
    await door.client.initialize(agent=None, capabilities={"window": {"showDocument": {"support": True}}})
    door.hall.folder = folder


def file_of(answer: Json) -> Path:
    return Path(answer["uri"].removeprefix("file://"))


async def test_diff_is_a_file_that_is_opened_once(shown: FrontDoor, tmp_path: Path) -> None:
    answer = await command(shown, "agent.showDiff")
    await shown.client.request("agent/debugReport")

    path = file_of(answer)
    assert path == tmp_path / "t1-7.diff"
    # It may stay on the screen after the answer, and what it says has to hold then, too.
    assert path.read_text().startswith("What the agent wants to change. Before you answer, nothing of it is done.\n")
    assert path.read_text().endswith(f"\n\n{CHANGE.diff}")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [method for method, _ in shown.client.questions if method == "window/showDocument"] == [
        "window/showDocument"
    ]


@pytest.mark.parametrize("answer", [{"success": False}, RpcError({"code": -32601, "message": "no"})])
async def test_user_is_told_where_a_file_is_that_does_not_open(shown: FrontDoor, answer: object) -> None:
    def show(_: Json) -> object:
        if isinstance(answer, RpcError):
            raise answer
        return answer

    shown.client.answers["window/showDocument"] = show
    shown_file = file_of(await command(shown, "agent.showDiff"))

    told = await shown.client.notification("window/showMessage")
    assert told == {"type": 3, "message": f"It is in {shown_file}"}


async def test_diff_that_was_only_read_changes_nothing(shown: FrontDoor) -> None:
    path = file_of(await command(shown, "agent.showDiff"))
    path.write_text(path.read_text() + "\n\n")

    await command(shown, "agent.approve")

    assert answers(shown) == [yes()]


@pytest.mark.parametrize("is_open", [True, False])
async def test_edited_diff_is_what_is_approved(shown: FrontDoor, is_open: bool) -> None:
    answer = await command(shown, "agent.showDiff")
    edited = file_of(answer).read_text().replace("+two\n", "+zwei\n")
    if is_open:
        item = {"uri": answer["uri"], "languageId": "diff", "version": 1, "text": edited}
        shown.client.notify("textDocument/didOpen", {"textDocument": item})
    else:
        file_of(answer).write_text(edited)

    await command(shown, "agent.approve")

    assert answers(shown) == [yes(edited={URI: AFTER.replace("two\n", "zwei\n")})]


async def test_hunk_that_was_taken_out_of_the_diff_is_not_applied(shown: FrontDoor) -> None:
    path = file_of(await command(shown, "agent.showDiff"))
    path.write_text(path.read_text()[: path.read_text().index("@@ -26")])

    await command(shown, "agent.approve")

    assert answers(shown) == [yes(edited={URI: BEFORE.replace("\n2\n", "\ntwo\n")})]


async def test_file_that_was_taken_out_of_the_diff_keeps_all_its_lines(shown: FrontDoor) -> None:
    path = file_of(await command(shown, "agent.showDiff"))
    path.write_text("I want none of it.\n")

    await command(shown, "agent.approve")

    assert answers(shown) == [yes(hunks={FIRST: "reject", SECOND: "reject"})]


async def test_deleted_diff_is_as_if_it_was_never_shown(shown: FrontDoor) -> None:
    file_of(await command(shown, "agent.showDiff")).unlink()

    await command(shown, "agent.approve")

    assert answers(shown) == [yes()]


async def test_no_is_no_whatever_the_diff_says(shown: FrontDoor) -> None:
    file_of(await command(shown, "agent.showDiff")).write_text("@@ nonsense\n")

    await command(shown, "agent.reject")

    assert answers(shown) == [("t1", 7, AskReply("noButtonClicked"))]


async def test_renamed_file_is_patched_by_its_new_name(door: FrontDoor, tmp_path: Path) -> None:
    await begin(door, tmp_path)
    diff = unified("rename", "a b.txt", "ö c.txt", compare("a b.txt", BEFORE, AFTER))
    propose(door, change=replace(CHANGE, kind="rename", path="a b.txt", new_path="ö c.txt", diff=diff))
    path = file_of(await command(door, "agent.showDiff"))
    path.write_text(path.read_text().replace("+two\n", "+zwei\n"))

    await command(door, "agent.approve")

    assert answers(door) == [yes(edited={URI: AFTER.replace("two\n", "zwei\n")})]


async def test_diff_goes_with_its_ask_unless_it_is_open(shown: FrontDoor) -> None:
    answer = await command(shown, "agent.showDiff")
    document = {"uri": answer["uri"], "languageId": "diff", "version": 1, "text": ""}
    shown.client.notify("textDocument/didOpen", {"textDocument": document})
    await shown.client.request("agent/debugReport")

    settle(shown)
    while_open = file_of(answer).exists()
    shown.client.notify("textDocument/didClose", {"textDocument": {"uri": answer["uri"]}})
    await shown.client.request("agent/debugReport")

    assert (while_open, file_of(answer).exists()) == (True, False)


async def test_without_an_ask_there_is_no_diff(plain: FrontDoor) -> None:
    with pytest.raises(RpcError, match="Nothing waits to be decided"):
        await command(plain, "agent.showDiff")
