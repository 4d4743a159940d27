"""The programs that search: ripgrep where it is installed, else our own. Both are told files and print JSON lines."""

import asyncio
import os
import stat
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.workspace.search_matches import JsonLines

MOST_ERROR_BYTES = 4_000
_PIECE_BYTES = 65_536

_REGEX_FAULT = "regex parse error"


class RegexFault(Exception):
    """The engine cannot read the pattern; its text says why."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A program and its first arguments; `most` is put before the pattern."""

    command: tuple[str, ...]
    most: str = ""
    pattern: str = ""
    end: tuple[str, ...] = ()

    def arguments(self, regex: str, most_matches: int, names: Sequence[str]) -> list[str]:
        # One word for an option and its value: a pattern that begins with a dash stays a pattern.
        if self.pattern:
            return [*self.command, f"{self.most}{most_matches}", f"{self.pattern}{regex}", *self.end, *names]
        return [*self.command, regex, str(most_matches), *names]


OWN_ENGINE = Engine((sys.executable, "-I", "-S", "-X", "utf8", str(Path(__file__).with_name("search_child.py"))))


def ripgrep(program: Path) -> Engine:
    """Ripgrep for files that are named: nothing in its settings or in ignore files has a say any more."""
    options = (
        "--no-config",
        "--json",
        "--no-messages",
        "--no-ignore",
        "--no-mmap",
        "--crlf",
        "--context=1",
        "--threads=1",
    )
    return Engine((str(program), *options), "--max-count=", "--regexp=", ("--",))


def find_engines(environment: Mapping[str, str], roots: Sequence[Path]) -> tuple[Engine, ...]:
    """The engines to try, the best first. Ripgrep is looked for by absolute path, and never in the workspace."""
    program = _find_program("rg", environment.get("PATH", ""), roots)
    return (ripgrep(program), OWN_ENGINE) if program else (OWN_ENGINE,)


async def run_engine(command: Sequence[str], folder: Path, text: bytes | None, take: Callable[[Json], bool]) -> None:
    """Run an engine in a folder and hand on what it says. It is killed once `take` wants no more, or nobody waits."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={},
        stdin=DEVNULL if text is None else PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    beside = asyncio.gather(_write(process, text), _read_complaint(process))
    try:
        if not await _handed_on(process, take):
            return
        _, complaint = await beside
        if await process.wait() and _REGEX_FAULT in complaint:
            raise RegexFault(complaint.strip())
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.wait((beside,))
        await process.wait()


async def _handed_on(process: Process, take: Callable[[Json], bool]) -> bool:
    """Whether everything that the engine says was wanted."""
    assert process.stdout  # noqa: S101  # Asked for where the process is made.
    lines = JsonLines()
    while piece := await process.stdout.read(_PIECE_BYTES):
        if not all(take(event) for event in lines.feed(piece)):
            return False
    return True


async def _write(process: Process, text: bytes | None) -> None:
    if text is None:
        return
    assert process.stdin  # noqa: S101  # Asked for where the process is made.
    # An engine that stops early, for a bad pattern or enough matches, closes its end.
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(text)
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _read_complaint(process: Process) -> str:
    assert process.stderr  # noqa: S101  # Asked for where the process is made.
    kept = b""
    while piece := await process.stderr.read(_PIECE_BYTES):
        kept = (kept + piece)[:MOST_ERROR_BYTES]
    return kept.decode("utf-8", "replace")


def _find_program(name: str, search_path: str, roots: Sequence[Path]) -> Path | None:
    for folder in search_path.split(os.pathsep):
        path = Path(os.path.realpath(Path(folder, name)))
        is_ours = Path(folder).is_absolute() and not any(path.is_relative_to(root) for root in roots)
        if is_ours and _is_program(path):
            return path
    return None


def _is_program(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode) and os.access(path, os.X_OK)
    except OSError:
        return False
