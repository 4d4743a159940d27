"""Where standing permissions are kept: the user's own in their settings folder, a project's in the state folder.

Never in the project, since what comes with a repository must not grant anything; nor in a task's journal.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeGuard

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.domain.permissions import COMMAND_GRANTS, Grant, Permission, PermissionList, Scope
from agent_lsp.storage.entries import EntryFile

FILE_NAME = "permissions.json"


class PermissionStore:
    """The permissions of all projects and of the user. Changes may wait for another server; readings do not."""

    def __init__(self, home: Path, state: Path) -> None:
        self._files = {Scope.USER: EntryFile(home / FILE_NAME), Scope.PROJECT: EntryFile(state / FILE_NAME)}

    def listed(self, roots: Sequence[Path] | None = None) -> PermissionList:
        """List what holds in these folders, by their real paths; without any named, everything."""
        named = None if roots is None else {str(root) for root in roots}
        found: list[Permission] = []
        problems: list[str] = []
        for scope, file in self._files.items():
            permissions, faults = _read(file, scope)
            found += [each for each in permissions if each.root is None or named is None or each.root in named]
            problems += faults
        return PermissionList(tuple(found), tuple(problems))

    def add(self, permission: Permission) -> None:
        """Keep a permission; one that is there already stays as it is."""
        entry: Json = to_wire(permission)
        self._files[permission.scope].change(
            lambda entries: entries if any(e.get("id") == permission.id for e in entries) else (*entries, entry)
        )

    def revoke(self, permission_id: str) -> bool:
        """Take a permission back; whether there was one of this id."""
        holding = [file for file in self._files.values() if _has(file, permission_id)]
        for file in holding:
            file.change(lambda entries: [entry for entry in entries if entry.get("id") != permission_id])
        return bool(holding)


def _has(file: EntryFile, permission_id: str) -> bool:
    try:
        return any(entry.get("id") == permission_id for entry in file.entries())
    except StorageProblem:
        return False


def _read(file: EntryFile, scope: Scope) -> tuple[list[Permission], list[str]]:
    try:
        entries = file.entries()
    except StorageProblem as problem:
        return [], [str(problem)]
    read = [_permission(entry, scope) for entry in entries]
    faults = [
        f"{file.path}: entry {number} is not understood, and allows nothing."
        for number, permission in enumerate(read, 1)
        if permission is None
    ]
    return [permission for permission in read if permission], faults


def _permission(entry: Json, scope: Scope) -> Permission | None:
    """Read an entry; None for one that does not say all of what it allows, and where."""
    id_, kind, rule, root, created = (entry.get(key) for key in ("id", "kind", "rule", "root", "created"))
    if entry.get("scope") != scope or kind not in list(Grant) or not _is_text(id_) or not _is_text(rule):
        return None
    if (scope is Scope.PROJECT) != _is_path(root):
        return None
    if rule.split()[0] == "*" if kind in COMMAND_GRANTS else not _is_path(rule):
        return None
    return Permission(id_, scope, Grant(kind), rule, created if isinstance(created, int) else 0, root)


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _is_path(value: object) -> bool:
    return _is_text(value) and value.startswith("/") and bool(value.strip("/"))
