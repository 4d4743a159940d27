import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from test_lsp_waiting import CHANGE, command, propose, settle

from agent_lsp.domain.messages import DeletedMessage, Message, Say
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice, Notice
from agent_lsp.lsp.patience import Patience
from agent_lsp.lsp.plain.transcripts import Pauses
from support.fake_editor import FakeEditor, Manner
from support.front_door import FrontDoor, front_door
from support.lsp_client import RpcError

WORDS = "ä😀 é\u2028 \u202e"


def says(ts: int, text: str, *, partial: bool | None = None) -> Message:
    return Message(ts, "say", say=Say.TEXT, text=text, partial=partial)


def tell(door: FrontDoor, *notices: Notice) -> None:
    for notice in notices:
        for listener in door.hall.listeners:
            listener.notice(notice)


def message(ts: int, text: str, *, partial: bool | None = None) -> MessageNotice:
    return MessageNotice("t1", "i1", 1, says(ts, text, partial=partial))


async def shake_hands(door: FrontDoor, folder: Path, encoding: str = "utf-16", **workspace: object) -> FakeEditor:
    door.client.answers["window/showDocument"] = lambda _: {"success": True}
    capabilities = {
        "general": {"positionEncodings": [encoding]},
        "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, **workspace},
        "window": {"showDocument": {"support": True}},
    }
    await door.client.initialize(agent=None, capabilities=capabilities)
    door.server.parlour.transcripts.pauses = Pauses(0.02, 0.02)
    door.hall.folder = folder
    door.hall.messages = (says(1, f"do it {WORDS}"),)
    return FakeEditor(door.client, encoding)


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def until(door: FrontDoor, condition: Callable[[], bool]) -> None:
    """Wait for what the server does without telling its client."""
    async with asyncio.timeout(10):
        while not condition():
            await door.client.request("agent/debugReport")


async def until_looked_at(door: FrontDoor) -> None:
    """Wait until another transcript, of a task that was told something later, has been written."""
    other = (await command(door, "agent.showTranscript", "t2"))["uri"]
    for listener in door.hall.listeners:
        listener.notice(replace(message(2, "and here"), task_id="t2"))
    await until(door, lambda: "and here" in Path(other.removeprefix("file://")).read_text())


async def show(door: FrontDoor) -> tuple[str, Path]:
    uri = (await command(door, "agent.showTranscript"))["uri"]
    return uri, Path(uri.removeprefix("file://"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_open_transcript_follows_by_edits(door: FrontDoor, tmp_path: Path, encoding: str) -> None:
    editor = await shake_hands(door, tmp_path, encoding)
    uri, path = await show(door)
    editor.open(uri, path.read_text())

    for ts in range(2, 12):
        tell(door, message(ts, f"{WORDS} {ts}", partial=True), DeltaNotice("t1", "i1", 1, ts, f"😀 more\n{WORDS}"))
        await door.client.until(lambda ts=ts: f"{WORDS} {ts}😀 more" in editor.documents[uri].text)
        tell(door, message(ts, f"{WORDS} whole {ts}", partial=False))
    await door.client.until(lambda: "whole 11" in editor.documents[uri].text)

    rows = [line for line in editor.documents[uri].text.split("\n") if "whole" in line]
    assert rows == [f"{WORDS} whole {ts}" for ts in range(11, 1, -1)]
    assert path.read_text().count("whole") == 0


async def test_edits_are_small_and_a_burst_is_one(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    door.hall.messages = tuple(says(ts, f"row {ts} " + "x" * 100) for ts in range(1, 200))
    uri, path = await show(door)
    editor.open(uri, path.read_text())

    tell(door, *(message(ts, f"new {ts}") for ts in range(200, 230)))
    await door.client.until(lambda: "new 229" in editor.documents[uri].text)

    sizes = [len(e["newText"]) for p in editor.applied for c in p["edit"]["documentChanges"] for e in c["edits"]]
    assert sum(sizes) < 30 * 40
    assert len(editor.applied) == 1


async def test_what_the_user_writes_in_a_transcript_stays(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    uri, path = await show(door)
    editor.open(uri, path.read_text())
    editor.type(uri, editor.documents[uri].text + "\na note of mine\n")

    tell(door, message(2, "new"))
    await door.client.until(lambda: "new" in editor.documents[uri].text)

    assert editor.documents[uri].text.endswith("\na note of mine\n")


async def test_lines_that_the_user_changes_are_left_alone(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    uri, path = await show(door)
    editor.open(uri, path.read_text())
    editor.type(uri, "all mine")

    tell(door, message(2, "new"))
    tell(door, message(3, "newer"))
    await until_looked_at(door)
    meanwhile = editor.documents[uri].text
    editor.type(uri, path.read_text())
    tell(door, message(4, "newest"))
    await door.client.until(lambda: "newest" in editor.documents[uri].text)

    assert meanwhile == "all mine"
    assert "newer" in editor.documents[uri].text


async def test_editor_that_refuses_is_tried_again_with_the_next_message(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    uri, path = await show(door)
    editor.open(uri, path.read_text())
    editor.manner = Manner.REFUSES

    tell(door, message(2, "new"))
    await door.client.until(lambda: editor.applied)
    editor.manner = Manner.HONEST
    tell(door, message(3, "newer"))
    await door.client.until(lambda: "newer" in editor.documents[uri].text)

    assert "new\n" in editor.documents[uri].text


@pytest.mark.parametrize("manner", [Manner.REFUSES, Manner.FAILS, Manner.CLAIMS_ONLY])
async def test_edit_that_failed_is_made_once_the_document_has_changed(tmp_path: Path, manner: Manner) -> None:
    async with front_door(Patience(proof=0.01)) as door:
        editor = await shake_hands(door, tmp_path)
        uri, path = await show(door)
        editor.open(uri, path.read_text())
        editor.manner = manner

        tell(door, message(2, "new"))
        await door.client.until(lambda: editor.applied)
        editor.manner = Manner.HONEST
        editor.type(uri, editor.documents[uri].text + "\na note of mine\n")
        await door.client.until(lambda: "## Agent\n\nnew\n" in editor.documents[uri].text)

        assert editor.documents[uri].text.endswith("\na note of mine\n")


async def test_lines_that_the_user_gives_back_are_written_at_once(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    uri, path = await show(door)
    editor.open(uri, path.read_text())
    editor.type(uri, "all mine")
    tell(door, message(2, "new"))
    await until_looked_at(door)

    editor.type(uri, path.read_text())
    await door.client.until(lambda: "## Agent\n\nnew\n" in editor.documents[uri].text)


async def test_editor_that_was_slower_than_it_is_waited_for_is_followed_again(tmp_path: Path) -> None:
    async with front_door(Patience(proof=0.01)) as door:
        editor = await shake_hands(door, tmp_path)
        uri, path = await show(door)
        editor.open(uri, path.read_text())
        editor.manner = Manner.LATE

        tell(door, message(2, "new"))
        await door.client.until(lambda: editor.late)
        await until_looked_at(door)
        editor.manner = Manner.HONEST
        editor.catch_up()
        tell(door, message(3, "newer"))
        await door.client.until(lambda: "newer" in editor.documents[uri].text)

        assert editor.documents[uri].text.count("new\n") == 1


async def test_transcript_that_is_not_open_is_written(door: FrontDoor, tmp_path: Path) -> None:
    await shake_hands(door, tmp_path)
    _, path = await show(door)

    tell(door, message(2, "new"))
    await until(door, lambda: "## Agent\n\nnew\n" in path.read_text())
    assert path.stat().st_mode & 0o777 == 0o600


async def test_transcript_that_was_closed_is_written_again(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    uri, path = await show(door)
    editor.open(uri, path.read_text())
    tell(door, message(2, "new"))
    await door.client.until(lambda: "new" in editor.documents[uri].text)

    editor.close(uri)
    await door.client.request("agent/debugReport")
    await until(door, lambda: "## Agent\n\nnew\n" in path.read_text())


async def test_editor_without_edits_finds_them_on_the_disk(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path, applyEdit=False)
    uri, path = await show(door)
    editor.open(uri, path.read_text())

    tell(door, message(2, "new"))
    await door.client.request("agent/debugReport")
    await until(door, lambda: "## Agent\n\nnew\n" in path.read_text())


async def test_asks_are_on_top_while_they_wait(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    uri, path = await show(door)
    editor.open(uri, path.read_text())

    propose(door)
    await door.client.until(lambda: "0 of 2 decided" in editor.documents[uri].text)
    await command(door, "agent.rejectHunk")
    await door.client.until(lambda: "1 of 2 decided" in editor.documents[uri].text)
    settle(door)
    await door.client.until(lambda: "decided" not in editor.documents[uri].text)

    assert CHANGE.diff[CHANGE.diff.index("@@") :] in editor.documents[uri].text


async def test_rewound_messages_disappear(door: FrontDoor, tmp_path: Path) -> None:
    await shake_hands(door, tmp_path)
    _, path = await show(door)

    tell(door, message(2, "new"), DeletionNotice("t1", "i1", 2, DeletedMessage(2)))
    tell(door, message(3, "and on"))
    await until(door, lambda: "and on" in path.read_text())

    assert "new" not in path.read_text()


async def test_older_messages_are_on_pages_of_their_own(door: FrontDoor, tmp_path: Path) -> None:
    await shake_hands(door, tmp_path)
    door.hall.messages = tuple(says(ts, f"row {ts} " + "x" * 1_000) for ts in range(1, 200))

    _, path = await show(door)

    page, rows = path, list[str]()
    while True:
        text = page.read_text()
        rows += [line.split()[1] for line in text.splitlines() if line.startswith("row")]
        if "\nEarlier: " not in text:
            break
        page = Path(text.splitlines()[-1].removeprefix("Earlier: "))
    assert rows == [str(ts) for ts in range(199, 0, -1)]
    assert max(len(file.read_text()) for file in files(tmp_path)) < 70_000


async def test_one_document_is_shown_for_each_wish(door: FrontDoor, tmp_path: Path) -> None:
    await shake_hands(door, tmp_path)

    uri, _ = await show(door)
    tell(door, message(2, "new"))
    await show(door)
    await door.client.request("agent/debugReport")

    shown = [params for method, params in door.client.questions if method == "window/showDocument"]
    assert shown == [{"uri": uri, "takeFocus": True}] * 2


async def test_nothing_is_kept_for_tasks_that_nobody_looks_at(door: FrontDoor, tmp_path: Path) -> None:
    await shake_hands(door, tmp_path)

    tell(door, message(2, "new"))

    assert files(tmp_path) == []


async def test_without_a_task_there_is_no_transcript(plain: FrontDoor) -> None:
    plain.hall.task = None

    with pytest.raises(RpcError, match=r"start one with agent\.newTask"):
        await command(plain, "agent.showTranscript")


async def test_end_of_the_server_leaves_a_whole_file(tmp_path: Path) -> None:
    async with front_door() as door:
        await shake_hands(door, tmp_path)
        _, path = await show(door)
        tell(door, message(2, "last words"))

    assert "last words" in path.read_text()


async def test_list_of_tasks_is_shown_as_a_page(door: FrontDoor, tmp_path: Path) -> None:
    await shake_hands(door, tmp_path)

    listed = await command(door, "agent.tasks", "words")
    shown = await door.client.question("window/showDocument")

    assert [task["taskId"] for task in listed["tasks"]] == ["t1"]
    assert door.hall.named("list_tasks") == [(None, 100, "words")]
    assert shown["uri"] == (tmp_path / "tasks.md").as_uri()
    assert "**Fix it** · idle · `t1`" in (tmp_path / "tasks.md").read_text()


async def test_list_of_tasks_is_renewed_where_it_is_open(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    await command(door, "agent.tasks")
    page = tmp_path / "tasks.md"
    listed = page.read_text()
    editor.open(page.as_uri(), "# Tasks\n\nnone of old\n")

    await command(door, "agent.tasks")

    await door.client.until(lambda: editor.documents[page.as_uri()].text == listed)


async def test_a_listed_task_is_gone_on_with_by_a_code_action(door: FrontDoor, tmp_path: Path) -> None:
    editor = await shake_hands(door, tmp_path)
    await command(door, "agent.tasks")
    page = tmp_path / "tasks.md"
    editor.open(page.as_uri(), page.read_text())

    offered: list[list[tuple[str, list[str]]]] = []
    for line in (0, 2, 4, 99):
        place = {"line": line, "character": 0}
        params = {
            "textDocument": {"uri": page.as_uri()},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": []},
        }
        actions = await door.client.request("textDocument/codeAction", params)
        offered.append([(each["command"], each["arguments"]) for each in actions if each["command"] == "agent.resume"])

    assert offered == [[], [("agent.resume", ["t1"])], [], []]


async def test_transcript_that_cannot_be_written_says_so_and_is_begun_anew(door: FrontDoor, tmp_path: Path) -> None:
    await shake_hands(door, tmp_path)
    door.hall.folder = Path("/proc/no-such-folder")
    door.hall.messages = tuple(says(ts, "x" * 1_000) for ts in range(1, 200))

    with pytest.raises(RpcError, match=r"t1\.1\.md cannot be written") as error:
        await show(door)
    door.hall.folder = tmp_path
    _, path = await show(door)

    assert error.value.kind == "StorageProblem"
    assert path.exists()
