from workspace_garden import TEN, Garden

from agent_lsp.domain.files import Applied, AppliedFile, Moved, Selection
from agent_lsp.workspace.diffs import plain_diff


async def test_rejected_hunks_are_left_out_and_told(garden: Garden) -> None:
    (garden.root / "a.txt").write_text(TEN)
    proposed = TEN.replace("line 1\n", "one\n").replace("line 10\n", "ten\n")
    proposal = await garden.propose({"a.txt": proposed})
    first, _ = proposal.changes[0].hunks

    outcome = await garden.files.apply(proposal, Selection(frozenset({first.id})))

    text = TEN.replace("line 10\n", "ten\n")
    diffs = {"a.txt": plain_diff("a.txt", proposed, text)}
    assert outcome == Applied((AppliedFile("a.txt", text, is_open=False),), diffs)
    assert garden.tree() == {"a.txt": text}


async def test_change_without_a_hunk_left_is_not_made(garden: Garden) -> None:
    (garden.root / "a.txt").write_text("old\n")
    (garden.root / "gone.txt").write_text("old\n")
    proposal = await garden.propose({"a.txt": "new\n", "gone.txt": None, "b.txt": "made\n"})
    hunks = frozenset(hunk.id for change in proposal.changes for hunk in change.hunks)

    outcome = await garden.files.apply(proposal, Selection(hunks))

    assert isinstance(outcome, Applied)
    assert outcome.files == ()
    assert list(outcome.user_diffs) == ["a.txt", "gone.txt", "b.txt"]
    assert garden.tree() == {"a.txt": "old\n", "gone.txt": "old\n"}


async def test_text_of_the_users_replaces_the_proposed_one(garden: Garden) -> None:
    (garden.root / "a.txt").write_bytes(b"old\r\n")
    proposal = await garden.propose({"a.txt": "new\n"})
    uri = proposal.changes[0].uri

    outcome = await garden.files.apply(proposal, Selection(edited={uri: "better\nnew\n"}))

    assert isinstance(outcome, Applied)
    assert outcome.user_diffs == {"a.txt": plain_diff("a.txt", "new\r\n", "better\r\nnew\r\n")}
    assert (garden.root / "a.txt").read_bytes() == b"better\r\nnew\r\n"


async def test_users_choice_stays_when_the_change_is_asked_about_again(garden: Garden) -> None:
    (garden.root / "a.txt").write_text(TEN)
    proposed = TEN.replace("line 1\n", "one\n").replace("line 10\n", "ten\n")
    proposal = await garden.propose({"a.txt": proposed})
    first, _ = proposal.changes[0].hunks
    (garden.root / "a.txt").write_text(typed := TEN.replace("line 8\n", "eight\n"))

    outcome = await garden.files.apply(proposal, Selection(frozenset({first.id})))

    assert isinstance(outcome, Moved)
    assert [change.after for change in outcome.proposal.changes] == [typed.replace("line 10\n", "ten\n")]
    assert list(outcome.user_diffs) == ["a.txt"]
