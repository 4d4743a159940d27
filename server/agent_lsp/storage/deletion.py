"""Deleting a task's folder for good. Its row in the index is the index's business."""

import os
import shutil
import stat
from pathlib import Path

from agent_lsp.domain.errors import TaskUnknown
from agent_lsp.storage.journal import hold
from agent_lsp.storage.places import task_folder, tasks_folder
from agent_lsp.storage.problems import storage_problem

_DOOMED = ".deleted-"


def delete_task(state: Path, task_id: str) -> None:
    """Remove a task's folder, unless a server has it open (TaskBusy). For a thread: artifacts may be large.

    It vanishes under its name at once; what a crash leaves of the rest is swept up with the next deletion.
    """
    folder = task_folder(state, task_id)
    if not _is_real_folder(folder):
        raise TaskUnknown(f"There is no task {task_id}: choose one of the task list.")
    try:
        with hold(folder):
            folder.rename(folder.with_name(f"{_DOOMED}{task_id}-{os.urandom(4).hex()}"))
        _sweep(tasks_folder(state))
    except OSError as error:
        raise storage_problem("The task cannot be deleted", folder, error) from error


def _is_real_folder(folder: Path) -> bool:
    """A link, wherever it leads, is no task of ours."""
    try:
        return stat.S_ISDIR(folder.lstat().st_mode)
    except OSError:
        return False


def _sweep(tasks: Path) -> None:
    for folder in tasks.glob(f"{_DOOMED}*"):
        if _is_real_folder(folder):
            shutil.rmtree(folder)
