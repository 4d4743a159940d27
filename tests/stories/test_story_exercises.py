"""Programming exercises, done by `agent-lsp run` with a model that calls tools by its service's means, or as text."""

import asyncio
import json
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from pathlib import Path

import pytest
from exercises import EXERCISES, Exercise, Step

from agent_lsp.providers.xml_prompt import written
from support.model_script import Part
from support.model_server import APIS, Say, ScriptedServer, scripted_model

WRITTEN = ("openai", "xml")
RUNS = [
    *((name, WRITTEN) for name in EXERCISES),
    *((name, (APIS[place % len(APIS)], "native")) for place, name in enumerate(EXERCISES)),
    *(("escape", (api, "xml")) for api in APIS if api != "openai"),
]


def parts_of(step: Step, tool_format: str) -> Sequence[Part]:
    prose, calls = step
    if tool_format == "native":
        return [*([Say(prose)] if prose else []), *calls]
    return [Say("\n\n".join([prose, *(written(call.name or "", json.loads(call.arguments)) for call in calls)]))]


async def run(folder: Path, server: ScriptedServer, api: str, tool_format: str, task: str) -> tuple[int | None, str]:
    """Do a task in a folder; the exit code and the result as JSON."""
    home = folder.parent / "home"
    home.mkdir()
    profile = {"type": api, "model": "m", "apiKey": "k", "baseURL": server.base_url(api), "toolFormat": tool_format}
    (home / "settings.json").write_text(json.dumps({"currentProvider": "p", "providers": {"p": profile}}))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "agent_lsp", "run", "-y", "--output-format", "json", "-q", task),
        cwd=folder,
        env={"AGENT_LSP_HOME": str(home), "AGENT_LSP_STATE": str(home / "state"), "PATH": "/usr/bin:/bin"},
        stdin=PIPE,
        stdout=PIPE,
    )
    async with asyncio.timeout(90):
        output, _ = await process.communicate()
    return process.returncode, output.decode()


def passes(folder: Path) -> bool:
    tests = subprocess.run([sys.executable, "-m", "unittest", "-q"], cwd=folder, capture_output=True, check=False)
    return tests.returncode == 0


@pytest.mark.parametrize(("name", "form"), RUNS)
async def test_an_exercise_is_done_step_by_step(tmp_path: Path, name: str, form: tuple[str, str]) -> None:
    exercise: Exercise = EXERCISES[name]
    api, tool_format = form
    folder = tmp_path / "project"
    folder.mkdir()
    for path, text in exercise.files.items():
        (folder / path).write_text(text)
    assert not passes(folder)

    async with scripted_model([parts_of(step, tool_format) for step in exercise.steps]) as server:
        code, output = await run(folder, server, api, tool_format, exercise.task)

    assert (code, json.loads(output)["ending"]) == (0, "completed")
    assert passes(folder)
    assert len(server.requests) == len(exercise.steps)
    assert "Exit code: 0" in server.requests[-1].raw.decode()
    assert server.problems == []
