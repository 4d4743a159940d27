"""Modes: how the agent works in a task, and which tools it has for that. Which ones there are, `extensions/` knows."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from agent_lsp.domain.encoding import KEEP
from agent_lsp.domain.status import PermissionMode

DEFAULT_MODE = "code"

LONGEST_PATH = 256
"""Of those held against a pattern: what a pattern may cost grows with the path."""

Source = Literal["built-in", "user", "project"]
"""Who says so: the program, a file of the user's, or one of the open folders."""


class ToolGroup(StrEnum):
    """What a mode gives the model, in the family's words. What needs no group, each mode has."""

    READ = "read"
    EDIT = "edit"
    COMMAND = "command"
    BROWSER = "browser"
    MCP = "mcp"


@dataclass(frozen=True, slots=True)
class EditScope:
    """Which files a mode edits: those with this pattern somewhere in their path."""

    pattern: str
    description: str = ""

    def admits(self, path: str) -> bool:
        return len(path) <= LONGEST_PATH and re.search(self.pattern, path) is not None

    def told(self) -> str:
        return f"{self.description} (`{self.pattern}`)" if self.description else f"`{self.pattern}`"


@dataclass(frozen=True, slots=True)
class Mode:
    slug: str
    """What it is called by programs and in commands."""
    name: str
    role: str
    """What the model is told that it is; a sentence or a few."""
    description: str = ""
    """For the user to choose by."""
    when_to_use: str = ""
    """For the model to choose by."""
    instructions: str = ""
    groups: frozenset[ToolGroup] = frozenset(ToolGroup)
    edit_scopes: tuple[EditScope, ...] = ()
    """A file has to be in all of them to be edited; without any, all files are."""
    source: Source = "built-in"

    def refusal_to_edit(self, paths: Iterable[str]) -> str | None:
        """Tell why one of the files is not edited in this mode; None where all may be."""
        for path in paths:
            for scope in self.edit_scopes:
                if not scope.admits(path):
                    return f"{path} is not edited in {self.slug} mode: that edits only {scope.told()}."
        return None

    def words(self) -> str:
        """What the model is told of the mode it works in."""
        scopes = [f"You edit only files that match {scope.told()}." for scope in self.edit_scopes]
        return "\n".join(filter(None, (self.role.strip(), *scopes, self.instructions.strip())))


@dataclass(frozen=True, slots=True)
class ModeRow:
    """A mode as the user chooses it. `profile` is the one that the settings have for it."""

    slug: str
    name: str
    description: str
    source: Source
    is_current: bool = False
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class ModeList:
    modes: tuple[ModeRow, ...] = field(metadata=KEEP)
    problems: tuple[str, ...] = ()
    """Sentences: what in which file was ignored, and why."""
    permission_mode: PermissionMode | None = None
    """What runs unasked in the task, or in those to come."""
