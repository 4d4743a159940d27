"""The whole path, on each model API: read, create, change by diff, run a command, complete."""

import json
from pathlib import Path

import pytest
from story import Story, story, tool_ask

from support.model_server import APIS, Answer, CallTool, Figures, Say, Think

DIFF = "<<<<<<< SEARCH\nprint('helo')\n=======\nprint('hello')\n>>>>>>> REPLACE"
USAGE = Figures(tokens_in=1000, tokens_out=50, cache_reads=800, cache_writes=100)


def turns(*, thinks: bool) -> list[Answer]:
    thought = [Think("First look at it.")] if thinks else []
    steps = [
        [*thought, Say("I'll read it."), CallTool("read_file", path="main.py")],
        [CallTool("write_to_file", path="notes/todo.txt", content="one\ntwo\n")],
        [CallTool("apply_diff", path="main.py", diff=DIFF)],
        [CallTool("execute_command", command="cat main.py notes/todo.txt")],
        [CallTool("attempt_completion", result="It says hello now.")],
    ]
    return [Answer(tuple(step), usage=USAGE) for step in steps]


@pytest.mark.parametrize("api", APIS)
async def test_five_steps_from_request_to_completion(tmp_path: Path, api: str) -> None:
    async with story(tmp_path, turns(thinks=api != "openai"), api=api) as s:
        main = s.file("main.py", "import sys\nprint('helo')\n")
        await s.new_task("Fix the greeting")
        created = tool_ask(await s.approve("tool"))
        changed = tool_ask(await s.approve("tool"))
        command = json.loads((await s.approve("command"))["text"])
        done = await s.ask("completion_result")

        assert (created["tool"], created["path"]) == ("newFileCreated", "notes/todo.txt")
        assert [(c["kind"], c["added"], c["removed"]) for c in created["changes"]] == [("create", 2, 0)]
        assert [(c["kind"], c["added"], c["removed"]) for c in changed["changes"]] == [("edit", 1, 1)]
        assert command["command"] == "cat main.py notes/todo.txt"
        assert done["text"] == "It says hello now."
        assert main.read_text() == "import sys\nprint('hello')\n"
        assert (s.workspace / "notes/todo.txt").read_text() == "one\ntwo\n"
        assert_stream(s, api)
        assert_requests(s)


def assert_stream(s: Story, api: str) -> None:
    thinks = ["reasoning"] if api != "openai" else []
    step = ["api_req_started"]
    assert s.picture.kinds() == [
        *["text", *step, *thinks, "text", "tool"],
        *[*step, "tool"],
        *[*step, "tool"],
        *[*step, "command", "command_output"],
        *[*step, "completion_result"],
    ]
    assert s.picture.states()[-1] == "idle"
    assert s.picture.states().count("waiting_for_input") == 3
    assert s.picture.seqs == list(range(1, len(s.picture.seqs) + 1))
    usage = s.picture.status["usage"]
    assert (usage["tokensIn"], usage["tokensOut"], usage["cacheReads"]) == (5000, 250, 4000)
    assert usage["cost"] is None
    output = next(m for m in s.picture.messages.values() if m.get("ask") == "command_output")
    assert (output["text"], output["partial"]) == ("import sys\nprint('hello')\none\ntwo\n", False)


def assert_requests(s: Story) -> None:
    """Five requests, and in the last one a result for each call before it."""
    assert len(s.model.requests) == 5
    results = s.model.requests[-1].results
    assert len(results) == 4
    assert "2 | print('helo')" in results[0].text
    assert "hello" in results[3].text


async def test_the_snapshot_agrees_with_the_notifications(tmp_path: Path) -> None:
    async with story(tmp_path, turns(thinks=True)) as s:
        s.file("main.py", "print('helo')\n")
        await s.new_task()
        await s.approve("tool")
        await s.approve("tool")
        await s.ask("command")

        snapshot = await s.snapshot()

        assert snapshot["messages"] == list(s.picture.update().messages.values())
        assert snapshot["seq"] == s.picture.seqs[-1]
        assert snapshot["state"] == "waiting_for_input"
