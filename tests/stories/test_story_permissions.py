"""What the user allowed for good, and which folders they trust: through the real server, its wire and its files."""

import json
from pathlib import Path

import pytest
from story import Json, Story, story, tool_ask

from support.model_script import CallTool

DONE = [CallTool("attempt_completion", result="done")]
GIT = "git --version"


def runs(command: str) -> list[CallTool]:
    return [CallTool("execute_command", command=command)]


def edits(path: str, content: str = "x\n") -> list[CallTool]:
    return [CallTool("write_to_file", path=path, content=content)]


async def asks_of(s: Story) -> list[str]:
    messages = (await s.snapshot())["messages"]
    return [message["ask"] for message in messages if "ask" in message and message["ask"] != "command_output"]


async def remembered(s: Story, kind: str, scope: str, **more: str) -> Json:
    return await s.approve(kind, remember={"scope": scope, **more})


async def test_a_command_that_was_allowed_for_the_project_runs_unasked_in_the_next_server(tmp_path: Path) -> None:
    async with story(tmp_path, [runs("echo one"), DONE]) as s:
        await s.new_task()
        ask = await remembered(s, "command", "project", rule="echo")
        listed = await s.client.request("agent/permissions")
        await s.ask("completion_result")

    assert json.loads(ask["text"])["remember"]["kind"] == "exactCommand"
    assert [(each["scope"], each["rule"], each["root"]) for each in listed["permissions"]] == [
        ("project", "echo", str(s.workspace))
    ]
    async with story(tmp_path, [runs("echo two"), DONE]) as s:
        await s.new_task()
        await s.ask("completion_result")

        assert await asks_of(s) == ["completion_result"]
        assert list(s.workspace.iterdir()) == []


async def test_an_allowed_folder_covers_its_edits_and_nothing_protected(tmp_path: Path) -> None:
    turns = [edits("src/a.py"), edits("src/b.py"), edits("src/.envrc"), DONE]
    async with story(tmp_path, turns) as s:
        s.file("src/a.py", "old\n")
        await s.new_task()
        offered = tool_ask(await remembered(s, "tool", "user"))["remember"]
        protected = tool_ask(await s.approve("tool"))
        await s.ask("completion_result")

        assert offered == {
            "kind": "edit",
            "rule": str(s.workspace / "src"),
            "text": f"edits and new files at `{s.workspace / 'src'}` and below it",
        }
        assert (protected["path"], "remember" in protected) == ("src/.envrc", False)
        assert (s.state / "home" / "permissions.json").stat().st_mode & 0o777 == 0o600


async def test_what_is_revoked_is_asked_about_again(tmp_path: Path) -> None:
    async with story(tmp_path, [runs("echo one"), runs("ls"), runs("echo one"), DONE]) as s:
        await s.new_task()
        await remembered(s, "command", "user")
        await s.ask("command")
        (kept,) = (await s.client.request("agent/permissions"))["permissions"]
        after = await s.client.request("agent/permissions", {"op": "revoke", "id": kept["id"]})
        await s.approve("command")
        again = await s.ask("command")

        assert after == {"permissions": []}
        assert json.loads(again["text"])["command"] == "echo one"


async def test_a_client_may_add_what_it_wants_to_be_allowed(tmp_path: Path) -> None:
    async with story(tmp_path, [runs("echo one"), edits("docs/a.md"), DONE]) as s:
        for wish in ({"kind": "command", "rule": "echo"}, {"kind": "edit", "rule": "docs"}):
            await s.client.request("agent/permissions", {"op": "add", "scope": "project", **wish})
        await s.new_task()
        await s.ask("completion_result")

        assert await asks_of(s) == ["completion_result"]


BOLD = {"permissionMode": "acceptEdits"}


async def test_a_folder_has_its_way_once_it_is_trusted_and_until_it_asks_for_more(tmp_path: Path) -> None:
    (tmp_path / "workspace" / ".agent-lsp").mkdir(parents=True)
    settings = tmp_path / "workspace" / ".agent-lsp" / "settings.json"
    settings.write_text(json.dumps(BOLD))
    async with story(tmp_path, [edits("a.txt"), DONE, edits("b.txt"), DONE]) as s:
        s.client.answers["window/showMessageRequest"] = lambda _: None
        await s.client.until(lambda: s.client.named("window/showMessage"))
        (folder,) = (await s.client.request("agent/trust"))["folders"]
        await s.new_task()
        await s.approve("tool")
        await s.ask("completion_result")

        seen = {"root": folder["root"], "digest": folder["digest"]}
        trusted = await s.client.request("agent/trust", {"op": "trust", **seen})
        await s.new_task()
        await s.ask("completion_result")
        assert await asks_of(s) == ["completion_result"]

        settings.write_text(json.dumps(BOLD | {"allowedCommands": ["curl"]}))
        (changed,) = (await s.client.request("agent/trust"))["folders"]

    assert (folder["trust"], folder["asks"]) == ("undecided", ['permissionMode = "acceptEdits"'])
    assert trusted["folders"][0]["trust"] == "trusted"
    assert (changed["trust"], changed["digest"] == folder["digest"]) == ("undecided", False)


async def test_settings_that_change_on_the_disk_hold_for_a_task_that_runs(tmp_path: Path) -> None:
    async with story(tmp_path, [runs("echo one"), runs("echo two"), runs("echo three"), DONE]) as s:
        home = s.state / "home"
        home.mkdir(parents=True)
        await s.new_task()
        await s.ask("command")
        (home / "settings.json").write_text('{"allowedCommands": ["echo"], "autoApprove": {"execute": true}}')
        await s.approve("command")
        await s.ask("completion_result")

        assert await asks_of(s) == ["command", "completion_result"]


@pytest.mark.parametrize(
    ("begun", "chosen", "then"),
    [
        ("acceptEdits", None, "default"),
        ("acceptEdits", "plan", "plan"),
        ("acceptEdits", "bypassPermissions", "bypassPermissions"),
        ("default", "acceptEdits", "acceptEdits"),
    ],
)
async def test_a_task_that_runs_is_no_freer_than_settings_that_became_stricter(
    tmp_path: Path, begun: str, chosen: str | None, then: str
) -> None:
    home = tmp_path / "state" / "home"
    home.mkdir(parents=True)
    (home / "settings.json").write_text(json.dumps({"permissionMode": begun}))
    async with story(tmp_path, [runs("echo one"), DONE]) as s:
        await s.new_task()
        if chosen:
            await s.client.request("agent/setPermissionMode", {"taskId": s.task_id, "permissionMode": chosen})
        (home / "settings.json").write_text("{}")
        await s.client.request("agent/trust")

        assert (await s.snapshot())["permissionMode"] == then


async def test_a_task_that_runs_loses_what_its_folder_was_trusted_with(tmp_path: Path) -> None:
    (tmp_path / "workspace" / ".agent-lsp").mkdir(parents=True)
    (tmp_path / "workspace" / ".agent-lsp" / "settings.json").write_text(json.dumps(BOLD))
    async with story(tmp_path, [edits("a.txt"), runs("echo one"), edits("b.txt"), DONE]) as s:
        s.client.answers["window/showMessageRequest"] = lambda _: None
        await s.client.until(lambda: s.client.named("window/showMessage"))
        (folder,) = (await s.client.request("agent/trust"))["folders"]
        await s.client.request("agent/trust", {"op": "trust", "root": folder["root"], "digest": folder["digest"]})
        await s.new_task()
        await s.ask("command")
        before = await asks_of(s)

        (s.state / "trust.json").unlink()
        await s.approve("command")
        ask = tool_ask(await s.ask("tool"))

        assert (before, ask["path"]) == (["command"], "b.txt")
