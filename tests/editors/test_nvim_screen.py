"""What a person sees of it in a terminal. Pictures of it are left in the test's folder, to be looked at."""

import re
from pathlib import Path

import psutil
from nvim_screen import ENTER, nvim_screen
from terminal import Size
from terminal_picture import DARK, photograph
from terminal_scene import FILES as SCENE_FILES
from terminal_scene import SIZE, TURNS, play_nvim

from support.model_server import CallTool, Hold, Say, Think

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
FILES = {"cart.py": CODE}


async def test_a_task_is_calm_to_look_at_from_its_first_word_to_its_last(tmp_path: Path, nvim: Path) -> None:
    async with nvim_screen(nvim, tmp_path, [LOOK, WRITE, RUN, DONE], FILES) as screen:
        await screen.command("Agent")
        await screen.until("What is to be done?")
        await screen.terminal.type("imake it shorter")
        await screen.terminal.press("Escape", "Enter")
        await screen.until("ga approve")
        await photograph(await screen.terminal.painted(), screen.terminal.size, DARK, tmp_path / "approval.png")
        shown = await screen.text()
        await screen.command("AgentApprove")
        await screen.until("ga run")
        await screen.command("AgentApprove")
        await screen.until("total is shorter")
        await photograph(await screen.terminal.painted(), screen.terminal.size, DARK, tmp_path / "done.png")
        seen = await screen.text()

    assert "● waiting for you" in shown
    assert "◆ Edit cart.py  +1 −4" in shown
    assert shown.count("return sum(prices)") == 2
    assert "```" not in shown + seen
    assert "**" not in shown + seen
    assert "● done" in seen


async def test_nothing_asks_for_enter_in_a_small_terminal(tmp_path: Path, nvim: Path) -> None:
    async with nvim_screen(nvim, tmp_path, [WRITE], FILES, Size(60, 36)) as screen:
        await screen.command("Agent make it shorter")
        await screen.until("waiting for you")
        assert "● waiting for you" in await screen.text()
        await screen.command("AgentClose")
        await screen.until(":AgentApprove")
        await screen.command("AgentInfo")
        await screen.until("agent: waiting for you")
        await screen.command("AgentMode nonsense")
        await screen.until("Agent: ")
        for process in psutil.Process(await screen.terminal.pid()).children(recursive=True):
            if "--stdio" in process.cmdline():
                process.kill()
        await screen.until("The agent server ended")

        assert ENTER not in await screen.text()


async def test_the_end_of_an_ask_with_long_lines_is_on_the_screen(tmp_path: Path, nvim: Path) -> None:
    run = [CallTool("execute_command", command=f"echo {'very-long-' * 40}end")]
    async with nvim_screen(nvim, tmp_path, [run], FILES, Size(60, 30)) as screen:
        await screen.command("Agent run it")
        await screen.until("ga run")
        await screen.command("AgentDiff")
        shown = await screen.until("Run this command?", "y run")

        assert re.search(r"long-end +│\n.*y run", shown)


async def test_typing_goes_on_while_the_agent_works(tmp_path: Path, nvim: Path) -> None:
    hold = Hold()
    stream = [Say("word\n", 20), hold, Say("and word\n", 500), *DONE]
    async with nvim_screen(nvim, tmp_path, [stream], FILES) as screen:
        await screen.command("Agent talk")
        await screen.until("word")
        await screen.terminal.type("ggO# typed ")
        hold.release.set()
        await screen.terminal.type("mean")
        await screen.until("and word")
        await screen.terminal.type("while")

        assert "# typed meanwhile" in await screen.until("# typed meanwhile", "total is shorter")


async def test_the_task_of_the_pictures_is_played_to_its_end(tmp_path: Path, nvim: Path) -> None:
    seen: dict[str, str] = {}
    async with nvim_screen(nvim, tmp_path, TURNS, SCENE_FILES, SIZE) as screen:

        async def take(name: str) -> None:
            seen[name] = await screen.text()

        await play_nvim(screen, take)

    assert list(seen) == ["change", "diff", "command", "question", "done"]
    assert "```" not in "".join(seen.values())
    assert "y run · n reject · a always · q not now" in seen["command"]
