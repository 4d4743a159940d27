"""Whether a task's commands are confined, and by what: what the user wants, and what this system can do."""

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from agent_lsp.domain.commands import CommandEnd, Excerpt
from agent_lsp.workspace.commands import Commands, find_bash
from agent_lsp.workspace.commands_launch import Launch
from agent_lsp.workspace.commands_running import RunningCommand
from agent_lsp.workspace.sandbox_bubblewrap import bubblewrapped, find_bubblewrap, trial_problem
from agent_lsp.workspace.sandbox_landlock import LEAST_ABI, abi
from agent_lsp.workspace.sandbox_places import Confines, Own, find_confines, find_held
from agent_lsp.workspace.sandbox_refusals import CONFINED, DENIED, refusal_in
from agent_lsp.workspace.sandbox_rules import landlocked

_NOTHING = "bubblewrap is not installed"
_NONE = "Commands run without a sandbox here"
_WEAK = "Commands run in a sandbox that does not hold what is protected in the workspace"
_FAILED_TO_COVER = ("bwrap: Can't create file at ", "bwrap: Can't mkdir ")
_WORD = r"(?:[\w@%+=:,./^~-]+|'[^']*'|\"[^\"$`\\!]*\")"
_GIT = (
    r"git (?:add|am|branch|checkout|cherry-pick|commit|fetch|merge|mv|notes|pull|push|rebase|remote|reset"
    rf"|restore|revert|rm|stash|submodule|switch|tag|worktree)(?: +{_WORD})*"
)
_ONLY_GIT = re.compile(rf"{_GIT}(?: *&& *{_GIT})*")
_GIT_RUNNING = re.compile(
    r"git (?:submodule [^&]*foreach|rebase [^&]*-\w*x\b"
    r"|(?:fetch|pull|push|rebase|remote|submodule) [^&]*(?:--exec|--upload-pack|--receive-pack|ext::))"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the settings say of the sandbox, and the workspace of now."""

    sandbox: Literal["off", "auto", "require"]
    roots: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Confines by a program that was seen to do so here."""

    program: Path
    marks = CONFINED

    def wrap(self, confines: Confines, launch: Launch) -> Launch:
        return bubblewrapped(self.program, confines, launch)


@dataclass(frozen=True, slots=True)
class Landlock:
    """Confines by the kernel alone."""

    marks = (*CONFINED, *DENIED)

    def wrap(self, confines: Confines, launch: Launch) -> Launch:
        return landlocked(confines, launch)


class Confinement:
    """What this system offers. Bubblewrap is tried once, by confining a command that does nothing, when one waits."""

    def __init__(self, environment: Mapping[str, str], landlock_abi: Callable[[], int] = abi) -> None:
        self._landlock_abi = landlock_abi
        self._search_path = environment.get("PATH", "")
        self._problems: dict[Path, str] = {}
        self._trying = asyncio.Lock()
        self._notice = ""
        self._is_noticed = False

    async def confiner(self, roots: Sequence[Path]) -> Bubblewrap | Landlock | None:
        program = find_bubblewrap(self._search_path, roots)
        problem = await self._problem_of(program) if program else _NOTHING
        if program and not problem:
            return Bubblewrap(program)
        landlock = Landlock() if self._landlock_abi() >= LEAST_ABI else None
        if not self._is_noticed:
            self._is_noticed = True
            self._notice = f"{_WEAK if landlock else _NONE}: {problem}. What is asked about stays the same."
        return landlock

    def take_notice(self) -> str:
        """Why there is no good sandbox, for the user; given once, by the command that first wanted one."""
        notice, self._notice = self._notice, ""
        return notice

    async def _problem_of(self, program: Path) -> str:
        async with self._trying:
            if program not in self._problems:
                self._problems[program] = await asyncio.to_thread(trial_problem, program, find_bash())
            return self._problems[program]


class Sandbox:
    """One task's. Each command is looked at anew: settings change, and so does what there is to protect."""

    def __init__(self, commands: Commands, confinement: Confinement, own: Own, wanted: Callable[[], Wanted]) -> None:
        self.outside = commands
        self._confinement = confinement
        self._own = own
        self._wanted = wanted

    async def around(self, command: str) -> "ConfinedCommands | None":
        """Whoever runs this command confined; None where it is to run as it is."""
        wanted = self._wanted()
        if wanted.sandbox == "off" or (wanted.sandbox == "auto" and is_git_at_work(command)):
            return None
        confiner = await self._confinement.confiner(wanted.roots)
        if confiner is None:
            return None
        confines = await asyncio.to_thread(find_confines, wanted.roots, self._own)
        return ConfinedCommands(self.outside, confiner, confines)

    def take_notice(self) -> str:
        """What the user is to know, once, of commands that should be confined and cannot."""
        return self._confinement.take_notice()


@dataclass(frozen=True, slots=True)
class ConfinedCommands:
    """Starts commands in the sandbox, as it was made for one of them."""

    commands: Commands
    confiner: Bubblewrap | Landlock
    confines: Confines

    def start(self, command: str, cwd: Path, whole_output: Path) -> RunningCommand:
        return self.commands.start(command, cwd, whole_output, partial(self.confiner.wrap, self.confines))

    def is_outdated(self, end: CommandEnd, excerpt: Excerpt) -> bool:
        """Whether the command did not come to run, since something that was to be covered is gone by now."""
        if end.exit_code != 1 or not excerpt.head.startswith(_FAILED_TO_COVER):
            return False
        covered = (*self.confines.sockets, *self.confines.hidden_files, *self.confines.hidden_folders)
        return any(f" {path}: " in excerpt.head and not os.path.lexists(path) for path in covered)

    def refusal(self, end: CommandEnd, excerpt: Excerpt) -> str:
        """What the sandbox refused a command that has failed, in a sentence; nothing where it seems innocent."""
        return refusal_in(end, excerpt, self.confiner.marks)

    async def newly_protected(self) -> Sequence[str]:
        """Protected names that have come since: nothing could hold them, and programs outside may act on them."""
        return await asyncio.to_thread(self._newly_protected)

    def _newly_protected(self) -> Sequence[str]:
        roots = self.confines.writable
        new = [(path, root) for root in roots for path in find_held(root) if path not in self.confines.held]
        return [str(path.relative_to(root)) for path, root in new]


def is_git_at_work(command: str) -> bool:
    """Whether a command is plainly git that writes to its repository, and nothing else.

    A sandbox cannot let it: whoever may write anything in `.git` can make git run what they like. Such a command runs
    outside, under the same rules of approval as ever. One that names a program to run is no plain git.
    """
    return _ONLY_GIT.fullmatch(command.strip()) is not None and not _GIT_RUNNING.search(command)
