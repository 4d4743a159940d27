import pytest

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
