"""Git objects on their way into a store, and files of a store that are there whole or not at all.

They are written here and not by git, whose start takes longer than a checkpoint. What they say is others' business.
"""

import os
from collections.abc import Generator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

from agent_lsp.storage.checkpoints_packs import Pack

FILE, EXECUTABLE, LINK, FOLDER = b"100644", b"100755", b"120000", b"40000"

_PASSING = "tmp"


@dataclass(frozen=True, slots=True)
class Commit:
    tree: str
    message: str
    seconds: int
    parent: str | None = None


class Names:
    """Tells what objects would be called, and keeps none."""

    def add(self, kind: bytes, content: bytes) -> str:
        return sha1(b"%b %d\0%b" % (kind, len(content), content), usedforsecurity=False).hexdigest()


class Deposit:
    """Objects to be stored: none of them is to be seen before `store`, all of them are after it."""

    def __init__(self, folder: Path, known: AbstractSet[str] = frozenset()) -> None:
        self._folder = folder
        self._known = known
        self._names = Names()
        self._pack: Pack | None = None

    def add(self, kind: bytes, content: bytes) -> str:
        """Take an object; what is known, or was taken before, is not taken again."""
        name = self._names.add(kind, content)
        if name not in self._known:
            if self._pack is None:
                self._pack = Pack(passing(self._folder))
            self._pack.add(name, kind, content)
        return name

    def commit(self, commit: Commit) -> str:
        self.add(b"tree", b"")  # Git knows the empty tree by itself, but not everywhere.
        who = b"agent-lsp <agent-lsp> %d +0000" % max(commit.seconds, 0)
        parent = b"parent %b\n" % commit.parent.encode() if commit.parent else b""
        head = b"tree %b\n%bauthor %b\ncommitter %b\n\n" % (commit.tree.encode(), parent, who, who)
        return self.add(b"commit", head + commit.message.encode())

    def store(self) -> None:
        """Put everything where git finds it."""
        if self._pack:
            self._pack.finish(self._folder / "objects" / "pack")

    def discard(self) -> None:
        """Leave nothing behind of what was not stored."""
        if self._pack:
            self._pack.discard()


@contextmanager
def depositing(folder: Path, known: AbstractSet[str] = frozenset()) -> Generator[Deposit]:
    deposit = Deposit(folder, known)
    try:
        yield deposit
    finally:
        deposit.discard()


def passing(folder: Path) -> Path:
    """A new name in the folder of files that are not finished: whatever is found there later is rubbish."""
    within = folder / _PASSING
    within.mkdir(mode=0o700, exist_ok=True)
    return within / os.urandom(8).hex()


def unfinished(folder: Path) -> Generator[Path]:
    yield from (folder / _PASSING).glob("*")


def write_whole(folder: Path, path: Path, content: bytes) -> None:
    """Write a file of a store, whole or not at all."""
    unready = passing(folder)
    try:
        unready.write_bytes(content)
        try:
            unready.replace(path)
        except FileNotFoundError:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            unready.replace(path)
    except OSError:
        unready.unlink(missing_ok=True)
        raise
