import asyncio
import json
import os
import signal
import sys
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from run_process import Ended, Place, ended, lines_until, terminal

from agent_lsp.headless.answers import NOBODY, NOT_COVERED
from support.model_script import Part
from support.model_server import CallTool, Hold, Say, ScriptedServer, scripted_model

WRITE = CallTool("write_to_file", path="notes.txt", content="one\n")
DONE = CallTool("attempt_completion", result="All is well.")


class Stage:
    """Where a run plays: folders, and a model that answers from a script."""

    def __init__(self, root: Path) -> None:
        self.root = root

    async def run(self, *words: str, turns: Sequence[Sequence[Part]], stdin: str = "") -> Ended:
        async with scripted_model(turns) as server:
            self.server = server
            self.place = Place.make(self.root, server)
            return await self.place.run("run", *words, stdin=stdin)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def results(server: ScriptedServer) -> list[str]:
    return [result.text for result in server.requests[-1].results]


async def test_task_is_done_without_an_editor(stage: Stage) -> None:
    turns = [[Say("I write it."), WRITE], [CallTool("execute_command", command="cat notes.txt")], [DONE]]

    end = await stage.run("-y", "Write a note.", turns=turns)

    assert (end.code, end.errors) == (0, "")
    assert (stage.place.folder / "notes.txt").read_text() == "one\n"
    assert end.output == (
        "❯ Write a note.\n"
        "\nI write it.\n"
        "\n? create notes.txt  +1 -0\n  @@ -0,0 +1 @@\n  +one\n  ✓ approved\n"
        "\n? run\n  $ cat notes.txt\n  ✓ approved\n  │ one\n"
        "\n✓ Completed\nAll is well.\n"
        "\n300 tokens in · 30 out · cost unknown\n"
    )


async def test_stream_of_json_tells_what_happens_as_it_happens(tmp_path: Path) -> None:
    one, two = Hold(), Hold()
    async with scripted_model([[Say("one "), one, Say("two "), two, DONE]]) as server:
        process = await Place.make(tmp_path, server).start("run", "--output-format", "stream-json", "Say it.")
        await one.reached.wait()
        one.release.set()
        begun = await lines_until(process, '"type":"delta"')
        two.release.set()
        end = await ended(process)

    lines = [*map(json.loads, begun), *end.lines()]
    assert lines[0]["subtype"] == "init"
    assert (lines[-1]["type"], lines[-1]["result"], end.code) == ("result", "All is well.", 0)
    assert [line["seq"] for line in lines[1:-1]] == list(range(1, len(lines) - 1))
    assert {line["type"] for line in lines[1:-1]} == {"message", "delta", "state"}


@pytest.mark.parametrize("words", [["-"], []])
async def test_task_is_taken_from_the_standard_input(stage: Stage, words: list[str]) -> None:
    end = await stage.run(*words, "-q", turns=[[DONE]], stdin="Say\nit.\n")

    assert (end.code, end.output) == (0, "All is well.\n")
    assert "Say\nit." in "".join(stage.server.requests[0].new_texts)


async def test_refusal_for_want_of_a_person_is_told_to_the_model(stage: Stage) -> None:
    end = await stage.run("Write a note.", turns=[[WRITE], [DONE]])

    assert NOBODY in results(stage.server)[0]
    assert (end.code, (stage.place.folder / "notes.txt").exists()) == (1, False)


async def test_plan_mode_writes_nothing_whoever_says_yes(stage: Stage) -> None:
    end = await stage.run("-y", "--permission-mode", "plan", "Write a note.", turns=[[WRITE], [DONE]])

    assert "plan mode" in results(stage.server)[0]
    assert (end.code, (stage.place.folder / "notes.txt").exists()) == (0, False)


@pytest.mark.parametrize("path", ["AGENTS.md", ".git/config", "../outside.txt"])
async def test_standing_yes_writes_nothing_protected_and_nothing_outside(stage: Stage, path: str) -> None:
    turns = [[CallTool("write_to_file", path=path, content="x\n")], [DONE]]

    end = await stage.run("-y", "Write it.", turns=turns)

    assert NOT_COVERED in results(stage.server)[0]
    assert (end.code, (stage.place.folder / path).exists()) == (1, False)


async def test_request_limit_ends_the_task(stage: Stage) -> None:
    turns = [[WRITE], [DONE]]

    end = await stage.run("-y", "--max-requests", "1", "Write a note.", turns=turns)

    assert (end.code, len(stage.server.requests)) == (1, 1)
    assert end.errors == "agent-lsp: The request limit is reached: 1 of 1.\n"


async def test_recorded_run_plays_again_without_a_model(stage: Stage) -> None:
    recording = stage.root / "run.jsonl"
    first = await stage.run("-y", "--record", str(recording), "Write a note.", turns=[[WRITE], [DONE]])
    (stage.place.folder / "notes.txt").unlink()

    second = await stage.place.run("run", "-y", "--replay", str(recording), "Write a note.")

    assert (second.code, second.output) == (first.code, first.output)
    assert (stage.place.folder / "notes.txt").read_text() == "one\n"


async def test_interrupted_run_leaves_no_command_behind(tmp_path: Path) -> None:
    seconds = f"600.{uuid.uuid4().int % 10**18}"
    turns = [[CallTool("execute_command", command=f"echo ready; sleep {seconds}")]]
    async with scripted_model(turns) as server:
        process = await Place.make(tmp_path, server).start("run", "-y", "Wait.")
        await lines_until(process, "  │ ready")
        process.send_signal(signal.SIGINT)
        end = await ended(process)

    assert (end.code, end.errors) == (130, "agent-lsp: The task was cancelled.\n")
    words = [each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"])]
    assert [line for line in words if seconds in " ".join(line)] == []


async def test_interrupted_run_can_be_resumed(tmp_path: Path) -> None:
    hold = Hold()
    async with scripted_model([[Say("I think"), hold]]) as server:
        place = Place.make(tmp_path, server)
        process = await place.start("run", "--output-format", "json", "Think.")
        await hold.reached.wait()
        process.send_signal(signal.SIGTERM)
        end = await ended(process)

    (result,) = end.lines()
    assert (end.code, result["ending"], result["success"]) == (143, "cancelled", False)
    assert result["messages"][-1]["ask"] == "resume_task"
    assert (place.home / "state" / "tasks" / result["taskId"]).is_dir()


async def test_second_interrupt_ends_a_run_that_does_not_settle() -> None:
    script = str(Path(__file__).with_name("stubborn_run.py"))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, script, env=environment, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    for said in (b"running\n", b"cancelling\n"):
        async with asyncio.timeout(20):
            assert await process.stdout.readline() == said
        process.send_signal(signal.SIGINT)

    assert await process.wait() == 130


async def test_lost_reader_ends_the_run_without_a_traceback(tmp_path: Path) -> None:
    hold = Hold()
    async with scripted_model([[Say("one "), hold, Say("word " * 50_000)], [DONE]]) as server:
        process = await Place.make(tmp_path, server).start("run", "Talk.")
        await hold.reached.wait()
        assert process.stdout
        process.stdout._transport.close()  # pyright: ignore[reportAttributeAccessIssue] - there is no public way
        hold.release.set()
        code = await process.wait()
        assert process.stderr
        errors = await process.stderr.read()

    assert (code, errors) == (1, b"agent-lsp: The task was cancelled.\n")


PROMPT = "words to say no with: "


async def test_person_answers_at_a_terminal(tmp_path: Path) -> None:
    turns = [[WRITE], [CallTool("execute_command", command="echo no")], [DONE]]
    async with scripted_model(turns) as server:
        place = Place.make(tmp_path, server)
        async with terminal(place, "run", "Write a note.") as screen:
            await screen.until(PROMPT)
            screen.type("y\n")
            await screen.until(PROMPT, times=2)
            screen.type("do not run it\n")
            code = await screen.exit_code()

    assert (code, (place.folder / "notes.txt").read_text()) == (0, "one\n")
    assert "do not run it" in results(server)[1]


async def test_what_was_typed_before_the_question_does_not_answer_it(tmp_path: Path) -> None:
    hold = Hold()
    async with scripted_model([[Say("I write it."), hold, WRITE], [DONE]]) as server:
        place = Place.make(tmp_path, server)
        async with terminal(place, "run", "Write a note.") as screen:
            await screen.until("I write it.")
            screen.type("y\n")
            hold.release.set()
            await screen.until(PROMPT)
            screen.type("n\n")
            code = await screen.exit_code()

    assert (code, (place.folder / "notes.txt").exists()) == (0, False)


async def test_interrupt_at_the_prompt_ends_the_run(tmp_path: Path) -> None:
    async with scripted_model([[WRITE]]) as server:
        place = Place.make(tmp_path, server)
        async with terminal(place, "run", "Write a note.") as screen:
            await screen.until(PROMPT)
            screen.type("\x03")
            code = await screen.exit_code()
            await screen.until("The task was cancelled.")

    assert (code, (place.folder / "notes.txt").exists()) == (130, False)


async def test_person_who_leaves_the_terminal_refuses(tmp_path: Path) -> None:
    async with scripted_model([[WRITE], [DONE]]) as server:
        place = Place.make(tmp_path, server)
        async with terminal(place, "run", "Write a note.") as screen:
            await screen.until(PROMPT)
            screen.type("\x04")
            code = await screen.exit_code()

    assert (code, NOBODY in results(server)[0]) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        ["--max-requests", "0", "x"],
        ["--max-requests", "²", "x"],
        ["--max-cost", "nan", "x"],
        ["--cwd", "/no/such/folder", "x"],
        ["--replay", "/no/such/file", "x"],
        ["--replay", "a", "--profile", "b", "x"],
        ["--permission-mode", "all", "x"],
        [],
        ["-"],
        [" "],
    ],
)
async def test_command_line_that_makes_no_sense_is_a_usage_error(tmp_path: Path, words: list[str]) -> None:
    async with scripted_model([]) as server:
        end = await Place.make(tmp_path, server).run("run", *words)

    assert (end.code, end.output, len(server.requests)) == (2, "", 0)
    assert "Traceback" not in end.errors
    assert end.errors


@pytest.mark.parametrize(
    ("words", "environment", "is_coloured"),
    [
        ([], {}, True),
        (["--no-color"], {}, False),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"TERM": "dumb"}, False),
        (["--no-color"], {"FORCE_COLOR": "1"}, False),
    ],
)
async def test_colours_are_for_terminals_that_want_them(
    tmp_path: Path, words: list[str], environment: dict[str, str], is_coloured: bool
) -> None:
    async with scripted_model([[DONE]]) as server:
        place = replace(Place.make(tmp_path, server), variables=environment)
        async with terminal(place, "run", *words, "Say it.") as screen:
            await screen.exit_code()
            await screen.until("All is well.")

    assert ("\x1b[" in screen.text) is is_coloured
