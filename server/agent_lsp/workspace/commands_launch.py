"""What a keeper is told to start. Pure; `sandbox*.py` rewrite a launch so that what it starts is confined."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.workspace import commands_keeper


@dataclass(frozen=True, slots=True)
class Launch:
    """A program by its absolute path, with its arguments."""

    arguments: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    rules: tuple[str, ...] = ()
    """What the keeper holds the program to before it starts it, as `sandbox_landlock.py` spells it."""

    attendants: int = 0
    """Processes of a sandbox that stay until the last of the command's own has ended."""

    def request(self) -> bytes:
        return commands_keeper.request(
            self.arguments, str(self.cwd), self.environment, rules=self.rules, attendants=self.attendants
        )


Wrap = Callable[[Launch], Launch]


def bash_launch(shell: str, command: str, cwd: Path, environment: Mapping[str, str]) -> Launch:
    """Run a command by a bash that reads no file of anybody's first."""
    return Launch((shell, "--noprofile", "--norc", "-c", "--", command), cwd, environment)


def unconfined(launch: Launch) -> Launch:
    return launch
