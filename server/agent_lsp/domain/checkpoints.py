"""Checkpoints as the rooms speak of them: how files stood at a moment, and what the agent did to them since."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal

from agent_lsp.domain.encoding import KEEP

FileKind = Literal["create", "edit", "delete"]


class Reason(StrEnum):
    """What a checkpoint was taken before."""

    MESSAGE = "message"
    CHANGE = "change"
    COMMAND = "command"
    RESTORE = "restore"
    DIFF = "diff"


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

    @property
    def is_read_only(self) -> bool:
        return not self.is_link and not self.permissions & 0o222


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
    lost: tuple[Path, ...] = ()
    """What was left out at the older moment and is not at the newer one: gone, or changed to what is kept."""


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """A checkpoint as clients list them."""

    id: str
    ts: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class FileDifference:
    """How one file differs; `diff` is left out where it is no text."""

    uri: str
    path: str
    kind: FileKind
    diff: str | None = None


@dataclass(frozen=True, slots=True)
class CheckpointDifference:
    changes: tuple[FileDifference, ...] = field(metadata=KEEP)
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RestoredFile:
    """What a restore does, or did, to one file. `is_merged`: the user's changes since are still in it."""

    uri: str
    path: str
    kind: FileKind
    is_merged: bool


@dataclass(frozen=True, slots=True)
class UnrestoredFile:
    """A file that a restore leaves as it is, and why."""

    uri: str
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rewind:
    """What a rewind hides, or hid; and, where a rewind is taken back, how many messages it shows again.

    `text` and `images` are the user's own words at the place that was named, to be changed and sent again.
    """

    ts: int
    """The first message that is hidden: where the step began, or the user's words."""
    hidden: int
    shown: int = 0
    text: str | None = None
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restoration:
    """The plan of a restore, or what came of it; `undo` names what takes it back."""

    is_done: bool
    files: tuple[RestoredFile, ...] = field(metadata=KEEP)
    conflicts: tuple[UnrestoredFile, ...] = field(metadata=KEEP)
    undo: str | None = None
    rewind: Rewind | None = None


@dataclass(frozen=True, slots=True)
class CheckpointList:
    """A task's checkpoints, the oldest first."""

    checkpoints: tuple[CheckpointRow, ...] = field(metadata=KEEP)
