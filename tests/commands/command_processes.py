"""Real processes for tests of commands: telling by a mark which of them still run."""

import asyncio
import contextlib
import uuid
from collections.abc import Iterable, Iterator

import psutil


def mark() -> str:
    """A number of seconds to sleep that no other process has."""
    return f"1000.{uuid.uuid4().int % 10**18}"


def running(mark: str) -> int:
    """How many processes with this mark among their words exist, however they were started."""
    return sum(any(mark in word for word in words) for words in _words_of_all())


def sleeping(mark: str) -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["cmdline"]) if process.info["cmdline"] == ["sleep", mark]]


def not_begun(marks: Iterable[str]) -> set[str]:
    """Those that no program has for a word; the shell that is to start it does not count."""
    return set(marks).difference(*_words_of_all())


def _words_of_all() -> Iterator[list[str]]:
    """The words of every process, the newest first: one that forks itself away would be gone when its turn came."""
    for pid in reversed(psutil.pids()):
        with contextlib.suppress(psutil.NoSuchProcess):
            yield psutil.Process(pid).cmdline()


async def until_begun(marks: Iterable[str]) -> None:
    async with asyncio.timeout(30):
        while marks := not_begun(marks):  # noqa: ASYNC110  no event tells that a process of another has begun
            await asyncio.sleep(0)
