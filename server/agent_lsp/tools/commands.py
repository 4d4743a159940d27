"""What the command tools need of whoever runs commands, and how a model is told of a command's end and output."""

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from agent_lsp.domain.commands import Artifact, CommandEnd, Excerpt, MatchingLines, Page
from agent_lsp.domain.files import Place


class RunningCommand(Protocol):
    """A command that was started, and what it leaves behind."""

    @property
    def is_gone(self) -> bool:
        """Whether the command and all it started are gone."""
        ...

    async def news(self) -> str:
        """Wait for more output to show; nothing once the command has ended."""
        ...

    def rest(self) -> str:
        """What `news` has not given; where there was too much of it, the last part."""
        ...

    def excerpt(self) -> Excerpt: ...

    async def ended(self) -> CommandEnd: ...

    async def keep_all(self) -> None:
        """Keep the output in its file as it comes, however short it is."""
        ...

    async def abort(self) -> None:
        """End the command with all its descendants, and return once they are gone."""
        ...


class WorkingFiles(Protocol):
    """The files that a command will see: its folder, and the agent's edits, which it sees only once they are saved."""

    def locate(self, path: str, use: Literal["read", "write"]) -> Place: ...

    async def save_edited(self) -> Sequence[Place]:
        """Have the agent's edited, unsaved documents saved by the client; those that still are not."""
        ...

    async def until_saved(self, places: Sequence[Place]) -> None: ...


class Commands(Protocol):
    """Starts commands; FileProblem where that cannot be."""

    def start(self, command: str, cwd: Path, whole_output: Path) -> RunningCommand: ...


class ConfinedCommands(Commands, Protocol):
    """Starts commands in the sandbox."""

    def is_outdated(self, end: CommandEnd, excerpt: Excerpt) -> bool:
        """Whether the command did not come to run, since the sandbox was made for what is no longer so."""
        ...

    def refusal(self, end: CommandEnd, excerpt: Excerpt) -> str:
        """What the sandbox refused a command that has failed, in a sentence; nothing where it seems innocent."""
        ...

    async def newly_protected(self) -> Sequence[str]:
        """Files of the workspace that other programs act on, and that were not there before."""
        ...


class Sandbox(Protocol):
    """Whether commands are confined, by the user's wish and what the system can do."""

    @property
    def outside(self) -> Commands: ...

    async def around(self, command: str) -> ConfinedCommands | None:
        """Whoever runs this command confined; None where it is to run as it is."""
        ...

    def take_notice(self) -> str:
        """What the user is to know, once, of commands that should be confined and cannot."""
        ...


class Artifacts(Protocol):
    """The kept outputs of a task; FileProblem where there is none of that name."""

    def new(self) -> Artifact: ...

    async def page(self, artifact_id: str, offset: int, limit: int) -> Page: ...

    async def search(self, artifact_id: str, pattern: str) -> MatchingLines: ...


def describe_end(end: CommandEnd) -> str:
    if end.problem:
        return end.problem
    how = f"Killed by {end.signal}." if end.signal else f"Exit code: {end.exit_code}{_signal_in(end.exit_code)}"
    return how + ("\nProcesses that it started still run." if end.has_left_processes else "")


def _signal_in(exit_code: int | None) -> str:
    """Shells, and sandboxes, give 128 and a signal's number for a program that was killed by it."""
    name = _SIGNALS.get((exit_code or 0) - 128)
    return f" (a program was killed by {name})" if name else ""


_SIGNALS = {number.value: number.name for number in signal.Signals}


def describe_output(excerpt: Excerpt, artifact_id: str) -> str:
    """The output as the model reads it: whole, or its ends and where the rest is."""
    if excerpt.is_binary:
        return f"[binary output, {excerpt.total_bytes} bytes, not shown]"
    if not excerpt.cut_bytes:
        return (excerpt.head + excerpt.tail).rstrip("\n") or "(no output)"
    problem = f"; {excerpt.problem}" if excerpt.problem else ""
    marker = f"[… {excerpt.cut_bytes} bytes left out; read_command_output has them as {artifact_id}{problem} …]"
    return f"{excerpt.head.rstrip()}\n{marker}\n{excerpt.tail.rstrip()}"
