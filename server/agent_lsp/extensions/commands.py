"""The commands that stand for a text: built in, the user's, and the project's in all folders where agents keep them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.slash import Expansion, SlashCommand, first_slash
from agent_lsp.extensions.builtin_commands import BUILT_IN
from agent_lsp.extensions.command_files import SUFFIXES, CommandFile, NoCommand, filled, read_command
from agent_lsp.extensions.live_files import Clean, Found, LiveFiles, Spot

USER_FOLDER = "commands"
PROJECT_FOLDERS = (".agent-lsp/commands", ".roo/commands", ".claude/commands")
"""Of commands with one name, that in the first of these counts."""


@dataclass(frozen=True, slots=True)
class _Known:
    commands: dict[str, CommandFile]
    problems: tuple[str, ...]


class TextCommands:
    """Asks the files anew each time: what a user writes there holds at once."""

    def __init__(self, home: Path, roots: Sequence[Path], clean: Clean) -> None:
        self._home = home
        self._roots = tuple(roots)
        self._files = LiveFiles(self._spots, SUFFIXES, clean, _known)

    def tell_of_readings(self, tell: Callable[[], None]) -> None:
        self._files.on_read = tell

    def set_roots(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(roots)

    def all(self) -> tuple[SlashCommand, ...]:
        return tuple(map(_listed, self._files.current().commands.values()))

    def problems(self) -> tuple[str, ...]:
        """Tell what in which file is ignored, and why."""
        return self._files.current().problems

    def expanded(self, text: str) -> Expansion | None:
        """What words that begin with a command stand for; None for all others."""
        found = first_slash(text)
        command = self._files.current().commands.get(found[0]) if found else None
        if command is None or found is None:
            return None
        words = filled(command.text, found[1])
        told = f'<command name="{command.name}" source="{command.source}">\n{words}\n</command>'
        # What a project chooses here would be paid for by the user.
        profile = command.model if command.source == "user" else ""
        return Expansion(told, command.mode or None, profile or None)

    def _spots(self) -> list[Spot]:
        folders = [Spot(root / folder, "project", root) for root in self._roots for folder in PROJECT_FOLDERS]
        return [Spot(self._home / USER_FOLDER, "user"), *folders]


def _known(found: Found) -> _Known:
    """The first of a name counts. The user's own comes first: a project must not speak in its place."""
    files: dict[str, CommandFile] = {}
    problems = [*found.problems]
    for file in found.files:
        try:
            command = read_command(file)
        except NoCommand as fault:
            problems.append(f"{file.path}: it is no command: {fault}.")
            continue
        if first := files.get(command.name):
            whose = "you have" if first.source == "user" else "the project has"
            problems.append(f"{file.path}: it is ignored: {whose} another command `/{command.name}`.")
        else:
            files[command.name] = command
    built_in = {command.name: command for command in BUILT_IN if command.name not in files}
    return _Known(built_in | files, tuple(problems))


def _listed(command: CommandFile) -> SlashCommand:
    hint, mode = command.argument_hint or None, command.mode or None
    return SlashCommand(command.name, command.description, "text", command.source, hint, mode)
