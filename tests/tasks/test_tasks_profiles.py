"""Which profile a task works with: chosen while it rests or runs, kept, and told in its Status."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hall import House, ScriptedArchitect, Watcher

from agent_lsp.domain.errors import NotConfigured
from agent_lsp.domain.history import Reply
from agent_lsp.domain.messages import Ask
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest
from agent_lsp.domain.requests import NewTask
from agent_lsp.storage.index import TaskIndex
from agent_lsp.storage.journal import unredacted
from agent_lsp.storage.places import tasks_folder
from agent_lsp.tasks.kit import ChosenModel
from agent_lsp.tasks.ports import Equipment, EquippedModel
from agent_lsp.tasks.tasks import Tasks
from support.kitchen import Answer, ScriptedModel, calls


def model(name: str, *answers: Answer) -> ScriptedModel:
    return ScriptedModel([*answers], ModelFacts(f"model {name}", 100, 10), origin=name)


@dataclass
class ProfileArchitect(ScriptedArchitect):
    """Has a model for each profile; without a name, the first one."""

    models: dict[str, ScriptedModel] = field(default_factory=dict[str, ScriptedModel])

    def equipment(self) -> Equipment:
        whole = super().equipment()
        return Equipment(self._equipped, whole.rules, whole.limits)

    def _equipped(self, name: str | None) -> EquippedModel:
        name = name or next(iter(self.models))
        if name not in self.models:
            raise NotConfigured(f"There is no profile `{name}`.")
        return EquippedModel(name, self.models[name])


def open_house(state: Path, **models: ScriptedModel) -> House:
    first = next(iter(models.values()))
    tasks = Tasks(tasks_folder(state), TaskIndex(state), ProfileArchitect(first, models=models), unredacted)
    watcher = Watcher()
    tasks.listen(watcher)
    return House(state, first, tasks, watcher)


async def test_profile_that_is_chosen_while_a_task_runs_answers_its_next_request(tmp_path: Path) -> None:
    second = model("second", calls("finish"))
    house = open_house(tmp_path, first=model("first", calls("write")), second=second)
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    house.tasks.set_profile(task_id, "second")
    house.answer("yesButtonClicked")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert (len(house.model.histories), len(second.histories)) == (1, 1)
    assert [item.origin for item in second.histories[0] if isinstance(item, Reply)] == ["first"]
    assert (house.status.profile, house.status.model) == ("second", "model second")
    assert [(one.model, one.usage.tokens_in) for one in house.status.usage_by_model] == [
        ("model first", 10),
        ("model second", 10),
    ]
    house.assert_consistent()


async def test_chosen_profile_outlives_the_server(tmp_path: Path) -> None:
    house = open_house(tmp_path, first=model("first", calls("finish")), second=model("second"))
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    house.tasks.set_profile(task_id, "second")
    await house.tasks.close()

    again = open_house(tmp_path, first=model("first"), second=model("second"))
    status = await again.tasks.resume(task_id)

    assert (status.profile, status.model, status.usage_by_model) == ("second", "model second", ())
    await again.tasks.close()


async def test_profile_for_tasks_to_come_is_theirs_unless_they_name_another(tmp_path: Path) -> None:
    house = open_house(tmp_path, first=model("first", calls("finish")), second=model("second", calls("finish")))

    house.tasks.set_profile(None, "second")
    one = house.tasks.new_task(NewTask("do it")).task_id
    other = house.tasks.new_task(NewTask("do it", profile="first")).task_id

    assert [house.tasks.profile(task) for task in (one, other, None)] == ["second", "first", "second"]
    await house.tasks.close()


@pytest.mark.parametrize("is_for_a_task", [True, False])
async def test_profile_that_cannot_be_used_changes_nothing(tmp_path: Path, is_for_a_task: bool) -> None:
    house = open_house(tmp_path, first=model("first", calls("write")))
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    with pytest.raises(NotConfigured):
        house.tasks.set_profile(task_id if is_for_a_task else None, "other")

    assert [house.tasks.profile(task) for task in (task_id, None)] == ["first", None]
    await house.tasks.close()


async def test_request_under_way_keeps_the_model_it_was_sent_to() -> None:
    chosen = [model("first", calls("finish"))]
    port = ChosenModel(lambda: chosen[0])
    request = ModelRequest("system", (), [])
    batches: AsyncGenerator[Sequence[ModelEvent]] = port.stream(request)
    async with asyncio.timeout(5):
        await anext(batches)

    chosen[0] = model("second", calls("finish"))
    before = (port.origin, port.asked_name)
    await batches.aclose()
    batches = port.stream(request)

    assert (before, port.origin) == (("first", "model first"), "second")
    await batches.aclose()
