"""The journal's file: what a kill, a full disk or a second server can do to it."""

import errno
import fcntl
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from storage_samples import EVERY_KIND, STARTED, journal_of, put_journal, wires

from agent_lsp.domain.errors import StorageProblem, TaskBusy, TaskUnknown
from agent_lsp.domain.messages import Message, Say
from agent_lsp.storage.journal import FILE_NAME, TORN_NAME, Journal, read_journal
from agent_lsp.storage.records import MessageAdded, MessageGrew, Record, Renamed

LINE = "x" * 200


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "tasks" / "task-1"


def written(folder: Path, *records: Record) -> Journal:
    journal = Journal.create(folder)
    for record in records:
        journal.append(record)
    return journal


def test_what_was_appended_is_read_back(folder: Path) -> None:
    written(folder, *EVERY_KIND).close()

    assert wires(read_journal(folder).records) == wires(EVERY_KIND)


def test_every_record_is_in_the_file_once_append_returns(folder: Path) -> None:
    journal = Journal.create(folder)
    for count, record in enumerate(EVERY_KIND, start=1):
        journal.append(record)

        assert (folder / FILE_NAME).read_bytes() == journal_of(EVERY_KIND[:count])
    journal.close()


def test_opened_journal_goes_on_where_it_ended(folder: Path) -> None:
    written(folder, STARTED).close()

    journal, reading = Journal.open(folder)
    journal.append(Renamed("again"))
    journal.close()

    assert reading.records == (STARTED,)
    assert (folder / FILE_NAME).read_bytes() == journal_of([STARTED, Renamed("again")])


def test_task_is_for_its_user_alone(folder: Path) -> None:
    written(folder).close()

    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    assert oct((folder / FILE_NAME).stat().st_mode & 0o777) == "0o600"


def test_redaction_reaches_the_file(folder: Path) -> None:
    journal = Journal.create(folder, lambda text: text.replace("sk-123", "[redacted]"))
    journal.append(Renamed("my key is sk-123"))
    journal.close()

    assert b"sk-123" not in (folder / FILE_NAME).read_bytes()


def test_torn_line_is_moved_into_a_side_file(folder: Path) -> None:
    put_journal(folder, journal_of([STARTED]) + b'{"n":2,"kind":"ren')

    journal, reading = Journal.open(folder)
    journal.append(Renamed("next"))
    journal.close()

    assert reading.records == (STARTED,)
    assert (folder / FILE_NAME).read_bytes() == journal_of([STARTED, Renamed("next")])
    assert (folder / TORN_NAME).read_bytes() == b'{"n":2,"kind":"ren\n'


def test_record_that_lacks_only_its_line_feed_is_kept(folder: Path) -> None:
    put_journal(folder, journal_of([STARTED])[:-1])

    journal, _ = Journal.open(folder)
    journal.append(Renamed("next"))
    journal.close()

    assert read_journal(folder).records == (STARTED, Renamed("next"))
    assert not (folder / TORN_NAME).exists()


def test_looking_at_a_journal_changes_nothing(folder: Path) -> None:
    content = journal_of([STARTED]) + b"torn"
    put_journal(folder, content)

    read_journal(folder)

    assert (folder / FILE_NAME).read_bytes() == content
    assert list(folder.iterdir()) == [folder / FILE_NAME]


def test_opening_after_a_cut_at_any_byte_goes_on_with_what_is_whole(tmp_path: Path) -> None:
    content = journal_of(EVERY_KIND)
    for length in range(0, len(content), 7):
        folder = put_journal(tmp_path / str(length), content[:length])
        journal, reading = Journal.open(folder)
        journal.append(Renamed("after the cut"))
        journal.close()

        again = read_journal(folder)
        assert wires(again.records) == wires([*reading.records, Renamed("after the cut")])
        assert again.set_aside == ()


def test_second_opener_is_refused_until_the_first_closes(folder: Path) -> None:
    first = written(folder, STARTED)
    with pytest.raises(
        TaskBusy, match=r"^Task task-1 is open in another server: go on there, or end that one first\.$"
    ):
        Journal.open(folder)

    first.close()

    Journal.open(folder)[0].close()


def test_closing_twice_does_no_harm(folder: Path) -> None:
    journal = written(folder, STARTED)
    journal.close()
    journal.close()

    with pytest.raises(StorageProblem):
        journal.append(Renamed("too late"))


def test_task_that_does_not_exist_is_unknown(folder: Path) -> None:
    for read in (Journal.open, read_journal):
        with pytest.raises(TaskUnknown, match=r"^There is no task task-1: choose one of the task list\.$"):
            read(folder)


@pytest.mark.parametrize("read", [Journal.open, read_journal])
def test_journal_that_is_no_file_says_so(folder: Path, read: Callable[[Path], object]) -> None:
    (folder / FILE_NAME).mkdir(parents=True)

    with pytest.raises(StorageProblem, match=rf"\(Is a directory\): check {folder} and its disk"):
        read(folder)


def test_link_in_place_of_a_journal_is_not_written_to(folder: Path, tmp_path: Path) -> None:
    put_journal(tmp_path / "precious", b"precious")
    folder.mkdir(parents=True)
    (folder / FILE_NAME).symlink_to(tmp_path / "precious" / FILE_NAME)

    with pytest.raises(StorageProblem, match=r"^The task cannot be opened \("):
        Journal.open(folder)

    assert (tmp_path / "precious" / FILE_NAME).read_bytes() == b"precious"


def test_mending_that_the_disk_refuses_leaves_the_task_free(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_journal(folder, journal_of([STARTED]) + b"torn")

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", refuse)
        with pytest.raises(StorageProblem):
            Journal.open(folder)

    Journal.open(folder)[0].close()


def test_file_system_that_cannot_lock_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_journal(folder, journal_of([STARTED]))

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)

    with pytest.raises(StorageProblem, match=r"^The task cannot be locked \(No locks available\): check "):
        Journal.open(folder)


def test_task_is_never_created_twice(folder: Path) -> None:
    written(folder, STARTED).close()

    with pytest.raises(StorageProblem, match="File exists"):
        Journal.create(folder)


@contextmanager
def file_size_limit(size: int) -> Generator[None]:
    """A stand-in for a full disk: the kernel writes what fits, then refuses."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_record_that_found_no_room_harms_none_that_follow(folder: Path) -> None:
    journal = written(folder, STARTED)
    room = (folder / FILE_NAME).stat().st_size + 10
    with (
        file_size_limit(room),
        pytest.raises(StorageProblem, match=r"^The task's journal cannot be written \(File too"),
    ):
        journal.append(Renamed("half of it fits"))

    journal.append(Renamed("room again"))
    journal.close()

    assert read_journal(folder).records == (STARTED, Renamed("room again"))


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "No space left on device): make room on the disk that holds {}, then resume the task."),
        (errno.EROFS, "Read-only file system): make {} writable for you, or set AGENT_LSP_STATE to another folder."),
        (errno.EIO, "Input/output error): check {} and its disk, or set AGENT_LSP_STATE to another folder."),
    ],
)
def test_failure_of_the_disk_says_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, sentence: str
) -> None:
    journal = written(folder, STARTED)

    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(StorageProblem) as caught:
        journal.append(Renamed("x"))
    journal.close()

    assert str(caught.value) == "The task's journal cannot be written (" + sentence.format(folder)


def test_append_costs_the_same_in_a_long_journal(folder: Path) -> None:
    journal = written(folder, STARTED)
    seconds: list[float] = []
    for number in range(10_000):
        record = MessageAdded(Message(number, "say", say=Say.TEXT, text=LINE))
        began = time.perf_counter()
        journal.append(record)
        seconds.append(time.perf_counter() - began)
    journal.close()

    first, last = sorted(seconds[:1_000])[500], sorted(seconds[-1_000:])[500]
    assert last < 3 * first, f"median of the first thousand {first * 1e6:.1f} µs, of the last {last * 1e6:.1f} µs"


WRITER = """
import sys
from pathlib import Path
from agent_lsp.storage.journal import Journal
from agent_lsp.storage.records import MessageGrew
journal = Journal.create(Path(sys.argv[1]))
for number in range(1_000_000):
    journal.append(MessageGrew(number, "x" * (number * 37 % 5_000)))
    sys.stdout.write("x")
    sys.stdout.flush()
"""


def test_killed_writer_loses_nothing_that_it_had_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(5)
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        acknowledged = killed_after(chance.randrange(400), folder)

        journal, reading = Journal.open(folder)
        journal.close()

        numbers = [record.ts for record in reading.records if isinstance(record, MessageGrew)]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= acknowledged
        assert reading.set_aside == ()


def killed_after(count: int, folder: Path) -> int:
    """Run the writer, kill it once it has acknowledged that many records, and tell how many it had by then."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        seen = len(process.stdout.read(count + 1))
        process.kill()
        return seen + len(process.stdout.read())
