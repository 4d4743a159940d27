"""All that users and projects add, for one server: the modes and the commands, and what they mean to each other."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from agent_lsp.domain.modes import DEFAULT_MODE
from agent_lsp.domain.slash import Expansion
from agent_lsp.extensions.commands import TextCommands
from agent_lsp.extensions.live_files import Clean
from agent_lsp.extensions.modes import Modes, without_definition
from agent_lsp.settings.model import Settings


class Additions:
    def __init__(self, home: Path, roots: Sequence[Path], clean: Clean) -> None:
        self.modes = Modes(home, roots, clean)
        self.commands = TextCommands(home, roots, clean)
        self.on_read: list[Callable[[], None]] = []
        """Called whenever files of modes or commands were read again."""
        self.modes.tell_of_readings(self._tell)
        self.commands.tell_of_readings(self._tell)

    def set_roots(self, roots: Sequence[Path]) -> None:
        self.modes.set_roots(roots)
        self.commands.set_roots(roots)

    def problems(self, settings: Settings) -> tuple[str, ...]:
        """Tell what in which file is ignored, and why; and which mode of the settings there is none of."""
        mode = settings.mode
        unknown = f"The settings say `mode`: {mode!r}. There is no such mode; new tasks are in {DEFAULT_MODE}."
        of_settings = () if self.modes.find(mode) else (unknown,)
        return (*of_settings, *self.modes.problems(), *self.commands.problems())

    def default_mode(self, settings: Settings) -> str:
        """The mode that the settings have for new tasks; the program's own where there is none of that name."""
        return settings.mode if self.modes.find(settings.mode) else DEFAULT_MODE

    def role(self, mode: str) -> str:
        """What a mode makes of the model, in words."""
        return (self.modes.find(mode) or without_definition(mode)).words()

    def expanded(self, words: str) -> Expansion | None:
        """What words that begin with a command stand for; a mode that there is none of is left out."""
        found = self.commands.expanded(words)
        return replace(found, mode=None) if found and found.mode and not self.modes.find(found.mode) else found

    def _tell(self) -> None:
        for tell in self.on_read:
            tell()
