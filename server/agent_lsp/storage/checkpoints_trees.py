"""Folders as git trees: from what changed in them to the ids of the new ones. Only folders with changes are written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from agent_lsp.storage.checkpoints_objects import FOLDER
from agent_lsp.storage.git import EMPTY_TREE


@dataclass(frozen=True, slots=True)
class Put:
    """A blob or a tree at a path."""

    path: bytes
    mode: bytes
    id: str


Node = tuple[bytes, str]
"""The mode and the id of what has a name in a folder."""


class Taker(Protocol):
    def add(self, kind: bytes, content: bytes) -> str:
        """Take an object and tell its id."""
        ...


@dataclass(frozen=True, slots=True)
class Folders:
    """All folders of a tree by path, the tree itself by the empty one."""

    tree: str = EMPTY_TREE
    nodes: Mapping[bytes, Mapping[bytes, Node]] = field(default_factory=dict[bytes, Mapping[bytes, Node]])

    def ids(self) -> set[str]:
        """Everything that the tree is made of."""
        return {name for nodes in self.nodes.values() for _, name in nodes.values()} | {self.tree}


def changed(folders: Folders, removed: Iterable[bytes], puts: Iterable[Put], taker: Taker) -> Folders:
    """The folders with some paths taken out and others put in, the removals first."""
    touched = _Touched(folders.nodes)
    for path in removed:
        parent, name = _split(path)
        touched.folder(parent).pop(name, None)
    for put in puts:
        parent, name = _split(put.path)
        touched.folder(parent)[name] = put.mode, put.id
    return Folders(_settled(touched, taker) or folders.tree, touched.nodes)


class _Touched:
    """Folders that can be changed: each is copied when it is first."""

    def __init__(self, nodes: Mapping[bytes, Mapping[bytes, Node]]) -> None:
        self.nodes = dict(nodes)
        self.mutable = dict[bytes, dict[bytes, Node]]()

    def folder(self, path: bytes) -> dict[bytes, Node]:
        if path not in self.mutable:
            self.nodes[path] = self.mutable[path] = dict(self.nodes.get(path, {}))
        return self.mutable[path]


def _settled(touched: _Touched, taker: Taker) -> str | None:
    """Write every touched folder, the deepest first, into the one above it; the id of the topmost."""
    levels = dict[int, set[bytes]]()
    for path in touched.mutable:
        levels.setdefault(_depth(path), set()).add(path)
    top = None
    for depth in range(max(levels, default=-1), -1, -1):
        for path in levels.pop(depth, ()):
            top = _settle(path, touched, taker)
            if path:
                levels.setdefault(depth - 1, set()).add(_split(path)[0])
    return top


def _settle(path: bytes, touched: _Touched, taker: Taker) -> str:
    nodes = touched.folder(path)
    tree = taker.add(b"tree", _content(nodes)) if nodes else EMPTY_TREE
    if path:
        parent, name = _split(path)
        above = touched.folder(parent)
        if nodes:
            above[name] = FOLDER, tree
        elif above.get(name, (FOLDER,))[0] == FOLDER:
            above.pop(name, None)
    if not nodes:
        del touched.nodes[path], touched.mutable[path]
    return tree


def _content(nodes: Mapping[bytes, Node]) -> bytes:
    """In git's order: a folder is sorted as if its name ended with a slash."""
    ordered = sorted((name + b"/" if mode == FOLDER else name, name, mode, id_) for name, (mode, id_) in nodes.items())
    return b"".join(b"%b %b\0%b" % (mode, name, bytes.fromhex(id_)) for _, name, mode, id_ in ordered)


def _split(path: bytes) -> tuple[bytes, bytes]:
    parent, _, name = path.rpartition(b"/")
    return parent, name


def _depth(path: bytes) -> int:
    return path.count(b"/") + 1 if path else 0
