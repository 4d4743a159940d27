"""Failures of the disk as sentences. What to do about them is the business of whoever catches the error."""

import errno
from pathlib import Path

from agent_lsp.domain.errors import StorageProblem

_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


def storage_problem(what: str, place: Path, error: OSError, variable: str = "AGENT_LSP_STATE") -> StorageProblem:
    """Say what failed, why, and what to do, in one sentence; the variable is the one that names another place."""
    return StorageProblem(f"{what} ({error.strerror or error}): {_remedy(place, error, variable)}.")


def _remedy(place: Path, error: OSError, variable: str) -> str:
    if error.errno in _FULL:
        return f"make room on the disk that holds {place}, then resume the task"
    if error.errno in _FORBIDDEN:
        return f"make {place} writable for you, or set {variable} to another folder"
    return f"check {place} and its disk, or set {variable} to another folder"
