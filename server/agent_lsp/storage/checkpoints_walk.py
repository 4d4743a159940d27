"""Which files of a workspace a checkpoint keeps: a walk that reads no file. Ignore files have no say in it."""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path

from agent_lsp.domain.errors import StorageProblem

MOST_FILE_BYTES = 5_000_000
MOST_FILES = 100_000

_PASSED_OVER = frozenset((".git", "node_modules", "__pycache__"))
"""Git's own, whoever's repository it is, and what programs make anew by the ten thousand."""
_MARKERS = frozenset(("CACHEDIR.TAG", "pyvenv.cfg"))
"""A folder with such a file in it says of itself that it can be made anew."""
_RACY_NS = 50_000_000
_RACY_ROUGH_NS = 3_000_000_000
"""Where times are whole seconds, two changes within some of them look like one."""

Marks = tuple[int, int, int, int, int]
"""Mode, size, time of the content, time of the entry, number: a file with the same ones is the same."""

_UNKNOWN: Marks = (0, 0, 0, 0, 0)
marks_of: Callable[[os.stat_result], Marks] = attrgetter("st_mode", "st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


class GivenUp(StorageProblem):
    """Nobody waits for the checkpoint any more."""


@dataclass(slots=True)
class Deadline:
    """The moment by which work in a thread is to be done; `give_up` ends it sooner."""

    seconds: float
    _is_given_up: bool = False
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds

    @property
    def left_seconds(self) -> float:
        return self._end - time.monotonic()

    def give_up(self) -> None:
        self._is_given_up = True

    def check(self) -> None:
        if self._is_given_up:
            raise GivenUp("The server ends; no checkpoint is taken.")
        if self.left_seconds < 0:
            raise StorageProblem(f"A checkpoint would take longer than {self.seconds:.0f} s here; none is taken.")


@dataclass(frozen=True, slots=True)
class Listing:
    """What was found in one folder. Names are as Python spells them, paths are absolute and without their first `/`."""

    own: Marks | None
    """The folder's own marks; None where it may change again under the same ones."""
    all: Mapping[str, Marks]
    """All that is no folder."""
    files: Mapping[str, Marks]
    """Those that are kept."""
    below: tuple[bytes, ...]
    passed_over: tuple[bytes, ...]
    """Left out by their names."""

    def left_out(self, folder: bytes) -> Iterator[bytes]:
        yield from self.passed_over
        if len(self.files) < len(self.all):
            yield from (joined(folder, name) for name in self.all.keys() - self.files.keys())


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found in each folder, and what was seen and left out."""

    listings: dict[bytes, Listing] = field(default_factory=dict[bytes, Listing])
    left_out: set[bytes] = field(default_factory=set[bytes])

    def empty(self) -> Iterator[bytes]:
        for folder, listing in self.listings.items():
            if not (listing.all or listing.below or listing.passed_over):
                yield folder


def refusal(roots: Iterable[Path], home: Path) -> str | None:
    """Why no checkpoints are taken of these roots, if so."""
    real = [Path(os.path.realpath(root)) for root in roots]
    if not real:
        return "No folder is open, so no checkpoints are taken."
    real_home = Path(os.path.realpath(home))
    if broad := next((root for root in real if real_home.is_relative_to(root)), None):
        return f"No checkpoints are taken of {broad}: it holds more than a project. Open the project's own folder."
    return None


def is_left_out(path: Path) -> bool:
    """Whether there is something at a path now that is no file to be kept."""
    try:
        return not _is_kept(marks_of(path.lstat()))
    except OSError:
        return False


def is_settled(marks: Marks, now_ns: int) -> bool:
    """Whether something changed so long before now that another change will show in its marks."""
    latest = max(marks[2:4])
    return latest + (_RACY_NS if latest % 1_000_000_000 else _RACY_ROUGH_NS) < now_ns


def joined(folder: bytes, name: str) -> bytes:
    return b"%b/%b" % (folder, os.fsencode(name))


class Walk:
    """One walk over the roots. What is known of a folder from the last one spares listing it again."""

    def __init__(self, state: Path, known: Mapping[bytes, Listing], deadline: Deadline) -> None:
        self._own = os.fsencode(os.path.realpath(state))[1:]
        self._known = known
        self._deadline = deadline
        self._now_ns = time.time_ns()
        self._found = Scan()

    def over(self, roots: Iterable[Path]) -> Scan:
        """Look at everything below the roots but what is left out; StorageProblem where that is too much."""
        tops = [os.fsencode(os.path.realpath(root))[1:] for root in roots]
        pending, count, found = list(tops), 0, self._found
        while pending:
            self._deadline.check()
            folder = pending.pop()
            if folder in found.listings:  # One root lies within another.
                continue
            listing = None if folder == self._own else self._look_into(folder, is_root=folder in tops)
            if listing is None:
                found.left_out.add(folder)
                continue
            found.listings[folder] = listing
            found.left_out.update(listing.left_out(folder))
            pending.extend(listing.below)
            count += len(listing.files)
            if count > MOST_FILES:
                raise StorageProblem(f"The workspace has more than {MOST_FILES:,} files; no checkpoint is taken of it.")
        return found

    def _look_into(self, folder: bytes, *, is_root: bool) -> Listing | None:
        """What lies in a folder; None where that cannot be told, or can be made anew."""
        try:
            descriptor = os.open(b"/" + folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            # Before the listing: what changes meanwhile is seen next time.
            own = marks_of(os.fstat(descriptor))
            known = self._known.get(folder)
            if known and known.own == own and (same := _looked_again(descriptor, known)):
                return same
            listing = _listed(descriptor, folder, own if is_settled(own, self._now_ns) else None)
            return listing if is_root or _MARKERS.isdisjoint(listing.all) else None
        except OSError:
            return None
        finally:
            os.close(descriptor)


def _looked_again(descriptor: int, known: Listing) -> Listing | None:
    """The same names with the marks they have now; by descriptor, which spares the kernel the way to each."""
    try:
        found = {
            name: marks_of(os.stat(name, dir_fd=descriptor, follow_symlinks=False))  # By descriptor.
            for name in known.all
        }
    except OSError:
        return None
    return known if found == known.all else replace(known, all=found, files=_kept(found))


def _listed(descriptor: int, folder: bytes, own: Marks | None) -> Listing:
    below, passed_over, found = list[bytes](), list[bytes](), dict[str, Marks]()
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if entry.name in _PASSED_OVER:
                passed_over.append(joined(folder, entry.name))
            elif entry.is_dir(follow_symlinks=False):
                below.append(joined(folder, entry.name))
            elif marks := _marks(entry):
                found[entry.name] = marks
    return Listing(own, found, _kept(found), tuple(below), tuple(passed_over))


def _marks(entry: os.DirEntry[str]) -> Marks | None:
    try:
        return marks_of(entry.stat(follow_symlinks=False))
    except FileNotFoundError:  # Gone meanwhile.
        return None
    except OSError:
        return _UNKNOWN


def _kept(found: Mapping[str, Marks]) -> Mapping[str, Marks]:
    return {name: marks for name, marks in found.items() if _is_kept(marks)}


def _is_kept(marks: Marks) -> bool:
    mode, size, *_ = marks
    return (stat.S_ISREG(mode) and size <= MOST_FILE_BYTES) or stat.S_ISLNK(mode)
