from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from agent_lsp.approvals.policy import Rules, judge
from agent_lsp.domain.approvals import Action, Deed, Judgement, Segment, Verdict
from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.status import PermissionMode
from agent_lsp.settings.model import AutoApprove, Settings

APPROVE, ASK, DENY = Verdict.APPROVE, Verdict.ASK, Verdict.DENY
PLAN, DEFAULT, ACCEPT, BYPASS = PermissionMode
INSIDE, OUTSIDE, PROTECTED, IGNORED = Standing.INSIDE, Standing.OUTSIDE, Standing.PROTECTED, Standing.IGNORED


def place(standing: Standing, path: str = "/w/a.txt", **changes) -> Place:
    made = Place(Path(path).name, Path(path), f"file://{path}", standing, Path("/w"))
    return replace(made, **changes)


def action(deed: Deed, *places: Place, command: str | None = None) -> Action:
    return Action("call", deed, {}, places=places, command=command)


def rules(mode: PermissionMode = DEFAULT, **auto_approve) -> Rules:
    return Rules(mode, AutoApprove.model_validate(auto_approve))


READS = {
    (PLAN, INSIDE): APPROVE,
    (PLAN, OUTSIDE): ASK,
    (PLAN, PROTECTED): APPROVE,
    (PLAN, IGNORED): DENY,
    (DEFAULT, INSIDE): APPROVE,
    (DEFAULT, OUTSIDE): ASK,
    (DEFAULT, PROTECTED): APPROVE,
    (DEFAULT, IGNORED): DENY,
    (ACCEPT, INSIDE): APPROVE,
    (ACCEPT, OUTSIDE): ASK,
    (ACCEPT, PROTECTED): APPROVE,
    (ACCEPT, IGNORED): DENY,
    (BYPASS, INSIDE): APPROVE,
    (BYPASS, OUTSIDE): APPROVE,
    (BYPASS, PROTECTED): APPROVE,
    (BYPASS, IGNORED): DENY,
}

WRITES = {
    (PLAN, INSIDE): DENY,
    (PLAN, OUTSIDE): DENY,
    (PLAN, PROTECTED): DENY,
    (PLAN, IGNORED): DENY,
    (DEFAULT, INSIDE): ASK,
    (DEFAULT, OUTSIDE): ASK,
    (DEFAULT, PROTECTED): ASK,
    (DEFAULT, IGNORED): DENY,
    (ACCEPT, INSIDE): APPROVE,
    (ACCEPT, OUTSIDE): ASK,
    (ACCEPT, PROTECTED): ASK,
    (ACCEPT, IGNORED): DENY,
    (BYPASS, INSIDE): APPROVE,
    (BYPASS, OUTSIDE): ASK,
    (BYPASS, PROTECTED): ASK,
    (BYPASS, IGNORED): DENY,
}


@pytest.mark.parametrize(("mode", "standing"), READS)
def test_reads_by_mode_and_place(mode, standing):
    assert judge(action(Deed.READ, place(standing)), rules(mode)).verdict is READS[mode, standing]


@pytest.mark.parametrize(("mode", "standing"), WRITES)
def test_writes_by_mode_and_place(mode, standing):
    assert judge(action(Deed.WRITE, place(standing)), rules(mode)).verdict is WRITES[mode, standing]


SETTINGS = {
    "reading can be asked about": (Deed.READ, INSIDE, {"read": False}, ASK),
    "reading outside may be allowed": (Deed.READ, OUTSIDE, {"read_outside_workspace": True}, APPROVE),
    "reading outside needs reading": (Deed.READ, OUTSIDE, {"read": False, "read_outside_workspace": True}, ASK),
    "ignored is not read whatever is allowed": (Deed.READ, IGNORED, {"read_outside_workspace": True}, DENY),
    "writing may be allowed": (Deed.WRITE, INSIDE, {"write": True}, APPROVE),
    "writing does not cover what is outside": (Deed.WRITE, OUTSIDE, {"write": True}, ASK),
    "writing does not cover what is protected": (Deed.WRITE, PROTECTED, {"write": True}, ASK),
    "writing does not cover what is ignored": (Deed.WRITE, IGNORED, {"write": True}, DENY),
    "executing does not allow writing": (Deed.WRITE, INSIDE, {"execute": True}, ASK),
}


@pytest.mark.parametrize(("deed", "standing", "auto_approve", "verdict"), SETTINGS.values(), ids=SETTINGS)
def test_standing_decisions_reach_as_far_as_they_say(deed, standing, auto_approve, verdict):
    assert judge(action(deed, place(standing)), rules(**auto_approve)).verdict is verdict


@pytest.mark.parametrize("standings", list(product(Standing, Standing)))
@pytest.mark.parametrize("deed", [Deed.READ, Deed.WRITE])
def test_of_several_places_the_strictest_counts(deed, standings):
    order = [APPROVE, ASK, DENY]
    given = rules(ACCEPT)
    alone = [judge(action(deed, place(standing)), given).verdict for standing in standings]

    together = judge(action(deed, *map(place, standings)), given).verdict

    assert together is max(alone, key=order.index)


FOLDERS = {
    "a file in a named folder": ("/notes", "/notes/a.txt", APPROVE),
    "a file deep in it": ("/notes", "/notes/x/y/a.txt", APPROVE),
    "a folder that only begins alike": ("/notes", "/notes-of-others/a.txt", ASK),
    "the folder's parent": ("/notes/x", "/notes/a.txt", ASK),
    "a relative folder is no folder": ("notes", "/notes/a.txt", ASK),
    "an empty name is no folder": ("", "/notes/a.txt", ASK),
}


@pytest.mark.parametrize(("folder", "path", "verdict"), FOLDERS.values(), ids=FOLDERS)
def test_a_standing_yes_for_writes_outside_names_the_place(folder, path, verdict):
    settings = Settings(auto_approve=AutoApprove(write=True, write_outside_workspace=(folder,)))

    assert judge(action(Deed.WRITE, place(OUTSIDE, path)), Rules.from_settings(settings)).verdict is verdict


def test_a_named_folder_is_followed_to_where_it_leads(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    settings = Settings(auto_approve=AutoApprove(write=True, write_outside_workspace=(f"{tmp_path}/link",)))

    judged = judge(action(Deed.WRITE, place(OUTSIDE, f"{tmp_path}/real/a")), Rules.from_settings(settings))

    assert judged == Judgement(APPROVE)


def test_what_is_protected_in_a_named_folder_still_asks():
    settings = Settings(auto_approve=AutoApprove(write=True, write_outside_workspace=("/notes",)))
    bait = place(OUTSIDE, "/notes/.git/config", is_protected=True)

    assert judge(action(Deed.WRITE, bait), Rules.from_settings(settings)).verdict is ASK


def test_a_named_folder_alone_does_not_allow_writing():
    settings = Settings(auto_approve=AutoApprove(write_outside_workspace=("/notes",)))

    assert judge(action(Deed.WRITE, place(OUTSIDE, "/notes/a")), Rules.from_settings(settings)).verdict is ASK


@pytest.mark.parametrize("deed", [Deed.READ, Deed.WRITE])
@pytest.mark.parametrize("mode", PermissionMode)
def test_nobody_is_asked_about_what_cannot_be_done(deed, mode):
    nowhere = place(OUTSIDE, problem="That is no path.")

    assert judge(action(deed, nowhere), rules(mode)) == Judgement(DENY, "That is no path.")


def execute(command: str, *places: Place, mode=DEFAULT, is_on=True, allowed=(), denied=()) -> Judgement:
    settings = Settings(
        permission_mode=mode,
        auto_approve=AutoApprove(execute=is_on),
        allowed_commands=allowed,
        denied_commands=denied,
    )
    return judge(action(Deed.EXECUTE, *places, command=command), Rules.from_settings(settings))


COMMANDS = {
    "allowed": (DEFAULT, True, "git status", APPROVE),
    "not allowed": (DEFAULT, True, "git push", ASK),
    "denied": (DEFAULT, True, "rm a", DENY),
    "allowed, but commands ask": (DEFAULT, False, "git status", ASK),
    "denied, and commands ask": (DEFAULT, False, "rm a", DENY),
    "plan mode runs nothing": (PLAN, True, "git status", DENY),
    "accepting edits accepts no commands": (ACCEPT, False, "git status", ASK),
    "accepting edits keeps what is allowed": (ACCEPT, True, "git status", APPROVE),
    "bypass runs what no rule names": (BYPASS, False, "make all > log", APPROVE),
    "bypass keeps what is denied": (BYPASS, False, "sudo rm a", DENY),
    "bypass keeps what is denied deep inside": (BYPASS, False, "echo $(git log; rm a)", DENY),
    "bypass asks where a denied command may hide": (BYPASS, False, "$X a", ASK),
    "bypass asks about what cannot be read": (BYPASS, False, "echo 'a", ASK),
}


@pytest.mark.parametrize(("mode", "is_on", "command", "verdict"), COMMANDS.values(), ids=COMMANDS)
def test_commands_by_mode(mode, is_on, command, verdict):
    judged = execute(command, place(INSIDE), mode=mode, is_on=is_on, allowed=("git status",), denied=("rm",))

    assert judged.verdict is verdict


@pytest.mark.parametrize("mode", [DEFAULT, BYPASS])
@pytest.mark.parametrize(
    ("command", "verdict"),
    [("git push origin", APPROVE), ("git push", DENY), ("git push other", DENY), ("git push origin; git push", DENY)],
)
def test_the_longer_rule_wins_in_every_mode(mode, command, verdict):
    judged = execute(command, mode=mode, allowed=("git push origin",), denied=("git push",))

    assert judged.verdict is verdict


def test_bypass_without_denied_commands_asks_about_none():
    assert execute("$X 'a", mode=BYPASS).verdict is APPROVE


@pytest.mark.parametrize("standing", [OUTSIDE, IGNORED, PROTECTED])
@pytest.mark.parametrize("mode", [DEFAULT, ACCEPT, BYPASS])
def test_an_allowed_command_asks_where_it_runs_elsewhere(standing, mode):
    assert execute("git status", place(standing), mode=mode, allowed=("git status",)).verdict is ASK


def test_a_denied_command_is_denied_wherever_it_runs():
    assert execute("rm a", place(OUTSIDE), denied=("rm",)).verdict is DENY


def test_the_user_sees_what_policy_makes_of_each_part():
    judged = execute("git status && curl x | rm -r y", allowed=("git status",), denied=("rm",))

    assert judged == Judgement(
        DENY,
        "`rm -r y` is denied by the rule `rm`.",
        (Segment("git status", APPROVE), Segment("curl x", ASK), Segment("rm -r y", DENY)),
    )


def test_where_every_command_asks_no_part_is_shown_as_approved():
    judged = execute("git status; rm a", is_on=False, allowed=("git status",))

    assert judged == Judgement(ASK, "", (Segment("git status", ASK), Segment("rm a", ASK)))


def test_a_task_has_its_own_permission_mode():
    assert Rules.from_settings(Settings(), PLAN).permission_mode is PLAN


def test_by_default_nothing_runs_and_nothing_is_written_unasked():
    given = Rules.from_settings(Settings())
    verdicts = [
        judge(action(deed, place(INSIDE), command="ls"), given).verdict
        for deed in (Deed.READ, Deed.WRITE, Deed.EXECUTE)
    ]

    assert verdicts == [APPROVE, ASK, ASK]


def test_saving_is_always_asked_about():
    assert judge(action(Deed.SAVE, place(INSIDE)), rules(BYPASS)).verdict is ASK


@pytest.mark.parametrize(
    ("mode", "allowed", "verdict"),
    [
        (PLAN, {}, ASK),
        (DEFAULT, {}, ASK),
        (ACCEPT, {}, ASK),
        (BYPASS, {}, APPROVE),
        (PLAN, {"mode_switch": True}, APPROVE),
        (DEFAULT, {"mode_switch": True}, APPROVE),
        (DEFAULT, {"write": True, "execute": True, "subtasks": True}, ASK),
    ],
)
def test_switch_of_the_mode_is_asked_for_unless_it_is_allowed(
    mode: PermissionMode, allowed: dict[str, bool], verdict: Verdict
) -> None:
    assert judge(action(Deed.SWITCH_MODE), rules(mode, **allowed)).verdict is verdict


def test_an_action_that_names_no_command_asks():
    assert judge(action(Deed.EXECUTE, place(INSIDE)), rules(BYPASS)).verdict is ASK


def test_a_write_that_names_no_place_asks():
    assert judge(action(Deed.WRITE), rules(BYPASS)).verdict is ASK


@pytest.mark.parametrize("mode", list(PermissionMode))
def test_no_command_runs_where_a_sandbox_is_required_and_none_is_there(mode):
    rules_of_settings = Rules.from_settings(Settings(sandbox="require", permission_mode=mode, allowed_commands=("ls",)))

    judged = judge(action(Deed.EXECUTE, place(Standing.INSIDE), command="ls"), rules_of_settings)

    assert judged.verdict is Verdict.DENY


REFUSED = "The sandbox refused it: Read-only file system."


@pytest.mark.parametrize("mode", list(PermissionMode))
def test_a_command_in_the_sandbox_is_judged_as_if_there_was_none(mode):
    plain = action(Deed.EXECUTE, place(INSIDE), command="ls")
    confined = replace(plain, is_sandboxed=True)
    allowing = Settings(permission_mode=mode, allowed_commands=("ls",))
    requiring = allowing.model_copy(update={"sandbox": "require"})

    assert judge(confined, Rules.from_settings(requiring)) == judge(plain, Rules.from_settings(allowing))


LEAVING = {
    "an allowed command": (Settings(auto_approve=AutoApprove(execute=True), allowed_commands=("ls",)), ASK),
    "a denied command": (Settings(denied_commands=("ls",)), DENY),
    "one that was asked about": (Settings(), ASK),
    "a user who bypasses all": (Settings(permission_mode=BYPASS), APPROVE),
    "a user who requires the sandbox": (Settings(permission_mode=BYPASS, sandbox="require"), DENY),
}


@pytest.mark.parametrize(("settings", "verdict"), LEAVING.values(), ids=LEAVING)
def test_no_rule_lets_a_command_leave_the_sandbox_unasked(settings, verdict):
    leaving = replace(action(Deed.EXECUTE, place(INSIDE), command="ls"), refusal=REFUSED)

    assert judge(leaving, Rules.from_settings(settings)).verdict is verdict


def test_whoever_is_asked_to_let_a_command_leave_sees_what_was_refused():
    leaving = replace(action(Deed.EXECUTE, place(INSIDE), command="ls"), refusal=REFUSED)

    assert judge(leaving, rules()).reason == f"{REFUSED} Run it again outside the sandbox?"


@pytest.mark.parametrize(
    ("command", "denied", "may_hide"),
    [
        ("git push", ("rm",), False),
        ("$X a", ("rm",), True),
        ("echo 'a", ("rm",), True),
        ("$X a", (), False),
        ("rm a", ("rm",), False),
    ],
)
@pytest.mark.parametrize("mode", [DEFAULT, ACCEPT, BYPASS])
def test_a_command_in_which_a_denied_one_may_hide_is_marked_for_a_person(mode, command, denied, may_hide):
    assert execute(command, place(INSIDE), mode=mode, denied=denied).may_hide_denied is may_hide


KINDS = ("read", "read_outside_workspace", "write", "execute")


def expected(deed: Deed, mode: PermissionMode, standing: Standing, settings: Mapping[str, bool]) -> Verdict:
    """The whole policy for files, said once more in other words."""
    is_bypass, may_write = mode is BYPASS, settings["write"] or mode in (ACCEPT, BYPASS)
    if standing is IGNORED:
        return DENY
    if deed is Deed.READ:
        is_allowed = is_bypass or (settings["read"] and (standing is not OUTSIDE or settings["read_outside_workspace"]))
    elif mode is PLAN:
        return DENY
    else:
        is_allowed = standing is INSIDE and may_write
    return APPROVE if is_allowed else ASK


@pytest.mark.parametrize("switches", list(product((False, True), repeat=len(KINDS))))
@pytest.mark.parametrize("mode", list(PermissionMode))
def test_modes_kinds_places_and_settings_together_say_what_may_be_done(mode, switches):
    settings: dict[str, bool] = dict(zip(KINDS, switches, strict=True))

    for deed, standing in product((Deed.READ, Deed.WRITE), Standing):
        verdict = judge(action(deed, place(standing)), rules(mode, **settings)).verdict

        assert verdict is expected(deed, mode, standing, settings), (deed, standing)


@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.parametrize("standing", list(Standing))
@pytest.mark.parametrize("mode", list(PermissionMode))
@pytest.mark.parametrize(("command", "kind"), [("git status", "allowed"), ("git push", "other"), ("rm a", "denied")])
def test_modes_places_and_lists_together_say_what_may_run(mode, standing, is_on, command, kind):
    judged = execute(command, place(standing), mode=mode, is_on=is_on, allowed=("git status",), denied=("rm",))

    is_covered = standing is INSIDE and (mode is BYPASS or (is_on and kind == "allowed"))
    is_denied = mode is PLAN or kind == "denied"
    assert judged.verdict is (DENY if is_denied else APPROVE if is_covered else ASK)


@pytest.mark.parametrize(("command", "reason"), [("ls \u202ex", "U+202E"), ("ls\u200b", "U+200B"), ("ls", "")])
def test_what_hides_in_a_command_is_told_even_where_every_command_asks(command: str, reason: str) -> None:
    judged = judge(Action("c", Deed.EXECUTE, {}, command=command), Rules())

    assert judged.verdict is Verdict.ASK
    assert reason in judged.reason
    assert bool(reason) is bool(judged.reason)
