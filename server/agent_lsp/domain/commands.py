"""How a command ended, and what is shown of its output."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """An exit code, or the name of the signal that killed it, or the problem that kept it from being run to its end."""

    exit_code: int | None = None
    signal: str | None = None
    problem: str | None = None
    has_left_processes: bool = False
    """Processes that the command started still run."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The first and the last part of an output. `cut_bytes` between them are left out."""

    head: str
    tail: str = ""
    cut_bytes: int = 0
    total_bytes: int = 0
    is_binary: bool = False
    problem: str = ""
    """Why the whole output could not be kept, where it could not."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """Where the whole output of one command is kept, and the name that the model knows it by."""

    id: str
    path: Path


@dataclass(frozen=True, slots=True)
class Page:
    """A piece of a kept output; offsets count bytes. Without `next_offset` it is the last piece."""

    text: str
    offset: int
    total_bytes: int
    next_offset: int | None = None


@dataclass(frozen=True, slots=True)
class MatchingLines:
    """Lines of a kept output, each as `number: text`."""

    lines: tuple[str, ...]
    is_cut: bool
