"""Which files of a workspace a checkpoint keeps: a walk that reads no file. Ignore files have no say in it."""

import os
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.domain.errors import StorageProblem

MOST_FILE_BYTES = 5_000_000
MOST_FILES = 100_000

_LEFT_OUT = frozenset((b".git", b"node_modules", b"__pycache__"))
"""Git's own, whoever's repository it is, and what programs make anew by the ten thousand."""
_MARKS = frozenset((b"CACHEDIR.TAG", b"pyvenv.cfg"))
"""A folder with such a file in it says of itself that it can be made anew."""


class GivenUp(StorageProblem):
    """Nobody waits for the checkpoint any more."""


@dataclass(slots=True)
class Deadline:
    """The moment by which work in a thread is to be done; `give_up` ends it sooner."""

    seconds: float
    _is_given_up: bool = False
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds

    @property
    def left_seconds(self) -> float:
        return self._end - time.monotonic()

    def give_up(self) -> None:
        self._is_given_up = True

    def check(self) -> None:
        if self._is_given_up:
            raise GivenUp("The server ends; no checkpoint is taken.")
        if self.left_seconds < 0:
            raise StorageProblem(f"A checkpoint would take longer than {self.seconds:.0f} s here; none is taken.")


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found, by absolute path without its first `/`; and what was seen and left out."""

    files: dict[bytes, os.stat_result] = field(default_factory=dict[bytes, os.stat_result])
    left_out: set[bytes] = field(default_factory=set[bytes])


def refusal(roots: Iterable[Path], home: Path) -> str | None:
    """Why no checkpoints are taken of these roots, if so."""
    real = [Path(os.path.realpath(root)) for root in roots]
    if not real:
        return "No folder is open, so no checkpoints are taken."
    real_home = Path(os.path.realpath(home))
    if broad := next((root for root in real if real_home.is_relative_to(root)), None):
        return f"No checkpoints are taken of {broad}: it holds more than a project. Open the project's own folder."
    return None


def scan(roots: Iterable[Path], state: Path, deadline: Deadline) -> Scan:
    """Look at everything below the roots but what is left out; StorageProblem where that is too much."""
    found = Scan()
    own = os.fsencode(os.path.realpath(state))
    tops = [os.fsencode(os.path.realpath(root)) for root in roots]
    pending = list(tops)
    while pending:
        deadline.check()
        folder = pending.pop()
        if folder == own:
            found.left_out.add(folder[1:])
            continue
        pending.extend(_look_into(folder, found, is_root=folder in tops))
        if len(found.files) > MOST_FILES:
            raise StorageProblem(f"The workspace has more than {MOST_FILES:,} files; no checkpoint is taken of it.")
    return found


def _look_into(folder: bytes, found: Scan, *, is_root: bool) -> Iterator[bytes]:
    """Take what lies in a folder; give the folders to go on with."""
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)
    except OSError:
        found.left_out.add(folder[1:])
        return
    if not is_root and any(entry.name in _MARKS for entry in listed):
        found.left_out.add(folder[1:])
        return
    for entry in listed:
        if entry.name in _LEFT_OUT:
            found.left_out.add(entry.path[1:])
        elif entry.is_dir(follow_symlinks=False):
            yield entry.path
        else:
            _take(entry, found)


def _take(entry: os.DirEntry[bytes], found: Scan) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # Gone meanwhile.
        return
    is_small_file = stat.S_ISREG(status.st_mode) and status.st_size <= MOST_FILE_BYTES
    if is_small_file or stat.S_ISLNK(status.st_mode):
        found.files[entry.path[1:]] = status
    else:
        found.left_out.add(entry.path[1:])
