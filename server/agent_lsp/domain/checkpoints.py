"""Checkpoints as the rooms speak of them: how files stood at a moment, and what the agent did to them since."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Reason(StrEnum):
    """What a checkpoint was taken before."""

    MESSAGE = "message"
    CHANGE = "change"
    COMMAND = "command"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All files of a workspace at one moment. `tree` is for whoever keeps them."""

    id: str
    ts: int
    reason: Reason
    tree: str


@dataclass(frozen=True, slots=True)
class FileState:
    """A file or a link at one moment; a link's content is where it points."""

    content: bytes
    is_link: bool = False
    permissions: int = 0o644


@dataclass(frozen=True, slots=True)
class Altered:
    """One file from one state to another; None where there is no file."""

    before: FileState | None
    after: FileState | None


Alterations = Mapping[Path, Altered]
"""What changed, by absolute path."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How the files of one moment differ from those of another. What was `left_out` at either is not looked at."""

    altered: Alterations
    left_out: tuple[Path, ...] = ()
