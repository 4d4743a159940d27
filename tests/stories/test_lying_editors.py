"""Editors that lie: what is told is what is there, nothing of the user's is lost, and the next edit begins anew."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from typing_room import Room, typing_room

from agent_lsp.domain.files import Applied, EditOutcome, FileEdit, NotApplied, Unproven
from support.fake_editor import Manner
from support.lsp_client import Json

TEXT = "one 🦊\r\ne\u0301 two\r\nthree\r\nfour\r\nfive\r\n"
WANTED = TEXT.replace("two", "2 🦊")


def agents(text: str) -> str:
    return text.replace("two", "2 🦊")


async def next_edit_fits(room: Room) -> bool:
    """Whether an honest editor can go on from here, on top of what is there."""
    room.editor.manner = Manner.HONEST
    room.editor.type(room.uri, "typed\n" + room.shown)
    await room.settled()
    outcome = await room.make(await room.proposal(lambda text: text.replace("five", "5")))
    await room.settled()
    return isinstance(outcome, Applied) and room.shown == room.mirrored and "5\r\n" in room.shown


def told(outcome: EditOutcome) -> str:
    return type(outcome).__name__


REFUSED = ("NotApplied", TEXT)
UNPROVEN = ("Unproven", TEXT)
CASES = {
    Manner.REFUSES: REFUSED,
    Manner.FAILS: REFUSED,
    Manner.CLAIMS_ONLY: UNPROVEN,
    Manner.NEVER_ANSWERS: UNPROVEN,
    Manner.LATE: UNPROVEN,
    Manner.MANGLES: ("Unproven", TEXT + "?"),
    Manner.ANSWERS_FIRST: ("Applied", WANTED),
    Manner.DENIES: ("Applied", WANTED),
    Manner.BUMPS: REFUSED,
    Manner.REOPENS: ("Applied", WANTED),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("manner", CASES)
async def test_what_is_told_is_what_is_there(tmp_path: Path, manner: Manner, encoding: str) -> None:
    async with typing_room(tmp_path, TEXT, encoding) as room:
        room.editor.manner = manner

        outcome = await room.make(await room.proposal(agents))

        await room.settled()
        assert (told(outcome), room.shown) == CASES[manner]
        assert room.mirrored == room.shown
        assert await next_edit_fits(room)


async def test_version_that_rose_without_a_change_costs_another_try(tmp_path: Path) -> None:
    async with typing_room(tmp_path, TEXT) as room:
        room.editor.manner = Manner.BUMPS
        room.door.client.answers["workspace/applyEdit"] = honest_after_the_first(room)

        outcome = await room.make(await room.proposal(agents))

        assert (told(outcome), room.shown, len(room.editor.applied)) == ("Applied", WANTED, 2)


async def test_positions_of_another_encoding_are_found_out(tmp_path: Path) -> None:
    async with typing_room(tmp_path, TEXT.replace("two", "🦊 two"), "utf-16") as room:
        room.editor.manner = Manner.MISCOUNTS

        outcome = await room.make(await room.proposal(agents))

        assert isinstance(outcome, Unproven)
        assert await next_edit_fits(room)


@pytest.mark.parametrize("manner", [Manner.CLOSES, Manner.RENAMES])
async def test_document_that_is_gone_is_not_called_edited(tmp_path: Path, manner: Manner) -> None:
    async with typing_room(tmp_path, TEXT) as room:
        room.editor.manner = manner

        outcome = await room.make(await room.proposal(agents))

        assert isinstance(outcome, NotApplied | Unproven)
        assert room.path.read_bytes() == TEXT.encode()


async def test_edit_that_comes_late_is_what_the_next_one_begins_with(tmp_path: Path) -> None:
    async with typing_room(tmp_path, TEXT) as room:
        room.editor.manner = Manner.LATE
        await room.make(await room.proposal(agents))
        room.editor.catch_up()
        await room.settled()

        read = await room.files.read(room.files.locate("a.txt", "read"))

        assert (read.text, room.shown) == (WANTED, WANTED)
        assert await next_edit_fits(room)


async def test_edit_that_comes_late_into_the_next_one_spoils_neither_text_nor_truth(tmp_path: Path) -> None:
    async with typing_room(tmp_path, TEXT) as room:
        room.editor.manner = Manner.LATE
        await room.make(await room.proposal(agents))
        proposal = await room.proposal(lambda text: text.replace("five", "5"))
        room.editor.manner = Manner.HONEST

        async def late_first(params: Json) -> Json:
            room.editor.catch_up()
            return await room.editor.apply(params)

        room.door.client.answers["workspace/applyEdit"] = late_first

        outcome = await room.make(proposal)

        await room.settled()
        assert isinstance(outcome, Applied)
        assert room.shown == room.mirrored == WANTED.replace("five", "5")


async def test_second_answer_to_one_edit_changes_nothing(tmp_path: Path) -> None:
    async with typing_room(tmp_path, TEXT) as room:
        outcome = await room.make(await room.proposal(agents))
        for request_id in range(1, 4):
            room.door.client.send({"jsonrpc": "2.0", "id": request_id, "result": {"applied": False}})

        assert isinstance(outcome, Applied)
        assert await next_edit_fits(room)


@pytest.mark.parametrize("manner", [Manner.HALF, Manner.CLAIMS_ONLY, Manner.REFUSES, Manner.LATE])
async def test_of_several_documents_none_stays_changed_that_can_be_brought_back(tmp_path: Path, manner: Manner) -> None:
    other = tmp_path / "b.txt"
    other.write_text("two\n")
    (tmp_path / "c.txt").write_text("two\n")
    async with typing_room(tmp_path, TEXT) as room:
        room.editor.open(other.as_uri(), "two\n")
        await room.settled()
        edits = list[FileEdit]()
        for name in ("a.txt", "b.txt", "c.txt"):
            place = room.files.locate(name, "write")
            before = await room.files.read(place)
            edits.append(FileEdit(place, before, agents(before.text)))
        proposal = await room.files.propose(edits)
        room.editor.manner = manner
        room.door.client.answers["workspace/applyEdit"] = honest_after_the_first(room)

        outcome = await room.make(proposal)

        await room.settled()
        assert isinstance(outcome, NotApplied | Unproven)
        assert (room.shown, room.editor.documents[other.as_uri()].text) == (TEXT, "two\n")
        assert (tmp_path / "c.txt").read_text() == "two\n"


def honest_after_the_first(room: Room) -> Callable[[Json], Awaitable[Json]]:
    async def answer(params: Json) -> Json:
        answered = await room.editor.apply(params)
        room.editor.manner = Manner.HONEST
        return answered

    return answer


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("typed", ["four 🦊\r\n", "four\r\ne\u0301 typed\r\n", ""])
@pytest.mark.parametrize("is_claimed", [True, False])
async def test_edit_that_is_told_of_together_with_what_was_typed_is_seen(
    tmp_path: Path, encoding: str, typed: str, is_claimed: bool
) -> None:
    both = WANTED.replace("four\r\n", typed)
    async with typing_room(tmp_path, TEXT, encoding) as room:

        async def tell_at_once(_params: Json) -> Json:
            room.editor.type(room.uri, both)
            return {"applied": is_claimed}

        room.door.client.answers["workspace/applyEdit"] = tell_at_once

        outcome = await room.make(await room.proposal(agents))

        await room.settled()
        assert (told(outcome), room.shown, room.mirrored) == ("Applied", both, both)


async def test_edit_that_comes_in_pieces_while_the_user_types_is_seen(tmp_path: Path) -> None:
    async with typing_room(tmp_path, TEXT) as room:

        async def piece_by_piece(_params: Json) -> Json:
            room.editor.type(room.uri, TEXT.replace("five", "5"))
            room.editor.type(room.uri, "typed\r\n" + room.shown)
            room.editor.type(room.uri, room.shown.replace("two", "2 🦊"))
            return {"applied": True}

        room.door.client.answers["workspace/applyEdit"] = piece_by_piece

        outcome = await room.make(await room.proposal(lambda text: agents(text).replace("five", "5")))

        assert (told(outcome), room.shown) == ("Applied", "typed\r\n" + WANTED.replace("five", "5"))


@pytest.mark.parametrize("typed", ["", "typed\r\n"])
async def test_half_of_an_edit_is_taken_back_and_the_typing_beside_it_stays(tmp_path: Path, typed: str) -> None:
    async with typing_room(tmp_path, TEXT) as room:

        async def half(_params: Json) -> Json:
            room.editor.type(room.uri, typed + agents(TEXT))
            room.door.client.answers["workspace/applyEdit"] = room.editor.apply
            return {"applied": True}

        room.door.client.answers["workspace/applyEdit"] = half

        outcome = await room.make(await room.proposal(lambda text: agents(text).replace("five", "5")))

        await room.settled()
        assert (told(outcome), room.shown, room.mirrored) == ("Unproven", typed + TEXT, typed + TEXT)
