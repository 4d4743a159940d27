"""The task of `vscode_scene.py`, played in Neovim and in Helix, for those who look at it or take pictures of it.

`uv run --group editors python tests/editors/terminal_scene.py` takes the pictures in docs/images anew.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from editors_site import ROOT, site
from helix_editor import Helix, helix_editor
from nvim_screen import Screen, nvim_screen
from terminal import Size, Terminal
from terminal_picture import DARK, photograph
from vscode_scene import FILES
from vscode_scene import TURNS as TURNS_AND_FAILURES

from support.model_server import Refusal

PICTURES = ROOT / "docs" / "images"
TURNS = [turn for turn in TURNS_AND_FAILURES if not isinstance(turn, Refusal)]
SIZE = Size(112, 33)
PICTURED = {
    "nvim-change",
    "nvim-diff",
    "nvim-command",
    "nvim-done",
    "helix-change",
    "helix-transcript",
    "helix-question",
}
"""The other points are there to be looked at."""

TASK = "Teach it days, and run the tests."

Take = Callable[[str], Awaitable[None]]
"""Looks at the terminal, at a point of the task that has this name."""


async def play_nvim(nvim: Screen, take: Take) -> None:
    """Play the task from its first word to its last."""
    await nvim.command("Agent")
    await nvim.until("What is to be done?")
    await nvim.terminal.type(f"i{TASK}")
    await nvim.terminal.press("C-s", "Escape", "C-w", "k")
    await nvim.until("gd diff", "UNITS = {", '"d": 86_400')
    await take("change")
    await nvim.terminal.type("gd")
    await nvim.until("as it is", ":w as edited", '"d": 86_400')
    await take("diff")
    await nvim.terminal.type("ga")
    await nvim.until("ga run", "python3 -m unittest")
    await nvim.terminal.type("gd")
    await nvim.until("Run this command?", "y run")
    await take("command")
    await nvim.terminal.type("y")
    await nvim.until("g3 Return None")
    await take("question")
    await nvim.terminal.type("g1")
    await nvim.until("✓ Done", "● done", ":AgentNew")
    await take("done")


async def play_helix(helix: Helix, take: Take) -> None:
    """Play the task from its first word to its last."""
    await helix.new_task(TASK)
    await _look_at_pop_up(helix, take, "Edit durations.py", "change")
    await helix.agent("o")
    await helix.until("## The agent asks", "space A d")
    await take("transcript")
    await helix.agent("y")
    await _look_at_pop_up(helix, take, "Run this command?", "command")
    await helix.agent("y")
    await _look_at_pop_up(helix, take, "Return None", "question")
    await helix.choose_action("Agent: answer “Leave it as it is”")
    await helix.until("*at rest*", "## Done")
    await take("done")


async def _look_at_pop_up(helix: Helix, take: Take, text: str, name: str) -> None:
    await helix.until("Later", text)
    await take(name)
    await helix.terminal.press("Escape")
    await helix.until_gone("Later")


def photographing(terminal: Terminal, editor: str) -> Take:
    async def take(name: str) -> None:
        if f"{editor}-{name}" in PICTURED:
            await photograph(await terminal.painted(), terminal.size, DARK, PICTURES / f"{editor}-{name}.png")

    return take


async def main() -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with nvim_screen(site().nvim("sid"), Path(folder), TURNS, FILES, SIZE) as nvim:
            await play_nvim(nvim, photographing(nvim.terminal, "nvim"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with helix_editor(site().helix("sid"), Path(folder), TURNS, FILES, "durations.py") as helix:
            await play_helix(helix, photographing(helix.terminal, "helix"))


if __name__ == "__main__":
    asyncio.run(main())
