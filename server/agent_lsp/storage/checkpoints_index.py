"""What was last kept of each file, and the marks by which it is known to be the same: only what changed is read.

The tree of a checkpoint has `files/` with what is on the disk, `unsaved/` with texts that are only in the editor,
`modes/` with permissions that git does not keep, `omitted/` with the names of what was left out, and `empty/` with
those of empty folders.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from agent_lsp.storage.checkpoints_objects import EXECUTABLE, FILE, LINK, Deposit
from agent_lsp.storage.checkpoints_trees import Folders, Put, Taker, changed
from agent_lsp.storage.checkpoints_walk import Deadline, Listing, Marks, Scan, is_settled, joined

FILES, UNSAVED, MODES, OMITTED, EMPTY = b"files/", b"unsaved/", b"modes/", b"omitted/", b"empty/"


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it is in the tree."""

    id: str
    mode: int


@dataclass(frozen=True)
class Index:
    """What is in a tree; nothing at first."""

    files: Mapping[bytes, Kept] = field(default_factory=dict[bytes, Kept])
    marks: Mapping[bytes, Mapping[str, Marks | None]] = field(default_factory=dict[bytes, Mapping[str, Marks | None]])
    """By folder and name. A file without marks to trust is read again next time."""
    unsaved: Mapping[bytes, str] = field(default_factory=dict[bytes, str])
    left_out: frozenset[bytes] = frozenset()
    empty: frozenset[bytes] = frozenset()
    folders: Folders = field(default_factory=Folders)
    listings: Mapping[bytes, Listing] = field(default_factory=dict[bytes, Listing])

    @property
    def tree(self) -> str:
        return self.folders.tree

    @cached_property
    def blobs(self) -> frozenset[str]:
        return frozenset(kept.id for kept in self.files.values())


@dataclass(frozen=True, slots=True)
class Look:
    """What there is to be kept at a moment."""

    found: Scan
    unsaved: Mapping[bytes, bytes]
    now_ns: int


def updated(index: Index, look: Look, deposit: Deposit, deadline: Deadline) -> Index:
    """Read what changed into the deposit; the index that has it."""
    reading = _Reading(look.now_ns, deposit, deadline)
    marks = {folder: reading.marks(folder, listing.files, index) for folder, listing in look.found.listings.items()}
    for folder in index.marks.keys() - marks.keys():
        reading.gone.update(joined(folder, name) for name in index.marks[folder])
    gone = {path for path in reading.gone if path in index.files}
    files = {**index.files, **reading.read} if reading.read or gone else index.files
    if gone:
        files = {path: kept for path, kept in files.items() if path not in gone}
    texts = {path: deposit.add(b"blob", text) for path, text in look.unsaved.items()}
    left_out = frozenset(look.found.left_out | reading.unread)
    after = Index(files, marks, texts, left_out, frozenset(look.found.empty()))
    removed = (*_removed(index, reading.read, gone), *_removed_beside(index, after))
    puts = (*_puts(index, reading.read, deposit), *_puts_beside(index, after, deposit))
    folders = changed(index.folders, removed, puts, deposit) if removed or puts else index.folders
    return replace(after, folders=folders, listings=look.found.listings)


def all_puts(index: Index, deposit: Taker) -> Iterator[Put]:
    """Everything that makes up the tree of an index."""
    yield from _puts(Index(), index.files, deposit)
    yield from _puts_beside(Index(), index, deposit)


def git_mode(mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return LINK
    return EXECUTABLE if mode & stat.S_IXUSR else FILE


def usual_permissions(mode: bytes) -> int:
    return 0o755 if mode == EXECUTABLE else 0o644


class _Reading:
    """The files that have to be read: what is in them, which are gone, and which cannot be read."""

    def __init__(self, now_ns: int, deposit: Deposit, deadline: Deadline) -> None:
        self.read = dict[bytes, Kept]()
        self.gone = set[bytes]()
        self.unread = set[bytes]()
        self._now_ns = now_ns
        self._deposit = deposit
        self._deadline = deadline

    def marks(self, folder: bytes, found: Mapping[str, Marks], index: Index) -> Mapping[str, Marks | None]:
        """Read what changed in a folder; the marks to know its files by."""
        known = index.marks.get(folder, {})
        if known == found:
            return known
        self.gone.update(joined(folder, name) for name in known.keys() - found.keys())
        return {
            name: marks if known.get(name) == marks else self._marks(joined(folder, name), marks)
            for name, marks in found.items()
        }

    def _marks(self, path: bytes, marks: Marks) -> Marks | None:
        self._deadline.check()
        mode, size, *_ = marks
        content = _content(path, mode, size)
        if content is None:
            self.unread.add(path)
            self.gone.add(path)
            return None
        self.read[path] = Kept(self._deposit.add(b"blob", content), mode)
        # What grows or shrinks while it is read is kept as it was read, and read again next time.
        return marks if len(content) == size and is_settled(marks, self._now_ns) else None


def _content(path: bytes, mode: int, size: int) -> bytes | None:
    """What is in a file, or where a link points; None where that cannot be read."""
    absolute = b"/" + path
    try:
        if stat.S_ISLNK(mode):
            return os.readlink(absolute)  # noqa: PTH115  # Its bytes, which no Path has.
        descriptor = os.open(absolute, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            # A pipe may have taken the file's place meanwhile.
            return _read(descriptor, size) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def _read(descriptor: int, size: int) -> bytes:
    """Read a file of that size, and one byte more if it has one."""
    content = os.read(descriptor, size + 1)
    while len(content) <= size and (more := os.read(descriptor, size + 1 - len(content))):
        content += more
    return content


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
    yield from (EMPTY + path for path in before.empty - after.empty)


def _puts(before: Index, read: Mapping[bytes, Kept], deposit: Taker) -> Iterator[Put]:
    for path, kept in read.items():
        if before.files.get(path) == kept:
            continue
        yield Put(FILES + path, git_mode(kept.mode), kept.id)
        if _has_odd_mode(kept):
            yield Put(MODES + path, FILE, deposit.add(b"blob", b"%o" % stat.S_IMODE(kept.mode)))


def _puts_beside(before: Index, after: Index, deposit: Taker) -> Iterator[Put]:
    for path, text in after.unsaved.items():
        if before.unsaved.get(path) != text:
            yield Put(UNSAVED + path, FILE, text)
    names = [OMITTED + path for path in after.left_out - before.left_out]
    names += [EMPTY + path for path in after.empty - before.empty]
    nothing = deposit.add(b"blob", b"") if names else ""
    yield from (Put(name, FILE, nothing) for name in names)


def _has_odd_mode(kept: Kept | None) -> bool:
    if kept is None or stat.S_ISLNK(kept.mode):
        return False
    return stat.S_IMODE(kept.mode) != usual_permissions(git_mode(kept.mode))
