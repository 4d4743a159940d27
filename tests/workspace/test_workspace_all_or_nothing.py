import asyncio

from workspace_editor import FakeEditor, Manner
from workspace_garden import ALL, TEN, Garden

from agent_lsp.domain.files import Applied, Conflict, NotApplied, Unproven
from agent_lsp.workspace.rebasing import MERGED


async def test_nothing_is_written_if_one_of_several_cannot_be(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "a.txt").write_text("old\n")
    (garden.root / "b.txt").write_text("old\n")
    uri = editor.open(garden.root / "c.txt", "old\n")
    (garden.root / "b.txt").chmod(0o444)

    outcome = await garden.make({"a.txt": "new\n", "x/y.txt": "new\n", "c.txt": "new\n", "b.txt": "new\n"})

    assert isinstance(outcome, NotApplied)
    assert "is read-only" in outcome.reason
    assert (garden.tree(), editor.text(uri)) == ({"a.txt": "old\n", "b.txt": "old\n"}, "old\n")
    assert not (garden.root / "x").exists()


async def test_disk_is_brought_back_when_the_editor_refuses(garden: Garden, editor: FakeEditor) -> None:
    editor.manner = Manner.REFUSES
    (garden.root / "a.txt").write_text("old\n")
    uri = editor.open(garden.root / "c.txt", "old\n")

    outcome = await garden.make({"a.txt": "new\n", "x/y.txt": "new\n", "c.txt": "new\n"})

    assert outcome == NotApplied("The editor said no.")
    assert (garden.tree(), editor.text(uri)) == ({"a.txt": "old\n"}, "old\n")
    assert not (garden.root / "x").exists()


async def test_typing_that_comes_before_the_edit_is_kept(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", "old\n")
    editor.before_apply = lambda: editor.type(uri, "typed\n")

    outcome = await garden.make({"a.txt": "new\n"})

    assert (outcome, editor.text(uri)) == (Conflict("a.txt", "typed\n"), "typed\n")


async def test_edit_that_the_user_overtook_is_made_on_top_of_what_they_typed(
    garden: Garden, editor: FakeEditor
) -> None:
    uri = editor.open(garden.root / "a.txt", TEN)
    (garden.root / "b.txt").write_text("old\n")
    editor.before_apply = lambda: len(editor.requests) == 1 and editor.type(uri, TEN + "typed\n")

    outcome = await garden.make({"a.txt": "first\n" + TEN, "b.txt": "new\n"})

    assert isinstance(outcome, Applied)
    assert [(file.path, file.note) for file in outcome.files] == [("a.txt", MERGED), ("b.txt", "")]
    assert (editor.text(uri), garden.tree()) == ("first\n" + TEN + "typed\n", {"b.txt": "new\n"})


async def test_edit_that_the_user_overtakes_again_and_again_is_given_up(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a.txt", TEN)
    editor.before_apply = lambda: editor.type(uri, editor.text(uri) + "typed\n")

    outcome = await garden.make({"a.txt": "first\n" + TEN})

    assert outcome == NotApplied("The document changed again and again meanwhile; read it again.")
    assert editor.text(uri) == TEN + "typed\n" * len(editor.requests)


async def test_editor_that_lies_is_found_out(garden: Garden, editor: FakeEditor) -> None:
    editor.manner = Manner.SAYS_YES_AND_DOES_NOTHING
    (garden.root / "b.txt").write_text("old\n")
    editor.open(garden.root / "a.txt", "old\n")

    outcome = await garden.make({"a.txt": "new\n", "b.txt": "new\n"})

    assert outcome == Unproven("a.txt", "It does not show.")
    assert garden.tree() == {"b.txt": "old\n"}


async def test_documents_that_changed_are_undone_when_others_did_not(garden: Garden, editor: FakeEditor) -> None:
    one, other = (editor.open(garden.root / name, "old\n") for name in ("a.txt", "b.txt"))
    editor.manner = Manner.SKIPS_THE_LAST
    editor.before_apply = lambda: setattr(
        editor, "manner", Manner.HONEST if len(editor.requests) > 1 else editor.manner
    )

    outcome = await garden.make({"a.txt": "new\n", "b.txt": "new\n"})

    assert outcome == Unproven("b.txt", "It does not show.")
    assert (editor.text(one), editor.text(other)) == ("old\n", "old\n")


async def test_cancel_comes_after_the_files_are_settled(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "a.txt").write_text("old\n")
    uri = editor.open(garden.root / "b.txt", "old\n")
    proposal = await garden.propose({"a.txt": "new\n", "b.txt": "new\n"})
    task = asyncio.create_task(garden.files.apply(proposal, ALL))
    editor.before_apply = task.cancel

    await asyncio.wait((task,))

    assert task.cancelled()
    assert (garden.tree(), editor.text(uri)) == ({"a.txt": "new\n"}, "new\n")


async def test_two_edits_of_one_file_do_not_lose_each_other(garden: Garden) -> None:
    (garden.root / "a.txt").write_text(TEN)
    one = await garden.propose({"a.txt": TEN.replace("line 1\n", "one\n")})
    other = await garden.propose({"a.txt": TEN.replace("line 10\n", "ten\n")})

    await asyncio.gather(garden.files.apply(one, ALL), garden.files.apply(other, ALL))

    assert garden.tree() == {"a.txt": TEN.replace("line 1\n", "one\n").replace("line 10\n", "ten\n")}
