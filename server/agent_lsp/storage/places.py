"""Where things lie on the disk. What lies there is other modules' business."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from agent_lsp.domain.errors import TaskUnknown
from agent_lsp.domain.moments import fresh_id
from agent_lsp.storage.problems import storage_problem

HOME_VARIABLE = "AGENT_LSP_HOME"

_NAME = "agent-lsp"
_TASK_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def state_folder(environment: Mapping[str, str]) -> Path:
    """The folder of tasks, logs and transcripts, made if it is not there, and closed to other users."""
    folder = _chosen(environment, "AGENT_LSP_STATE") or _user_state_folder()
    return private_folder(folder)


def home_folder(environment: Mapping[str, str]) -> Path:
    """The folder of the user's own settings. It may not exist."""
    return _chosen(environment, HOME_VARIABLE) or _user_config_folder()


def tasks_folder(state: Path) -> Path:
    return state / "tasks"


def task_folder(state: Path, task_id: str) -> Path:
    """Where this task is or would be. An id comes from a client: what is not a plain name leads nowhere."""
    if not is_task_id(task_id):
        raise TaskUnknown(f"There is no task {task_id!r}: choose one of the task list.")
    return tasks_folder(state) / task_id


def is_task_id(name: str) -> bool:
    return _TASK_ID.fullmatch(name) is not None


def new_task_id(tasks: Path) -> str:
    """Mint an id that no task here has. Each play of a recording mints the same ones, and earlier plays may be kept."""
    return next(id_ for id_ in iter(fresh_id, None) if not os.path.lexists(tasks / id_))


def private_folder(folder: Path) -> Path:
    """Make a folder, and the ones above it, for this user alone; one that exists is left as it is."""
    try:
        for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise storage_problem("The state folder cannot be made", folder, error) from error
    return folder


def _chosen(environment: Mapping[str, str], name: str) -> Path | None:
    value = environment.get(name, "").strip()
    return Path(value).expanduser().absolute() if value else None


def _user_state_folder() -> Path:
    from platformdirs import user_state_path

    return user_state_path(_NAME, appauthor=False)


def _user_config_folder() -> Path:
    from platformdirs import user_config_path

    return user_config_path(_NAME, appauthor=False)
