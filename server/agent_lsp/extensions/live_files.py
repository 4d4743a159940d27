"""Small files in folders that users and projects keep for agents: read with care, and anew when one of them changes.

What they mean is not known here.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from agent_lsp.domain.modes import Source

LARGEST = 100_000
MOST_FILES = 200
DEEPEST = 3

T = TypeVar("T")

Clean = Callable[[str], tuple[str, int]]
"""The text as a person sees it, and how many hidden characters were taken out."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where files may be: a folder, or one file."""

    path: Path
    source: Source
    root: Path | None = None
    """Nothing that leads out of here is read."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    path: Path
    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Found:
    files: tuple[FoundFile, ...]
    problems: tuple[str, ...]
    """Sentences: what was not read, or not as it stands, and why."""


class LiveFiles(Generic[T]):
    """What the files of some spots mean. Whoever asks costs one look at each file, and a reading where one changed."""

    def __init__(
        self, spots: Callable[[], Sequence[Spot]], suffixes: tuple[str, ...], clean: Clean, mean: Callable[[Found], T]
    ) -> None:
        self._spots = spots
        self._suffixes = suffixes
        self._clean = clean
        self._mean = mean
        self._seen: tuple[object, ...] | None = None
        self._meant: T | None = None
        self.on_read: Callable[[], None] = lambda: None
        """Called after every reading."""

    def current(self) -> T:
        spots = self._spots()
        paths = [(spot, path) for spot in spots for path in _paths(spot, self._suffixes)][:MOST_FILES]
        seen = tuple((path, _signature(path)) for _, path in paths)
        if self._meant is None or seen != self._seen:
            self._seen = seen
            self._meant = meant = self._mean(_read_all(paths, self._clean))
            self.on_read()
            return meant
        return self._meant


def _paths(spot: Spot, suffixes: tuple[str, ...]) -> Iterator[Path]:
    if spot.path.is_file():
        yield spot.path
        return
    for folder, folders, names in os.walk(spot.path):
        depth = len(Path(folder).relative_to(spot.path).parts)
        folders[:] = sorted(folders) if depth < DEEPEST - 1 else []
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(suffixes))


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _read_all(paths: Sequence[tuple[Spot, Path]], clean: Clean) -> Found:
    files: list[FoundFile] = []
    problems: list[str] = []
    for spot, path in paths:
        try:
            text, hidden = clean(_text(spot, path))
        except (OSError, ValueError) as error:
            problems.append(f"{path}: it is ignored: {_reason(error)}.")
            continue
        files.append(FoundFile(path, text, spot.source))
        if hidden:
            problems.append(f"{path}: {hidden:,} hidden characters were taken out; it may have been tampered with.")
    return Found(tuple(files), tuple(problems))


def _text(spot: Spot, path: Path) -> str:
    if spot.root and not path.resolve().is_relative_to(spot.root.resolve()):
        raise ValueError("it leads out of its folder")
    if not path.is_file():
        raise ValueError("it is no file")
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST:,} bytes")
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _reason(error: OSError | ValueError) -> str:
    match error:
        case UnicodeDecodeError():
            return "it is not UTF-8 text"
        case OSError():
            return error.strerror or "it cannot be read"
        case _:
            return str(error)
