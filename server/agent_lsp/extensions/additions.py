"""All that users and projects add, for one server: the modes and the commands, and what they mean to each other."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agent_lsp.domain.slash import Expansion
from agent_lsp.extensions.commands import TextCommands
from agent_lsp.extensions.live_files import Clean
from agent_lsp.extensions.modes import Modes, without_definition


class Additions:
    def __init__(self, home: Path, roots: Sequence[Path], clean: Clean) -> None:
        self.modes = Modes(home, roots, clean)
        self.commands = TextCommands(home, roots, clean)

    def set_roots(self, roots: Sequence[Path]) -> None:
        self.modes.set_roots(roots)
        self.commands.set_roots(roots)

    def problems(self) -> tuple[str, ...]:
        """Tell what in which file is ignored, and why."""
        return (*self.modes.problems(), *self.commands.problems())

    def role(self, mode: str) -> str:
        """What a mode makes of the model, in words."""
        return (self.modes.find(mode) or without_definition(mode)).words()

    def expanded(self, words: str) -> Expansion | None:
        """What words that begin with a command stand for; a mode that there is none of is left out."""
        found = self.commands.expanded(words)
        return replace(found, mode=None) if found and found.mode and not self.modes.find(found.mode) else found
