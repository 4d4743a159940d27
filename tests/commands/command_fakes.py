"""Stand-ins for what the command tools need: commands that a test moves on by hand, and a gate, a screen and files."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agent_lsp.domain.approvals import Action, Decision
from agent_lsp.domain.commands import Artifact, CommandEnd, Excerpt, MatchingLines, Page
from agent_lsp.domain.events import Event, Said
from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.execute_command import ExecuteCommand

YES = Decision(is_approved=True, by="user")
NO = Decision(is_approved=False, by="user", text="not that")
NEVER = Decision(is_approved=False, by="policy", text="`x` is denied.")


class FakeCommand:
    """Writes and ends when the test says so."""

    def __init__(self) -> None:
        self.output = ""
        self.cut_bytes = 0
        self.is_gone = False
        self.is_kept = False
        self.aborts = 0
        self._shown = 0
        self._end: asyncio.Future[CommandEnd] = asyncio.get_running_loop().create_future()
        self._change = asyncio.Event()

    def write(self, text: str) -> None:
        self.output += text
        self._change.set()

    def end(self, end: CommandEnd) -> None:
        self._end.set_result(end)
        self.is_gone = not end.has_left_processes
        self._change.set()

    async def news(self) -> str:
        while self._shown == len(self.output) and not self._end.done():
            self._change.clear()
            await self._change.wait()
        return self.rest()

    def rest(self) -> str:
        text, self._shown = self.output[self._shown :], len(self.output)
        return text

    def excerpt(self) -> Excerpt:
        return Excerpt(self.output, cut_bytes=self.cut_bytes, total_bytes=len(self.output) + self.cut_bytes)

    async def ended(self) -> CommandEnd:
        return await asyncio.shield(self._end)

    async def keep_all(self) -> None:
        self.is_kept = True

    async def abort(self) -> None:
        self.aborts += 1
        self.is_gone = True
        if not self._end.done():
            self.end(CommandEnd(signal="SIGTERM"))


@dataclass
class FakeCommands:
    started: list[tuple[str, Path]] = field(default_factory=list[tuple[str, Path]])
    running: list[FakeCommand] = field(default_factory=list[FakeCommand])
    has_started: asyncio.Event = field(default_factory=asyncio.Event)

    def start(self, command: str, cwd: Path, whole_output: Path) -> FakeCommand:
        self.started.append((command, cwd))
        self.running.append(started := FakeCommand())
        self.has_started.set()
        return started


@dataclass
class FakeConfined(FakeCommands):
    """A sandbox that refuses what the test says; the first so many commands it does not start."""

    refused: str = ""
    outdated: int = 0
    made: Sequence[str] = ()

    def is_outdated(self, end: CommandEnd, excerpt: Excerpt) -> bool:
        return len(self.started) <= self.outdated

    async def newly_protected(self) -> Sequence[str]:
        return self.made

    def refusal(self, end: CommandEnd, excerpt: Excerpt) -> str:
        return self.refused if end.exit_code else ""


@dataclass
class FakeSandbox:
    """Commands run outside, unless the test gives it an inside."""

    outside: FakeCommands = field(default_factory=FakeCommands)
    inside: FakeConfined | None = None
    notice: str = ""

    async def around(self, command: str) -> FakeConfined | None:
        return self.inside

    def take_notice(self) -> str:
        notice, self.notice = self.notice, ""
        return notice


@dataclass
class FakeArtifacts:
    count: int = 0

    def new(self) -> Artifact:
        self.count += 1
        return Artifact(f"cmd-{self.count}", Path(f"/artifacts/cmd-{self.count}.txt"))

    async def page(self, artifact_id: str, offset: int, limit: int) -> Page:
        return Page(f"{artifact_id} {offset} {limit}\n", offset, 100, 50)

    async def search(self, artifact_id: str, pattern: str) -> MatchingLines:
        return MatchingLines((f"1: {pattern}",), is_cut=True)


@dataclass
class FakeRow:
    """Remembers how it grew, and `wish`es what the test makes the user wish."""

    grown: list[str] = field(default_factory=list[str])
    is_over: bool = False
    wish: "asyncio.Future[Literal['continue', 'abort']]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    has_grown: asyncio.Event = field(default_factory=asyncio.Event)

    def grow(self, text: str) -> None:
        assert not self.is_over
        self.grown.append(text)
        self.has_grown.set()

    async def operation(self) -> Literal["continue", "abort"]:
        return await asyncio.shield(self.wish)

    def end(self) -> None:
        self.is_over = True


@dataclass
class FakeScreen:
    said: list[str | None] = field(default_factory=list[str | None])
    rows: list[FakeRow] = field(default_factory=list[FakeRow])
    has_said: asyncio.Event = field(default_factory=asyncio.Event)

    def emit(self, event: Event) -> None:
        assert isinstance(event, Said)
        self.said.append(event.text)
        self.has_said.set()

    def output_row(self) -> FakeRow:
        self.rows.append(row := FakeRow())
        return row


@dataclass
class FakeGate:
    """Gives the decisions laid ready, then yes; where `waits`, it asks until it is cancelled."""

    decisions: list[Decision] = field(default_factory=list[Decision])
    waits: bool = False
    actions: list[Action] = field(default_factory=list[Action])
    was_given_up: bool = False
    has_asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def decide(self, action: Action) -> Decision:
        self.actions.append(action)
        self.has_asked.set()
        if self.waits and len(self.actions) == 1:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.was_given_up = True
                raise
        return self.decisions.pop(0) if self.decisions else YES


@dataclass
class FakeFiles:
    root: Path
    unsaved: Sequence[Place] = ()
    saved: asyncio.Event = field(default_factory=asyncio.Event)

    def locate(self, path: str, use: Literal["read", "write"]) -> Place:
        absolute = Path(os.path.realpath(self.root / path))
        return Place(path, absolute, absolute.as_uri(), Standing.INSIDE, self.root)

    async def save_edited(self) -> Sequence[Place]:
        return self.unsaved

    async def until_saved(self, places: Sequence[Place]) -> None:
        await self.saved.wait()


class Bench:
    """The tool over fakes of all it needs."""

    def __init__(
        self, root: Path, *decisions: Decision, limit_seconds: float = 0, gate: FakeGate | None = None
    ) -> None:
        self.limit_seconds = limit_seconds
        self.sandbox = FakeSandbox()
        self.commands = self.sandbox.outside
        self.files = FakeFiles(root)
        self.gate = gate or FakeGate(list(decisions))
        self.screen = FakeScreen()
        artifacts = FakeArtifacts()
        self.tool = ExecuteCommand(
            self.sandbox, artifacts, self.files, self.gate, self.screen, limit_seconds=lambda: self.limit_seconds
        )

    def call(self, command: str = "make", **arguments: object) -> "asyncio.Task[Outcome]":
        read = ExecuteCommand.Arguments.model_validate({"command": command} | arguments)
        return asyncio.get_running_loop().create_task(self.tool.run(read, "call-1"))

    async def started(self, commands: FakeCommands | None = None) -> tuple[FakeCommand, FakeRow]:
        commands = commands or self.commands
        async with asyncio.timeout(5):
            await commands.has_started.wait()
        return commands.running[-1], self.screen.rows[-1]

    async def run(self, output: str, end: CommandEnd, command: str = "make", **arguments: object) -> Outcome:
        """One command from its call to its result."""
        call = self.call(command, **arguments)
        running, _ = await self.started()
        running.write(output)
        running.end(end)
        return await call
