"""The journal of one task: an append-only file with one line for each record. Its meaning is folded in `restore.py`."""

import asyncio
import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.errors import TaskBusy, TaskUnknown
from agent_lsp.storage.lines import Reading, encode_line, read_lines
from agent_lsp.storage.problems import storage_problem
from agent_lsp.storage.records import Record

FILE_NAME = "journal.jsonl"
TORN_NAME = "journal.torn"
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW

Redact = Callable[[str], str]
"""Takes secrets out of a line. It sees the JSON text, and leaves it JSON."""


def unredacted(line: str) -> str:
    return line


@dataclass(frozen=True, slots=True)
class _Flight:
    """One way to the disk, with all records up to this number."""

    landing: asyncio.Future[None]
    number: int


class Journal:
    """The one writer of a task's file, for as long as it is open: a second one, in any process, is refused.

    What `append` returned from outlives this process; what `sync` returned from outlives the machine's power.
    """

    def __init__(self, folder: Path, descriptor: int, last_number: int, redact: Redact) -> None:
        self._folder = folder
        self._descriptor = descriptor
        self._number = last_number
        self._redact = redact
        self._durable = 0
        self._flight: _Flight | None = None
        self._is_torn = False
        self._is_new = last_number == 0

    @staticmethod
    def create(folder: Path, redact: Redact = unredacted) -> "Journal":
        """Begin a task's journal in a folder that does not exist yet."""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=False)
            descriptor = os.open(folder / FILE_NAME, _APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise storage_problem("The task cannot be stored", folder, error) from error
        _lock(descriptor, folder)
        return Journal(folder, descriptor, 0, redact)

    @staticmethod
    def open(folder: Path, redact: Redact = unredacted) -> tuple["Journal", Reading]:
        """Go on with a journal: read what is intact, and cut a torn last line off into a side file."""
        try:
            descriptor = os.open(folder / FILE_NAME, _APPEND)
        except FileNotFoundError as error:
            raise _unknown(folder) from error
        except OSError as error:
            raise storage_problem("The task cannot be opened", folder, error) from error
        _lock(descriptor, folder)
        try:
            reading = _mended(folder, descriptor)
        except OSError as error:
            os.close(descriptor)
            raise storage_problem("The task cannot be opened", folder, error) from error
        return Journal(folder, descriptor, reading.last_number, redact), reading

    @property
    def folder(self) -> Path:
        return self._folder

    def append(self, record: Record) -> None:
        """Write one record with one write. One that failed harms none that follow."""
        self._number += 1  # Also if it fails: no number ever stands for two records.
        line = encode_line(self._number, record, self._redact)
        try:
            self._write(b"\n" + line if self._is_torn else line)
        except OSError as error:
            raise storage_problem("The task's journal cannot be written", self._folder, error) from error

    async def sync(self) -> None:
        """Wait until all that was appended before is on the disk. Callers at the same time share one fdatasync."""
        wanted = self._number
        while self._durable < wanted:
            flight = self._flight or self._take_off()
            try:
                await asyncio.shield(flight.landing)
            except OSError as error:
                raise storage_problem("The task's journal cannot be secured", self._folder, error) from error
            # Awaiting what is done gives nobody else a turn: a callback that says it has landed might never get one.
            self._land(flight)

    def close(self) -> None:
        """Give the file back. Closing twice does no harm."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            # Unlocked by word: a flight to the disk may hold the file a little longer.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        self._is_torn = True
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self._is_torn = False

    def _take_off(self) -> _Flight:
        """Start a flight to the disk; whoever comes later and has nothing newer waits for this one."""
        number, folder = self._number, self._folder if self._is_new else None
        # The flight has a descriptor of its own, so that closing the journal meanwhile cannot pull it away.
        landing = asyncio.get_running_loop().run_in_executor(None, _secure, os.dup(self._descriptor), folder)
        self._flight = flight = _Flight(landing, number)
        landing.add_done_callback(lambda _: self._land(flight))
        return flight

    def _land(self, flight: _Flight) -> None:
        """Note that a flight is over; twice does no harm."""
        if self._flight is flight:
            self._flight = None
        if not flight.landing.cancelled() and flight.landing.exception() is None:
            self._durable = max(self._durable, flight.number)
            self._is_new = False


@contextmanager
def hold(folder: Path) -> Generator[None]:
    """Keep a task from being opened for a moment; TaskBusy where it is. A folder without a journal is free."""
    try:
        descriptor = os.open(folder / FILE_NAME, _APPEND)
    except FileNotFoundError:
        yield
        return
    _lock(descriptor, folder)
    try:
        yield
    finally:
        os.close(descriptor)


def read_journal(folder: Path) -> Reading:
    """Read a journal without opening it for writing; nothing is changed, and whoever writes it goes on."""
    try:
        return read_lines((folder / FILE_NAME).read_bytes())
    except FileNotFoundError as error:
        raise _unknown(folder) from error
    except OSError as error:
        raise storage_problem("The task cannot be read", folder, error) from error


def _unknown(folder: Path) -> TaskUnknown:
    return TaskUnknown(f"There is no task {folder.name}: choose one of the task list.")


def _lock(descriptor: int, folder: Path) -> None:
    """Lock the file itself: the kernel lets go with the last descriptor, so that a kill leaves no lock behind."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise TaskBusy(f"Task {folder.name} is open in another server: go on there, or end that one first.") from error
    except OSError as error:
        os.close(descriptor)
        raise storage_problem("The task cannot be locked", folder, error) from error


def _mended(folder: Path, descriptor: int) -> Reading:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        content = file.read()
    reading = read_lines(content)
    if torn := content[reading.whole_bytes :]:
        _keep_torn(folder, torn)
        os.ftruncate(descriptor, reading.whole_bytes)
    if reading.lacks_newline:
        os.write(descriptor, b"\n")
    return reading


def _keep_torn(folder: Path, torn: bytes) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(folder / TORN_NAME, flags, 0o600), "ab") as file:
        file.write(torn + b"\n")


def _secure(descriptor: int, new_folder: Path | None) -> None:
    """Bring a file to the disk, and where it is new the folders that lead to it."""
    try:
        getattr(os, "fdatasync", os.fsync)(descriptor)  # macOS has no fdatasync.
    finally:
        os.close(descriptor)
    for folder in (new_folder, new_folder.parent) if new_folder else ():
        _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # Some file systems know no fsync of folders; their files are all the more at once.
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
