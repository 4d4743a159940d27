import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.approvals.command_rules import as_prefixes, judge_command
from agent_lsp.approvals.policy import Rules, judge, offered
from agent_lsp.domain.approvals import Action, Deed, Verdict
from agent_lsp.domain.permissions import Grant, Permission, Scope

APPROVE, ASK, DENY = Verdict.APPROVE, Verdict.ASK, Verdict.DENY

MOVES = {
    "the workspace by its whole path": ("cd /w/space && git status", APPROVE),
    "a folder in it": ("cd /w/space/a/b && git status", APPROVE),
    "a folder in another one of it": ("cd '/other one/a' && git status", APPROVE),
    "through it and back": ("cd /w/space/a/../b && git status", APPROVE),
    "by another way": ("pushd /w/space", ASK),
    "above it": ("cd /w/space/.. && git status", ASK),
    "above it, further down": ("cd /w/space/a/../../b && git status", ASK),
    "above it, a step later": ("cd /w/space && cd .. && git status", ASK),
    "above it, after a folder below": ("cd a && cd /w/space && cd .. && git status", ASK),
    "below and back": ("cd a && git status && cd ..", APPROVE),
    "below and back in a function": ("f() { cd /w/space; }; cd a && f && cd ..", ASK),
    "where links are seen through": ("cd -P /w/space/a/.. && git status", ASK),
    "a folder that is called alike": ("cd /w/spaces && git status", ASK),
    "elsewhere": ("cd / && git status", ASK),
    "what is not there to be read": ("cd /w/space/$X && git status", ASK),
    "two places": ("cd /w/space /etc && git status", ASK),
    "what no rule names": ("cd /w/space && git push", ASK),
}


@pytest.mark.parametrize(("command", "due"), MOVES.values(), ids=MOVES)
def test_the_workspace_may_be_entered_by_its_whole_path(command, due):
    judged = judge_command(command, as_prefixes(["cd", "git status"]), (), ["/w/space", "/other one"])

    assert judged.verdict is due


MOVING = ["cd a", "cd a/b", "cd ..", "cd ../..", "cd ../a", "cd a/..", "cd .", "cd gone", "cd a >/dev/null"]
AROUND = [
    "true",
    "false",
    "ls | ls",
    "(cd a)",
    "{ cd a; }",
    "! cd a",
    "(cd ..)",
    "cd a | ls",
    "if cd a; then cd ..; fi",
]
STEPS = st.sampled_from([*MOVING, *AROUND])
JOINTS = st.sampled_from([" && ", " && ", " && ", " || ", "; ", " | ", " & ", "\n"])


@given(STEPS, st.lists(st.tuples(JOINTS, STEPS), max_size=6))
def test_no_row_of_moves_that_is_approved_leaves_the_folder(first, others):
    script = first + "".join(joint + step for joint, step in others)

    judged = judge_command(script, as_prefixes(["cd", "ls", "true", "false"]), ())

    assert judged.verdict is not APPROVE or places_of(script) == set()


def places_of(script: str) -> set[str]:
    """Ask bash where a script's commands run, but for the folder that it begins in and those below."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "top" / "root"
        (root / "a" / "b" / "a" / "b").mkdir(parents=True)
        seen = Path(folder, "seen")
        traced = f"trap 'pwd >> {seen}' DEBUG\n{script}\n:\nwait"
        subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-Tc", traced],
            cwd=root,
            capture_output=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return {place for place in seen.read_text().split() if not Path(place).is_relative_to(root)}


def test_bash_tells_where_commands_run():
    found = [len(places_of(script)) for script in ("cd a && cd ..", "cd ..", "cd gone; (cd ../.. && ls)", "cd a; ls")]

    assert found == [0, 1, 1, 0]


def test_a_folder_that_is_denied_by_name_is_not_entered():
    rules = as_prefixes(["cd"]), as_prefixes(["cd /w/space/a"])

    assert judge_command("cd /w/space/a", *rules, ["/w/space"]).verdict is DENY


def test_a_command_that_enters_the_workspace_can_be_remembered_as_it_is():
    action = Action("c", Deed.EXECUTE, {}, command="cd /w/space && make")
    rules = Rules(workspace=("/w/space",))

    offer = offered(action, judge(action, rules), rules)

    assert offer is not None
    assert (offer.kind, offer.rule) == (Grant.EXACT_COMMAND, "cd /w/space && make")
    kept = Permission("1", Scope.USER, offer.kind, offer.rule)
    assert judge(action, Rules(workspace=("/w/space",), remembered=(kept,))).verdict is APPROVE
    assert judge(action, Rules(workspace=("/w/other",), remembered=(kept,))).verdict is ASK
