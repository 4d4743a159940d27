"""Writing blobs, trees and commits as one stream to `git fast-import`. What is to be written is others' business."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha1
from typing import IO

from agent_lsp.storage.git import EMPTY_TREE

FILE, EXECUTABLE, LINK, FOLDER = b"100644", b"100755", b"120000", b"040000"

_PLAIN = re.compile(rb"[A-Za-z0-9_./+=@,-]+")


@dataclass(frozen=True, slots=True)
class Put:
    """A blob or a tree at a path; at the empty path it becomes the whole tree."""

    path: bytes
    mode: bytes
    id: str


@dataclass(frozen=True, slots=True)
class Commit:
    """What `ref` is to show. It begins with nothing, but for its parent in the history."""

    ref: str
    message: str
    seconds: int
    parent: str | None = None
    removed: Iterable[bytes] = ()
    base: str | None = None
    """The tree that `removed` and `puts` change."""
    puts: Iterable[Put] = ()


@dataclass(frozen=True, slots=True)
class Committed:
    id: str
    tree: str


class Importer:
    """One stream. A blob that is known already is not sent again."""

    def __init__(self, into: IO[bytes], back: IO[bytes], known: set[str]) -> None:
        self._into = into
        self._back = back
        self._known = known

    def blob(self, content: bytes) -> str:
        head = b"blob %d\0" % len(content)
        name = sha1(head + content, usedforsecurity=False).hexdigest()
        if name not in self._known:
            self._known.add(name)
            self._into.write(b"blob\ndata %d\n%b\n" % (len(content), content))
        return name

    def commit(self, commit: Commit) -> Committed:
        write = self._into.write
        message = commit.message.encode()
        write(b"commit %b\nmark :1\n" % commit.ref.encode())
        write(b"committer agent-lsp <agent-lsp> %d +0000\n" % commit.seconds)
        write(b"data %d\n%b\n" % (len(message), message))
        if commit.parent:
            write(b"from %b\n" % commit.parent.encode())
        write(b"deleteall\n")
        if commit.base and commit.base != EMPTY_TREE:
            self._put(Put(b"", FOLDER, commit.base))
        for path in commit.removed:
            write(b"D %b\n" % quoted(path))
        for put in commit.puts:
            self._put(put)
        write(b"\nget-mark :1\n")
        self._into.flush()
        name = self._answer()
        write(b'ls :1 ""\n')
        self._into.flush()
        # An empty tree is said to be missing.
        found = self._answer().split()
        return Committed(name, found[2] if len(found) > 2 else EMPTY_TREE)

    def end(self) -> None:
        self._into.write(b"done\n")

    def _put(self, put: Put) -> None:
        self._into.write(b"M %b %b %b\n" % (put.mode, put.id.encode(), quoted(put.path)))

    def _answer(self) -> str:
        line = self._back.readline()
        if not line:
            raise EOFError
        return os.fsdecode(line.strip())


def quoted(path: bytes) -> bytes:
    """Spell a path as git does where its bytes could be taken for something else."""
    if _PLAIN.fullmatch(path):
        return path
    return b'"%b"' % b"".join(
        bytes((byte,)) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03o" % byte for byte in path
    )
