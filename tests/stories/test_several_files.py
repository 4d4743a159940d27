"""Edits of several files, moves and deletions among them: all of it or nothing, whatever the editor can and does."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from story import story
from typing_room import ALL, Room, typing_room

from agent_lsp.domain.files import Applied, EditOutcome, FileEdit, NotApplied
from support.fake_editor import Manner
from support.lsp_client import Json
from support.model_server import CallTool

TEXT = "one\ntwo\n"


async def patch(room: Room) -> EditOutcome:
    """Change one file, move another with a change, delete a third and make a fourth."""
    wishes = {"a.txt": ("A\n", None), "old.txt": ("moved\n", "d/new.txt"), "gone.txt": (None, None)}
    edits = list[FileEdit]()
    for name, (after, target) in wishes.items():
        place = room.files.locate(name, "write")
        move_to = room.files.locate(target, "write") if target else None
        edits.append(FileEdit(place, await room.files.read(place), after, move_to))
    edits.append(FileEdit(room.files.locate("e/made.txt", "write"), None, "made\n"))
    return await room.files.apply(await room.files.propose(edits), ALL)


def standing(room: Room) -> dict[str, str]:
    """What the user has: documents where they are open, files where they are not."""
    files = {path.as_uri(): path.read_text() for path in room.root.rglob("*") if path.is_file()}
    shown = {uri: document.text for uri, document in room.editor.documents.items()}
    return {uri.removeprefix(room.root.as_uri() + "/"): text for uri, text in (files | shown).items()}


BEFORE = {"a.txt": TEXT, "old.txt": "old\n", "gone.txt": "gone\n"}
AFTER = {"a.txt": "A\n", "d/new.txt": "moved\n", "e/made.txt": "made\n"}
CHANGES = 6
"""Text of a.txt, text and name of old.txt, gone.txt, made.txt and its text."""
NO_OPERATIONS: Json = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}


async def prepare(room: Room, opened: tuple[str, ...]) -> None:
    for name in ("old.txt", "gone.txt"):
        (room.root / name).write_text(BEFORE[name])
    for name in opened:
        room.editor.open((room.root / name).as_uri(), BEFORE[name])
    await room.settled()


@pytest.mark.parametrize("opened", [(), ("old.txt",), ("gone.txt",), ("old.txt", "gone.txt")])
async def test_all_of_it_is_made(tmp_path: Path, opened: tuple[str, ...]) -> None:
    async with typing_room(tmp_path, TEXT) as room:
        await prepare(room, opened)

        outcome = await patch(room)

        await room.settled()
        assert isinstance(outcome, Applied)
        assert standing(room) == AFTER


@pytest.mark.parametrize("opened", [("old.txt",), ("gone.txt",), ("old.txt", "gone.txt")])
async def test_editor_without_the_operations_for_open_files_gets_none_of_it(
    tmp_path: Path, opened: tuple[str, ...]
) -> None:
    async with typing_room(tmp_path, TEXT, capabilities=NO_OPERATIONS) as room:
        await prepare(room, opened)

        outcome = await patch(room)

        await room.settled()
        assert isinstance(outcome, NotApplied)
        assert "The editor cannot" in outcome.reason
        assert standing(room) == BEFORE
        assert not (tmp_path / "e").exists()


async def test_editor_without_the_operations_leaves_closed_files_to_the_disk(tmp_path: Path) -> None:
    async with typing_room(tmp_path, TEXT, capabilities=NO_OPERATIONS) as room:
        await prepare(room, ())

        outcome = await patch(room)

        await room.settled()
        assert isinstance(outcome, Applied)
        assert standing(room) == AFTER


@pytest.mark.parametrize("part", range(CHANGES))
async def test_editor_that_stops_at_any_change_ends_with_none_of_it(tmp_path: Path, part: int) -> None:
    async with typing_room(tmp_path, TEXT) as room:
        await prepare(room, ("old.txt", "gone.txt"))
        room.editor.manner, room.editor.part = Manner.HALF, part
        room.door.client.answers["workspace/applyEdit"] = honest_after_the_first(room)

        outcome = await patch(room)

        await room.settled()
        assert isinstance(outcome, NotApplied)
        assert standing(room) == BEFORE
        assert not (tmp_path / "e").exists()


async def test_editor_that_makes_all_of_it_is_not_believed_when_it_says_no(tmp_path: Path) -> None:
    async with typing_room(tmp_path, TEXT) as room:
        await prepare(room, ("old.txt", "gone.txt"))
        room.editor.manner = Manner.DENIES

        outcome = await patch(room)

        await room.settled()
        assert isinstance(outcome, Applied)
        assert standing(room) == AFTER


def honest_after_the_first(room: Room) -> Callable[[Json], Awaitable[Json]]:
    async def answer(params: Json) -> Json:
        answered = await room.editor.apply(params)
        room.editor.manner = Manner.HONEST
        return answered

    return answer


async def test_document_that_was_edited_and_moved_is_saved_before_a_command_reads_it(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+1\n*** End Patch\n"
    move, look = [CallTool("apply_patch", patch=patch)], [CallTool("execute_command", command="cat b.txt")]
    done = [CallTool("attempt_completion", result="done")]
    async with story(tmp_path, [move, look, done]) as s:
        s.editor.open(s.file("a.txt", "one\ntwo\n").as_uri(), "one\ntwo\n")
        await s.new_task()
        await s.approve("tool")
        await s.approve("command")
        await s.ask("completion_result")

        assert s.model.requests[-1].results[-1].text == "Exit code: 0\n1\ntwo"
        assert s.editor.saved == [(s.workspace / "b.txt").as_uri()]
