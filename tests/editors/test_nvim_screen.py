"""What a person sees of it in a terminal. Pictures of it are left in the test's folder, to be looked at."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
from nvim_editor import command_line, make_project, write_settings
from nvim_screen import Screen

from support.model_server import CallTool, Hold, Say, Think, scripted_model

CODE = '''import sys


def total(prices):
    """Sum up what is in the cart."""
    result = 0
    for price in prices:
        result += price
    return result


print(total([float(word) for word in sys.argv[1:]]))
'''
SHORTER = CODE.replace(
    "    result = 0\n    for price in prices:\n        result += price\n    return result\n", "    return sum(prices)\n"
)
LOOK = [Think("Short it is."), Say("I read **the cart** first.\n"), CallTool("read_file", path="cart.py")]
WRITE = [
    Say("One line is enough:\n\n```python\nsum(prices)\n```\n"),
    CallTool("write_to_file", path="cart.py", content=SHORTER),
]
RUN = [CallTool("execute_command", command="python3 cart.py 1 2")]
DONE = [CallTool("attempt_completion", result="`total` is shorter 🦊.")]
ENTER = "Press ENTER"


@asynccontextmanager
async def terminal(program: Path, folder: Path, turns: Sequence[Any], columns: int = 120) -> AsyncGenerator[Screen]:
    """Neovim in a terminal of so many columns, with the cart in front."""
    project = make_project(folder, {"cart.py": CODE})
    screen = Screen(folder / "tmux", columns)
    async with scripted_model(turns) as model:
        environment = {**write_settings(folder, model), "COLORTERM": "truecolor"}
        words = command_line(program, folder, "-c", "set termguicolors", "cart.py")
        await screen.start(project, environment, words)
        try:
            await screen.until("def total")
            yield screen
            assert ENTER not in await screen.text()
        finally:
            await screen.stop()


async def test_a_task_is_calm_to_look_at_from_its_first_word_to_its_last(tmp_path: Path, nvim: Path) -> None:
    async with terminal(nvim, tmp_path, [LOOK, WRITE, RUN, DONE]) as screen:
        await screen.enter(":Agent")
        await screen.until("What is to be done?")
        await screen.type("imake it shorter")
        await screen.press("Escape", "Enter")
        await screen.until("ga approve")
        await asyncio.to_thread((tmp_path / "approval.svg").write_text, await screen.picture())
        shown = await screen.text()
        await screen.enter(":AgentApprove")
        await screen.until("ga run")
        await screen.enter(":AgentApprove")
        await screen.until("total is shorter")
        await asyncio.to_thread((tmp_path / "done.svg").write_text, await screen.picture())
        seen = await screen.text()

    assert "● waiting for you" in shown
    assert "◆ Write cart.py  +1 −4" in shown
    assert shown.count("return sum(prices)") == 2
    assert "```" not in shown + seen
    assert "**" not in shown + seen
    assert "● done" in seen


async def test_nothing_asks_for_enter_in_a_small_terminal(tmp_path: Path, nvim: Path) -> None:
    async with terminal(nvim, tmp_path, [WRITE], 60) as screen:
        await screen.enter(":Agent make it shorter")
        await screen.until("waiting for you")
        await screen.enter(":AgentClose")
        await screen.until(":AgentApprove")
        await screen.enter(":AgentInfo")
        await screen.until("agent: waiting for you")
        await screen.enter(":AgentMode nonsense")
        await screen.until("Agent: ")
        for process in psutil.Process(await screen.pid()).children(recursive=True):
            if "--stdio" in process.cmdline():
                process.kill()
        await screen.until("The agent server ended")

        assert ENTER not in await screen.text()


async def test_typing_goes_on_while_the_agent_works(tmp_path: Path, nvim: Path) -> None:
    hold = Hold()
    stream = [Say("word\n", 20), hold, Say("and word\n", 500), *DONE]
    async with terminal(nvim, tmp_path, [stream]) as screen:
        await screen.enter(":Agent talk")
        await screen.until("word")
        await screen.type("ggO# typed ")
        hold.release.set()
        await screen.type("mean")
        await screen.until("and word")
        await screen.type("while")
        await screen.until("total is shorter")

        assert (await screen.text()).startswith("# typed meanwhile")
