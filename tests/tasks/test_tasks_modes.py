"""How a task goes from mode to mode: by the user's choice, by words with a `/`, by a command's file; and its profile."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hall import WORDS, House, ScriptedArchitect, Watcher

from agent_lsp.domain.errors import BadParams, NotConfigured, TaskUnknown
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.model import ModelFacts
from agent_lsp.domain.requests import AskReply, NewTask
from agent_lsp.domain.slash import Expansion
from agent_lsp.domain.status import PermissionMode
from agent_lsp.storage.index import TaskIndex
from agent_lsp.storage.journal import unredacted
from agent_lsp.storage.places import tasks_folder
from agent_lsp.tasks.modes import listed_commands
from agent_lsp.tasks.ports import Equipment, EquippedModel
from agent_lsp.tasks.tasks import Tasks
from support.kitchen import ScriptedModel, calls

DONE = calls("finish")
EXPANSIONS = {"/review": Expansion("REVIEW", "architect"), "/deep": Expansion("DEEP", None, "strong")}


@dataclass
class ModeArchitect(ScriptedArchitect):
    """Two profiles, `fast` and `strong`; `profiles` has those of modes."""

    profiles: dict[str, str] = field(default_factory=dict[str, str])

    def equipment(self) -> Equipment:
        expanded: Callable[[str], Expansion | None] = lambda words: EXPANSIONS.get(words.partition(" ")[0])  # noqa: E731  it is but handed on
        equipment = replace(super().equipment(), mode_profile=self.profiles.get, expanded=expanded)
        return replace(equipment, model=self._equipped)

    def _equipped(self, name: str | None) -> EquippedModel:
        if name not in (None, "fast", "strong"):
            raise NotConfigured(f"There is no profile `{name}`.")
        return EquippedModel(name or "fast", self.model)


def open_house(state: Path, answers: int = 9, profiles: dict[str, str] | None = None) -> House:
    model = ScriptedModel([DONE] * answers, ModelFacts("m", 100_000, 1_000))
    tasks = Tasks(tasks_folder(state), TaskIndex(state), ModeArchitect(model, profiles=profiles or {}), unredacted)
    watcher = Watcher()
    tasks.listen(watcher)
    return House(state, model, tasks, watcher)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    made = open_house(tmp_path, profiles={"architect": "strong", "debug": "gone"})
    yield made
    await made.tasks.close()


def heard(house: House) -> list[tuple[str, ...]]:
    """The user's words, as the model has them by now."""
    return [item.texts for item in house.histories()[-1] if isinstance(item, Words) and item.by == "user"]


async def completed(house: House) -> None:
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)


@pytest.mark.parametrize(
    ("request_", "mode", "permission_mode", "text"),
    [
        (NewTask("do it"), "code", "default", "do it"),
        (NewTask("do it", mode="ask"), "ask", "default", "do it"),
        (NewTask("/ask do it"), "ask", "default", "do it"),
        (NewTask("/ask do it", mode="code"), "ask", "default", "do it"),
        (NewTask(" /plan /architect\ndo it"), "architect", "plan", "do it"),
        (NewTask("/etc/hosts is wrong"), "code", "default", "/etc/hosts is wrong"),
        (NewTask("do /ask it"), "code", "default", "do /ask it"),
        (NewTask("/condense it"), "code", "default", "/condense it"),
    ],
)
async def test_task_begins_in_the_mode_that_its_words_say(
    house: House, request_: NewTask, mode: str, permission_mode: str, text: str
) -> None:
    house.tasks.new_task(request_)
    await completed(house)

    status = house.status
    assert (status.mode, status.permission_mode.value, status.title) == (mode, permission_mode, text)
    assert heard(house) == [(text,)]
    assert house.watcher.said(Say.TEXT) == [text]


@pytest.mark.parametrize("text", ["", " ", "/ask", "/ask /plan "])
async def test_task_without_words_for_the_model_is_not_begun(house: House, text: str) -> None:
    with pytest.raises(BadParams, match="say what is to be done"):
        house.new_task(text)

    assert house.tasks.live_tasks() == ()


@pytest.mark.parametrize("mode", ["poet", "", "CODE", "code " * 99])
async def test_mode_that_there_is_none_of_is_refused_with_those_there_are(house: House, mode: str) -> None:
    with pytest.raises(BadParams, match="the modes are: code, architect, ask, debug"):
        house.tasks.set_mode(None, mode)
    if mode:
        with pytest.raises(BadParams, match="the modes are: code, architect, ask, debug"):
            house.new_task(mode=mode)


async def test_mode_of_a_task_there_is_none_of_is_refused(house: House) -> None:
    with pytest.raises(TaskUnknown):
        house.tasks.set_mode("no-task", "ask")


async def test_mode_for_tasks_to_come_is_theirs_alone(house: House) -> None:
    first = house.new_task()
    await completed(house)

    house.tasks.set_mode(None, "ask")
    second = house.new_task()

    assert (house.tasks.mode(first), house.tasks.mode(second), house.tasks.mode(None)) == ("code", "ask", "ask")


async def test_words_that_only_set_something_set_it_and_leave_the_task_at_rest(house: House) -> None:
    task_id = house.new_task()
    await completed(house)

    sent = await house.tasks.send(task_id, "/ask /plan", (), "queue")

    assert (sent.disposition, house.tasks.mode(task_id)) == ("delivered", "ask")
    await house.watcher.until(lambda: house.status.permission_mode is PermissionMode.PLAN)
    assert house.waiting.kind is Ask.COMPLETION_RESULT
    assert len(house.histories()) == 1


async def test_words_behind_a_mode_go_on_in_it(house: House) -> None:
    task_id = house.new_task()
    await completed(house)

    await house.tasks.send(task_id, "/ask and why?", (), "queue")
    await house.watcher.until(lambda: len(house.histories()) == 2)
    await completed(house)

    assert house.status.mode == "ask"
    assert heard(house) == [("do it",), ("and why?",)]


async def test_answer_that_only_sets_a_mode_leaves_the_ask_waiting(house: House) -> None:
    house.new_task()
    await completed(house)

    answered = house.answer(WORDS, "/ask")

    assert answered.accepted
    assert (house.tasks.mode(house.tasks.current_task()), house.waiting.kind) == ("ask", Ask.COMPLETION_RESULT)


async def test_answer_to_an_ask_that_is_gone_sets_nothing(house: House) -> None:
    task_id = house.new_task()
    await completed(house)

    answered = house.tasks.answer(task_id, 1, AskReply(WORDS, "/ask and"))

    assert (answered.accepted, house.tasks.mode(task_id)) == (False, "code")


async def test_command_is_told_with_its_text_and_shown_as_it_was_said(house: House) -> None:
    house.new_task("/review a.py")
    await completed(house)

    assert heard(house) == [("/review a.py", "REVIEW")]
    assert house.watcher.said(Say.TEXT) == ["/review a.py"]
    assert house.status.mode == "architect"


async def test_command_in_an_answer_and_in_a_message_is_told_with_its_text(house: House) -> None:
    task_id = house.new_task()
    await completed(house)
    house.answer(WORDS, "/review this")
    await house.watcher.until(lambda: len(house.histories()) == 2)
    await completed(house)

    await house.tasks.send(task_id, "/deep that", (), "queue")
    await house.watcher.until(lambda: len(house.histories()) == 3)
    await completed(house)

    assert heard(house) == [("do it",), ("/review this", "REVIEW"), ("/deep that", "DEEP")]
    assert (house.status.mode, house.status.profile) == ("architect", "strong")


# Profiles


async def test_mode_brings_its_profile_along_and_takes_it_away_again(house: House) -> None:
    task_id = house.new_task()
    await completed(house)
    profiles = [house.tasks.profile(task_id)]
    for mode in ("architect", "ask", "architect", "code"):
        house.tasks.set_mode(task_id, mode)
        profiles.append(house.tasks.profile(task_id))

    assert profiles == ["fast", "strong", "fast", "strong", "fast"]


async def test_task_begins_with_the_profile_of_its_mode(house: House) -> None:
    assert house.tasks.profile(house.new_task(mode="architect")) == "strong"


@pytest.mark.parametrize("chosen", ["with the task", "for tasks to come", "for the task"])
async def test_profile_that_the_user_chose_stays_whatever_the_mode(house: House, chosen: str) -> None:
    if chosen == "for tasks to come":
        house.tasks.set_profile(None, "fast")
    task_id = house.new_task(profile="fast" if chosen == "with the task" else None)
    if chosen == "for the task":
        house.tasks.set_profile(task_id, "fast")

    house.tasks.set_mode(task_id, "architect")

    assert house.tasks.profile(task_id) == "fast"


async def test_profile_of_a_mode_that_cannot_be_used_is_said_and_the_mode_is_set(house: House) -> None:
    task_id = house.new_task()
    await completed(house)

    house.tasks.set_mode(task_id, "debug")

    await house.watcher.until(lambda: house.status.mode == "debug")
    assert house.watcher.said(Say.ERROR) == [
        "The profile of the mode debug cannot be used. There is no profile `gone`."
    ]
    assert house.status.profile == "fast"


@pytest.mark.parametrize(("chosen", "profile"), [(None, "fast"), ("strong", "strong")])
async def test_task_that_is_brought_back_knows_whether_its_profile_was_chosen(
    tmp_path: Path, chosen: str | None, profile: str
) -> None:
    house = open_house(tmp_path, profiles={"architect": "strong"})
    task_id = house.new_task(mode="architect", profile=chosen)
    await completed(house)
    await house.tasks.close()
    later = open_house(tmp_path, profiles={"architect": "strong"})
    await later.tasks.resume(task_id)
    before = (later.tasks.mode(task_id), later.tasks.profile(task_id))

    later.tasks.set_mode(task_id, "code")

    assert (before, later.tasks.profile(task_id)) == (("architect", "strong"), profile)
    await later.tasks.close()


async def test_commands_are_listed_each_name_once(house: House) -> None:
    listed = listed_commands(house.tasks._architect.modes, (), ())

    assert [(command.name, command.kind) for command in listed.commands] == [
        ("condense", "action"),
        *((mode, "mode") for mode in ("code", "architect", "ask", "debug")),
        *((mode.value, "permissionMode") for mode in PermissionMode),
    ]
