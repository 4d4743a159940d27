"""Answers that hold for good: offered with the ask, kept where they belong, seen by every task, taken back at once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hall import NO, WORDS, YES, Bench, Brief, DeskTools, House, ScriptedArchitect, Watcher

from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.history import Call
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.permissions import Grant, Remember, Scope
from agent_lsp.domain.requests import AskReply
from agent_lsp.domain.status import PermissionMode, State
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.settings.model import AutoApprove
from agent_lsp.storage.index import TaskIndex
from agent_lsp.storage.journal import unredacted
from agent_lsp.storage.permissions import PermissionStore
from agent_lsp.storage.places import tasks_folder
from agent_lsp.tasks.permissions import StandingPermissions
from agent_lsp.tasks.ports import Briefing, Desk, Equipment, TaskFacts, Workbench
from agent_lsp.tasks.tasks import Tasks
from support.kitchen import Answer, ScriptedModel, calls

GIT_LOG = {"kind": "command", "rule": "git log", "text": "commands that begin with `git log`"}


class Shell(DeskTools):
    """Tools of which `run` decides about a command in the workspace, and runs nothing."""

    async def run(self, call: Call, *, has_failed_before: bool) -> Outcome:
        if call.name != "run":
            return await super().run(call, has_failed_before=has_failed_before)
        text = json.loads(call.arguments)["command"]
        here = Place(".", Path("/w"), "file:///w", Standing.INSIDE, Path("/w"))
        action = Action(call.id, Deed.EXECUTE, {"command": text}, Ask.COMMAND, Say.COMMAND, (here,), text)
        decision = await self.desk.decide(action)
        return Outcome("ran" if decision.is_approved else "not run", after=After.GO_ON)


@dataclass
class KeepingArchitect(ScriptedArchitect):
    store: PermissionStore = field(kw_only=True)
    folders: tuple[Path, ...] = (Path("/w"),)
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        self.standing = StandingPermissions(self.store, lambda: self.folders)

    def equipment(self) -> Equipment:
        return replace(super().equipment(), rules=self._rules_of, permissions=self.standing)

    def equip(self, facts: TaskFacts, desk: Desk) -> tuple[Workbench, Briefing]:
        del facts
        return Bench(Shell(desk)), Brief()

    def _rules_of(self, mode: PermissionMode) -> Rules:
        return replace(self.rules, permission_mode=mode, remembered=self.standing.listed().permissions)


@dataclass
class KeepingHouse(House):
    architect: KeepingArchitect

    def remember(self, scope: Scope, rule: str | None = None, response: str = YES) -> Any:
        return self.answer(response, remember=Remember(scope, rule))

    def rules(self) -> list[str]:
        return [each.rule for each in self.architect.standing.listed().permissions]


def keeping_house(folder: Path, answers: Sequence[Answer], **more: Any) -> KeepingHouse:
    """A house whose permissions outlive it, in the same place for each."""
    model, state = ScriptedModel([*answers]), folder / "state"
    architect = KeepingArchitect(model, store=PermissionStore(folder / "home", state), **more)
    tasks, watcher = Tasks(tasks_folder(state), TaskIndex(state), architect, unredacted), Watcher()
    tasks.listen(watcher)
    return KeepingHouse(state, model, tasks, watcher, architect)


def runs(*commands: str) -> list[Answer]:
    each = [calls("run", arguments=json.dumps({"command": command})) for command in commands]
    return [*each, calls("finish")]


def body(message: Message) -> Json:
    return json.loads(message.text or "{}")


async def test_an_ask_shows_what_a_yes_could_become(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, runs("git log -3"))
    house.new_task()

    ask = await house.watcher.until_ask(Ask.COMMAND)

    assert body(ask)["remember"] == GIT_LOG
    await house.tasks.close()


async def test_an_ask_that_cannot_be_remembered_offers_nothing(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, runs("git log > a"))
    house.new_task()

    ask = await house.watcher.until_ask(Ask.COMMAND)

    assert "remember" not in body(ask)
    with pytest.raises(BadParams):
        house.remember(Scope.TASK)
    assert house.status.state is State.WAITING_FOR_INPUT
    await house.tasks.close()


@pytest.mark.parametrize("scope", Scope)
async def test_a_remembered_yes_is_not_asked_for_again(tmp_path: Path, scope: Scope) -> None:
    house = keeping_house(tmp_path, runs("git log -3", "git log -5", "git push"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)

    assert house.remember(scope).accepted
    await house.watcher.until(lambda: house.status.ask and body_of_waiting(house)["command"] == "git push")

    assert [json.loads(text)["command"] for text in house.watcher.said(Say.COMMAND)] == ["git log -5"]
    house.assert_consistent()
    await house.tasks.close()


def body_of_waiting(house: House) -> Json:
    return body(house.watcher.messages[house.waiting.ts])


@pytest.mark.parametrize(("scope", "is_asked"), [(Scope.TASK, True), (Scope.PROJECT, False), (Scope.USER, False)])
async def test_a_scope_says_whether_the_next_task_is_asked(tmp_path: Path, scope: Scope, is_asked: bool) -> None:
    house = keeping_house(tmp_path, runs("git log") + runs("git log"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)
    house.remember(scope)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    house.new_task()
    await house.watcher.until(lambda: house.status.ask and house.status.task_id == house.tasks.current_task())

    assert (house.waiting.kind is Ask.COMMAND) == is_asked
    await house.tasks.close()


@pytest.mark.parametrize(("scope", "folder", "is_asked"), [("project", "/w", False), ("project", "/v", True)])
async def test_a_project_keeps_its_answers_to_itself(tmp_path: Path, scope: str, folder: str, is_asked: bool) -> None:
    first = keeping_house(tmp_path, runs("git log"))
    first.new_task()
    await first.watcher.until_ask(Ask.COMMAND)
    first.remember(Scope(scope))
    await first.watcher.until_ask(Ask.COMPLETION_RESULT)
    await first.tasks.close()

    house = keeping_house(tmp_path, runs("git log"), folders=(Path(folder),))
    house.new_task()
    await house.watcher.until(lambda: house.status.ask)

    assert (house.waiting.kind is Ask.COMMAND) == is_asked
    await house.tasks.close()


async def test_an_answer_for_the_task_is_gone_when_the_task_was_reloaded(tmp_path: Path) -> None:
    first = keeping_house(tmp_path, runs("git log", "git push"))
    task_id = first.new_task()
    await first.watcher.until_ask(Ask.COMMAND)
    first.remember(Scope.TASK)
    await first.watcher.until(lambda: first.status.ask and body_of_waiting(first)["command"] == "git push")
    await first.tasks.close()

    house = keeping_house(tmp_path, runs("git log"))
    await house.tasks.resume(task_id)
    house.answer(YES)
    ask = await house.watcher.until_ask(Ask.COMMAND)

    assert body(ask)["command"] == "git log"
    await house.tasks.close()


async def test_what_was_kept_can_be_taken_back_while_a_task_runs(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, runs("git log", "git push", "git log"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)
    house.remember(Scope.USER)
    await house.watcher.until(lambda: house.status.ask and body_of_waiting(house)["command"] == "git push")
    (kept,) = house.architect.standing.listed().permissions

    assert await house.architect.standing.revoke(kept.id)
    house.answer(YES)
    await house.watcher.until(lambda: house.status.ask and body_of_waiting(house)["command"] == "git log")

    assert house.rules() == []
    await house.tasks.close()


async def test_an_answer_is_listed_as_soon_as_it_is_given(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, runs("git log"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)

    house.remember(Scope.PROJECT, "git")

    (kept,) = house.architect.standing.listed().permissions
    assert (kept.scope, kept.kind, kept.rule, kept.root) == (Scope.PROJECT, Grant.COMMAND, "git", "/w")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert house.rules() == ["git"]


ALLOWED = Rules(allowed_commands=(("git", "log"),), auto_approve=AutoApprove(execute=True))


@pytest.mark.parametrize("rule", [None, "git"])
async def test_a_yes_is_remembered_though_it_is_no_longer_needed(tmp_path: Path, rule: str | None) -> None:
    house = keeping_house(tmp_path, runs("git log"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)

    house.architect.rules = ALLOWED
    assert house.remember(Scope.USER, rule).accepted
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert house.rules() == [rule or "git log"]


@pytest.mark.parametrize("mode", [PermissionMode.DEFAULT, PermissionMode.BYPASS_PERMISSIONS])
async def test_a_rule_has_to_fit_what_was_asked_about_however_much_is_allowed_by_now(
    tmp_path: Path, mode: PermissionMode
) -> None:
    house = keeping_house(tmp_path, runs("git log"))
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)

    house.architect.rules = ALLOWED
    house.tasks.set_permission_mode(task_id, mode)
    with pytest.raises(BadParams):
        house.remember(Scope.USER, "rm")

    assert (house.status.state, house.rules()) == (State.WAITING_FOR_INPUT, [])
    await house.tasks.close()


async def test_nothing_is_remembered_of_what_was_denied_meanwhile(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, runs("git log"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)

    house.architect.rules = Rules(denied_commands=(("git", "log"),))
    with pytest.raises(BadParams, match="denied"):
        house.remember(Scope.USER)

    assert (house.status.state, house.rules()) == (State.WAITING_FOR_INPUT, [])
    await house.tasks.close()


@pytest.mark.parametrize("response", [NO, WORDS])
async def test_only_a_yes_is_remembered(tmp_path: Path, response: str) -> None:
    house = keeping_house(tmp_path, runs("git log"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)

    with pytest.raises(BadParams, match="Only a yes"):
        house.remember(Scope.USER, response=response)

    assert (house.status.state, house.rules()) == (State.WAITING_FOR_INPUT, [])
    await house.tasks.close()


async def test_an_answer_to_a_question_is_not_remembered(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, [calls("question"), calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.FOLLOWUP)

    with pytest.raises(BadParams, match="Only a yes"):
        house.remember(Scope.TASK)

    await house.tasks.close()


async def test_the_end_of_a_task_is_nothing_to_be_remembered(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, [calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    with pytest.raises(BadParams, match="Only a yes"):
        house.remember(Scope.TASK)

    assert house.status.state is State.IDLE


async def test_an_answer_that_comes_too_late_is_not_remembered(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, runs("git log"))
    task_id = house.new_task()
    ask = await house.watcher.until_ask(Ask.COMMAND)
    house.answer(NO)

    answered = house.tasks.answer(task_id, ask.ts, AskReply(YES, remember=Remember(Scope.USER)))

    assert (answered.reason, house.rules()) == ("AskGone", [])
    await house.tasks.close()


async def test_an_answer_that_cannot_be_kept_holds_this_once_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    house = keeping_house(tmp_path, runs("git log", "git log"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)

    house.remember(Scope.USER)
    await house.watcher.until(lambda: len([m for m in house.watcher.messages.values() if m.ask is Ask.COMMAND]) == 2)

    (error,) = house.watcher.said(Say.ERROR)
    assert error.startswith("Your answer held this once, but it could not be kept: ")
    await house.tasks.close()


FORGED: dict[str, Json] = {
    "a permission": {"kind": "permission", "permission": {"kind": "command", "rule": "git", "scope": "task"}},
    "a freer mode": {"kind": "permissionMode", "permissionMode": "bypassPermissions"},
}


@pytest.mark.parametrize("record", FORGED.values(), ids=FORGED)
async def test_a_journal_that_was_written_to_grants_nothing(tmp_path: Path, record: Json) -> None:
    first = keeping_house(tmp_path, runs("git log"))
    task_id = first.new_task()
    await first.watcher.until_ask(Ask.COMMAND)
    await first.tasks.close()
    journal = tasks_folder(first.state) / task_id / "journal.jsonl"
    with journal.open("a") as file:
        file.write(json.dumps(record) + "\n")

    house = keeping_house(tmp_path, runs("git log"))
    await house.tasks.resume(task_id)
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMMAND)

    assert house.rules() == []
    await house.tasks.close()


@pytest.mark.parametrize(
    ("stored", "now", "then"),
    [
        ("bypassPermissions", "default", "default"),
        ("acceptEdits", "plan", "plan"),
        ("acceptEdits", "acceptEdits", "acceptEdits"),
        ("plan", "bypassPermissions", "plan"),
    ],
)
async def test_a_task_comes_back_no_freer_than_a_new_one(tmp_path: Path, stored: str, now: str, then: str) -> None:
    first = keeping_house(tmp_path, runs("git log"))
    task_id = first.new_task(permission_mode=PermissionMode(stored))
    await first.tasks.cancel(task_id)
    await first.tasks.close()

    house = keeping_house(tmp_path, [])
    house.tasks.set_permission_mode(None, PermissionMode(now))
    status = await house.tasks.resume(task_id)

    assert status.permission_mode is PermissionMode(then)
    await house.tasks.close()


async def test_the_permission_mode_can_be_changed_while_a_task_runs(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, [calls("write"), calls("write"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    house.tasks.set_permission_mode(task_id, PermissionMode.ACCEPT_EDITS)
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert house.watcher.kinds().count("tool") == 2
    assert len(house.watcher.said(Say.TOOL)) == 1


async def test_a_yes_does_not_lift_what_was_denied_while_it_was_waited_for(tmp_path: Path) -> None:
    house = keeping_house(tmp_path, runs("git log", "git log"))
    house.new_task()
    await house.watcher.until_ask(Ask.COMMAND)

    house.architect.rules = Rules(denied_commands=(("git", "log"),))
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    reasons = [json.loads(text)["reason"] for text in house.watcher.said(Say.ERROR)]
    assert reasons == ["`git log` is denied by the rule `git log`."] * 2
    assert house.watcher.said(Say.COMMAND) == []
