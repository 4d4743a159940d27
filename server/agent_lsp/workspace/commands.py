"""Running commands: each under a keeper of its own, as a tree that can be ended, its output read in bounded memory.

What may run is decided elsewhere, and so is what a model is told of it.
"""

import asyncio
import fcntl
import logging
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agent_lsp.domain.errors import FileProblem
from agent_lsp.workspace import commands_keeper
from agent_lsp.workspace.commands_environment import command_environment
from agent_lsp.workspace.commands_launch import Wrap, bash_launch, unconfined
from agent_lsp.workspace.commands_running import Redact, RunningCommand, unredacted

_logger = logging.getLogger(__name__)

COMMAND_LIMIT = 128 * 1024 - 1
"""Bytes: what Linux takes as one argument of a program."""
_PIPE_BYTES = 256 * 1024
_END_SECONDS = 3.0
_SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash")


class Commands:
    """Starts commands. The first one starts the keepers' program; nothing outlives `aclose` or the server's death."""

    def __init__(
        self,
        environment: Mapping[str, str],
        roots: Callable[[], Sequence[Path]] = tuple,
        redacted: Redact = unredacted,
    ) -> None:
        self._environment = lambda: command_environment(environment, roots(), lambda value: redacted(value) != value)
        self._redacted = redacted
        self._keepers: _Keepers | None = None
        self._following: dict[asyncio.Task[None], RunningCommand] = {}

    def start(self, command: str, cwd: Path, whole_output: Path, wrap: Wrap = unconfined) -> RunningCommand:
        """Run a command by bash; FileProblem where that cannot be. Output too long to show goes to `whole_output`."""
        launch = wrap(bash_launch(find_bash(), _checked(command), cwd, self._environment()))
        running = RunningCommand(*self._open_keeper(), whole_output, self._redacted)
        following = asyncio.get_running_loop().create_task(running.follow(launch.request()))
        self._following[following] = running
        following.add_done_callback(self._forget)
        return running

    async def aclose(self) -> None:
        """End every command with all its descendants, and the keepers with them."""
        await asyncio.gather(*(running.abort() for running in tuple(self._following.values())))
        left = tuple(self._following)
        for following in left:
            following.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if self._keepers:
            await asyncio.to_thread(self._keepers.close)
            self._keepers = None

    def _forget(self, following: asyncio.Task[None]) -> None:
        del self._following[following]
        if not following.cancelled() and (bug := following.exception()):
            _logger.error("A command could not be followed to its end", exc_info=bug)

    def _live_keepers(self) -> "_Keepers":
        if self._keepers and not self._keepers.is_alive():
            self._keepers.close()
            self._keepers = None
        self._keepers = self._keepers or _Keepers()
        return self._keepers

    def _open_keeper(self) -> tuple[socket.socket, int]:
        """Hand a keeper its ends of a control socket and of an output pipe; ours are returned."""
        keepers = self._live_keepers()
        control, its_control = socket.socketpair()
        output, its_output = os.pipe()
        control.setblocking(False)
        os.set_blocking(output, False)
        _widen(output)
        try:
            keepers.hand_over(its_control.fileno(), its_output)
        except OSError as problem:
            control.close()
            os.close(output)
            raise FileProblem(f"The command could not be started ({problem.strerror}); try again.") from problem
        finally:
            its_control.close()
            os.close(its_output)
        return control, output


class _Keepers:
    """The program that forks keepers, and the socket whose end tells it that the server is gone."""

    def __init__(self) -> None:
        self._socket, its_end = socket.socketpair()
        self._socket.setblocking(False)
        program = str(Path(commands_keeper.__file__).resolve())
        with its_end:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", program, str(its_end.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                pass_fds=[its_end.fileno()],
                start_new_session=True,
            )

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def hand_over(self, control: int, output: int) -> None:
        socket.send_fds(self._socket, [b"c"], [control, output])

    def close(self) -> None:
        self._socket.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def find_bash() -> str:
    """Where bash is: a system's own places first, and never a place relative to where a command runs."""
    for shell in _SHELLS:
        if os.access(shell, os.X_OK):
            return shell
    found = shutil.which("bash")
    if found and found.startswith("/"):
        return found
    raise FileProblem("No bash was found; install it, commands are run by nothing else.")


def _checked(command: str) -> str:
    if "\0" in command:
        raise FileProblem("The command holds a NUL character, which no command can; write it without.")
    try:
        size = len(os.fsencode(command))
    except UnicodeEncodeError as problem:
        raise FileProblem("The command holds half of a character; write it anew.") from problem
    if size > COMMAND_LIMIT:
        raise FileProblem("The command is longer than 128 kB; write a script to a file and run that.")
    return command


def _widen(pipe: int) -> None:
    """Give a flood more room, where the system has it to give."""
    if sys.platform == "linux":
        try:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        except PermissionError:
            return  # This user's share of pipe memory is used up; the usual size will do.
