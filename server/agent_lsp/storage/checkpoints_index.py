"""What was last kept of each file, and the marks by which it is known to be the same: only what changed is read.

The tree of a checkpoint has `files/` with what is on the disk, `unsaved/` with texts that are only in the editor,
`modes/` with permissions that git does not keep, and `omitted/` with the names of what was left out.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent_lsp.storage.checkpoints_import import EXECUTABLE, FILE, LINK, Importer, Put
from agent_lsp.storage.checkpoints_walk import Deadline, Scan

FILES, UNSAVED, MODES, OMITTED = b"files/", b"unsaved/", b"modes/", b"omitted/"

_RACY_NS = 50_000_000
"""A file that changed so shortly before it was read may change again under the same marks."""

Marks = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it is in the tree. Without trust in its marks it is read again next time."""

    id: str
    mode: int
    marks: Marks | None


@dataclass(frozen=True, slots=True)
class Index:
    """A tree and what is in it; empty at first."""

    tree: str | None = None
    files: Mapping[bytes, Kept] = field(default_factory=dict[bytes, Kept])
    unsaved: Mapping[bytes, str] = field(default_factory=dict[bytes, str])
    left_out: frozenset[bytes] = frozenset()

    def blobs(self) -> set[str]:
        return {kept.id for kept in self.files.values()}


@dataclass(frozen=True, slots=True)
class Update:
    """From one index to the next, and what that does to the tree."""

    index: Index
    removed: tuple[bytes, ...]
    puts: tuple[Put, ...]


def is_same(index: Index, found: Scan, unsaved: Mapping[bytes, bytes]) -> bool:
    """Whether the tree need not be made anew; found out without reading anything."""
    return (
        index.tree is not None
        and found.files.keys() == index.files.keys()
        and all(index.files[path].marks == marks_of(status) for path, status in found.files.items())
        and index.left_out == frozenset(found.left_out)
        and not unsaved
        and not index.unsaved
    )


def update(
    index: Index, found: Scan, unsaved: Mapping[bytes, bytes], importer: Importer, deadline: Deadline, now_ns: int
) -> Update:
    """Read what changed, send it, and tell how the tree changes."""
    read = dict[bytes, Kept]()
    left_out = set(found.left_out)
    for path, status in found.files.items():
        kept = index.files.get(path)
        if kept is not None and kept.marks == marks_of(status):
            continue
        deadline.check()
        if kept := _kept(path, status, importer, now_ns):
            read[path] = kept
        else:
            left_out.add(path)
    gone = index.files.keys() - (found.files.keys() - left_out)
    files = {path: kept for path, kept in index.files.items() if path not in gone} | read
    texts = {path: importer.blob(text) for path, text in unsaved.items()}
    after = Index(None, files, texts, frozenset(left_out))
    removed = (*_removed(index, read, gone), *_removed_beside(index, after))
    return Update(after, removed, (*_puts(index, read, importer), *_puts_beside(index, after, importer)))


def marks_of(status: os.stat_result) -> Marks:
    return status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def git_mode(mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return LINK
    return EXECUTABLE if mode & stat.S_IXUSR else FILE


def usual_permissions(mode: bytes) -> int:
    return 0o755 if mode == EXECUTABLE else 0o644


def load(path: Path) -> Index:
    """Read an index back; the empty one where there is none that can be read."""
    try:
        wire = json.loads(path.read_bytes())
        files = {os.fsencode(name): _kept_from_wire(row) for name, row in wire["files"].items()}
        left_out = frozenset(os.fsencode(name) for name in wire["leftOut"])
        unsaved = {os.fsencode(name): text for name, text in wire["unsaved"].items()}
        return Index(wire["tree"], files, unsaved, left_out)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Index()


def save(index: Index, path: Path) -> None:
    """Write an index down, whole or not at all."""
    wire = {
        "tree": index.tree,
        "files": {os.fsdecode(name): [kept.id, kept.mode, kept.marks] for name, kept in index.files.items()},
        "unsaved": {os.fsdecode(name): text for name, text in index.unsaved.items()},
        "leftOut": sorted(map(os.fsdecode, index.left_out)),
    }
    passing = path.with_name(f"{path.name}.{os.getpid()}")
    passing.write_text(json.dumps(wire))
    passing.replace(path)


def with_tree(index: Index, tree: str) -> Index:
    return replace(index, tree=tree)


def _kept_from_wire(row: tuple[str, int, list[int] | None]) -> Kept:
    name, mode, marks = row
    return Kept(name, mode, (marks[0], marks[1], marks[2], marks[3], marks[4]) if marks else None)


def _kept(path: bytes, status: os.stat_result, importer: Importer, now_ns: int) -> Kept | None:
    """Read a file into the store; None where it cannot be read, or changes while it is read."""
    absolute = b"/" + path
    try:
        if stat.S_ISLNK(status.st_mode):
            target = os.readlink(absolute)  # noqa: PTH115  # Its bytes, which no Path has.
            return Kept(importer.blob(target), status.st_mode, marks_of(status))
        descriptor = os.open(absolute, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(status.st_size + 1)
    except OSError:
        return None
    # What grows or shrinks while it is read is kept as it was read, and read again next time.
    is_settled = len(content) == status.st_size and max(status.st_ctime_ns, status.st_mtime_ns) + _RACY_NS < now_ns
    return Kept(importer.blob(content), status.st_mode, marks_of(status) if is_settled else None)


def _removed(before: Index, read: Mapping[bytes, Kept], gone: Iterable[bytes]) -> Iterator[bytes]:
    for path in gone:
        yield FILES + path
        if _has_odd_mode(before.files[path]):
            yield MODES + path
    for path, kept in read.items():
        if _has_odd_mode(before.files.get(path)) and not _has_odd_mode(kept):
            yield MODES + path


def _removed_beside(before: Index, after: Index) -> Iterator[bytes]:
    yield from (UNSAVED + path for path in before.unsaved.keys() - after.unsaved.keys())
    yield from (OMITTED + path for path in before.left_out - after.left_out)


def _puts(before: Index, read: Mapping[bytes, Kept], importer: Importer) -> Iterator[Put]:
    for path, kept in read.items():
        old = before.files.get(path)
        if old and (old.id, old.mode) == (kept.id, kept.mode):
            continue
        yield Put(FILES + path, git_mode(kept.mode), kept.id)
        if _has_odd_mode(kept):
            yield Put(MODES + path, FILE, importer.blob(b"%o" % stat.S_IMODE(kept.mode)))


def _puts_beside(before: Index, after: Index, importer: Importer) -> Iterator[Put]:
    for path, text in after.unsaved.items():
        if before.unsaved.get(path) != text:
            yield Put(UNSAVED + path, FILE, text)
    nothing = importer.blob(b"") if after.left_out - before.left_out else ""
    yield from (Put(OMITTED + path, FILE, nothing) for path in after.left_out - before.left_out)


def _has_odd_mode(kept: Kept | None) -> bool:
    if kept is None or stat.S_ISLNK(kept.mode):
        return False
    return stat.S_IMODE(kept.mode) != usual_permissions(git_mode(kept.mode))
