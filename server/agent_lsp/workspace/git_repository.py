"""Where a folder's git repository lies and what it has checked out, read from its files alone: no git is run here."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

_LARGEST_FILE = 4_000_000
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"refs/[^\x00-\x20\x7f~^:?*\[\\]{1,1000}")
"""What git takes for a branch, and no longer than any is."""
_UNDER_WAY = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
}


@dataclass(frozen=True, slots=True)
class Head:
    """What is checked out. No branch: a commit by itself; no commit: nothing has been committed yet."""

    branch: str
    commit: str
    under_way: str = ""
    """What the user is in the middle of: a merge, a rebase."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository's folders; a linked worktree has one of its own beside the common one."""

    worktree: Path
    own: Path
    common: Path

    def head(self) -> Head | None:
        """Tell what is checked out; None where it is kept in a way that only git can read."""
        text = _read(self.own / "HEAD").strip()
        under_way = next((words for name, words in _UNDER_WAY.items() if _is_there(self.own / name)), "")
        if _HASH.fullmatch(text):
            return Head("", text, under_way)
        name = text.removeprefix("ref: ")
        if name == text or not _NAME.fullmatch(name) or ".." in name or name.endswith("/.invalid"):
            return None
        return Head(name.removeprefix("refs/heads/"), self._commit_of(name), under_way)

    def signature(self) -> tuple[tuple[int, int], ...]:
        """Something that changes whenever something is committed, staged or checked out."""
        return tuple(_stamp(path) for path in (self.own / "HEAD", self.own / "logs/HEAD", self.own / "index"))

    def _commit_of(self, name: str) -> str:
        loose = next((text for place in (self.own, self.common) if (text := _read(place / name).strip())), "")
        if _HASH.fullmatch(loose):
            return loose
        packed = re.search(
            rf"^([0-9a-f]{{40,64}}) {re.escape(name)}$", _read(self.common / "packed-refs"), re.MULTILINE
        )
        return packed[1] if packed else ""


def find_repository(folder: Path) -> Repository | None:
    """Find the repository that a folder is in, as git does; None where there is none."""
    for worktree in (folder, *folder.parents):
        own = _git_folder(worktree / ".git")
        if own and _is_there(own / "HEAD"):
            common = _read(own / "commondir").strip()
            return Repository(worktree, own, (_resolved(own / common) or own) if common else own)
    return None


def _git_folder(path: Path) -> Path | None:
    if os.path.isdir(path):  # noqa: PTH112  pathlib's raises where it may not look
        return path
    text = _read(path).strip()
    return _resolved(path.parent / text.removeprefix("gitdir: ")) if text.startswith("gitdir: ") else None


def _is_there(path: Path) -> bool:
    """Whether it exists; what no path can be, such as a name of thousands of letters, does not."""
    return os.path.exists(path)  # noqa: PTH110  for the same reason


def _resolved(path: Path) -> Path | None:
    """Follow what somebody wrote into a file; None where it leads in a circle or is no path."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None


def _read(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_LARGEST_FILE).decode("utf-8", "replace")
    except OSError:
        return ""


def _stamp(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size
