"""Git objects on their way into a store: a few become files of their own, many become one pack.

They are written here and not by git, whose start takes longer than a checkpoint. What they say is others' business.
"""

import os
import zlib
from collections.abc import Generator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path

from agent_lsp.storage.checkpoints_packs import KINDS, LEVEL, Pack

FILE, EXECUTABLE, LINK, FOLDER = b"100644", b"100755", b"120000", b"40000"

_MOST_LOOSE = 200
_MOST_HELD_BYTES = 4_000_000
_PASSING = "tmp"


@dataclass(frozen=True, slots=True)
class Commit:
    tree: str
    message: str
    seconds: int
    parent: str | None = None


@dataclass(slots=True)
class Names:
    """Tells what objects would be called, and keeps none."""

    def add(self, kind: bytes, content: bytes) -> str:
        return sha1(_head(kind, content) + content, usedforsecurity=False).hexdigest()


@dataclass(slots=True)
class Deposit:
    """Objects to be stored: none of them is to be seen before `store`, all of them are after it."""

    folder: Path
    known: AbstractSet[str] = field(default_factory=frozenset[str])
    _held: dict[str, tuple[bytes, bytes]] = field(default_factory=dict[str, tuple[bytes, bytes]])
    _held_bytes: int = 0
    _pack: Pack | None = None

    def add(self, kind: bytes, content: bytes) -> str:
        """Take an object; what is known, or was taken before, is not taken again."""
        name = sha1(_head(kind, content) + content, usedforsecurity=False).hexdigest()
        if name in self.known or name in self._held or (self._pack and name in self._pack):
            return name
        if self._pack:
            self._pack.add(name, kind, content)
            return name
        self._held[name] = kind, content
        self._held_bytes += len(content)
        if len(self._held) > _MOST_LOOSE or self._held_bytes > _MOST_HELD_BYTES:
            self._begin_pack()
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
            self._pack.finish(self.folder / "objects" / "pack")
        for name, (kind, content) in self._held.items():
            _write_loose(self.folder, name, _head(kind, content) + content)
        self._held.clear()

    def discard(self) -> None:
        """Leave nothing behind of what was not stored."""
        if self._pack:
            self._pack.discard()

    def _begin_pack(self) -> None:
        self._pack = Pack(passing(self.folder))
        for name, (kind, content) in self._held.items():
            self._pack.add(name, kind, content)
        self._held.clear()


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


def _write_loose(folder: Path, name: str, content: bytes) -> None:
    # One that is there already is replaced: a power cut may have left it empty.
    write_whole(folder, folder / "objects" / name[:2] / name[2:], zlib.compress(content, LEVEL))


def _head(kind: bytes, content: bytes) -> bytes:
    assert kind in KINDS  # noqa: S101  # Kinds are written out by callers.
    return b"%b %d\0" % (kind, len(content))
