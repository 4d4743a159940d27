"""Tasks in a batch Emacs with its own LSP client, eglot, which knows nothing of the agent."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_editor import run, write_settings

from support.model_server import CallTool, Hold, Say, ScriptedServer, scripted_model

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
            '(agent "agent.newTask" "change it") (agent-until-asked)',
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
            '(agent "agent.newTask" "change it") (agent-until-asked)',
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
            '(agent "agent.newTask" "change it") (agent-until-asked)',
            '(agent "agent.approve") (agent-until-said "Done: All done.")',
            "(agent-report :over t)",
        )

        assert editor.file("sub/new.txt").read_text() == "made\n"
        assert editor.file("b.txt").read_text() == TEXT.replace("🦊 line 3\n", "third\n")


async def test_a_task_goes_on_in_another_emacs(tmp_path: Path, emacs: Path) -> None:
    turns = [[Say("It begins.\n"), *WRITE], WRITE, DONE]
    async with emacs_with(emacs, tmp_path, turns, {"a.txt": TEXT}) as editor:
        await editor.run('(agent "agent.newTask" "change it") (agent-until-asked) (agent-report :over t)')
        told = await editor.run(
            '(agent "agent.resume") (agent-until-asked)',
            '(agent "agent.approve") (agent-until-said "Done: All done.")',
            "(save-buffer) (agent-report :text (buffer-string))",
        )

        assert told["text"] == editor.file("a.txt").read_text() == EDITED


async def test_one_hunk_is_left_out_by_the_code_action_at_it(tmp_path: Path, emacs: Path) -> None:
    async with emacs_with(emacs, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        told = await editor.run(
            '(agent "agent.newTask" "change it") (agent-until-asked)',
            '(goto-char (point-max)) (forward-line -1) (agent-choose "Agent: reject this hunk")',
            '(goto-char (point-min)) (agent-choose "Agent: approve this hunk") (agent-until-said "Done: All done.")',
            "(agent-report :text (buffer-string))",
        )

        assert told["text"] == TEXT.replace(f"{LINES[0]}\n", "first\n")


async def test_text_that_moved_on_in_the_same_place_is_told_to_the_model(tmp_path: Path, emacs: Path) -> None:
    edit = [CallTool("edit_file", path="a.txt", old_string=f"{LINES[0]}\n", new_string="first\n")]
    async with emacs_with(emacs, tmp_path, [edit, DONE], {"a.txt": TEXT}) as editor:
        told = await editor.run(
            '(agent "agent.newTask" "change it") (agent-until-asked)',
            '(goto-char (point-min)) (insert "mine ")',
            '(agent "agent.approve") (agent-until-said "Done: All done.")',
            "(agent-report :text (buffer-string))",
        )

        assert told["text"] == f"mine {TEXT}"
        assert "chang" in editor.model.requests[1].results[-1].text


async def test_a_command_runs_once_it_is_approved(tmp_path: Path, emacs: Path) -> None:
    run = [CallTool("execute_command", command="head -n 1 a.txt > made.txt; cat made.txt")]
    async with emacs_with(emacs, tmp_path, [WRITE, run, DONE], {"a.txt": TEXT}) as editor:
        await editor.run(
            '(agent "agent.newTask" "change it") (agent-until-asked) (agent "agent.approve")',
            '(agent-until (lambda () (buffer-modified-p)) "the edit") (save-buffer)',
            '(agent-until-asked "made.txt") (agent "agent.approve") (agent-until-said "Done: All done.")',
            "(agent-report :over t)",
        )

        assert editor.file("made.txt").read_text() == "first\n"
        assert "first" in editor.model.requests[2].results[-1].text


async def test_a_question_waits_for_words_when_its_choices_are_closed(tmp_path: Path, emacs: Path) -> None:
    ask = [CallTool("ask_followup_question", question="Which one?", follow_up=["This one", "The other"])]
    async with emacs_with(emacs, tmp_path, [ask, DONE], {"a.txt": TEXT}) as editor:
        told = await editor.run(
            '(agent "agent.newTask" "choose") (agent-until-asked) (setq actions (agent-actions))',
            '(agent "agent.answer" "neither") (agent-until-said "Done: All done.")',
            "(agent-report :actions (vconcat actions))",
        )

        assert told["actions"] == ["Agent: answer “This one”", "Agent: answer “The other”"]
        assert "neither" in editor.model.requests[1].results[-1].text


async def test_a_task_is_stopped_in_the_middle_and_goes_on(tmp_path: Path, emacs: Path) -> None:
    hold = Hold()
    turns = [[Say("It begins.\n"), hold, Say("Never said.")], WRITE, DONE]
    async with emacs_with(emacs, tmp_path, turns, {"a.txt": TEXT}) as editor:
        running = asyncio.create_task(
            editor.run(
                '(agent "agent.newTask" "change it") (agent-until-file "begun") (agent "agent.cancel")',
                '(agent "agent.resume") (agent-until-asked)',
                '(agent "agent.approve") (agent-until-said "Done: All done.")',
                "(agent-report :text (buffer-string) :said (vconcat agent-said))",
            )
        )
        await hold.reached.wait()
        editor.file("begun").touch()
        told = await running

        assert told["text"] == EDITED
        assert not any("Never said" in said for said in told["said"])


async def test_a_dead_server_comes_back_with_its_task(tmp_path: Path, emacs: Path) -> None:
    async with emacs_with(emacs, tmp_path, [WRITE, WRITE, DONE], {"a.txt": TEXT}) as editor:
        told = await editor.run(
            '(agent "agent.newTask" "change it") (agent-until-asked) (agent-restart)',
            '(agent "agent.resume") (agent-until-asked)',
            '(agent "agent.approve") (agent-until-said "Done: All done.")',
            "(agent-report :text (buffer-string))",
        )

        assert told["text"] == EDITED
