import asyncio
import json
import os
import re
import signal
from asyncio.subprocess import PIPE, Process
from importlib.resources import files
from pathlib import Path

import pytest
from run_process import SECONDS, Ended, Place, command, ended, lines_until, terminal

from agent_lsp.headless.demo.story import PACE, PAUSE_SECONDS

MENDED = "whole - whole * discount_percent / 100"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Temporary folders are made where a test can see what is left of them; the home is not to be touched."""
    variables = {"TMPDIR": str(tmp_path), "HOME": str(tmp_path / "home"), "PYTHONPATH": str(tmp_path / "modules")}
    return {name: value for name, value in os.environ.items() if not name.endswith("_COLOR")} | variables


async def start(environment: dict[str, str], *words: str) -> Process:
    return await asyncio.create_subprocess_exec(
        *command("demo", *words), env=environment, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )


def names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


async def play(environment: dict[str, str], *words: str) -> Ended:
    async with asyncio.timeout(SECONDS):
        return await ended(await start(environment, *words))


async def test_demo_mends_the_project_and_proves_it(environment: dict[str, str], tmp_path: Path) -> None:
    end = await play(environment)

    assert (end.code, end.errors) == (0, "")
    assert "FAILED (failures=1)" in end.output
    assert f"  +    return round({MENDED}, 2)" in end.output
    assert "✓ Checked: one edit arrived through the editor, and the tests pass now." in end.output
    assert names_in(tmp_path) == []


async def test_demo_fits_a_narrow_terminal_and_a_pipe(environment: dict[str, str]) -> None:
    end = await play(environment)

    lines = [line for line in end.output.splitlines() if environment["TMPDIR"] not in line]
    assert [line for line in lines if len(line) > 80] == []
    assert "\x1b" not in end.output


async def test_demo_is_coloured_at_a_terminal(tmp_path: Path) -> None:
    place = Place(tmp_path, tmp_path, {"TMPDIR": str(tmp_path)})

    async with terminal(place, "demo") as screen:
        await screen.until("The README has more")
        code = await screen.exit_code()

    assert code == 0
    assert "\x1b[32m+    return" in screen.text


def test_demo_waits_for_a_reader_and_keeps_nobody_waiting() -> None:
    recording = files("agent_lsp.headless.demo").joinpath("recording.jsonl").read_text()
    answers = [json.loads(line).get("batches", []) for line in recording.splitlines()]
    delays = sum(batch.get("after", 0) for batches in answers for batch in batches)

    waits = PACE * delays + PAUSE_SECONDS * len(answers)  # at most one approval for each answer

    assert 2 < waits < 8


async def test_kept_project_stays_mended(environment: dict[str, str]) -> None:
    end = await play(environment, "--keep")

    (folder,) = re.findall(r"^The project is in (.+)$", end.output, re.MULTILINE)
    assert MENDED in (Path(folder) / "prices.py").read_text()


async def test_interrupted_demo_leaves_nothing_behind(environment: dict[str, str], tmp_path: Path) -> None:
    process = await start(environment)
    await lines_until(process, "I'll read the code")

    process.send_signal(signal.SIGINT)
    end = await ended(process)

    assert (end.code, end.errors, names_in(tmp_path)) == (130, "", [])


async def test_demo_that_cannot_start_its_server_says_so(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "modules").mkdir()
    breaking = 'import sys\nif "--stdio" in sys.orig_argv:\n    raise SystemExit("this server is broken")\n'
    (tmp_path / "modules" / "sitecustomize.py").write_text(breaking)

    end = await play(environment)

    assert end.code == 1
    assert end.errors.startswith("agent-lsp: the demo failed: The server ended before it answered.\n  ")
    assert "this server is broken" in end.errors
