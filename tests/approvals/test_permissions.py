"""Standing permissions: what a yes could become, how far it reaches, and what it never lifts."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.approvals.permissions import Asker, offer, permission
from agent_lsp.approvals.policy import Rules, judge, offered, remembered
from agent_lsp.domain.approvals import Action, Deed, Segment, Verdict
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.files import Change, Place, Proposal, Standing
from agent_lsp.domain.permissions import Grant, Offer, Permission, Remember, Scope
from agent_lsp.domain.status import PermissionMode
from agent_lsp.settings.model import AutoApprove, Settings

APPROVE, ASK, DENY = Verdict.APPROVE, Verdict.ASK, Verdict.DENY
HERE = Place(".", Path("/w"), "file:///w", Standing.INSIDE, Path("/w"))
CAREFUL = Rules(auto_approve=AutoApprove(read=False))


def place(path: str, standing: Standing = Standing.INSIDE, root: str | None = "/w", **more) -> Place:
    return Place(path, Path(path), f"file://{path}", standing, Path(root) if root else None, **more)


def command(text: str, where: Place = HERE, **more) -> Action:
    return Action("call", Deed.EXECUTE, {}, places=(where,), command=text, **more)


def write(*paths: str | Place, kind: Literal["create", "edit", "delete", "rename"] = "edit") -> Action:
    places = tuple(path if isinstance(path, Place) else place(path) for path in paths)
    changes = tuple(Change(each.uri, each.path, kind, "", 1, 0, "") for each in places)
    return Action("call", Deed.WRITE, {}, places=places, proposal=Proposal((), changes))


def read(path: str, **more) -> Action:
    return Action("call", Deed.READ, {}, places=(place(path, **more),))


def standing(kind: Grant, rule: str, scope: Scope = Scope.USER, root: str | None = None) -> Permission:
    return permission(offer(kind, rule), scope, Asker(root=root))


def with_rule(kind: Grant, rule: str, rules: Rules = CAREFUL, **more) -> Rules:
    return replace(rules, remembered=(standing(kind, rule, **more),))


def offered_for(action: Action, rules: Rules = CAREFUL) -> Offer | None:
    return offered(action, judge(action, rules), rules)


OFFERS = {
    "a program's subcommand": (command("git log --oneline -5"), Grant.COMMAND, "git log"),
    "a script of a package": (command("npm run build -- --fast"), Grant.COMMAND, "npm run build"),
    "a subcommand before words in quotes": (command("git add 'a b'"), Grant.COMMAND, "git add"),
    "a program without subcommands": (command("ls -la src"), Grant.EXACT_COMMAND, "ls -la src"),
    "a subcommand behind options": (command("make -j4 test"), Grant.EXACT_COMMAND, "make -j4 test"),
    "what fetches whatever it names": (command("npm install left-pad"), Grant.EXACT_COMMAND, "npm install left-pad"),
    "what runs whatever it names": (command("go run ./x"), Grant.COMMAND, "go run ./x"),
    "what runs another program": (command("uv run pytest -q"), Grant.COMMAND, "uv run pytest -q"),
    "several commands": (command("git status && ls"), Grant.EXACT_COMMAND, "git status && ls"),
    "the same command twice": (command("git fetch; git fetch"), Grant.COMMAND, "git fetch"),
    "an edit in a folder": (write("/w/src/a.py"), Grant.EDIT, "/w/src"),
    "an edit at the root": (write("/w/a.py"), Grant.EDIT, "/w/a.py"),
    "a new file": (write("/w/src/a.py", kind="create"), Grant.EDIT, "/w/src"),
    "a deletion": (write("/w/src/a.py", kind="delete"), Grant.DELETE, "/w/src"),
    "edits in several folders": (write("/w/src/a/x", "/w/src/b/y"), Grant.EDIT, "/w/src"),
    "an edit outside": (write(place("/o/n/a", Standing.OUTSIDE, None)), Grant.EDIT, "/o/n/a"),
    "reading a file": (read("/w/src/a.py"), Grant.READ, "/w/src"),
    "reading outside": (read("/o/n/a", standing=Standing.OUTSIDE, root=None), Grant.READ, "/o/n/a"),
}


@pytest.mark.parametrize(("action", "kind", "rule"), OFFERS.values(), ids=OFFERS)
def test_what_is_offered_is_as_narrow_as_what_is_seen(action, kind, rule):
    found = offered_for(action)

    assert found is not None
    assert (found.kind, found.rule) == (kind, rule)


@pytest.mark.parametrize(("action", "kind", "rule"), OFFERS.values(), ids=OFFERS)
def test_a_remembered_offer_lets_the_same_action_through(action, kind, rule):
    assert judge(action, CAREFUL).verdict is ASK
    assert judge(action, with_rule(kind, rule)).verdict is APPROVE


NEVER_OFFERED = {
    "a command that cannot be read": command("echo 'a"),
    "a command that writes a file": command("git log > a"),
    "a command word that is not there to be read": command("$X a"),
    "a command that hides something": command("ls\u200b a"),
    "nothing to run": command("  "),
    "a command that is very long": command("echo " + "a" * 5_000),
    "a command that runs elsewhere": command("git log", place("/o", Standing.OUTSIDE, None)),
    "a command that the sandbox refused": command("git log", refusal="It wrote outside."),
    "a protected file": write(place("/w/.git/config", Standing.PROTECTED, is_protected=True)),
    "a protected file outside": write(place("/o/.git/config", Standing.OUTSIDE, None, is_protected=True)),
    "a protected file among others": write("/w/src/a", place("/w/src/.envrc", Standing.PROTECTED, is_protected=True)),
    "a move": write("/w/src/a", kind="rename"),
    "edits at the root": write("/w/a", "/w/b"),
    "edits in two roots": write("/w/src/a", place("/v/src/a", root="/v")),
    "edits inside and outside": write("/w/src/a", place("/o/a", Standing.OUTSIDE, None)),
    "a write that proposes nothing": Action("call", Deed.WRITE, {}, places=(place("/w/src/a"),)),
    "saving": Action("call", Deed.SAVE, {}, places=(place("/w/src/a"),)),
}


@pytest.mark.parametrize("action", NEVER_OFFERED.values(), ids=NEVER_OFFERED)
def test_what_always_asks_is_not_offered_and_cannot_be_remembered(action):
    assert judge(action, CAREFUL).verdict is ASK
    assert offered_for(action) is None
    with pytest.raises(BadParams):
        remembered(action, CAREFUL, Remember(Scope.TASK), Asker())


def test_nothing_is_offered_for_what_is_not_asked_about():
    for rules in (Rules(PermissionMode.PLAN), Rules(PermissionMode.ACCEPT_EDITS)):
        assert offered_for(write("/w/src/a"), rules) is None


REACHES = {
    "the same words": (Grant.COMMAND, "git log", command("git log"), APPROVE),
    "further words": (Grant.COMMAND, "git log", command("git log -3"), APPROVE),
    "only whole words": (Grant.COMMAND, "git log", command("git logout"), ASK),
    "no other spelling of the program": (Grant.COMMAND, "git log", command("/tmp/git log"), ASK),
    "no other command beside it": (Grant.COMMAND, "git log", command("git log; curl x"), ASK),
    "no substitution in it": (Grant.COMMAND, "git log", command("git log $(curl x)"), ASK),
    "no output to a file": (Grant.COMMAND, "git log", command("git log > a"), ASK),
    "no option that writes": (Grant.COMMAND, "git log", command("git log --output=a"), ASK),
    "no variable in front": (Grant.COMMAND, "git log", command("PAGER=x git log"), ASK),
    "no pipe into another": (Grant.COMMAND, "git log", command("git log | sh"), ASK),
    "the exact text": (Grant.EXACT_COMMAND, "rm build", command("rm build"), APPROVE),
    "the exact text and no more": (Grant.EXACT_COMMAND, "rm build", command("rm build -rf /"), ASK),
    "the exact text and no less": (Grant.EXACT_COMMAND, "rm build", command("rm"), ASK),
    "the exact text not within another": (Grant.EXACT_COMMAND, "rm build", command("rm build; curl x"), ASK),
    "no exact text that always asks": (Grant.EXACT_COMMAND, "echo $X > a", command("echo $X > a"), ASK),
    "the folder": (Grant.EDIT, "/w/src", write("/w/src/a"), APPROVE),
    "deep in the folder": (Grant.EDIT, "/w/src", write("/w/src/x/y/a", kind="create"), APPROVE),
    "no folder that begins alike": (Grant.EDIT, "/w/src", write("/w/src-of-others/a"), ASK),
    "not the folder above": (Grant.EDIT, "/w/src", write("/w/a"), ASK),
    "all or nothing": (Grant.EDIT, "/w/src", write("/w/src/a", "/w/b"), ASK),
    "edits are no deletions": (Grant.EDIT, "/w/src", write("/w/src/a", kind="delete"), ASK),
    "deletions are no edits": (Grant.DELETE, "/w/src", write("/w/src/a"), ASK),
    "reads are no edits": (Grant.READ, "/w/src", write("/w/src/a"), ASK),
    "edits are no reads": (Grant.EDIT, "/w/src", read("/w/src/a"), ASK),
    "no protected file in the folder": (
        Grant.EDIT,
        "/w",
        write(place("/w/.git/config", Standing.PROTECTED, is_protected=True)),
        ASK,
    ),
    "no ignored file in the folder": (Grant.READ, "/w", read("/w/key", standing=Standing.IGNORED), DENY),
    "no protected file in a folder outside": (
        Grant.EDIT,
        "/o",
        write(place("/o/.git/config", Standing.OUTSIDE, None, is_protected=True)),
        ASK,
    ),
}


@pytest.mark.parametrize(("kind", "rule", "action", "verdict"), REACHES.values(), ids=REACHES)
def test_a_permission_reaches_as_far_as_its_rule_says(kind, rule, action, verdict):
    assert judge(action, with_rule(kind, rule)).verdict is verdict


@pytest.mark.parametrize("denied", ["rm", "rm build", "*"])
@pytest.mark.parametrize("kind", [Grant.COMMAND, Grant.EXACT_COMMAND])
def test_a_permission_never_beats_a_denial(kind, denied):
    rules = Rules.from_settings(Settings(denied_commands=(denied,)))

    assert judge(command("rm build a"), with_rule(kind, "rm build a", rules)).verdict is DENY


def test_a_denial_with_an_exception_of_the_settings_keeps_it():
    settings = Settings(allowed_commands=("git status",), denied_commands=("git",))
    rules = with_rule(Grant.COMMAND, "git status", Rules.from_settings(settings))

    assert [judge(command(text), rules).verdict for text in ("git status", "git log")] == [APPROVE, DENY]


def test_plan_mode_lifts_every_permission_to_change_things():
    plan = Rules(PermissionMode.PLAN)

    assert judge(command("git log"), with_rule(Grant.COMMAND, "git log", plan)).verdict is DENY
    assert judge(write("/w/src/a"), with_rule(Grant.EDIT, "/w/src", plan)).verdict is DENY


def test_what_the_sandbox_refused_asks_whatever_is_remembered():
    action = command("git log", refusal="It wrote outside.")

    assert judge(action, with_rule(Grant.COMMAND, "git log")).verdict is ASK


def test_a_required_sandbox_holds_whatever_is_remembered():
    rules = Rules.from_settings(Settings(sandbox="require"))

    assert judge(command("git log"), with_rule(Grant.COMMAND, "git log", rules)).verdict is DENY


def test_remembered_commands_join_those_of_the_settings_where_commands_may_run():
    settings = Settings(allowed_commands=("ls",), auto_approve=AutoApprove(execute=True))
    rules = with_rule(Grant.COMMAND, "git log", Rules.from_settings(settings))

    assert judge(command("git log && ls"), rules).verdict is APPROVE


def test_where_commands_ask_only_remembered_parts_are_shown_as_approved():
    rules = with_rule(Grant.COMMAND, "git log", Rules.from_settings(Settings(allowed_commands=("ls",))))

    judged = judge(command("git log; ls"), rules)

    assert (judged.verdict, judged.segments) == (ASK, (Segment("git log", APPROVE), Segment("ls", ASK)))


@pytest.mark.parametrize(("where", "verdict"), [("/w", APPROVE), ("/w/src", APPROVE), ("/v", ASK)])
def test_a_command_of_a_project_is_allowed_within_that_project_alone(where, verdict):
    rules = with_rule(Grant.COMMAND, "git log", scope=Scope.PROJECT, root="/w")

    assert judge(command("git log", place(where, root=where)), rules).verdict is verdict


WORDED = {
    "fewer words": (command("git log -3"), "git log", (Grant.COMMAND, "git log")),
    "more words": (command("git log -3"), "git  log  -3", (Grant.COMMAND, "git log -3")),
    "a program alone": (command("ls -la"), "ls", (Grant.COMMAND, "ls")),
    "a folder of the workspace": (write("/w/src/a"), "src", (Grant.EDIT, "/w/src")),
    "a folder by its whole path": (write("/w/src/a"), "/w/src/", (Grant.EDIT, "/w/src")),
    "the whole workspace": (write("/w/src/a"), ".", (Grant.EDIT, "/w")),
    "the file itself": (write("/w/src/a"), "src/a", (Grant.EDIT, "/w/src/a")),
    "a place outside": (write(place("/o/a", Standing.OUTSIDE, None)), "/o/a", (Grant.EDIT, "/o/a")),
}


@pytest.mark.parametrize(("action", "rule", "expected"), WORDED.values(), ids=WORDED)
def test_a_rule_may_be_worded_by_the_user(action, rule, expected):
    made = remembered(action, CAREFUL, Remember(Scope.USER, rule), Asker(now=7))

    assert (made.kind, made.rule) == expected
    assert (made.scope, made.created, made.root, made.task_id) == (Scope.USER, 7, None, None)
    assert judge(action, replace(CAREFUL, remembered=(made,))).verdict is APPROVE


TOO_WIDE = {
    "any command": (command("git log"), "*"),
    "any command, with blanks": (command("git log"), " * log"),
    "no command": (command("git log"), " "),
    "another command": (command("git log"), "git push"),
    "one of two commands": (command("git log; ls"), "ls"),
    "a word cut short": (command("git log"), "git lo"),
    "another folder": (write("/w/src/a"), "docs"),
    "a folder above the workspace": (write("/w/src/a"), ".."),
    "everything": (write("/w/src/a"), "/"),
    "no folder": (write("/w/src/a"), ""),
    "a folder outside": (write(place("/o/a", Standing.OUTSIDE, None)), "/o"),
    "a protected file": (write(place("/w/.git/config", Standing.PROTECTED, is_protected=True)), ".git/config"),
    "a zero byte": (write("/w/src/a"), "src\0"),
}


@pytest.mark.parametrize(("action", "rule"), TOO_WIDE.values(), ids=TOO_WIDE)
def test_a_rule_that_does_not_fit_what_was_seen_is_refused(action, rule):
    with pytest.raises(BadParams):
        remembered(action, CAREFUL, Remember(Scope.TASK, rule), Asker(task_id="t"))


def test_a_permission_knows_what_it_was_given_for():
    asker = Asker(now=5, root="/w", task_id="t")
    made = [remembered(command("git log"), CAREFUL, Remember(scope), asker) for scope in Scope]

    assert [(each.scope, each.root, each.task_id) for each in made] == [
        (Scope.TASK, None, "t"),
        (Scope.PROJECT, "/w", None),
        (Scope.USER, None, None),
    ]
    assert len({each.id for each in made}) == 3


def test_without_a_folder_there_is_no_project_to_remember_for():
    with pytest.raises(BadParams):
        remembered(command("git log"), CAREFUL, Remember(Scope.PROJECT), Asker())


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        *((Grant.COMMAND, rule) for rule in ("", "*", "a\0b", "a" * 5_000)),
        *((Grant.EDIT, rule) for rule in ("src", "/", "//", "/w/../..")),
        (Grant.EXACT_COMMAND, "\n"),
    ],
)
def test_a_rule_that_is_none_is_refused(kind, rule):
    with pytest.raises(BadParams):
        offer(kind, rule)


NAMES = st.sampled_from(["src", "src2", "a", "b.py", ".git", ".."])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(lambda names: "/w/" + "/".join(names))


@given(rule=PATHS, path=PATHS, protected=st.booleans(), outside=st.booleans())
def test_no_edit_beyond_the_named_folder_is_ever_covered(rule, path, protected, outside):
    where = Standing.OUTSIDE if outside else Standing.PROTECTED if protected else Standing.INSIDE
    real = Path(*(part for part in Path(path).parts if part != ".."))
    action = write(place(str(real), where, is_protected=protected))
    try:
        made = standing(Grant.EDIT, rule)
    except BadParams:
        return

    is_covered = judge(action, replace(CAREFUL, remembered=(made,))).verdict is APPROVE

    assert is_covered == (not protected and real.is_relative_to(made.rule))


@pytest.mark.parametrize(("mode", "scope"), list(product(PermissionMode, Scope)))
def test_a_permission_only_ever_loosens_what_asks(mode, scope):
    actions = [action for action, _, _ in OFFERS.values()] + [*NEVER_OFFERED.values()]
    rules = replace(CAREFUL, permission_mode=mode)
    wide = (standing(Grant.COMMAND, "git", scope, "/w"), standing(Grant.EDIT, "/w", scope, "/w"))

    for action in actions:
        before, after = (judge(action, replace(rules, remembered=given)).verdict for given in ((), wide))

        assert after is before or (before, after) == (ASK, APPROVE)


OWN = replace(Rules(PermissionMode.BYPASS_PERMISSIONS), own_folders=(Path("/w/.config/agent"),))


@pytest.mark.parametrize("action", [write("/w/.config/agent/permissions.json"), read("/w/.config/agent/settings.json")])
def test_our_own_folders_ask_also_within_a_workspace(action):
    rules = replace(OWN, remembered=(standing(Grant.EDIT, "/w"), standing(Grant.READ, "/w")))

    judged = judge(action, rules)

    assert (judged.verdict, judged.is_protected) == (ASK, True)
    assert offered(action, judged, rules) is None


def test_what_lies_beside_our_own_folders_does_not():
    assert judge(write("/w/.config/agents/a"), OWN).verdict is APPROVE
