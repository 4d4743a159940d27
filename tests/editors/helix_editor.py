"""A real Helix in a terminal, told of the agent by `agent-lsp helix-config`, and a scripted model behind the server."""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
from terminal import PATIENCE_SECONDS, Terminal, terminal

from support.model_script import as_turn
from support.model_server import Answer, Hold, ScriptedServer, scripted_model

PROFILE = {"type": "anthropic", "model": "scripted", "apiKey": "sk-planted-0123456789"}
READY_SECONDS = 90
"""A server that has not answered by then was given up by Helix, and comes back by no try."""

_KNOWN = "agent.mode takes one of"
_UNKNOWN = ("is not supported", "does not support", "not yet initialized", "not initialized")


@dataclass
class Helix:
    """One editor, its model, and the project it works in."""

    terminal: Terminal
    model: ScriptedServer
    folder: Path
    takes_arguments: bool
    """Releases before 25.07 do not: there, words go into the prompt document."""
    has_pop_ups: bool
    begun: Hold
    """The model says nothing before this: what it asks would be covered by the keys that begin the task."""

    async def until(self, *texts: str) -> str:
        """Wait until all of these are on the screen."""
        return await self.terminal.until(lambda shown: all(text in shown for text in texts), " and ".join(texts))

    async def until_gone(self, text: str) -> str:
        return await self.terminal.until(lambda shown: text not in shown, f"{text} gone")

    async def until_reached(self, hold: Hold) -> None:
        """Wait until the model has said what stands before this; a task that never began is seen on the screen."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await hold.reached.wait()
        except TimeoutError:
            shown = "\n".join(await self.terminal.screen())
            raise AssertionError(f"The model was not asked.\n{shown}") from None

    async def until_normal(self) -> None:
        """Leave insert mode. Where nothing is to be left, nothing is pressed: it would become Alt with the next key."""
        if any(" INS " in row for row in await self.terminal.screen()):
            await self.terminal.press("Escape")
        await self.until(" NOR ")

    async def agent(self, keys: str) -> None:
        """Press one of the agent's keys."""
        await self.terminal.press("Space", "A", *keys)

    async def until_ready(self) -> None:
        """Wait until Helix knows the server's commands: it says of each try whether it does."""
        async with asyncio.timeout(READY_SECONDS):
            while _KNOWN not in await self._told_of_mode():
                await self.terminal.press("Escape")
                await self.terminal.until(lambda shown: not any(text in shown for text in _UNKNOWN), "another try")

    async def _told_of_mode(self) -> str:
        await self.agent("M")
        return await self.terminal.until(
            lambda shown: any(text in shown for text in (_KNOWN, *_UNKNOWN)), "an answer to agent.mode"
        )

    async def ex(self, line: str) -> None:
        """Run a line of Helix's command mode."""
        await self.terminal.press(":")
        await self.terminal.type(line)
        await self.until(f":{line}")
        await self.terminal.press("Enter")

    async def new_task(self, words: str) -> None:
        """Begin a task, as this release can."""
        if self.takes_arguments:
            await self.fill_in("n", "agent.newTask", words)
        else:
            await self.send_prompt(words)
        self.begun.release.set()

    async def fill_in(self, key: str, command: str, words: str) -> None:
        """Press a key that leaves the cursor between quotes, and write there."""
        await self.agent(key)
        await self.until(f'{command} ""')
        await self.terminal.type(words)
        await self.until(f'{command} "{words}"')
        await self.terminal.press("Enter")

    async def send_prompt(self, words: str) -> None:
        """Write words into the prompt document, send them, and come back to where the user was."""
        await self.agent("p")
        await self.until("shown/project-")
        await self.insert(words)
        await self.agent("w")
        await self.until_gone(words)
        await self.terminal.press("g", "a")
        await self.until_gone("shown/project-")

    async def insert(self, words: str) -> None:
        await self.terminal.press("i")
        await self.until(" INS ")
        await self.terminal.type(words)
        await self.until(words.rstrip())
        await self.until_normal()

    async def until_ask(self) -> None:
        """Wait until an ask waits, and close its pop-up, where there are any."""
        if not self.has_pop_ups:
            await self.until("The agent asks")
            return
        await self.until("Later")
        await self.terminal.press("Escape")
        await self.until_gone("Later")

    async def answer(self, key: str) -> None:
        """Answer the ask that waits, by a key."""
        await self.until_ask()
        await self.agent(key)

    async def choose_action(self, title: str) -> None:
        """Choose a code action."""
        await self.terminal.press("Space", "a")
        shown = await self.until(title)
        titles = re.findall(r"Agent: .*", shown)
        place = next(n for n, found in enumerate(titles) if found.startswith(title))
        await self.terminal.press(*["Down"] * place, "Enter")
        await self.until_gone(title)

    async def until_text(self, name: str, text: str) -> None:
        """Wait until a file is on the disk like this. Helix draws when it has saved something."""
        file = self.file(name)
        await self.terminal.until(lambda _: _text_of(file) == text, f"{name} with\n{text}")

    async def until_marks(self, count: int) -> None:
        """Wait until so many hunks are marked in the gutter."""
        await self.terminal.until(lambda shown: shown.count("●") == count, f"{count} marks")

    async def close_menu(self, title: str) -> None:
        """Close the menu that shows this, and wait until it is gone: it would take the next keys for its own."""
        await self.terminal.press("Escape")
        await self.until_gone(title)

    def server(self) -> psutil.Process:
        """The server that this editor started."""
        state = str(self.folder.parent / "state")
        found = [p for p in psutil.process_iter(["cmdline", "environ"]) if "--stdio" in (p.info["cmdline"] or [])]
        return next(p for p in found if (p.info["environ"] or {}).get("AGENT_LSP_STATE") == state)

    def file(self, name: str) -> Path:
        return self.folder / name


@dataclass(frozen=True, slots=True)
class Desk:
    """A project with a model, and a Helix that is set up for it but does not run yet."""

    program: Path
    project: Path
    model: ScriptedServer
    environment: dict[str, str]
    takes_arguments: bool
    begun: Hold

    @asynccontextmanager
    async def helix(self, shown: str) -> AsyncGenerator[Helix]:
        """Run Helix with a file open, to the end: it has to end by itself, when it is told to."""
        # Of its own each time: the tmux of a Helix that has just ended may still listen, and would take this one with it.
        socket = self.project.parent / f"tmux-{uuid4().hex[:8]}"
        async with terminal([str(self.program), shown], self.project, self.environment, socket) as screen:
            helix = Helix(
                screen,
                self.model,
                self.project,
                self.takes_arguments,
                has_pop_ups=self.takes_arguments,
                begun=self.begun,
            )
            await helix.until(" NOR ", shown)
            await helix.until_ready()
            yield helix
            await helix.until_normal()
            await helix.ex("qa!")
            await screen.until_over()


@asynccontextmanager
async def desk(program: Path, folder: Path, turns: Sequence[Any], files: dict[str, str]) -> AsyncGenerator[Desk]:
    """Make a project with these files; the model answers with these turns."""
    project = folder / "project"
    (project / ".git").mkdir(parents=True)
    for name, text in files.items():
        (project / name).write_text(text, newline="")
    begun = Hold()
    async with scripted_model(_begun_by(begun, turns)) as model:
        environment = write_settings(folder, model)
        await run(
            environment,
            sys.executable,
            "-m",
            "agent_lsp",
            "helix-config",
            "python",
            "--write",
            "--hx",
            program,
        )
        release = await run(environment, program, "--version")
        yield Desk(
            program,
            project,
            model,
            environment,
            takes_arguments=not release.startswith("helix 25.01"),
            begun=begun,
        )
        assert model.problems == []


@asynccontextmanager
async def helix_editor(
    program: Path,
    folder: Path,
    turns: Sequence[Any],
    files: dict[str, str],
    shown: str = "a.py",
) -> AsyncGenerator[Helix]:
    """Run Helix once, in a project of its own."""
    async with desk(program, folder, turns, files) as made, made.helix(shown) as helix:
        yield helix


def write_settings(folder: Path, model: ScriptedServer) -> dict[str, str]:
    """The environment of an editor whose server asks this model, and that has nothing of the machine's user."""
    starter = folder / "bin" / "agent-lsp"
    starter.parent.mkdir()
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agent_lsp "$@"\n')
    starter.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    profile = {**PROFILE, "baseURL": model.base_url("anthropic")}
    (home / "settings.json").write_text(json.dumps({"currentProvider": "test", "providers": {"test": profile}}))
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "TMUX"))},
        "PATH": f"{starter.parent}:{_path_without_servers()}",
        "HOME": str(home),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "AGENT_LSP_HOME": str(home),
        "AGENT_LSP_STATE": str(folder / "state"),
    }


def _begun_by(begun: Hold, turns: Sequence[Any]) -> list[Any]:
    first = as_turn(turns[0])
    assert isinstance(first, Answer)
    return [replace(first, parts=(begun, *first.parts)), *turns[1:]]


def _text_of(file: Path) -> str | None:
    """None while there is no such file: Helix saves by putting another one in its place."""
    try:
        return file.read_text()
    except FileNotFoundError:
        return None


def _path_without_servers() -> str:
    """The search path without our own environment: Helix would start the linter in there as a language server."""
    own = Path(sys.executable).parent
    return os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder) != own)


async def run(environment: dict[str, str], *words: object) -> str:
    process = await asyncio.create_subprocess_exec(
        *map(str, words),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()
