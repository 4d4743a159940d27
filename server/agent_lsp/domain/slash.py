"""Words with a `/` in front, at the beginning of what a user says: they set something, or stand for more. Pure."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from agent_lsp.domain.encoding import KEEP
from agent_lsp.domain.modes import Source
from agent_lsp.domain.status import PermissionMode

PERMISSION_MODES = tuple(mode.value for mode in PermissionMode)

_SLASH = re.compile(r"\s*/([\w-]+)(?=\s|$)")


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """What can be written with a `/` in front of it."""

    name: str
    description: str
    kind: Literal["text", "mode", "permissionMode", "action"]
    """It stands for a text, sets a mode or a permission mode, or has something done to the task."""
    source: Source = "built-in"
    argument_hint: str | None = None
    mode: str | None = None
    """The mode that its text is worked on in."""


@dataclass(frozen=True, slots=True)
class CommandList:
    commands: tuple[SlashCommand, ...] = field(metadata=KEEP)
    problems: tuple[str, ...] = ()
    """Sentences: what in which file was ignored, and why."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a command of kind `text` stands for, with what its file wants to be worked with."""

    text: str
    mode: str | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """What a user's words set at their beginning, and the words that are left."""

    words: str
    mode: str | None = None
    permission_mode: PermissionMode | None = None


def read_opening(text: str, modes: Collection[str]) -> Opening:
    """Take the words that set a mode. Only those there are: `/etc/hosts is wrong` is said, not set."""
    at, slashes = 0, list[str]()
    while (found := _SLASH.match(text, at)) and (found[1] in PERMISSION_MODES or found[1] in modes):
        slashes.append(found[1])
        at = found.end()
    if not slashes:
        return Opening(text)
    permission_mode = next((PermissionMode(word) for word in slashes if word in PERMISSION_MODES), None)
    mode = next((word for word in slashes if word not in PERMISSION_MODES), None)
    return Opening(text[at:].strip(), mode, permission_mode)


def first_slash(text: str) -> tuple[str, str] | None:
    """The name of the command that words begin with, and what stands behind it."""
    found = _SLASH.match(text)
    return (found[1], text[found.end() :].strip()) if found else None
