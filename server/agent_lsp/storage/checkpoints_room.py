"""The room that checkpoints take on the disk: who may use it at a time, and giving it back."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from agent_lsp.domain.errors import StorageProblem
from agent_lsp.storage.git import Git
from agent_lsp.storage.places import is_task_id

_LOCK = "servers.lock"


def task_ref(task_id: str) -> str:
    if not is_task_id(task_id):
        raise StorageProblem("A task's id names its checkpoints, and this is none.")
    return f"refs/tasks/{task_id}"


def checkpoints_folder(state: Path) -> Path:
    return state / "checkpoints"


@contextmanager
def shared(folder: Path) -> Generator[None]:
    """Keep other servers from clearing away objects that nothing refers to yet."""
    with _locked(folder, fcntl.LOCK_SH):
        yield


def forget(git: Git, task_id: str, seconds: float) -> None:
    """Delete a task's checkpoints. Where another server works, the room is given back with a later deletion."""
    if not (git.folder / "HEAD").exists():
        return
    ref = task_ref(task_id)
    if not git.run("for-each-ref", "--count=1", ref, seconds=seconds):
        return
    git.run("update-ref", "-d", ref, seconds=seconds)
    with suppress(BlockingIOError), _locked(git.folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
        for torn in (*git.folder.glob("objects/pack/tmp_*"), *git.folder.glob("fast_import_crash_*")):
            torn.unlink(missing_ok=True)
        git.run("gc", "--quiet", "--prune=now", seconds=seconds)


@contextmanager
def _locked(folder: Path, how: int) -> Generator[None]:
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
