"""What one task works with: all the tools there are, as its mode has them, and the commands that they leave running."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent_lsp.domain.files import Place
from agent_lsp.tools.apply_diff import ApplyDiff
from agent_lsp.tools.apply_patch import ApplyPatch
from agent_lsp.tools.ask_followup_question import AskFollowupQuestion
from agent_lsp.tools.attempt_completion import AttemptCompletion
from agent_lsp.tools.commands import Artifacts
from agent_lsp.tools.edit_file import EditFile
from agent_lsp.tools.editing import Editing
from agent_lsp.tools.execute_command import ExecuteCommand
from agent_lsp.tools.growing import GrowingEdit
from agent_lsp.tools.list_files import ListFiles
from agent_lsp.tools.ports import Asker, Diagnostics, EditGate, Files, Modes, Screen, TextCommands
from agent_lsp.tools.read_command_output import ReadCommandOutput
from agent_lsp.tools.read_file import ReadFile
from agent_lsp.tools.reading import Shown
from agent_lsp.tools.run_slash_command import RunSlashCommand
from agent_lsp.tools.search_files import SearchFiles
from agent_lsp.tools.switch_mode import SwitchMode
from agent_lsp.tools.toolbox import Toolbox
from agent_lsp.tools.update_todo_list import UpdateTodoList
from agent_lsp.tools.write_to_file import WriteToFile


class Desk(EditGate, Asker, Screen, Protocol):
    """Where a task's tools ask and show."""


@dataclass(frozen=True, slots=True)
class Means:
    """What the tools of one task are made with."""

    files: Files
    desk: Desk
    modes: Modes
    commands: TextCommands
    execute: ExecuteCommand
    artifacts: Artifacts
    diagnostics: Diagnostics | None
    shown: Shown
    fuzzy_threshold: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Bench:
    tools: Toolbox
    execute: ExecuteCommand
    locate: Callable[[str], Place]
    refusal: Callable[[Sequence[str]], str | None]
    """Why the mode does not edit one of these files."""

    def growing(self, call_id: str, name: str) -> GrowingEdit | None:
        is_offered = GrowingEdit.is_shown(name) and any(spec.name == name for spec in self.tools.specs())
        return GrowingEdit(call_id, name, self.locate, self.refusal) if is_offered else None

    def background_count(self) -> int:
        return self.execute.background_count

    async def stop_commands(self) -> None:
        await self.execute.stop()


def bench(means: Means) -> Bench:
    """Lay out the tools of a task."""
    files, desk, modes = means.files, means.desk, means.modes

    def refusal(paths: Sequence[str]) -> str | None:
        return modes.current().refusal_to_edit(paths)

    editing = Editing(files, desk, desk, means.diagnostics, refusal)
    run_slash_command = RunSlashCommand(desk, means.commands)
    toolbox = Toolbox(
        [
            ReadFile(files, desk, means.shown),
            ListFiles(files, desk),
            SearchFiles(files, desk),
            ApplyDiff(editing, means.fuzzy_threshold),
            EditFile(editing),
            ApplyPatch(editing),
            WriteToFile(editing),
            means.execute,
            ReadCommandOutput(means.artifacts),
            AskFollowupQuestion(desk, modes),
            SwitchMode(desk, modes),
            run_slash_command,
            UpdateTodoList(desk),
            AttemptCompletion(),
        ],
        modes.current,
        lambda: (run_slash_command.name,) if run_slash_command.is_useless else (),
    )
    return Bench(toolbox, means.execute, lambda path: files.locate(path, "write"), refusal)
