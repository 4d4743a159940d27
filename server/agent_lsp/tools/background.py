"""What a task's commands leave running once their calls have results: it is seen to its end, told of, and ended."""

import asyncio
from dataclasses import dataclass

from agent_lsp.domain.commands import CommandEnd, Excerpt
from agent_lsp.domain.events import Said
from agent_lsp.domain.messages import Say
from agent_lsp.tools.commands import RunningCommand, describe_end, describe_output
from agent_lsp.tools.ports import Screen

_TAIL = 2_000
"""Characters of a background command's last output that the model is told."""


@dataclass(slots=True)
class _BackgroundCommand:
    command: str
    artifact_id: str
    running: RunningCommand
    told_bytes: int
    """How much of the output the model knows of."""
    end: CommandEnd | None = None


class Background:
    """All that still runs of what one task started."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._commands: list[_BackgroundCommand] = []
        self._following: set[asyncio.Task[None]] = set()
        self._left: list[RunningCommand] = []

    @property
    def count(self) -> int:
        return sum(not command.end for command in self._commands)

    def add(self, command: str, artifact_id: str, running: RunningCommand, patience_seconds: float | None) -> None:
        """Take over a command that runs; it is ended when `patience_seconds` have passed."""
        known = running.excerpt().total_bytes
        background = _BackgroundCommand(command, artifact_id, running, known)
        self._commands.append(background)
        following = asyncio.get_running_loop().create_task(self._follow(background, patience_seconds))
        self._following.add(following)
        following.add_done_callback(self._following.discard)

    def add_left(self, running: RunningCommand) -> None:
        """Remember a command that has ended and left processes behind."""
        self._left = [other for other in self._left if not other.is_gone] + [running]

    def report(self) -> str | None:
        """Tell the model what is new since it was last told; a command that has ended is told of once."""
        told = [text for command in self._commands if (text := _news_of(command))]
        self._commands = [command for command in self._commands if not command.end]
        return "\n\n".join(told) or None

    async def stop(self) -> None:
        """End all that the task has left running, and wait for it."""
        commands = [command.running for command in self._commands]
        await asyncio.gather(*(running.abort() for running in (*commands, *self._left)))
        self._left.clear()
        await asyncio.gather(*self._following)

    async def _follow(self, background: _BackgroundCommand, patience_seconds: float | None) -> None:
        running = background.running
        try:
            async with asyncio.timeout(patience_seconds):
                end = await running.ended()
        except TimeoutError:
            await running.abort()
            end = await running.ended()
        background.end = end
        if end.has_left_processes:
            self.add_left(running)
        text = f"{running.rest()}\n[{background.command[:100]}: {describe_end(end)}]"
        self._screen.emit(Said(Say.COMMAND_OUTPUT, text.lstrip("\n")))


def _news_of(command: _BackgroundCommand) -> str:
    excerpt = command.running.excerpt()
    new_bytes = excerpt.total_bytes - command.told_bytes
    command.told_bytes = excerpt.total_bytes
    name = f"{command.artifact_id} (`{command.command[:200]}`)"
    if command.end is None:
        return f"{name} still runs; {new_bytes} bytes of new output." if new_bytes else ""
    return f"{name} has ended. {describe_end(command.end)}\n{_last_output(excerpt, command.artifact_id)}"


def _last_output(excerpt: Excerpt, artifact_id: str) -> str:
    text = describe_output(excerpt, artifact_id)
    return text if len(text) <= _TAIL else "[…]" + text[-_TAIL:]
