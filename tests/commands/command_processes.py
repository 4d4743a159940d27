"""Real processes for tests of commands: telling by a mark which of them still run."""

import uuid

import psutil


def mark() -> str:
    """A number of seconds to sleep that no other process has."""
    return f"1000.{uuid.uuid4().int % 10**18}"


def running(mark: str) -> int:
    """How many processes with this mark among their words exist, however they were started."""
    return sum(mark in word for process in psutil.process_iter(["cmdline"]) for word in process.info["cmdline"] or [])


def sleeping(mark: str) -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["cmdline"]) if process.info["cmdline"] == ["sleep", mark]]


def begun(mark: str) -> bool:
    """Whether a program runs with this mark for a word, and not only the shell that is to start it."""
    return any(mark in (process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"]))
