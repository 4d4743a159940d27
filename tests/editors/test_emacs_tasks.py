"""Tasks in a batch Emacs with its own LSP client, eglot, which knows nothing of the agent."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_editor import run, write_settings

from support.model_server import CallTool, Say, ScriptedServer, scripted_model

LIBRARY = Path(__file__).with_name("emacs_tasks.el")
DONE = [CallTool("attempt_completion", result="All done.")]
LINES = [f"🦊 line {n}" for n in range(20)]
TEXT = "\n".join(LINES) + "\n"
EDITED = "\n".join(["first", *LINES[1:19], "last"]) + "\n"
WRITE = [CallTool("write_to_file", path="a.txt", content=EDITED)]


@dataclass
class Emacs:
    program: Path
    folder: Path
    model: ScriptedServer
    environment: dict[str, str]

    async def run(self, *forms: str) -> dict[str, Any]:  # Any: JSON, whose shape the test knows.
        """Run Emacs with `a.txt` open; what the forms report."""
        file = json.dumps(str(self.folder / "a.txt"), ensure_ascii=False)
        form = f"(progn (agent-open {file}) {' '.join(forms)})"
        printed = await run(self.environment, self.program, "-Q", "--batch", "-l", LIBRARY, "--eval", form)
        return json.loads(next(line for line in printed.splitlines() if line.startswith("{")))

    def file(self, name: str) -> Path:
        return self.folder / name


@asynccontextmanager
async def emacs_with(program: Path, folder: Path, turns: Sequence[Any], files: dict[str, str]) -> AsyncGenerator[Emacs]:
    project = folder / "project"
    project.mkdir()
    for name, text in files.items():
        (project / name).write_text(text, newline="")
    async with scripted_model(turns) as model:
        yield Emacs(program, project, model, write_settings(folder, model))
        assert model.problems == []


async def test_an_approved_edit_is_one_of_emacs_own(tmp_path: Path, emacs: Path) -> None:
    async with emacs_with(emacs, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        told = await editor.run(
            '(agent "agent.newTask" "change it") (agent-until-asked 1)',
            '(search-forward "line 9") (insert " typed")',
            "(setq actions (agent-actions))",
            '(agent "agent.approve") (agent-until-said "Done: All done.")',
            "(agent-report :text (buffer-string) :actions (vconcat actions) :modified (buffer-modified-p))",
        )

        assert told["text"] == EDITED.replace("line 9", "line 9 typed")
        assert told["actions"][:2] == ["Agent: approve a.txt", "Agent: reject a.txt"]
        assert (told["modified"], editor.file("a.txt").read_text()) == (True, TEXT)


async def test_words_of_a_rejection_reach_the_model(tmp_path: Path, emacs: Path) -> None:
    async with emacs_with(emacs, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        told = await editor.run(
            '(agent "agent.newTask" "change it") (agent-until-asked 1)',
            '(agent "agent.reject" "not yet") (agent-until-said "Done: All done.")',
            "(agent-report :text (buffer-string))",
        )

        assert told == {"text": TEXT}
        assert "not yet" in editor.model.requests[1].results[-1].text


async def test_files_that_are_not_open_keep_what_they_hold(tmp_path: Path, emacs: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: sub/new.txt\n+made\n*** Update File: b.txt\n@@\n-🦊 line 3\n+third\n*** End Patch"
    turns = [[CallTool("apply_patch", patch=patch)], DONE]
    async with emacs_with(emacs, tmp_path, turns, {"a.txt": "", "b.txt": TEXT}) as editor:
        await editor.run(
            '(agent "agent.newTask" "change it") (agent-until-asked 1)',
            '(agent "agent.approve") (agent-until-said "Done: All done.")',
            "(agent-report :over t)",
        )

        assert editor.file("sub/new.txt").read_text() == "made\n"
        assert editor.file("b.txt").read_text() == TEXT.replace("🦊 line 3\n", "third\n")


async def test_a_task_goes_on_in_another_emacs(tmp_path: Path, emacs: Path) -> None:
    turns = [[Say("It begins.\n"), *WRITE], WRITE, DONE]
    async with emacs_with(emacs, tmp_path, turns, {"a.txt": TEXT}) as editor:
        await editor.run('(agent "agent.newTask" "change it") (agent-until-asked 1) (agent-report :over t)')
        told = await editor.run(
            '(agent "agent.resume") (agent-until-asked 1)',
            '(agent "agent.approve") (agent-until-said "Done: All done.")',
            "(save-buffer) (agent-report :text (buffer-string))",
        )

        assert told["text"] == editor.file("a.txt").read_text() == EDITED
