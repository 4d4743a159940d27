"""The user's own settings file, changed by a command of theirs. What the change does not touch stays as it is."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.storage.entries import locked, replace_file
from agent_lsp.storage.places import HOME_VARIABLE, private_folder
from agent_lsp.storage.problems import storage_problem


def read_user_settings(path: Path) -> Json:
    """Read the file as it is, unchecked; an empty one where there is none. StorageProblem where it is not JSON."""
    try:
        whole: object = json.loads(path.read_bytes().decode("utf-8-sig") or "{}")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise storage_problem(f"{path} cannot be read", path.parent, error, HOME_VARIABLE) from error
    except (ValueError, RecursionError) as error:
        raise _not_understood(path) from error
    if not isinstance(whole, dict):
        raise _not_understood(path)
    return cast("Json", whole)  # A JSON object has strings for keys.


def change_user_settings(path: Path, change: Callable[[Json], Json], *, is_private: bool = False) -> None:
    """Replace the file by what is made of it; one that `is_private` is closed to all other users.

    A file that is a link, as people keep them who manage their settings elsewhere, stays one.
    """
    path = Path(os.path.realpath(path))
    private_folder(path.parent)
    try:
        with locked(path.with_name(f".{path.name}.lock")):
            after = json.dumps(change(read_user_settings(path)), indent=2, ensure_ascii=False) + "\n"
            # What is no character can stand in JSON as an escape only.
            replace_file(path, after.encode(errors="backslashreplace"), 0o600 if is_private else _permissions(path))
    except OSError as error:
        raise storage_problem(f"{path} cannot be written", path.parent, error, HOME_VARIABLE) from error


def _permissions(path: Path) -> int:
    return path.stat().st_mode & 0o777 if path.exists() else 0o600


def _not_understood(path: Path) -> StorageProblem:
    return StorageProblem(
        f"{path} is not JSON with an object in braces: repair it first, so that nothing in it is lost."
    )
