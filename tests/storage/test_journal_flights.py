"""How a journal reaches the disk: flights of fdatasync that callers share."""

import asyncio
import errno
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from storage_samples import STARTED

from agent_lsp.domain.errors import StorageProblem
from agent_lsp.storage.journal import Journal, _secure, read_journal
from agent_lsp.storage.records import Renamed


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal.create(tmp_path / "tasks" / "task-1")
    journal.append(STARTED)
    yield journal
    journal.close()


class Disk:
    """An fdatasync that waits to be let through, and counts."""

    def __init__(self) -> None:
        self.calls = 0
        self.started = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self.gate = asyncio.Event()

    def __call__(self, descriptor: int) -> None:
        self.calls += 1
        self.loop.call_soon_threadsafe(self.started.set)
        asyncio.run_coroutine_threadsafe(self.gate.wait(), self.loop).result(timeout=20)


async def test_callers_at_the_same_time_share_one_flight(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk()
    monkeypatch.setattr(os, "fdatasync", disk)
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        group.create_task(journal.sync())
        await disk.started.wait()
        for _ in range(50):
            journal.append(Renamed("during the flight"))
            group.create_task(journal.sync())
        disk.gate.set()

    assert disk.calls == 2  # The second flight carries all fifty.


@pytest.mark.parametrize("turns", range(6))
async def test_a_flight_that_has_just_landed_holds_nobody_up(journal: Journal, turns: int) -> None:
    asyncio.get_running_loop().set_default_executor(AtOnce())
    journal.append(Renamed("first"))
    first = asyncio.create_task(journal.sync())
    for _ in range(turns):  # Between the landing and whoever is told of it, others have their turn.
        await asyncio.sleep(0)
    journal.append(Renamed("second"))

    await journal.sync()

    await first
    assert [record for record in read_journal(journal.folder).records if isinstance(record, Renamed)] == [
        Renamed("first"),
        Renamed("second"),
    ]


class AtOnce(ThreadPoolExecutor):
    """Has done what it is given by the time that it was given it: so the event loop's turns can be counted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done = Future[Any]()
        done.set_result(fn(*args, **kwargs))
        return done


async def test_nothing_new_needs_no_flight(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk()
    disk.gate.set()
    monkeypatch.setattr(os, "fdatasync", disk)

    await journal.sync()
    await journal.sync()

    assert disk.calls == 1


async def test_closing_during_a_flight_frees_the_task_at_once(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk()
    monkeypatch.setattr(os, "fdatasync", disk)
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        group.create_task(journal.sync())
        await disk.started.wait()

        journal.close()
        Journal.open(journal.folder)[0].close()
        disk.gate.set()


async def test_cancelled_caller_leaves_the_flight_to_the_others(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk()
    monkeypatch.setattr(os, "fdatasync", disk)
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        impatient = group.create_task(journal.sync())
        await disk.started.wait()
        group.create_task(journal.sync())
        impatient.cancel()
        disk.gate.set()

    assert disk.calls == 1


async def test_failed_flight_is_told_to_all_who_waited(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fdatasync", fail)

    outcomes = await asyncio.gather(journal.sync(), journal.sync(), return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [StorageProblem, StorageProblem]


async def test_new_task_is_secured_with_the_folders_that_lead_to_it(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
    )

    await journal.sync()
    journal.append(Renamed("x"))
    await journal.sync()

    assert synced == [str(journal.folder), str(journal.folder.parent)]


def test_flights_use_what_the_platform_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fdatasync")
    descriptor = os.open(tmp_path, os.O_RDONLY)

    _secure(descriptor, None)

    with pytest.raises(OSError, match="Bad file descriptor"):
        os.close(descriptor)
