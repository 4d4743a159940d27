import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.documents import ApplyAnswer, ApplyResult, DocumentEdit, Documents
from agent_lsp.lsp.client import read_client
from agent_lsp.lsp.patience import Patience
from agent_lsp.lsp.workspace_edits import apply_params
from support.fake_editor import FakeEditor, Manner, apply_edits
from support.fake_hall import FakeHall
from support.front_door import FrontDoor, front_door
from support.lsp_client import AGENT, Json

WORKSPACE_EDIT: Json = {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]}
EDITS: Json = {"workspace": {"applyEdit": True, "workspaceEdit": WORKSPACE_EDIT}}
REFACTORINGS: Json = {"workspace": {"applyEdit": True, "workspaceEdit": {**WORKSPACE_EDIT, "metadataSupport": True}}}
A, B = "file:///w/a.txt", "file:///w/b.txt"


@dataclass
class Desk:
    door: FrontDoor
    editor: FakeEditor

    @property
    def hall(self) -> FakeHall:
        return self.door.hall

    @property
    def documents(self) -> Documents:
        return self.hall.documents

    async def settled(self) -> None:
        """Let everything sent so far arrive."""
        await self.door.client.request("agent/debugReport")

    async def edit(self, uri: str, after: str) -> ApplyAnswer:
        """Have an open document changed."""
        await self.settled()
        document = self.documents.get(uri)
        assert document
        return await self.documents.apply([DocumentEdit(uri, "edit", document.text, after, document.version)])


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with front_door(Patience(edit=3, proof=0.5)) as door:
        await door.client.initialize(capabilities=EDITS)
        desk = Desk(door, FakeEditor(door.client))
        desk.editor.open(A, "one\ntwo\n")
        yield desk


async def test_edit_is_made_and_proven(desk: Desk) -> None:
    answer = await desk.edit(A, "one\n2\n")

    assert answer == ApplyAnswer(ApplyResult.APPLIED)
    assert desk.editor.documents[A].text == "one\n2\n"
    (params,) = desk.editor.applied
    assert params["edit"] == {
        "documentChanges": [
            {
                "textDocument": {"uri": A, "version": 1},
                "edits": [
                    {
                        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}},
                        "newText": "2",
                    }
                ],
            }
        ]
    }


@pytest.mark.parametrize(
    ("manner", "result", "text"),
    [
        (Manner.HONEST, ApplyResult.APPLIED, "two\n"),
        (Manner.ANSWERS_FIRST, ApplyResult.APPLIED, "two\n"),
        (Manner.REFUSES, ApplyResult.REFUSED, "one\ntwo\n"),
        (Manner.FAILS, ApplyResult.REFUSED, "one\ntwo\n"),
        (Manner.CLAIMS_ONLY, ApplyResult.UNPROVEN, "one\ntwo\n"),
        (Manner.MANGLES, ApplyResult.UNPROVEN, "one\ntwo\n?"),
        (Manner.NEVER_ANSWERS, ApplyResult.UNPROVEN, "one\ntwo\n"),
    ],
)
async def test_documents_count_more_than_claims(desk: Desk, manner: Manner, result: ApplyResult, text: str) -> None:
    desk.editor.manner = manner

    answer = await desk.edit(A, "two\n")

    assert answer.result is result
    assert answer.unproven_uris == ((A,) if result is ApplyResult.UNPROVEN else ())
    assert desk.editor.documents[A].text == text


async def test_half_made_edit_is_not_called_refused(desk: Desk) -> None:
    desk.editor.open(B, "b")
    await desk.settled()
    desk.editor.manner = Manner.HALF

    answer = await desk.documents.apply(
        [DocumentEdit(A, "edit", "one\ntwo\n", "x", 1), DocumentEdit(B, "edit", "b", "y", 1)]
    )

    assert (answer.result, answer.unproven_uris) == (ApplyResult.UNPROVEN, (A,))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("one\nand\ntwo\n", ApplyResult.REFUSED),
        ("one and more\nand\ntwo\n", ApplyResult.REFUSED),
        ("typed\none\nand\ntwo\n", ApplyResult.REFUSED),
        ("1\nand\ntwo\n", ApplyResult.UNPROVEN),
        ("typed\none\nand\n2\n", ApplyResult.UNPROVEN),
    ],
)
async def test_typing_before_a_no_is_told_from_half_an_edit(desk: Desk, text: str, result: ApplyResult) -> None:
    desk.editor.open(B, "one\nand\ntwo\n")

    async def say_no(_params: Json) -> Json:
        desk.editor.type(B, text)
        return {"applied": False}

    desk.door.client.answers["workspace/applyEdit"] = say_no

    answer = await desk.edit(B, "1\nand\n2\n")

    assert answer.result is result


@pytest.mark.parametrize(
    "edit",
    [
        DocumentEdit(A, "edit", "one\ntwo\n", "x", 7),
        DocumentEdit(A, "edit", "other", "x", 1),
        DocumentEdit(A, "edit", "other", "x", None),
        DocumentEdit(B, "edit", "b", "x", 1),
    ],
)
async def test_edit_of_a_text_that_moved_on_is_not_sent(desk: Desk, edit: DocumentEdit) -> None:
    await desk.settled()

    answer = await desk.documents.apply([edit])

    assert answer.result is ApplyResult.REFUSED
    assert desk.editor.applied == []


async def test_no_edit_is_sent_while_changes_are_missing(door: FrontDoor) -> None:
    await door.client.initialize(capabilities=EDITS, name="helix")
    desk = Desk(door, FakeEditor(door.client))
    desk.editor.open(A, "one\n")
    desk.editor.documents[A].version += 1  # A change that was shown and taken back: Helix tells of none.
    desk.editor.insert(A, 0, "typed ")

    answer = await desk.edit(A, "two\n")

    assert answer.result is ApplyResult.REFUSED
    assert desk.editor.applied == []


async def test_file_opened_since_it_was_read_is_edited_by_its_version(desk: Desk) -> None:
    await desk.settled()

    answer = await desk.documents.apply([DocumentEdit(A, "edit", "one\ntwo\n", "x", None)])

    assert answer.result is ApplyResult.APPLIED
    assert desk.editor.applied[0]["edit"]["documentChanges"][0]["textDocument"]["version"] == 1


async def test_typing_right_behind_an_edit_does_not_spoil_its_proof(desk: Desk) -> None:
    async def type_behind(params: Json) -> Json:
        answer = await desk.editor.apply(params)
        desk.editor.type(A, "one\n2\nand more")
        return answer

    desk.door.client.answers["workspace/applyEdit"] = type_behind

    answer = await desk.edit(A, "one\n2\n")

    assert answer.result is ApplyResult.APPLIED


async def test_edits_are_made_one_after_the_other(desk: Desk) -> None:
    await desk.settled()
    first = desk.documents.apply([DocumentEdit(A, "edit", "one\ntwo\n", "x", 1)])
    second = desk.documents.apply([DocumentEdit(A, "edit", "one\ntwo\n", "y", 1)])

    answers = await asyncio.gather(first, second)

    assert [answer.result for answer in answers] == [ApplyResult.APPLIED, ApplyResult.REFUSED]
    assert desk.editor.documents[A].text == "x"


async def test_large_text_is_edited_too(desk: Desk) -> None:
    before = "".join(f"line {n}\n" for n in range(30_000))
    desk.editor.open(B, before)

    answer = await desk.edit(B, before.replace("line 77\n", "x\n"))

    assert answer.result is ApplyResult.APPLIED


async def test_files_are_created_renamed_and_deleted(desk: Desk, tmp_path: Path) -> None:
    new, old, gone = (tmp_path / name for name in ("new.txt", "old.txt", "gone.txt"))
    old.write_text("old")
    gone.write_text("gone")
    moved = tmp_path / "moved.txt"

    answer = await desk.documents.apply(
        [
            DocumentEdit(new.as_uri(), "create", "", "new\n", None),
            DocumentEdit(old.as_uri(), "rename", "old", "old", None, moved.as_uri()),
            DocumentEdit(gone.as_uri(), "delete", "gone", "", None),
        ]
    )

    assert answer.result is ApplyResult.APPLIED
    assert desk.editor.documents[new.as_uri()].text == "new\n"
    assert (old.exists(), gone.exists(), moved.read_text()) == (False, False, "old")


async def test_open_document_is_renamed_with_its_edit(desk: Desk, tmp_path: Path) -> None:
    old, moved = tmp_path / "old.txt", tmp_path / "moved.txt"
    old.write_text("old")
    desk.editor.open(old.as_uri(), "old")
    await desk.settled()

    answer = await desk.documents.apply([DocumentEdit(old.as_uri(), "rename", "old", "new", 1, moved.as_uri())])

    assert answer.result is ApplyResult.APPLIED
    assert desk.editor.documents[moved.as_uri()].text == "new"


async def test_file_that_appeared_meanwhile_is_not_emptied(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "there.txt"
    path.write_text("precious")

    await desk.documents.apply([DocumentEdit(path.as_uri(), "create", "", "new\n", None)])

    assert "precious" in desk.editor.documents[path.as_uri()].text


@pytest.mark.parametrize(
    ("capabilities", "edit", "reason"),
    [
        ({}, DocumentEdit(A, "edit", "a", "b", None), "takes no edits"),
        ({"workspace": {"applyEdit": True}}, DocumentEdit(A, "create", "", "b", None), "cannot create"),
        (
            {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}},
            DocumentEdit(A, "rename", "", "b", None, B),
            "cannot rename",
        ),
    ],
)
async def test_what_the_editor_cannot_do_is_refused_at_once(
    door: FrontDoor, capabilities: Json, edit: DocumentEdit, reason: str
) -> None:
    await door.client.initialize(capabilities=capabilities)

    answer = await door.hall.documents.apply([edit])

    assert answer.result is ApplyResult.REFUSED
    assert reason in answer.reason
    assert door.hall.documents.can_apply() == bool(capabilities)


async def test_client_without_versions_gets_plain_changes(door: FrontDoor) -> None:
    await door.client.initialize(capabilities={"workspace": {"applyEdit": True}})
    desk = Desk(door, FakeEditor(door.client))
    desk.editor.open(A, "a")

    answer = await desk.edit(A, "b")

    assert answer.result is ApplyResult.APPLIED
    assert list(desk.editor.applied[0]["edit"]["changes"]) == [A]


@pytest.mark.parametrize(
    ("name", "capabilities", "garnish"),
    [
        ("Neovim", EDITS, {}),
        ("Neovim", {"workspace": {"applyEdit": True}}, {}),
        ("helix", EDITS, {"label": "Agent: 1 file"}),
        ("Visual Studio Code", REFACTORINGS, {"label": "Agent: 1 file", "metadata": {"isRefactoring": True}}),
    ],
)
async def test_edit_is_garnished_as_the_editor_bears_it(
    door: FrontDoor, name: str, capabilities: Json, garnish: Json
) -> None:
    await door.client.initialize(capabilities=capabilities, name=name)
    desk = Desk(door, FakeEditor(door.client))
    desk.editor.open(A, "a")

    await desk.edit(A, "b")

    (params,) = desk.editor.applied
    assert {key: value for key, value in params.items() if key != "edit"} == garnish
    assert "documentChanges" in params["edit"]


ANNOTATIONS: Json = {
    "workspace": {
        **EDITS["workspace"],
        "workspaceEdit": {**EDITS["workspace"]["workspaceEdit"], "changeAnnotationSupport": {"groupsOnLabel": True}},
    }
}


async def test_edits_are_annotated_where_that_is_announced(door: FrontDoor, tmp_path: Path) -> None:
    await door.client.initialize(capabilities=ANNOTATIONS, name="Visual Studio Code")
    desk = Desk(door, FakeEditor(door.client))
    desk.editor.open(A, "a")
    await door.client.request("agent/debugReport")
    new = (tmp_path / "new").as_uri()

    edits = [DocumentEdit(A, "edit", "a", "b", 1), DocumentEdit(new, "create", "", "c", None)]
    await door.hall.documents.apply(edits)

    edit = desk.editor.applied[0]["edit"]
    assert edit["changeAnnotations"] == {"agent": {"label": "Agent: 2 files", "needsConfirmation": False}}
    changed, created, filled = edit["documentChanges"]
    assert [change["annotationId"] for change in (*changed["edits"], created, *filled["edits"])] == ["agent"] * 3


@pytest.mark.parametrize(("name", "capabilities"), [("Neovim", ANNOTATIONS), ("helix", EDITS)])
async def test_edits_are_plain_for_everybody_else(door: FrontDoor, name: str, capabilities: Json) -> None:
    await door.client.initialize(capabilities=capabilities, name=name)
    desk = Desk(door, FakeEditor(door.client))
    desk.editor.open(A, "a")

    await desk.edit(A, "b")

    edit = desk.editor.applied[0]["edit"]
    assert "changeAnnotations" not in edit
    assert [sorted(each) for each in edit["documentChanges"][0]["edits"]] == [["newText", "range"]]


@pytest.mark.parametrize(
    ("capabilities", "agent", "can_save"),
    [
        (EDITS, AGENT, True),
        (EDITS, {"protocolVersion": 1}, False),
        (EDITS, None, False),
        (REFACTORINGS, None, True),
        ({"workspace": {"applyEdit": True}}, AGENT, False),
        ({}, AGENT, False),
    ],
)
async def test_closed_files_go_through_editors_that_can_save_them(
    door: FrontDoor, capabilities: Json, agent: Json | None, can_save: bool
) -> None:
    await door.client.initialize(capabilities=capabilities, agent=agent)

    assert door.hall.documents.can_save_closed() == can_save


async def test_client_that_announced_it_saves(desk: Desk) -> None:
    desk.editor.open(B, "b")
    desk.editor.unsavable.add(B)
    await desk.edit(A, "x")

    left = await desk.documents.save([A, B])

    assert left == [B]
    assert desk.editor.saved == [A]


async def test_client_that_did_not_announce_it_is_not_asked_to_save(plain: FrontDoor) -> None:
    left = await plain.hall.documents.save([A])

    assert list(left) == [A]
    assert plain.client.questions == []


@pytest.mark.parametrize("ends_by", ["save", "close"])
async def test_waiting_for_a_save_ends_when_nothing_is_unsaved(desk: Desk, ends_by: str) -> None:
    await desk.edit(A, "x")
    waiting = asyncio.create_task(desk.documents.until_saved([A, B]))
    await desk.settled()
    was_waiting = not waiting.done()

    if ends_by == "save":
        desk.editor.save(A)
    else:
        desk.editor.close(A)

    async with asyncio.timeout(5):
        await waiting
    assert was_waiting


async def test_waiting_for_a_save_of_what_is_saved_ends_at_once(desk: Desk) -> None:
    async with asyncio.timeout(5):
        await desk.documents.until_saved([A, B])


@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from(("utf-8", "utf-16", "utf-32")))
def test_any_edit_survives_the_wire(before: str, after: str, encoding: str) -> None:
    from pygls.protocol import default_converter

    client = read_client({"capabilities": {**EDITS, "general": {"positionEncodings": [encoding]}}})

    wire = default_converter().unstructure(apply_params([DocumentEdit(A, "edit", before, after, 3)], client))

    changes = wire["edit"]["documentChanges"]
    edits = changes[0]["edits"] if changes else []
    assert apply_edits(before, edits, encoding) == after
