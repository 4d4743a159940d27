"""`agent-lsp permissions list` and `revoke`: what the user allowed for good, in every project, and taking it back."""

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from agent_lsp.domain.encoding import to_wire
from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.permissions import Grant, Permission, PermissionList, Scope
from agent_lsp.headless.paint import clean
from agent_lsp.storage.permissions import PermissionStore
from agent_lsp.storage.places import home_folder, state_folder

_VERBS = {
    Grant.COMMAND: "run     commands that begin with ",
    Grant.EXACT_COMMAND: "run     exactly ",
    Grant.READ: "read    ",
    Grant.EDIT: "edit    ",
    Grant.DELETE: "delete  ",
}


def add_list_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def add_revoke_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="as `list` tells it")
    parser.add_argument("--all", action="store_true", help="everything that `list` tells")


def run_list(options: Namespace) -> int:
    """Print what holds for good. Problems go to the standard error output, and make the exit code 1."""
    try:
        listed = _store().listed()
    except (AgentError, OSError) as error:
        return _failed(error)
    if options.json:
        print(json.dumps(to_wire(listed), indent=2))
    else:
        _show(listed)
    return 1 if listed.problems else 0


def run_revoke(options: Namespace) -> int:
    """Take permissions back; the exit code is 1 where one was not there."""
    if bool(options.ids) == options.all:
        print("agent-lsp: Give the ids that `agent-lsp permissions list` tells, or --all.", file=sys.stderr)
        return 2
    try:
        store = _store()
        return _revoke(store, [each.id for each in store.listed().permissions] if options.all else options.ids)
    except (AgentError, OSError) as error:
        return _failed(error)


def _revoke(store: PermissionStore, ids: Sequence[str]) -> int:
    missing = [each for each in ids if not store.revoke(each)]
    for each in missing:
        print(f"agent-lsp: There is no permission {clean(each)}.", file=sys.stderr)
    print(f"{len(ids) - len(missing)} revoked.")
    return 1 if missing else 0


def _show(listed: PermissionList) -> None:
    for problem in listed.problems:
        print(f"agent-lsp: {clean(problem)}", file=sys.stderr)
    if not listed.permissions:
        print("Nothing is allowed for good.")
    groups = sorted({(each.scope is Scope.PROJECT, each.root or "") for each in listed.permissions})
    for is_project, root in groups:
        print(f"In {clean(root)}:" if is_project else "Everywhere:")
        for each in listed.permissions:
            if (each.root or "") == root:
                print(f"  {clean(each.id)}  {_worded(each)}")


def _worded(permission: Permission) -> str:
    return _VERBS[permission.kind] + clean(permission.rule.replace("\n", "\\n"))


def _store() -> PermissionStore:
    return PermissionStore(home_folder(os.environ), state_folder(os.environ))


def _failed(error: Exception) -> int:
    print(f"agent-lsp: {error}", file=sys.stderr)
    return 1
