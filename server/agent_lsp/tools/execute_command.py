"""execute_command: a command of the shell, seen by the user while it runs, and its output told to the model."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from pydantic import BaseModel, Field

from agent_lsp.domain.approvals import Action, Decision, Deed
from agent_lsp.domain.commands import Artifact, CommandEnd, Excerpt
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.events import Said
from agent_lsp.domain.files import Place
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.tools.background import Background
from agent_lsp.tools.commands import (
    Artifacts,
    Commands,
    ConfinedCommands,
    RunningCommand,
    Sandbox,
    WorkingFiles,
    describe_end,
    describe_output,
)
from agent_lsp.tools.outcomes import declined, with_words
from agent_lsp.tools.ports import Gate, OutputRow, Screen

_UPDATE_SECONDS = 1 / 7
_MOST_MADE = 5


class _Turn(Enum):
    """What a command's waiting came to."""

    ENDED = auto()
    ABORTED = auto()
    SENT_BACK = auto()
    """The user lets it go on in the background."""
    TOOK_LONG = auto()
    """The model's `timeout` has passed."""
    TOOK_TOO_LONG = auto()
    """The user's limit has passed."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A command, where it runs, for how long it is waited for, and how long the user lets it run."""

    command: str
    place: Place
    timeout_seconds: float | None
    limit_seconds: float | None


@dataclass(frozen=True, slots=True)
class _Ran:
    """What the model is told of a command; its end and output where nobody ended it."""

    outcome: Outcome
    end: tuple[CommandEnd, Excerpt] | None = None


class ExecuteCommand:
    name = "execute_command"
    description = (
        "Run a command by bash, in a fresh shell each time: what `cd` or `export` did is gone with the next call. "
        "Use it for builds, tests, git and the like; the file tools read, search and edit better. Nobody can answer a "
        "prompt: pass flags such as --yes. Give a timeout to servers and watchers: they then go on in the background. "
        "Where there is a sandbox, a command reaches no network and writes to the workspace (not to .git and other "
        "protected files) and to $TMPDIR; what it is refused, the user is asked to let it do outside. "
        "Long output is cut in the middle and kept for read_command_output."
    )

    class Arguments(BaseModel):
        command: str = Field(min_length=1)
        cwd: str | None = Field(default=None, description="Folder to run in; the workspace root if left out")
        timeout: float | None = Field(default=None, ge=0, description="Seconds, then it goes on in the background")

    def __init__(
        self,
        sandbox: Sandbox,
        artifacts: Artifacts,
        files: WorkingFiles,
        gate: Gate,
        screen: Screen,
        *,
        limit_seconds: Callable[[], float] = lambda: 0,
    ) -> None:
        self._sandbox = sandbox
        self._artifacts = artifacts
        self._files = files
        self._gate = gate
        self._screen = screen
        self._limit_seconds = limit_seconds
        self._background = Background(screen)
        self._has_run = False

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        place = self._files.locate(arguments.cwd or ".", "read")
        if place.problem or not place.absolute.is_dir():
            raise FileProblem(f"There is no folder {place.path}; leave cwd out to run in the workspace root.")
        saved, unsaved = await self._save_first(call_id)
        if not saved.is_approved:
            refusal = declined(saved)
            return replace(refusal, text=f"Edited files are unsaved, so the command was not run. {refusal.text}")
        outcome = await self._run(arguments, place, call_id)
        has_run = outcome.after is not After.REJECTED
        return with_words(_without_edits(outcome, unsaved), saved) if unsaved and has_run else outcome

    async def _run(self, arguments: Arguments, place: Place, call_id: str) -> Outcome:
        confined = await self._confined(arguments.command)
        action = _action(arguments.command, place, call_id, is_sandboxed=confined is not None)
        decision = await self._gate.decide(action)
        if not decision.is_approved:
            return declined(decision)
        work = _Work(arguments.command, place, arguments.timeout or None, self._limit_seconds() or None)
        if confined:
            return with_words(await self._execute_confined(work, action, confined), decision)
        return with_words((await self._execute(work, self._sandbox.outside)).outcome, decision)

    def background_report(self) -> str | None:
        """What the model does not know yet of commands in the background."""
        return self._background.report()

    @property
    def background_count(self) -> int:
        return self._background.count

    def take_activity(self) -> bool:
        """Tell whether commands have run since this was last asked."""
        is_running = self._background.count > 0
        has_run, self._has_run = self._has_run or is_running, is_running
        return has_run

    async def stop(self) -> None:
        """End everything that this task's commands have left running, and wait for it."""
        await self._background.stop()

    async def _save_first(self, call_id: str) -> tuple[Decision, Sequence[Place]]:
        """Have the agent's edits saved, since commands read the disk. What stays unsaved is asked about, and given."""
        unsaved = await self._files.save_edited()
        if not unsaved:
            return Decision(is_approved=True, by="policy"), ()
        loop = asyncio.get_running_loop()
        deciding = loop.create_task(self._gate.decide(_save_action(unsaved, call_id)))
        saving = loop.create_task(self._files.until_saved(unsaved))
        try:
            await asyncio.wait({deciding, saving}, return_when=asyncio.FIRST_COMPLETED)
            if deciding.done():
                return deciding.result(), unsaved
            saving.result()
            return Decision(is_approved=True, by="policy"), ()
        finally:
            await _cancelled(deciding, saving)

    async def _confined(self, command: str) -> ConfinedCommands | None:
        """Look for a sandbox; where there should be one and is none, the user is told once."""
        confined = await self._sandbox.around(command)
        if notice := self._sandbox.take_notice():
            self._screen.emit(Said(Say.INFO, notice))
        return confined

    async def _execute_confined(self, work: _Work, action: Action, confined: ConfinedCommands) -> Outcome:
        """Run a command in the sandbox, and again outside it where it was refused something and that is approved."""
        ran = await self._execute(work, confined)
        while ran.end and confined.is_outdated(*ran.end) and (anew := await self._sandbox.around(work.command)):
            confined = anew
            ran = await self._execute(work, confined)
        ran = replace(ran, outcome=self._with_made(ran.outcome, await confined.newly_protected()))
        refusal = confined.refusal(*ran.end) if ran.end else ""
        if not refusal:
            return ran.outcome
        decision = await self._gate.decide(_outside(action, refusal))
        if not decision.is_approved:
            return _kept_inside(ran.outcome, refusal, decision)
        again = await self._execute(work, self._sandbox.outside)
        return with_words(again.outcome, decision)

    def _with_made(self, outcome: Outcome, made: Sequence[str]) -> Outcome:
        """Tell user and model of protected files that came with a command: nothing holds what is not there yet."""
        if not made:
            return outcome
        self._screen.emit(
            Said(Say.INFO, f"A command made {_listed(made)}. Other programs act on such files: look there.")
        )
        return replace(
            outcome, text=f"{outcome.text}\nProtected files came with it, as the user was told: {_listed(made)}."
        )

    async def _execute(self, work: _Work, commands: Commands) -> _Ran:
        if self._files.locate(str(work.place.absolute), "read").absolute != work.place.absolute:
            raise FileProblem(f"{work.place.path} leads elsewhere than when it was judged; look at it again.")
        artifact = self._artifacts.new()
        self._has_run = True
        running = commands.start(work.command, work.place.absolute, artifact.path)
        row = self._screen.output_row()
        started = asyncio.get_running_loop().time()
        try:
            turn = await self._wait(running, row, work)
            if turn in (_Turn.ABORTED, _Turn.TOOK_TOO_LONG):
                await running.abort()
            if turn in (_Turn.SENT_BACK, _Turn.TOOK_LONG):
                await running.keep_all()
        except asyncio.CancelledError:
            await running.abort()
            raise
        finally:
            if text := running.rest():
                row.grow(text)
            row.end()
        if turn in (_Turn.SENT_BACK, _Turn.TOOK_LONG):
            waited = asyncio.get_running_loop().time() - started
            left_seconds = work.limit_seconds and max(work.limit_seconds - waited, 0.0)
            self._background.add(work.command, artifact.id, running, left_seconds)
            return _Ran(_background_outcome(turn, running, artifact))
        return await self._ended(turn, running, artifact, work)

    async def _wait(self, running: RunningCommand, row: OutputRow, work: _Work) -> _Turn:
        """Show the output until the command ends, the user has enough of it, or a time is over."""
        loop = asyncio.get_running_loop()
        patience = min((time for time in (work.timeout_seconds, work.limit_seconds) if time), default=None)
        showing = loop.create_task(_show(running, row))
        ended = loop.create_task(running.ended())
        wish = loop.create_task(row.operation())
        try:
            done, _ = await asyncio.wait({ended, wish}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if ended in done:
                return _Turn.ENDED
            if wish in done:
                return _Turn.ABORTED if wish.result() == "abort" else _Turn.SENT_BACK
            return _Turn.TOOK_TOO_LONG if patience == work.limit_seconds else _Turn.TOOK_LONG
        finally:
            await _cancelled(showing, ended, wish)

    async def _ended(self, turn: _Turn, running: RunningCommand, artifact: Artifact, work: _Work) -> _Ran:
        end, excerpt = await running.ended(), running.excerpt()
        if end.has_left_processes and not running.is_gone:
            self._background.add_left(running)
        lines = [describe_end(end), describe_output(excerpt, artifact.id)]
        match turn:
            case _Turn.ABORTED:
                lines.insert(0, "The user aborted the command.")
            case _Turn.TOOK_TOO_LONG:
                lines.insert(0, f"Ended after {work.limit_seconds:g} s, the user's limit for commands.")
            case _:
                return _Ran(Outcome("\n".join(lines), is_error=end.problem is not None), (end, excerpt))
        return _Ran(Outcome("\n".join(lines), is_error=end.problem is not None))


async def _show(running: RunningCommand, row: OutputRow) -> None:
    """Pass the output on as it comes: the first of it at once, then merged, at most seven times a second."""
    while text := await running.news():
        row.grow(text)
        await asyncio.sleep(_UPDATE_SECONDS)


async def _cancelled(*tasks: "asyncio.Task[Any]") -> None:  # Any: whatever they would have given is dropped
    """Stop helpers that are no longer needed, and wait for them."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _action(command: str, place: Place, call_id: str, *, is_sandboxed: bool) -> Action:
    body: Json = {"command": command, "cwd": str(place.absolute)}
    if is_sandboxed:
        body["isSandboxed"] = True
    return Action(call_id, Deed.EXECUTE, body, Ask.COMMAND, Say.COMMAND, (place,), command, is_sandboxed=is_sandboxed)


def _outside(action: Action, refusal: str) -> Action:
    """The same once more, without the sandbox."""
    body = {name: value for name, value in action.body.items() if name != "isSandboxed"}
    return replace(action, body=body, is_sandboxed=False, refusal=refusal)


def _kept_inside(outcome: Outcome, refusal: str, decision: Decision) -> Outcome:
    """Tell what the command did in the sandbox, and that it stays there. The user's no ends the message."""
    if decision.by == "policy":
        return replace(outcome, text=f"{outcome.text}\n\n{refusal} It cannot run outside: {decision.text}")
    said = f" They say:\n{decision.text}" if decision.text else ""
    text = f"{outcome.text}\n\n{refusal} The user does not let it run outside the sandbox.{said}"
    return replace(outcome, text=text, images=decision.images, is_error=True, after=After.REJECTED)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_MADE])
    return shown if len(names) <= _MOST_MADE else f"{shown} and {len(names) - _MOST_MADE} more"


def _without_edits(outcome: Outcome, unsaved: Sequence[Place]) -> Outcome:
    names = ", ".join(place.path for place in unsaved)
    note = f"It saw the files as they are on the disk, without the unsaved edits of {names}."
    return replace(outcome, text=f"{outcome.text}\n{note}")


def _save_action(unsaved: Sequence[Place], call_id: str) -> Action:
    body = {"tool": "saveFiles", "paths": [place.path for place in unsaved]}
    return Action(call_id, Deed.SAVE, body, places=tuple(unsaved))


def _background_outcome(turn: _Turn, running: RunningCommand, artifact: Artifact) -> Outcome:
    why = "The user let it" if turn is _Turn.SENT_BACK else "It takes longer than the timeout and will"
    text = (
        f"{why} go on in the background; you will be told when it ends, and read_command_output shows its output as "
        f"{artifact.id}. The output so far:\n{describe_output(running.excerpt(), artifact.id)}"
    )
    return Outcome(text)
