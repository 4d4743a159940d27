"""apply_patch over several real files: one question for all of them, and all of them changed or none."""

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tool_fakes import NO, FakeGate, FakeScreen

from agent_lsp.domain.approvals import Decision
from agent_lsp.domain.events import Said
from agent_lsp.domain.files import Selection
from agent_lsp.domain.history import Call
from agent_lsp.domain.messages import Say
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.tools.apply_patch import ApplyPatch
from agent_lsp.tools.editing import Editing
from agent_lsp.tools.toolbox import Toolbox
from agent_lsp.workspace.files import WorkspaceFiles
from agent_lsp.workspace.opened import NoDocuments

YES = Decision(is_approved=True, by="user")
THREE = [
    *("*** Add File: c.txt", "+c"),
    *("*** Update File: a.txt", "@@", "-a", "+A"),
    "*** Delete File: b.txt",
]


@dataclass
class Bench:
    """A folder with two files, and the tool that patches them."""

    root: Path
    gate: FakeGate = field(default_factory=FakeGate)
    screen: FakeScreen = field(default_factory=FakeScreen)

    def __post_init__(self) -> None:
        (self.root / "a.txt").write_text("a\nx\n")
        (self.root / "b.txt").write_text("b\n")

    async def patch(self, *lines: str) -> Outcome:
        files = WorkspaceFiles([self.root], NoDocuments(), environment={})
        toolbox = Toolbox([ApplyPatch(Editing(files, self.gate, self.screen))])
        arguments = json.dumps({"patch": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])})
        return await toolbox.run(Call("c1", "apply_patch", arguments), has_failed_before=False)

    def tree(self) -> dict[str, str]:
        return {str(path.relative_to(self.root)): path.read_text() for path in self.root.rglob("*") if path.is_file()}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


UNTOUCHED = {"a.txt": "a\nx\n", "b.txt": "b\n"}


async def test_one_question_is_asked_about_all_files(bench: Bench) -> None:
    outcome = await bench.patch(*THREE)

    [action] = bench.gate.actions
    kinds = [(change["path"], change["kind"]) for change in action.body.pop("changes")]
    assert kinds == [("c.txt", "create"), ("a.txt", "edit"), ("b.txt", "delete")]
    assert action.body == {"tool": "appliedDiff", "paths": ["c.txt", "a.txt", "b.txt"]}
    assert [place.path for place in action.places] == ["c.txt", "a.txt", "b.txt"]
    assert bench.tree() == {"a.txt": "A\nx\n", "c.txt": "c\n"}
    told = "c.txt created (+1 -0 lines).\na.txt changed (+1 -1 lines).\nb.txt deleted (+0 -1 lines).\n"
    assert outcome == Outcome(told + "Diagnostics: unknown.")


WORDS = {
    "created": (["*** Add File: c.txt", "+c"], {"tool": "newFileCreated", "path": "c.txt"}),
    "changed": (["*** Update File: a.txt", "-a"], {"tool": "appliedDiff", "path": "a.txt"}),
    "deleted": (["*** Delete File: b.txt"], {"tool": "deletedFile", "path": "b.txt"}),
    "moved": (
        ["*** Update File: a.txt", "*** Move to: d/a.txt"],
        {"tool": "renamedFile", "path": "a.txt", "newPath": "d/a.txt"},
    ),
    "moved and changed": (
        ["*** Update File: a.txt", "*** Move to: .vscode/a.txt", "-a"],
        {"tool": "appliedDiff", "path": "a.txt", "newPath": ".vscode/a.txt", "isProtected": True},
    ),
    "moved to itself": (
        ["*** Update File: a.txt", "*** Move to: a.txt", "-a"],
        {"tool": "appliedDiff", "path": "a.txt"},
    ),
    "moved to itself by another name": (
        ["*** Update File: a.txt", "*** Move to: ./d/../a.txt", "-a"],
        {"tool": "appliedDiff", "path": "a.txt"},
    ),
}


@pytest.mark.parametrize(("lines", "body"), WORDS.values(), ids=WORDS)
async def test_question_about_one_file_names_it_and_what_becomes_of_it(
    lines: list[str], body: dict[str, str], bench: Bench
) -> None:
    await bench.patch(*lines)

    [action] = bench.gate.actions
    assert {key: value for key, value in action.body.items() if key != "changes"} == body


async def test_moved_file_is_told_with_its_new_name(bench: Bench) -> None:
    outcome = await bench.patch("*** Update File: a.txt", "*** Move to: d/a.txt", "-a", "+A")

    assert outcome == Outcome("a.txt moved to d/a.txt (+1 -1 lines).\nDiagnostics: unknown.")
    assert bench.tree() == {"b.txt": "b\n", "d/a.txt": "A\nx\n"}


async def test_place_outside_of_any_file_marks_the_question(bench: Bench) -> None:
    bench.gate.decisions = [NO]

    await bench.patch("*** Update File: a.txt", "-a", f"*** Add File: {bench.root.parent}/c.txt", "+c")

    [action] = bench.gate.actions
    assert action.body["isOutsideWorkspace"] is True


async def test_faults_of_all_files_are_told_together_and_nothing_is_asked(bench: Bench) -> None:
    outcome = await bench.patch(
        *("*** Update File: a.txt", "-a", "+A", "*** Update File: b.txt", "-y", "@@ z", "-b"),
        *("*** Delete File: gone.txt", "*** Add File: a2.txt", "+a"),
    )

    assert outcome.text.split("\n") == [
        "Nothing was changed, in no file:",
        "b.txt was not changed:",
        (
            "The hunk at line 6 of the patch: its lines that stay or go are not in the file. "
            "Line 1 of the file is 'b', not 'y'. Most like them:"
        ),
        "1 | b",
        "The hunk at line 7 of the patch: the line of its @@ is not in the file: z",
        "gone.txt does not exist.",
    ]
    assert (outcome.is_error, outcome.is_shown, bench.gate.actions) == (True, True, [])
    assert bench.screen.events == [Said(Say.DIFF_ERROR, outcome.text)]
    assert bench.tree() == UNTOUCHED


REFUSED = {
    "an added file that is there": (["*** Add File: a.txt", "+x"], "a\\.txt exists already: \\*\\*\\* Update File"),
    "a move onto a file": (["*** Update File: a.txt", "*** Move to: b.txt"], "b\\.txt exists already"),
    "a missing file": (["*** Update File: gone.txt", "-x"], "gone\\.txt does not exist"),
    "two names of one file": (["*** Update File: a.txt", "-a", "*** Delete File: ./a.txt"], "changed twice"),
    "a move onto a new file": (
        ["*** Add File: c.txt", "+c", "*** Update File: a.txt", "*** Move to: c.txt"],
        "changed twice",
    ),
    "a new file below a new one": (
        ["*** Add File: c", "+c", "*** Add File: c/d", "+d"],
        "c is to be a file, so c/d cannot be in it",
    ),
    "a move below a new file": (
        ["*** Add File: c", "+c", "*** Update File: a.txt", "*** Move to: c/d/a.txt"],
        "c is to be a file, so c/d/a\\.txt cannot be in it",
    ),
    "no change": (["*** Update File: a.txt", "-a", "+a"], "already reads like this"),
    "no change of one of two": (["*** Delete File: b.txt", "*** Update File: a.txt", "@@", " a"], "already reads like"),
    "a folder": (["*** Delete File: ."], "folder"),
    "no grammar": (["*** Update File: a.txt"], "nothing would change"),
}


@pytest.mark.parametrize(("lines", "fault"), REFUSED.values(), ids=REFUSED)
async def test_patch_that_cannot_be_applied_whole_changes_nothing(lines: list[str], fault: str, bench: Bench) -> None:
    outcome = await bench.patch(*lines)

    assert outcome.is_error
    assert re.search(fault, outcome.text), outcome.text
    assert (bench.gate.actions, bench.tree()) == ([], UNTOUCHED)


async def test_ignored_file_keeps_all_others_as_they_are(bench: Bench) -> None:
    (bench.root / ".agentignore").write_text("secret*\n")
    bench.gate.decisions = [Decision(is_approved=False, by="policy", text="it is ignored.")]

    outcome = await bench.patch(*THREE, "*** Update File: a2.txt", "*** Move to: secret.txt")

    assert outcome.text == "Not allowed, nothing was done: it is ignored."
    assert [place.path for place in bench.gate.actions[0].places] == ["secret.txt"]
    assert bench.tree() == UNTOUCHED | {".agentignore": "secret*\n"}


async def test_rejected_patch_changes_no_file(bench: Bench) -> None:
    bench.gate.decisions = [NO]

    outcome = await bench.patch(*THREE)

    assert (outcome.after, bench.tree()) == (After.REJECTED, UNTOUCHED)


async def hunks_of(bench: Bench, *lines: str) -> dict[str, str]:
    """The ids of the hunks by path, as a first question about the patch names them."""
    bench.gate.decisions = [NO]
    await bench.patch(*lines)
    action = bench.gate.actions.pop()
    return {change["path"]: hunk["id"] for change in action.body["changes"] for hunk in change["hunks"]}


async def test_file_that_the_user_takes_out_stays_and_the_others_change(bench: Bench) -> None:
    hunks = await hunks_of(bench, *THREE)
    bench.gate.decisions = [replace(YES, selection=Selection(frozenset({hunks["b.txt"]})))]

    outcome = await bench.patch(*THREE)

    assert bench.tree() == {"a.txt": "A\nx\n", "b.txt": "b\n", "c.txt": "c\n"}
    first, second, third, *_ = outcome.text.split("\n")
    assert (first, second) == ("c.txt created (+1 -0 lines).", "a.txt changed (+1 -1 lines).")
    assert third == "The user rejected 1 of 3 hunks; they are not in the file."


async def test_yes_without_any_hunk_is_a_no(bench: Bench) -> None:
    hunks = await hunks_of(bench, *THREE)
    bench.gate.decisions = [replace(YES, selection=Selection(frozenset(hunks.values())))]

    outcome = await bench.patch(*THREE)

    assert (outcome.after, bench.tree()) == (After.REJECTED, UNTOUCHED)


async def test_move_stays_when_its_hunks_are_taken_out(bench: Bench) -> None:
    lines = ["*** Update File: a.txt", "*** Move to: d.txt", "-a", "+A"]
    hunks = await hunks_of(bench, *lines)
    bench.gate.decisions = [replace(YES, selection=Selection(frozenset(hunks.values())))]

    outcome = await bench.patch(*lines)

    assert (outcome.after, bench.tree()) == (After.GO_ON, {"b.txt": "b\n", "d.txt": "a\nx\n"})


async def test_empty_file_that_is_there_can_be_added(bench: Bench) -> None:
    (bench.root / "a.txt").write_text("")

    await bench.patch("*** Add File: a.txt", "+a")

    assert bench.tree() == {"a.txt": "a\n", "b.txt": "b\n"}
