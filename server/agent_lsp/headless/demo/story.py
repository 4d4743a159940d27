"""The course of the demo: a failing test, a recorded task that mends it through an editor, and proof that it did."""

import asyncio
import shutil
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError
from agent_lsp.headless.demo.editor import DemoEditor, OpenFile
from agent_lsp.headless.demo.playing import DemoFailed, Playing
from agent_lsp.headless.demo.process import run_tests, serving
from agent_lsp.headless.interruptions import Interruptions
from agent_lsp.headless.options import DemoOptions
from agent_lsp.headless.paint import Paint, Tone, is_terminal
from agent_lsp.headless.ports import Console
from agent_lsp.headless.rows import usage_row
from agent_lsp.headless.terminal import Terminal

TASK = "The tests fail. Find out why, mend the code, and show me that they pass."
OPEN_FILE = "prices.py"
LONGEST_SECONDS = 60.0

PACE = 0.6
PAUSE_SECONDS = 0.8
"""At a terminal: how much of the recorded delays is kept, and how long an approval waits to be read."""

NEXT_STEPS = """\
That was a recording: no model was asked, and nothing left this machine.
To go on with a model of your own:

  agent-lsp configure         sets one up, step by step
  agent-lsp run "your task"   does a task here, in the terminal
  agent-lsp --stdio           is the server for any editor that speaks LSP

The README has more: other providers, local models, editors, CI.
"""


@dataclass(frozen=True, slots=True)
class _Stage:
    """The folders that a demo plays in."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "basket"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def recording(self) -> Path:
        return self.folder / "recording.jsonl"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"


async def run_demo(options: DemoOptions) -> int:
    """Play the demo at the terminal of this process; 0 if all that it claims was seen to be so, else 1."""
    with Interruptions() as interruptions:
        console = Terminal(interruptions.break_pipe, prompts_on_output=False)
        playing = asyncio.create_task(_play(console, options), name="demo")
        stopping = asyncio.create_task(interruptions.exit_code(), name="interruption")
        await asyncio.wait((playing, stopping), return_when=asyncio.FIRST_COMPLETED)
        code = stopping.result() if stopping.done() else None
        for task in (playing, stopping):
            if not task.done():
                task.cancel()
        await asyncio.wait((playing, stopping))
        await console.drained()
        return playing.result() if code is None else code


async def _play(console: Console, options: DemoOptions) -> int:
    stage = await asyncio.to_thread(_set_up)
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            await _play_on(stage, console, Paint(options.has_colours))
    except (AgentError, TimeoutError) as error:
        console.warn(f"agent-lsp: the demo failed: {str(error) or 'it took too long.'}\n{_end_of(stage.log)}")
        return 1
    finally:
        if options.is_kept:
            console.show(f"The project is in {stage.project}\n")
        else:
            # Shielded, so that ^C leaves nothing behind either.
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, stage.folder, ignore_errors=True))
    return 0


async def _play_on(stage: _Stage, console: Console, paint: Paint) -> None:
    console.show(paint(Tone.DIM, f"A small project with a failing test, in {stage.project}\n"))
    before = await run_tests(stage.project)
    if before.has_passed:
        raise DemoFailed("The project's tests pass before anything was mended.")
    console.show(_test_summary(before.output, paint))

    file = OpenFile(stage.project / OPEN_FILE, (stage.project / OPEN_FILE).read_text(encoding="utf-8"))
    editor = DemoEditor(file)
    playing = Playing(editor, console, paint, pause_seconds=PAUSE_SECONDS if is_terminal(sys.stdout) else 0.0)
    async with serving(playing, stage.project, stage.state, stage.log) as connection:
        await playing.play(connection, TASK, _settings(stage))

    console.show(f"\n{usage_row(playing.usage, paint)}\n\n")
    await _verify(stage, editor, file)
    console.show(paint(Tone.GREEN, "✓ Checked: one edit arrived through the editor, and the tests pass now.\n"))
    console.show("\n" + NEXT_STEPS)


async def _verify(stage: _Stage, editor: DemoEditor, file: OpenFile) -> None:
    if editor.edits_taken != 1:
        raise DemoFailed(f"{editor.edits_taken} edits arrived through the editor, not one.")
    if file.path.read_text(encoding="utf-8") != file.text:
        raise DemoFailed("The file on disk is not what the editor shows.")
    after = await run_tests(stage.project)
    if not after.has_passed:
        raise DemoFailed(f"The project's tests still fail:\n{after.output}")


def _set_up() -> _Stage:
    """Copy the project and the recording out of the package into a folder of their own."""
    stage = _Stage(Path(tempfile.mkdtemp(prefix="agent-lsp-demo-")).resolve())
    stage.project.mkdir()
    stage.state.mkdir()
    with as_file(files("agent_lsp.headless.demo")) as package:
        for source in sorted((package / "project").iterdir()):
            shutil.copyfile(source, stage.project / source.name.removesuffix(".txt"))
        recording = (package / "recording.jsonl").read_text(encoding="utf-8")
    pace = PACE if is_terminal(sys.stdout) else 0
    stage.recording.write_text(recording.replace('"pace": 1', f'"pace": {pace}', 1), encoding="utf-8")
    return stage


def _settings(stage: _Stage) -> Json:
    profile = {"type": "replay", "file": str(stage.recording)}
    return {"currentProvider": "demo", "providers": {"demo": profile}}


def _test_summary(output: str, paint: Paint) -> str:
    """The line of a test run that says what failed."""
    last = output.strip().split("\n")[-1]
    return f"{paint(Tone.DIM, '$ python3 -m unittest')}\n{paint(Tone.RED, last)}\n\n"


def _end_of(log: Path) -> str:
    with suppress(OSError):
        return "".join(f"  {line}\n" for line in log.read_text(errors="replace").splitlines()[-20:])
    return ""
