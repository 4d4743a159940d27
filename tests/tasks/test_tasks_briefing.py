"""What a task's model is told of its surroundings, and when."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest
from briefing_room import Room, room, with_active

from agent_lsp.domain.documents import EditorContext, Terminal
from agent_lsp.domain.files import FileEdit, Selection
from agent_lsp.domain.history import Reply, Spoken, Words
from agent_lsp.domain.requests import ContextReference
from agent_lsp.domain.status import PermissionMode
from agent_lsp.storage.git import find_git
from agent_lsp.tools.reading import Lines


async def test_first_request_tells_all_and_later_ones_what_is_new(tmp_path: Path) -> None:
    desk = room(tmp_path)
    uri = desk.write("a.py", "x").as_uri()
    desk.editor_context = with_active(uri, visible_uris=(uri,), open_uris=(uri,), cursor_line=3)
    desk.user_says("do it")

    first, second = await desk.news(), await desk.told()

    assert first == [
        "Mode: code",
        "Active file: a.py, line 3",
        "Visible files: a.py",
        "Open files: a.py",
        f"Files in {desk.root}:",
        "a.py",
    ]
    assert second is None


async def test_cursor_that_wanders_is_told_with_the_users_next_words(tmp_path: Path) -> None:
    desk = room(tmp_path)
    uri = desk.write("a.py", "x").as_uri()
    desk.editor_context = with_active(uri, cursor_line=3)
    await desk.told()
    desk.editor_context = with_active(uri, cursor_line=9, selected_lines=(8, 9))
    meanwhile = await desk.news()

    desk.user_says("and this?")

    assert (meanwhile, await desk.news()) == ([], ["Active file: a.py, lines 8-9 selected"])


async def test_files_of_others_are_not_named(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write(".agentignore", "secret\n")
    uris = (desk.write("secret", "x").as_uri(), (tmp_path / "elsewhere").as_uri())
    await desk.told()

    desk.editor_context = EditorContext(uris[0], uris, uris)

    assert await desk.news() == []


async def test_terminals_are_told_without_their_output(tmp_path: Path) -> None:
    desk = room(tmp_path)
    await desk.told()
    desk.editor_context = EditorContext(terminals=(Terminal("zsh", "", "make", is_running=True, output="one"),))
    first = await desk.news()

    desk.editor_context = EditorContext(terminals=(Terminal("zsh", "", "make", is_running=True, output="two"),))

    assert (first, await desk.news()) == (["The user's terminals:", "- zsh: `make` runs"], [])


async def test_mode_and_cost_are_told(tmp_path: Path) -> None:
    desk = room(tmp_path, cost=0.126)
    await desk.told()

    desk.mode, desk.permission_mode = "ask", PermissionMode.PLAN

    assert (await desk.news())[:2] == ["Cost so far: $0.13", "Mode: ask"]


async def test_background_commands_are_told_once(tmp_path: Path) -> None:
    desk = room(tmp_path)
    await desk.told()

    desk.commands.report = "cmd-1 has ended."

    assert (await desk.news(), await desk.news()) == (["Background commands:", "cmd-1 has ended."], [])


async def test_what_a_cancelled_turn_did_not_tell_is_told_by_the_next(tmp_path: Path) -> None:
    desk = room(tmp_path, context=(ContextReference((tmp_path / "w" / "a.py").as_uri()),))
    desk.write("a.py", "x")
    first = asyncio.create_task(desk.briefing.environment())
    await asyncio.wait([first], timeout=0)  # It has begun to look at the disk.
    first.cancel()
    await asyncio.wait([first])

    told = await desk.told()

    assert told is not None
    assert [text.partition(" ")[0].partition("\n")[0] for text in told.texts] == ["<attached", "<environment>"]


# Files that change


async def seen(desk: Room, name: str) -> None:
    await desk.eyes.shown.outcome(desk.files.locate(name, "read"), Lines())


async def test_file_that_the_user_changes_is_told(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("a.py", "x")
    await desk.told()
    await seen(desk, "a.py")

    desk.write("a.py", "changed")

    assert await desk.news() == [
        "Changed by the user since you saw them; read them again before you edit them:",
        "- a.py",
    ]


async def test_file_that_a_command_may_have_changed_is_told_so(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("a.py", "x")
    await desk.told()
    await seen(desk, "a.py")

    desk.write("a.py", "formatted")
    desk.commands.has_run = True

    assert await desk.news() == ["Changed while your commands ran; read them again before you edit them:", "- a.py"]


async def test_edit_of_the_models_own_is_no_news(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("a.py", "x\n")
    await desk.told()
    await seen(desk, "a.py")
    place = desk.files.locate("a.py", "write")
    before = await desk.files.read(place)

    await desk.files.apply(await desk.files.propose([FileEdit(place, before, "y\n")]), Selection())

    assert (desk.root / "a.py").read_text() == "y\n"
    assert await desk.news() == []


async def test_mode_with_the_same_tools_is_told_behind(tmp_path: Path) -> None:
    desk = room(tmp_path)
    await desk.told()
    desk.mode = "debug"
    there = await desk.news()
    again = await desk.news()

    desk.mode = "code"

    assert (there, again) == (
        ["Mode: debug", "From now on, in place of what you were told of your mode:", "You work in debug."],
        [],
    )
    assert await desk.news() == ["Mode: code", "What you were told of your mode at the beginning holds again."]


async def test_mode_with_other_tools_is_told_in_the_prompt_alone(tmp_path: Path) -> None:
    desk = room(tmp_path)
    await desk.told()

    desk.mode, desk.tools = "ask", {"read_file"}

    assert "# Mode: ask\nYou work in ask." in desk.briefing.system_prompt()
    assert await desk.news() == ["Mode: ask"]


# Rules


def test_system_prompt_stays_as_long_as_the_tools_do(tmp_path: Path) -> None:
    desk = room(tmp_path)
    before = desk.briefing.system_prompt()
    desk.write("AGENTS.md", "Be brief.")
    meanwhile = desk.briefing.system_prompt()

    desk.mode = "ask"
    with_other_mode = desk.briefing.system_prompt()
    desk.tools = {"read_file"}

    assert (meanwhile, with_other_mode) == (before, before)
    assert "# Mode: ask\nYou work in ask." in desk.briefing.system_prompt()
    assert "Be brief." in desk.briefing.system_prompt()


def test_rules_that_a_window_has_no_room_for_are_pointed_to_once_that_is_known(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("AGENTS.md", "Be brief. " * 1_000)
    whole = desk.new_briefing()
    before = whole.system_prompt()

    desk.window = 8_192

    assert "Be brief." in before
    assert "Be brief." not in whole.system_prompt()
    assert "AGENTS.md\nLeft out for want of room" in whole.system_prompt()
    assert "Be brief." not in desk.new_briefing().system_prompt()


def test_language_is_in_the_system_prompt(tmp_path: Path) -> None:
    assert "Language: speak Deutsch" in room(tmp_path, language="Deutsch").briefing.system_prompt()


async def test_rules_that_change_are_told_behind_with_the_next_words(tmp_path: Path) -> None:
    desk = room(tmp_path)
    await desk.told()
    desk.write("AGENTS.md", "Be brief.")
    meanwhile = await desk.news()

    desk.user_says("go on")

    assert (meanwhile, await desk.news()) == (
        [],
        ["These project rules hold from now on:", f"## {desk.root}/AGENTS.md", "Be brief."],
    )


async def test_rules_of_a_mode_come_and_go_with_it(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write(".agent-lsp/rules-code/a.md", "Write tests.")
    desk.write(".agent-lsp/rules-debug/a.md", "Find the cause.")
    desk.briefing = desk.new_briefing()
    await desk.told()

    desk.mode = "debug"

    assert (await desk.news())[-5:] == [
        "These project rules hold from now on:",
        f"## {desk.root}/.agent-lsp/rules-debug/a.md",
        "Find the cause.",
        "These rules hold no longer:",
        f"- {desk.root}/.agent-lsp/rules-code/a.md",
    ]


async def test_words_are_seen_to_once_also_when_the_history_is_made_shorter(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("a.py", "x")
    await desk.attached("see @/a.py")
    task = desk.history[0]
    desk.history[:] = [task, Words(("What was done.",))]

    desk.briefing.forget(is_all=False)

    assert await desk.told() is None


async def test_rules_of_a_folder_come_with_its_first_file(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("src/AGENTS.md", "Be brief.")
    desk.write("src/a.py", "x")
    await desk.told()

    await seen(desk, "src/a.py")

    assert await desk.news() == [
        "These project rules hold from now on:",
        f"## {desk.root}/src/AGENTS.md",
        "Be brief.",
    ]


async def test_what_a_rewind_has_hidden_is_told_again(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("src/AGENTS.md", "Be brief.")
    desk.write("src/a.py", "x")
    desk.editor_context = with_active((desk.root / "src/a.py").as_uri())
    await seen(desk, "src/a.py")
    await desk.told()

    desk.briefing.forget(is_all=False)
    again = await desk.news()

    assert "Active file: src/a.py" in again
    assert "Be brief." in again
    assert f"Files in {desk.root}:" not in again


# Git


@pytest.fixture
def repository(tmp_path: Path) -> Room:
    git = find_git(os.environ, ())
    desk = room(tmp_path, git=git)
    desk.write("a.py", "x")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "One"]):
        commit(desk, *arguments)
    return desk


def commit(desk: Room, *arguments: str) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=a@b.c"]
    subprocess.run([str(desk.git), *identity, *arguments], cwd=desk.root, check=True)


async def test_git_is_told_at_first_and_when_it_changed(repository: Room) -> None:
    desk = repository
    first = [line for line in await desk.news() if line.startswith("Git: ")]
    desk.write("new.py", "x")
    meanwhile = await desk.news()
    desk.user_says("go on")

    later = await desk.news()

    assert len(first) == 1
    assert first[0].endswith("; nothing changed")
    assert meanwhile == []
    assert [line.partition("; ")[2] for line in later] == ["1 untracked"]


async def test_commit_in_the_middle_of_a_turn_is_told(repository: Room) -> None:
    desk = repository
    await desk.told()

    commit(desk, "commit", "-q", "--allow-empty", "-m", "Two")

    assert [line.partition(" at ")[0] for line in await desk.news()] == ["Git: main"]


# Words


async def test_words_that_nobody_was_told_of_are_heard_after_a_restart(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("a.py", "x")
    desk.history += [Words(("@/never.py",), by="user"), Reply((Spoken("done"),))]
    desk.user_says("see @/a.py")
    desk.history.append(Words(("The task was interrupted. @/not-the-users.py",)))

    desk.briefing = desk.new_briefing()
    told = await desk.told()

    assert told is not None
    assert told.texts[0] == '<attached from="@/a.py" path="a.py">\n1 | x\n</attached>'
    assert desk.said == []


async def test_words_beside_an_answer_are_heard(tmp_path: Path) -> None:
    desk = room(tmp_path)
    desk.write("a.py", "x")
    await desk.told()

    desk.briefing.hear("as in @/a.py")
    told = await desk.told()

    assert told is not None
    assert told.texts == ('<attached from="@/a.py" path="a.py">\n1 | x\n</attached>',)
