"""Another profile chosen from outside while a task runs: the next request goes there, and the Status says so."""

from pathlib import Path

import pytest
from story import YES, Story, settings_for, story

from support.lsp_client import Json, RpcError
from support.model_server import CallTool

TURNS = [[CallTool("write_to_file", path="a.txt", content="x")], [CallTool("attempt_completion", result="Done.")]]


async def set_up(s: Story) -> None:
    """Have a second profile, of another API, and one that cannot be used."""
    settings = settings_for(s.model, "anthropic")
    other = settings_for(s.model, "openai")["providers"]["test"] | {"model": "other"}
    providers = {**settings["providers"], "other": other, "broken": {"type": "groq", "model": "g"}}
    s.client.notify("workspace/didChangeConfiguration", {"settings": {"agent": {**settings, "providers": providers}}})


async def profiles(s: Story, **of: str) -> list[Json]:
    return (await s.client.request("agent/listProfiles", of))["profiles"]


async def test_profile_is_changed_in_the_middle_of_a_task(tmp_path: Path) -> None:
    async with story(tmp_path, TURNS) as s:
        await set_up(s)
        await s.new_task()
        await s.ask("tool")

        await s.client.request("agent/setProfile", {"taskId": s.task_id, "profile": "other"})
        await s.answer(YES)
        await s.ask("completion_result")

        assert [(request.api, request.body["model"]) for request in s.model.requests] == [
            ("anthropic", "scripted"),
            ("openai", "other"),
        ]
        assert (s.picture.status["profile"], s.picture.status["model"]) == ("other", "other")
        assert [row["name"] for row in await profiles(s, taskId=s.task_id) if row["isCurrent"]] == ["other"]
        assert [row["name"] for row in await profiles(s) if row["isCurrent"]] == ["test"]


async def test_listed_profiles_hold_no_secret_and_say_what_is_wrong(tmp_path: Path) -> None:
    async with story(tmp_path, []) as s:
        await set_up(s)

        rows = await profiles(s)

    assert [(row["name"], row["type"], row["model"]) for row in rows] == [
        ("test", "anthropic", "scripted"),
        ("other", "openai", "other"),
        ("broken", "groq", "g"),
    ]
    assert ["problem" in row for row in rows] == [False, False, True]
    assert "sk-planted" not in repr(rows)


@pytest.mark.parametrize(("profile", "kind"), [("x", "BadParams"), ("", "BadParams"), ("broken", "NotConfigured")])
async def test_profile_that_cannot_be_is_refused_and_the_task_keeps_its_own(
    tmp_path: Path, profile: str, kind: str
) -> None:
    async with story(tmp_path, TURNS) as s:
        await set_up(s)
        await s.new_task()
        await s.ask("tool")

        with pytest.raises(RpcError) as refused:
            await s.client.request("agent/setProfile", {"taskId": s.task_id, "profile": profile})

        assert (refused.value.kind, (await s.snapshot())["profile"]) == (kind, "test")
