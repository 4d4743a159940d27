"""`agent-lsp trust`: which folders may loosen the user's settings by settings of their own."""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.trust import Trust
from agent_lsp.headless.paint import clean
from agent_lsp.storage.entries import EntryFile
from agent_lsp.storage.places import home_folder, state_folder
from agent_lsp.storage.trust import TrustStore, trust_file

if TYPE_CHECKING:
    from agent_lsp.settings.sources import ProjectWish, SettingsRead


def add_trust_arguments(parser: ArgumentParser) -> None:
    operations = parser.add_subparsers(dest="operation", metavar="operation", required=True)
    add = operations.add_parser("add", help="let a folder have what its settings ask for, as they are now")
    remove = operations.add_parser("remove", help="forget what was decided about a folder")
    operations.add_parser("list", help="the folders that something was decided about")
    for operation in (add, remove):
        operation.add_argument("folder", nargs="?", default=".", metavar="DIR", help="the folder; without it, this one")


def run_trust(options: Namespace) -> int:
    try:
        store = TrustStore(EntryFile(trust_file(state_folder(os.environ))))
        match options.operation:
            case "add":
                return _add(store, Path(options.folder).resolve())
            case "remove":
                return _remove(store, Path(options.folder).resolve())
            case _:
                return _list(store)
    except (AgentError, OSError) as error:
        print(f"agent-lsp: {error}", file=sys.stderr)
        return 1


def _add(store: TrustStore, folder: Path) -> int:
    if not folder.is_dir():
        print(f"agent-lsp: There is no folder {clean(str(folder))}.", file=sys.stderr)
        return 1
    read = _settings_with(folder)
    wish = _wish(read)
    if wish is None:
        print(clean(f"agent-lsp: {_why_not(read, folder)}"), file=sys.stderr)
        return 1
    print(f"The settings of {clean(wish.root)} ask for more than yours allow:")
    for line in wish.asks:
        print(f"  {clean(line)}")
    if sys.stdin.isatty() and not _is_yes():
        print("It is not trusted.")
        return 1
    store.decide(wish.root, wish.digest, Trust.TRUSTED)
    print("It is trusted with this, until it asks for something else.")
    return 0


def _is_yes() -> bool:
    """Ask whoever sits at the terminal, now that they have seen it."""
    try:
        return input("Trust it with this? [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        return False


def _remove(store: TrustStore, folder: Path) -> int:
    if not store.forget(str(folder)):
        print(f"agent-lsp: Nothing was decided about {clean(str(folder))}.", file=sys.stderr)
        return 1
    print(f"{clean(str(folder))} is no longer trusted.")
    return 0


def _list(store: TrustStore) -> int:
    folders = store.listed()
    for folder in folders:
        wish = _wish(_settings_with(Path(folder.root)))
        is_current = wish is not None and wish.digest == folder.digest
        print(
            f"{folder.trust.value:9} {clean(folder.root)}{'' if is_current else '  (it asks for something else now)'}"
        )
    if not folders:
        print("Nothing was decided about any folder.")
    return 0


def _settings_with(folder: Path) -> "SettingsRead":
    from agent_lsp.settings.sources import read_settings

    return read_settings(
        home=home_folder(os.environ),
        roots=(folder,),
        editor=None,
        command_line=None,
        is_trusted=lambda _root, _digest: False,
    )


def _wish(read: "SettingsRead") -> "ProjectWish | None":
    return next(iter(read.wishes), None)


def _why_not(read: "SettingsRead", folder: Path) -> str:
    """Why there is nothing to trust: what is wrong with the folder's file, else that it asks for nothing."""
    about_file = (remark for remark in read.remarks if remark.startswith(str(folder)))
    return next(about_file, f"{folder} asks for nothing beyond your settings.")
