import pytest
from workspace_editor import FakeEditor
from workspace_garden import ALL, TEN, Garden

from agent_lsp.domain.files import Applied, AppliedFile, Conflict, Moved, NotApplied
from agent_lsp.workspace.rebasing import MERGED


async def test_typing_elsewhere_is_merged_without_asking_again(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", TEN)
    proposal = await garden.propose({"a.txt": TEN.replace("line 9\n", "nine\n")})
    editor.type(uri, "typed\n" + TEN)

    outcome = await garden.files.apply(proposal, ALL)

    text = "typed\n" + TEN.replace("line 9\n", "nine\n")
    assert outcome == Applied((AppliedFile("a.txt", text, is_open=True, note=MERGED),))
    assert editor.text(uri) == text


async def test_typing_beside_a_hunk_is_asked_about_again(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", TEN)
    proposal = await garden.propose({"a.txt": TEN.replace("line 9\n", "nine\n")})
    editor.type(uri, typed := TEN.replace("line 7\n", "seven\n"))

    outcome = await garden.files.apply(proposal, ALL)

    assert isinstance(outcome, Moved)
    assert editor.text(uri) == typed
    assert isinstance(await garden.files.apply(outcome.proposal, ALL), Applied)
    assert editor.text(uri) == TEN.replace("line 7\n", "seven\n").replace("line 9\n", "nine\n")


NEXT_TO_IT = {
    "below": ("line 9\nmine\n", "nine\nmine\n"),
    "above": ("mine\nline 9\n", "mine\nnine\n"),
}


@pytest.mark.parametrize(("typed", "merged"), NEXT_TO_IT.values(), ids=NEXT_TO_IT)
async def test_line_typed_right_next_to_a_hunk_keeps_its_place(
    typed: str, merged: str, garden: Garden, editor: FakeEditor
) -> None:
    uri = editor.open(garden.root / "a.txt", TEN)
    proposal = await garden.propose({"a.txt": TEN.replace("line 9\n", "nine\n")})
    editor.type(uri, TEN.replace("line 9\n", typed))

    moved = await garden.files.apply(proposal, ALL)
    assert isinstance(moved, Moved)
    outcome = await garden.files.apply(moved.proposal, ALL)

    assert isinstance(outcome, Applied)
    assert editor.text(uri) == TEN.replace("line 9\n", merged)


async def test_one_hunk_in_conflict_keeps_all_of_them_out(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", TEN)
    proposal = await garden.propose({"a.txt": TEN.replace("line 1\n", "one\n").replace("line 9\n", "nine\n")})
    editor.type(uri, typed := TEN.replace("line 9\n", "mine\n"))

    assert await garden.files.apply(proposal, ALL) == Conflict("a.txt", typed, 9)
    assert editor.text(uri) == typed


async def test_typing_in_the_same_lines_is_never_overwritten(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", TEN)
    proposal = await garden.propose({"a.txt": TEN.replace("line 9\n", "nine\n")})
    editor.type(uri, typed := TEN.replace("line 9\n", "mine\n"))

    assert await garden.files.apply(proposal, ALL) == Conflict("a.txt", typed, 9)
    assert editor.text(uri) == typed


async def test_user_who_made_the_same_change_is_not_asked_again(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", TEN)
    wanted = TEN.replace("line 9\n", "nine\n")
    proposal = await garden.propose({"a.txt": wanted})
    editor.type(uri, wanted)

    assert await garden.files.apply(proposal, ALL) == Applied(
        (AppliedFile("a.txt", wanted, is_open=True, note=MERGED),)
    )
    assert editor.requests == []


async def test_file_changed_on_disk_is_merged_there(garden: Garden) -> None:
    (garden.root / "a.txt").write_text(TEN)
    proposal = await garden.propose({"a.txt": TEN.replace("line 9\n", "nine\n")})
    (garden.root / "a.txt").write_text("first\n" + TEN)

    await garden.files.apply(proposal, ALL)

    assert garden.tree() == {"a.txt": "first\n" + TEN.replace("line 9\n", "nine\n")}


async def test_file_that_was_opened_meanwhile_is_changed_in_the_editor(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "a.txt").write_text("old\n")
    proposal = await garden.propose({"a.txt": "new\n"})
    uri = editor.open(garden.root / "a.txt")

    await garden.files.apply(proposal, ALL)

    assert (editor.text(uri), garden.tree()) == ("new\n", {"a.txt": "old\n"})


async def test_file_that_is_gone_is_not_made_again(garden: Garden) -> None:
    (garden.root / "a.txt").write_text("old\n")
    proposal = await garden.propose({"a.txt": "new\n"})
    (garden.root / "a.txt").unlink()

    assert await garden.files.apply(proposal, ALL) == NotApplied("a.txt was deleted or moved meanwhile.")
    assert garden.tree() == {}


@pytest.mark.parametrize("is_open", [False, True])
async def test_file_that_came_meanwhile_is_not_replaced(is_open: bool, garden: Garden, editor: FakeEditor) -> None:
    proposal = await garden.propose({"a.txt": "new\n"})
    if is_open:
        editor.open(garden.root / "a.txt", "theirs\n")
    else:
        (garden.root / "a.txt").write_text("theirs\n")

    assert await garden.files.apply(proposal, ALL) == Conflict("a.txt", "theirs\n")


async def test_file_with_new_text_is_not_deleted(garden: Garden) -> None:
    (garden.root / "a.txt").write_text("old\n")
    proposal = await garden.propose({"a.txt": None})
    (garden.root / "a.txt").write_text("theirs\n")

    assert await garden.files.apply(proposal, ALL) == Conflict("a.txt", "theirs\n")


@pytest.mark.parametrize("swapped", ["a.txt", "d"])
async def test_approved_path_that_leads_elsewhere_is_not_written(swapped: str, garden: Garden) -> None:
    outside = garden.root.parent / "O"
    for folder in (garden.root / "d", outside):
        folder.mkdir()
        (folder / "a.txt").write_text("old\n")
    (garden.root / "a.txt").write_text("old\n")
    proposal = await garden.propose({"a.txt" if swapped == "a.txt" else "d/a.txt": "new\n"})
    (garden.root / swapped).rename(garden.root / "kept")
    (garden.root / swapped).symlink_to(outside / "a.txt" if swapped == "a.txt" else outside)

    outcome = await garden.files.apply(proposal, ALL)

    assert isinstance(outcome, NotApplied)
    assert "leads elsewhere than when it was judged" in outcome.reason
    assert (outside / "a.txt").read_text() == "old\n"


async def test_file_that_is_opened_while_its_edit_is_worked_out_is_not_written_behind_the_editor(
    garden: Garden, editor: FakeEditor
) -> None:
    (garden.root / "a.txt").write_text("old\n")
    (garden.root / "b.txt").write_text("old\n")
    proposal = await garden.propose({"a.txt": "new\n", "b.txt": "new\n"})
    real = editor.can_apply

    def opened_at_the_last_moment() -> bool:
        editor.open(garden.root / "a.txt", "old\ntyped\n")
        return real()

    editor.can_apply = opened_at_the_last_moment

    outcome = await garden.files.apply(proposal, ALL)

    assert outcome == NotApplied("a.txt was opened in the editor meanwhile; read it again.")
    assert garden.tree() == {"a.txt": "old\n", "b.txt": "old\n"}
