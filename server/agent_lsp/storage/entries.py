"""A small JSON file of entries that several servers read and change: locked, replaced whole, never half-written.

What an entry means is the business of its readers. A file that is not understood has none, and is not overwritten.
"""

import fcntl
import json
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.storage.places import private_folder
from agent_lsp.storage.problems import storage_problem

FORMAT = 1
LARGEST_FILE = 4_000_000

_Signature = tuple[int, int, int]


class EntryFile:
    """Entries by what the disk says now; a file that did not change is not read again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: tuple[_Signature, tuple[Json, ...]] | None = None

    def entries(self) -> tuple[Json, ...]:
        """Tell all entries; StorageProblem where the file is not understood."""
        signature = self._signature()
        if signature is None:
            return ()
        if self._read is None or self._read[0] != signature:
            self._read = signature, _parsed(self.path)
        return self._read[1]

    def change(self, changed: Callable[[tuple[Json, ...]], Sequence[Json]]) -> None:
        """Replace the entries by what is made of them, alone among all servers; may wait for another one."""
        private_folder(self.path.parent)
        try:
            with locked(self.path.with_name(f".{self.path.name}.lock")):
                before = _parsed(self.path) if self._signature() else ()
                after = tuple(changed(before))
                if after != before:
                    _replace(self.path, after)
        except OSError as error:
            raise storage_problem(f"{self.path} cannot be written", self.path.parent, error) from error

    def _signature(self) -> _Signature | None:
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_problem(f"{self.path} cannot be read", self.path.parent, error) from error
        return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _parsed(path: Path) -> tuple[Json, ...]:
    try:
        whole: object = json.loads(_content(path))
    except OSError as error:
        raise storage_problem(f"{path} cannot be read", path.parent, error) from error
    except (ValueError, RecursionError) as error:
        raise _not_understood(path) from error
    if not isinstance(whole, dict):
        raise _not_understood(path)
    found = cast("Json", whole)  # A JSON object has strings for keys.
    entries: object = found.get("entries")
    if found.get("format") != FORMAT or not isinstance(entries, list):
        raise _not_understood(path)
    listed = cast("list[object]", entries)  # What they are is looked at next.
    if not all(isinstance(entry, dict) for entry in listed):
        raise _not_understood(path)
    return tuple(cast("list[Json]", listed))  # As just seen.


def _content(path: Path) -> str:
    if not path.is_file():
        raise _not_understood(path)
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise _not_understood(path)
    return content.decode()


def _replace(path: Path, entries: Sequence[Json]) -> None:
    content = json.dumps({"format": FORMAT, "entries": entries}, indent=1) + "\n"
    replace_file(path, content.encode(), 0o600)


def replace_file(path: Path, content: bytes, permissions: int) -> None:
    """Put a new file in the place of the old one, whole or not at all. Only whoever holds the lock may."""
    new = path.with_name(f".{path.name}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(descriptor, permissions)
            os.fsync(descriptor)
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise


@contextmanager
def locked(path: Path) -> Generator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _not_understood(path: Path) -> StorageProblem:
    return StorageProblem(f"{path} is not understood, so nothing in it holds: repair it, or delete it to begin anew.")
