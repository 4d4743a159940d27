"""What stands in the way of changes on the disk, found before any of them is made. Looks, and touches nothing."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.workspace.disk_states import StateChange

CUT_OFF = "it has other names (hard links), which would be cut off"
FOLDER_THERE = "a folder with other files in it has its name now"


def obstacles(changes: Sequence[StateChange]) -> dict[Path, str]:
    """Why changes cannot be made beside the others, by path; half a sentence each.

    What does not go leaves less room for the others, so they are looked at again without it.
    """
    found = dict[Path, str]()
    while more := dict(_found([change for change in changes if change.path not in found])):
        found |= more
    return found


@dataclass(frozen=True, slots=True)
class _Leaving:
    """What the changes take away: paths, and how many names of each file."""

    paths: AbstractSet[Path]
    names: Counter[tuple[int, int]]


def _found(changes: Sequence[StateChange]) -> Iterator[tuple[Path, str]]:
    paths = {change.path for change in changes if change.after is None}
    leaving = _Leaving(paths, Counter(_number(status) for path in paths if (status := _status(path))))
    for change in changes:
        if reason := _reason(change, leaving):
            yield change.path, reason


def _reason(change: StateChange, leaving: _Leaving) -> str | None:
    if change.after is None:
        return None
    if change.before is None:
        return _in_the_way(change.path, leaving.paths)
    if change.before.is_link or change.before.content == change.after.content:
        return None
    status = _status(change.path)
    has_others = status and status.st_nlink - leaving.names[_number(status)] > 1
    return CUT_OFF if has_others else None


def _in_the_way(path: Path, leaving: AbstractSet[Path]) -> str | None:
    """What keeps a new file from its place, unless that is leaving itself."""
    above = (parent for parent in path.parents if os.path.lexists(parent) and parent not in leaving)
    if blocking := next((parent for parent in above if parent.is_symlink() or not parent.is_dir()), None):
        return f"{blocking.name} is no folder any more"
    is_folder = path.is_dir() and not path.is_symlink()
    return FOLDER_THERE if is_folder and not _inner(path) <= leaving else None


def _inner(folder: Path) -> set[Path]:
    """All in a folder, at any depth, that is no folder itself."""
    found = set[Path]()
    for at, folders, files in os.walk(folder):
        found.update(Path(at, name) for name in files)
        found.update(path for name in folders if (path := Path(at, name)).is_symlink())
    return found


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _number(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
