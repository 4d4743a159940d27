"""The folder that the checkpoints of a workspace lie in: who may use it at a time, its refs, and sweeping it."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from agent_lsp.domain.errors import StorageProblem
from agent_lsp.storage.checkpoints_objects import unfinished, write_whole
from agent_lsp.storage.git import Git
from agent_lsp.storage.places import is_task_id

_USERS, _PACKER, _EPOCH = "servers.lock", "packing.lock", "epoch"
_ID_LENGTH = 40
_PAIR = (".pack", ".idx")
TASKS = "refs/tasks/"
LATEST = "refs/latest"
"""Keeps the newest tree, from which the next one is made, also where its task is deleted."""


def checkpoints_folder(state: Path) -> Path:
    return state / "checkpoints"


def task_ref(task_id: str) -> str:
    if not is_task_id(task_id):
        raise StorageProblem("A task's id names its checkpoints, and this is none.")
    return TASKS + task_id


def prepare(git: Git, seconds: float) -> None:
    """Make the repository, or what is missing of it."""
    folder = git.folder
    if all((folder / name).is_dir() for name in ("objects", "refs")) and _is_head(folder / "HEAD"):
        return
    for name in ("HEAD", "config"):
        (folder / name).unlink(missing_ok=True)
    git.run("init", "--quiet", "--bare", "--template=", "--object-format=sha1", seconds=seconds)


def is_there(folder: Path) -> bool:
    return (folder / "HEAD").exists()


def read_ref(folder: Path, ref: str) -> str | None:
    """What a ref shows; None where it is not there, or damaged."""
    with suppress(OSError, ValueError):
        name = (folder / ref).read_text("ascii").strip()
        return name if len(name) == _ID_LENGTH and int(name, 16) else None
    return None


def write_ref(folder: Path, ref: str, name: str) -> None:
    write_whole(folder, folder / ref, name.encode() + b"\n")


def delete_ref(folder: Path, ref: str) -> bool:
    """Whether it was there."""
    try:
        (folder / ref).unlink()
    except FileNotFoundError:
        return False
    return True


def refs(folder: Path) -> dict[str, str]:
    paths = (path for path in (folder / "refs").rglob("*") if path.is_file())
    names = {str(path.relative_to(folder)): read_ref(folder, str(path.relative_to(folder))) for path in paths}
    return {ref: name for ref, name in names.items() if name}


def epoch(folder: Path) -> str:
    """Another word each time that objects were cleared away: whoever knew of some has to look again."""
    with suppress(OSError):
        return (folder / _EPOCH).read_text("ascii", "replace")
    return ""


def begin_epoch(folder: Path) -> None:
    write_whole(folder, folder / _EPOCH, os.urandom(8).hex().encode())


@contextmanager
def shared(folder: Path) -> Generator[None]:
    """Keep others from clearing away objects that nothing refers to yet."""
    with _locked(folder / _USERS, fcntl.LOCK_SH):
        yield


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Keep others from writing for a moment."""
    with _locked(folder / _USERS, fcntl.LOCK_EX):
        yield


@contextmanager
def packing(folder: Path) -> Generator[None]:
    """Be the only one who packs; BlockingIOError where another one is at it."""
    with _locked(folder / _PACKER, fcntl.LOCK_EX | fcntl.LOCK_NB):
        yield


def sweep(folder: Path) -> None:
    """Remove what a kill has left; not while others might be writing it."""
    with suppress(BlockingIOError), packing(folder), _locked(folder / _USERS, fcntl.LOCK_EX | fcntl.LOCK_NB):
        packs = folder / "objects" / "pack"
        halves = (path for path in packs.glob("pack-*") if not all(path.with_suffix(s).exists() for s in _PAIR))
        for path in (*unfinished(folder), *packs.glob("tmp_*"), *packs.glob(".tmp*"), *halves):
            path.unlink(missing_ok=True)


def _is_head(path: Path) -> bool:
    try:
        return path.read_bytes().startswith(b"ref: refs/")
    except OSError:
        return False


@contextmanager
def _locked(path: Path, how: int) -> Generator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
