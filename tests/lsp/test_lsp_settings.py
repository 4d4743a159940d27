import asyncio

import pytest

from agent_lsp.lsp.configuration import settings_in
from agent_lsp.lsp.patience import Patience
from support.front_door import FrontDoor, front_door
from support.lsp_client import Json, RpcError

CAN_PULL: Json = {"workspace": {"configuration": True}}


@pytest.mark.parametrize(
    ("raw", "settings"),
    [
        (None, {}),
        ([], {}),
        ({}, {}),
        ({"a": 1}, {"a": 1}),
        ({"agent": {"a": 1}, "other": 2}, {"a": 1}),
        ({"agent": {}}, {}),
        ({"a": None, "b": 0}, {"b": 0}),
        ({"agentToken": "secret", "a": 1}, {"a": 1}),
        ({"agent": None}, {}),
    ],
)
def test_settings_are_found_where_clients_put_them(raw: object, settings: Json) -> None:
    assert settings_in(raw) == settings


async def test_options_are_the_first_settings(door: FrontDoor) -> None:
    await door.client.initialize(options={"agent": {"permissionMode": "plan"}})

    assert door.hall.named("configure") == [{"permissionMode": "plan"}]


async def test_pulled_section_lies_over_the_options(door: FrontDoor) -> None:
    door.client.answers["workspace/configuration"] = lambda _: [{"b": 2}]

    await door.client.initialize(capabilities=CAN_PULL, options={"a": 1, "b": 1})
    await door.client.request("agent/newTask", {"text": "x"})

    assert [name for name, _ in door.hall.calls][-2:] == ["configure", "new_task"]
    assert door.hall.named("configure")[-1] == {"a": 1, "b": 2}


@pytest.mark.parametrize("answer", [None, [], [None], [7]])
async def test_pull_that_brings_nothing_keeps_the_options(door: FrontDoor, answer: object) -> None:
    door.client.answers["workspace/configuration"] = lambda _: answer

    await door.client.initialize(capabilities=CAN_PULL, options={"a": 1})
    await door.client.request("agent/newTask", {"text": "x"})

    assert all(settings == {"a": 1} for settings in door.hall.named("configure"))


async def test_pull_that_fails_keeps_the_options(door: FrontDoor) -> None:
    def fail(_: Json) -> None:
        raise RpcError({"code": -32601, "message": "no"})

    door.client.answers["workspace/configuration"] = fail

    await door.client.initialize(capabilities=CAN_PULL, options={"a": 1})
    await door.client.request("agent/newTask", {"text": "x"})

    assert door.hall.named("configure") == [{"a": 1}]


@pytest.mark.parametrize(
    ("pushed", "settings"),
    [({"agent": {"b": 2}}, {"a": 1, "b": 2}), ({"b": 2}, {"a": 1, "b": 2}), ({"agent": {"a": 3}}, {"a": 3})],
)
async def test_pushed_settings_lie_over_the_options(door: FrontDoor, pushed: Json, settings: Json) -> None:
    await door.client.initialize(options={"a": 1})

    door.client.notify("workspace/didChangeConfiguration", {"settings": pushed})
    await door.client.request("agent/debugReport")

    assert door.hall.named("configure")[-1] == settings


async def test_empty_push_means_pull(door: FrontDoor) -> None:
    sections = iter(([{"a": 1}], [{"a": 2}]))
    door.client.answers["workspace/configuration"] = lambda _: next(sections)
    await door.client.initialize(capabilities=CAN_PULL)
    await door.client.until(lambda: len(door.client.questions) == 1)

    door.client.notify("workspace/didChangeConfiguration", {"settings": None})
    await door.client.until(lambda: len(door.client.questions) == 2)
    await door.client.request("agent/newTask", {"text": "x"})

    assert door.hall.named("configure")[-1] == {"a": 2}


async def test_what_was_ignored_is_said_once(door: FrontDoor) -> None:
    await door.client.initialize()
    door.hall.ignored = ("There is no setting fooBar.",)

    for _ in range(2):
        door.client.notify("workspace/didChangeConfiguration", {"settings": {"fooBar": 1}})
    await door.client.request("agent/debugReport")

    assert door.client.named("window/showMessage") == [{"type": 2, "message": "There is no setting fooBar."}]


async def test_task_does_not_wait_for_ever_for_settings() -> None:
    async with front_door(Patience(configuration=0.01)) as door:
        door.client.answers["workspace/configuration"] = lambda _: asyncio.get_running_loop().create_future()
        await door.client.initialize(capabilities=CAN_PULL)

        answer = await door.client.request("agent/newTask", {"text": "x"})

    assert answer["taskId"] == "t1"
