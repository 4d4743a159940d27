"""The way of an edit from the call to the result, whatever the user and the editor make of it."""

import json
import threading
from dataclasses import replace

import pytest
from tool_fakes import NO, Workshop, change_of

from agent_lsp.domain.approvals import Decision, Deed
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.events import Said
from agent_lsp.domain.files import (
    Applied,
    AppliedFile,
    Base,
    Conflict,
    FileEdit,
    FileText,
    Moved,
    NotApplied,
    Proposal,
    Selection,
    Standing,
    Unproven,
)
from agent_lsp.domain.history import Call
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.tools.apply_diff import ApplyDiff
from agent_lsp.tools.toolbox import Toolbox

BY_USER = Decision(is_approved=True, by="user")


async def edited(workshop: Workshop, old: str, new: str) -> Outcome:
    arguments = json.dumps({"path": "a.txt", "old_string": old, "new_string": new})
    return await Toolbox(workshop.tools()).run(Call("c1", "edit_file", arguments), has_failed_before=False)


async def test_user_is_asked_with_the_change_before_anything_is_written() -> None:
    workshop = Workshop({"a.txt": "a\n"}, BY_USER)

    outcome = await workshop.write("a.txt", "b\n")

    [action] = workshop.gate.actions
    [change] = action.body.pop("changes")
    assert action.body == {"tool": "editedExistingFile", "path": "a.txt"}
    assert (change["kind"], change["added"], change["removed"], len(change["hunks"])) == ("edit", 1, 1, 1)
    assert not {"before", "after"} & change.keys()
    assert (action.call_id, action.deed, action.ask, action.say) == ("c1", Deed.WRITE, Ask.TOOL, Say.TOOL)
    assert (action.places, action.command) == ((workshop.files.locate("a.txt", "write"),), None)
    assert action.proposal is not None
    assert workshop.log == ["read", "read_bytes", "decide", "apply"]
    assert outcome == Outcome("a.txt changed (+1 -1 lines).\nDiagnostics: unknown.")


async def test_new_file_is_proposed_as_one() -> None:
    workshop = Workshop()

    outcome = await workshop.write("new/a.txt", "one\ntwo\n")

    assert workshop.gate.actions[0].body["tool"] == "newFileCreated"
    assert workshop.text("new/a.txt") == "one\ntwo\n"
    assert outcome == Outcome("new/a.txt created (+2 -0 lines).\nDiagnostics: unknown.")


@pytest.mark.parametrize(
    ("standing", "flags"),
    [
        (Standing.INSIDE, {}),
        (Standing.OUTSIDE, {"isOutsideWorkspace": True}),
        (Standing.PROTECTED, {"isProtected": True}),
    ],
)
async def test_ask_says_where_the_file_stands(standing: Standing, flags: dict[str, bool]) -> None:
    workshop = Workshop()
    workshop.files.standings["a.txt"] = standing

    await workshop.write("a.txt", "a\n")

    body = workshop.gate.actions[0].body
    assert {key: body[key] for key in body if key.startswith("is")} == flags


async def test_place_that_leads_nowhere_is_refused_before_anybody_is_asked() -> None:
    workshop = Workshop()
    workshop.files.problems["a.txt"] = "a.txt is a loop of links."

    with pytest.raises(FileProblem, match="a loop of links"):
        await workshop.write("a.txt", "a\n")
    with pytest.raises(FileProblem, match="a loop of links"):
        await workshop.read("a.txt")

    assert workshop.log == []


async def test_rejected_edit_tells_the_model_what_the_user_said() -> None:
    workshop = Workshop({"a.txt": "a\n"}, replace(NO, images=("data:image/png;base64,AA",)))

    outcome = await workshop.write("a.txt", "b\n")

    text = "The user rejected this; nothing was done. They say:\nnot like this"
    assert outcome == Outcome(text, ("data:image/png;base64,AA",), is_error=True, after=After.REJECTED)
    assert workshop.text("a.txt") == "a\n"


async def test_edit_that_policy_forbids_leaves_the_calls_behind_it_alone() -> None:
    workshop = Workshop({"a.txt": "a\n"}, Decision(is_approved=False, by="policy", text="plan mode only reads."))

    outcome = await workshop.write("a.txt", "b\n")

    assert outcome == Outcome("Not allowed, nothing was done: plan mode only reads.", is_error=True, is_shown=True)


async def test_words_with_a_yes_reach_the_model() -> None:
    workshop = Workshop({"a.txt": "a\n"}, replace(BY_USER, text="and b.txt too"))

    outcome = await workshop.write("a.txt", "b\n")

    assert outcome.text.endswith("\n\nThe user approved this and says:\nand b.txt too")


async def test_rejected_hunks_and_the_users_own_edits_are_told_and_shown() -> None:
    workshop = Workshop({"a.txt": "a\n"}, replace(BY_USER, selection=Selection(frozenset({"h2"}))))
    files = (AppliedFile("a.txt", "c\n", is_open=True, note="your edit was merged with the user's"),)
    workshop.files.outcomes = [Applied(files, {"a.txt": "-b\n+c"})]

    outcome = await workshop.write("a.txt", "b\n")

    assert outcome.text == (
        "a.txt stays as it was.\n"
        "a.txt: your edit was merged with the user's\n"
        "The user rejected 1 of 1 hunks; they are not in the file.\n"
        "The user changed your proposal. From what you proposed, a.txt differs by:\n-b\n+c\n"
        "Diagnostics: unknown."
    )
    assert workshop.screen.events == [Said(Say.USER_FEEDBACK_DIFF, '{"path": "a.txt", "diff": "-b\\n+c"}')]


async def test_yes_to_none_of_the_hunks_is_a_no() -> None:
    workshop = Workshop({"a.txt": "a\n"}, replace(BY_USER, selection=Selection(frozenset({"h1"}))))

    outcome = await workshop.write("a.txt", "b\n")

    assert (outcome.is_error, outcome.after) == (True, After.REJECTED)
    assert "apply" not in workshop.log


async def test_change_that_moved_is_asked_about_again() -> None:
    workshop = Workshop({"a.txt": "a\n"}, BY_USER, BY_USER)
    place = workshop.files.locate("a.txt", "write")
    edit = FileEdit(place, FileText("a\nx\n", Base(2, "new"), is_open=True), "b\nx\n")
    workshop.files.outcomes = [Moved(Proposal((edit,), (change_of(edit),)), {"a.txt": "-b\n+B"})]

    outcome = await workshop.write("a.txt", "b\n")

    assert [action.call_id for action in workshop.gate.actions] == ["c1", "c1"]
    assert workshop.log == ["read", "read_bytes", "decide", "apply", "decide", "apply"]
    assert (workshop.text("a.txt"), outcome.is_error) == ("b\nx\n", False)
    assert outcome.text.endswith("From what you proposed, a.txt differs by:\n-b\n+B\nDiagnostics: unknown.")


async def test_what_was_said_and_changed_before_a_change_moved_is_not_forgotten() -> None:
    workshop = Workshop({"a.txt": "a\n"}, replace(BY_USER, text="first"), replace(BY_USER, text="second"))
    edit = FileEdit(workshop.files.locate("a.txt", "write"), FileText("a\n", Base(2, "new"), is_open=True), "b\n")
    files = (AppliedFile("a.txt", "c\n", is_open=True),)
    workshop.files.outcomes = [
        Moved(Proposal((edit,), (change_of(edit),)), {"a.txt": "-1\n"}),
        Applied(files, {"a.txt": "-2\n"}, (edit,)),
    ]

    outcome = await workshop.write("a.txt", "b\n")

    assert outcome.text == (
        "a.txt changed.\n"
        "The user changed your proposal. From what you proposed, a.txt differs by:\n-1\n-2\n\n"
        "Diagnostics: unknown.\n\n"
        "The user approved this and says:\nfirst\nsecond"
    )


async def test_moved_change_can_still_be_rejected() -> None:
    workshop = Workshop({"a.txt": "a\n"}, BY_USER, NO)
    place = workshop.files.locate("a.txt", "write")
    edit = FileEdit(place, None, "b\n")
    workshop.files.outcomes = [Moved(Proposal((edit,), (change_of(edit),)))]

    outcome = await workshop.write("a.txt", "b\n")

    assert (outcome.after, workshop.text("a.txt")) == (After.REJECTED, "a\n")


FAILURES = {
    "conflict": (
        Conflict("a.txt", "x\ny\n"),
        "The user changed the same lines of a.txt meanwhile; nothing was written. It now reads:\n1 | x\n2 | y",
        "conflict, not written",
        "You changed the same lines of a.txt meanwhile. Nothing was written, and the agent is told.",
    ),
    "not applied": (
        NotApplied("the editor refused."),
        "Nothing was written: the editor refused.",
        "not written",
        "Nothing was written: the editor refused.",
    ),
    "unproven": (
        Unproven("a.txt", "version 3"),
        "The editor took the edit of a.txt, but the file does not show it (version 3). Read the file before you go on.",
        "not certain",
        "The editor took the edit of a.txt, but the file does not show it. The agent is told to look.",
    ),
}


@pytest.mark.parametrize(("failure", "text", "mark", "sentence"), FAILURES.values(), ids=FAILURES)
async def test_edit_that_failed_says_so_to_the_model_and_to_the_user(
    failure: Conflict | NotApplied | Unproven, text: str, mark: str, sentence: str
) -> None:
    workshop = Workshop({"a.txt": "a\n"})
    workshop.files.outcomes = [failure]

    outcome = await workshop.write("a.txt", "b\n")

    assert outcome == Outcome(text, is_error=True, is_shown=True)
    assert workshop.gate.failures == [mark]
    assert workshop.screen.events == [Said(Say.ERROR, sentence)]


async def test_edit_that_the_disk_refuses_is_not_shown_as_made() -> None:
    workshop = Workshop({"a.txt": "a\n"})
    workshop.files.problems_of_apply = [FileProblem("The disk is full.")]

    with pytest.raises(FileProblem, match="The disk is full"):
        await workshop.write("a.txt", "b\n")

    assert workshop.gate.failures == ["not written"]


async def test_conflict_in_a_long_file_is_shown_where_it_is() -> None:
    workshop = Workshop({"a.txt": "a\n"})
    long = "".join(f"line {number}\n" for number in range(1, 20_001))
    workshop.files.outcomes = [Conflict("a.txt", long, 15_000)]

    outcome = await workshop.write("a.txt", "b\n")

    assert "[Lines 14900-" in outcome.text
    assert "\n15000 | line 15000\n" in outcome.text


async def test_edit_that_changes_nothing_is_not_asked_about() -> None:
    workshop = Workshop({"a.txt": "a\n"})

    outcome = await workshop.write("a.txt", "a\n")

    text = "a.txt already reads like this; nothing was changed."
    assert (outcome, workshop.gate.actions) == (Outcome(text, is_error=True, is_shown=True), [])


async def test_edit_that_does_not_match_is_shown_and_not_asked_about() -> None:
    workshop = Workshop({"a.txt": "colour\n"})

    outcome = await edited(workshop, "color", "x")

    assert (outcome.is_error, outcome.is_mistake, outcome.is_shown) == (True, False, True)
    assert workshop.screen.events == [Said(Say.DIFF_ERROR, outcome.text)]
    assert workshop.gate.actions == []


async def test_text_of_a_file_outside_is_not_shown_before_a_yes() -> None:
    workshop = Workshop({"a.txt": "password = 1\n"})
    workshop.files.standings["a.txt"] = Standing.OUTSIDE

    outcome = await edited(workshop, "password = 2", "x")

    assert outcome.text == "old_string is not in the file. Nothing was changed."


@pytest.mark.parametrize("decisions", [(), (Decision(is_approved=False, by="policy", text="it is ignored."),)])
async def test_ignored_file_is_not_even_read(decisions: tuple[Decision, ...]) -> None:
    workshop = Workshop({"a.txt": "a\n"}, *decisions)
    workshop.files.standings["a.txt"] = Standing.IGNORED

    outcome = await workshop.write("a.txt", "b\n")

    assert (outcome.is_error, workshop.log) == (True, ["decide"])


async def test_blocks_that_failed_are_told_beside_those_applied() -> None:
    workshop = Workshop({"a.txt": "a\nb\n"})
    diff = "".join(f"<<<<<<< SEARCH\n{old}\n=======\nx\n>>>>>>> REPLACE\n" for old in ("a", "zzz"))
    call = Call("c1", "apply_diff", json.dumps({"path": "a.txt", "diff": diff}))

    outcome = await Toolbox(workshop.tools()).run(call, has_failed_before=False)

    applied, faults = outcome.text.split("\nNOT applied, write these again:\n")
    assert applied == "a.txt changed (1 of 2 blocks, +1 -1 lines)."
    assert faults.startswith("Block 2: the search text is not in the file.")
    assert workshop.screen.events == [Said(Say.DIFF_ERROR, faults.removesuffix("\nDiagnostics: unknown."))]
    assert (workshop.text("a.txt"), outcome.is_error, outcome.is_shown) == ("x\nb\n", True, True)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("apply_diff", {"diff": "<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE"}),
        ("edit_file", {"old_string": "a", "new_string": ""}),
    ],
)
async def test_edit_of_a_missing_file_says_how_to_create_it(tool: str, arguments: dict[str, str]) -> None:
    call = Call("c1", tool, json.dumps({"path": "gone.txt"} | arguments))

    outcome = await Toolbox(Workshop().tools()).run(call, has_failed_before=False)

    assert outcome.text.startswith("gone.txt does not exist. ")
    assert "create it" in outcome.text


async def test_empty_old_string_fills_an_empty_file() -> None:
    workshop = Workshop({"a.txt": ""})

    await edited(workshop, "", "a\n")

    assert workshop.text("a.txt") == "a\n"


async def test_binary_file_is_not_overwritten() -> None:
    workshop = Workshop({"a.bin": "\0\0"})

    with pytest.raises(FileProblem, match=r"a\.bin is a binary file"):
        await workshop.write("a.bin", "text\n")


async def test_settings_are_looked_at_where_tasks_live_and_in_no_other_thread() -> None:
    workshop = Workshop({"a.txt": "a\n"}, BY_USER)
    threads: list[threading.Thread] = []

    def fuzzy_threshold() -> float:
        threads.append(threading.current_thread())
        return 1.0

    arguments = ApplyDiff.Arguments(path="a.txt", diff="<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE")
    await ApplyDiff(workshop.editing, fuzzy_threshold).run(arguments, "c1")

    assert (workshop.text("a.txt"), threads) == ("b\n", [threading.current_thread()])
