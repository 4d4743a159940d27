"""Neovim in a terminal of its own, as a person has it: keys go in, and what is on the screen comes out."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from nvim_editor import command_line, make_project, write_settings
from terminal import PATIENCE_SECONDS, Size, Terminal, terminal

from support.model_server import ScriptedServer, scripted_model

ENTER = "Press ENTER"
WIDE = Size(120, 36)


@dataclass
class Screen:
    """One Neovim, its model, and the project it works in."""

    terminal: Terminal
    model: ScriptedServer
    folder: Path

    async def text(self) -> str:
        return "\n".join(await self.terminal.screen())

    async def until(self, *texts: str) -> str:
        """Wait until the screen says all of these; the screen then."""
        return await self.terminal.until(lambda shown: all(text in shown for text in texts), " and ".join(texts))

    async def until_gone(self, text: str) -> str:
        return await self.terminal.until(lambda shown: text not in shown, f"{text} gone")

    async def command(self, line: str) -> None:
        """Enter a command, the colon left out."""
        await self.terminal.enter(f":{line}")


@asynccontextmanager
async def nvim_screen(
    program: Path, folder: Path, turns: Sequence[Any], files: dict[str, str], size: Size = WIDE
) -> AsyncGenerator[Screen]:
    """Run Neovim in a terminal, with the first of these files in front. Nothing may ever ask for Enter."""
    project = make_project(folder, files)
    async with scripted_model(turns) as model:
        environment = {**write_settings(folder, model), "COLORTERM": "truecolor", "TERM": "xterm-256color"}
        environment.pop("TMUX", None)
        words = command_line(program, folder, "-c", "set termguicolors", next(iter(files)))
        async with terminal(words, project, environment, folder / "tmux", size) as shown:
            screen = Screen(shown, model, project)
            await screen.until(files[next(iter(files))].partition("\n")[0])
            yield screen
            assert ENTER not in await screen.text()
            started = psutil.Process(await shown.pid()).children(recursive=True)
        # Its terminal is gone: neither it nor the server may stay behind, waiting for a key that nobody can press.
        _, left = await asyncio.to_thread(psutil.wait_procs, started, timeout=PATIENCE_SECONDS)
        assert left == []
