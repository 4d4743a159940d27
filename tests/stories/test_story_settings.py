"""What the user changes in the settings while a task is under way: it holds for the task's next call."""

from pathlib import Path
from typing import Any

from story import WORDS, Story, settings_for, story

from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="Done.")]
WAITS = [CallTool("ask_followup_question", question="Ready?", follow_up=[{"text": "yes"}, {"text": "no"}])]
FREE = {"permissionMode": "bypassPermissions"}


async def change(s: Story, **settings: Any) -> None:
    """Change the settings while the task waits, and let it go on to its end."""
    await s.new_task()
    await s.ask("followup")
    options = settings_for(s.model, "anthropic", **FREE | settings)
    s.client.notify("workspace/didChangeConfiguration", {"settings": {"agent": options}})
    await s.answer(WORDS, text="yes")
    await s.ask("completion_result")


async def test_a_block_need_not_be_as_alike_as_before(tmp_path: Path) -> None:
    diff = "<<<<<<< SEARCH\nthe quick brown fox\n=======\nthe slow fox\n>>>>>>> REPLACE"
    async with story(tmp_path, [WAITS, [CallTool("apply_diff", path="a.txt", diff=diff)], DONE], settings=FREE) as s:
        file = s.file("a.txt", "the quick brawn fox\n")
        await change(s, fuzzyThreshold=0.8)

        assert file.read_text() == "the slow fox\n"


async def test_a_command_may_run_so_long_and_no_longer(tmp_path: Path) -> None:
    async with story(tmp_path, [WAITS, [CallTool("execute_command", command="sleep 60")], DONE], settings=FREE) as s:
        await change(s, limits={"commandSeconds": 1})

        assert s.model.requests[2].results[-1].text.startswith("Ended after 1 s, the user's limit for commands.")


async def test_closed_files_go_another_way(tmp_path: Path) -> None:
    write = [CallTool("write_to_file", path="new.txt", content="x\n")]
    async with story(tmp_path, [WAITS, write, DONE], settings=FREE | {"closedFiles": "disk"}) as s:
        await change(s, closedFiles="editor")

        assert len(s.editor.applied) == 1
