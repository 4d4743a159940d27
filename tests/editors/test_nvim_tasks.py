"""Tasks from their first word to their last in a real Neovim, as a person does them."""

from pathlib import Path

from nvim_editor import neovim

from support.model_server import CallTool, Hold, Say

DONE = [CallTool("attempt_completion", result="All **done**.")]
LINES = [f"line {n}" for n in range(40)]
TEXT = "\n".join(LINES) + "\n"
EDITED_LINES = ["first", *LINES[1:39], "last"]
EDITED = "\n".join(EDITED_LINES) + "\n"
WRITE = [CallTool("write_to_file", path="a.txt", content=EDITED)]


async def test_a_task_streams_is_approved_and_ends(tmp_path: Path, nvim: Path) -> None:
    hold = Hold()
    turns = [[Say("I look at "), hold, Say("**the file**.\n"), *WRITE], DONE]
    async with neovim(nvim, tmp_path, turns, {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        window = await editor.get("vim.api.nvim_get_current_win()")
        await editor.command("Agent change it")
        await editor.until_shown("I look at ")
        hold.release.set()
        await editor.until_ask("tool")
        assert editor.file("a.txt").read_text() == TEXT
        await editor.command("AgentApprove")
        await editor.until_shown("All **done**.")

        assert await editor.lines("a.txt") == EDITED_LINES
        assert await editor.get("vim.api.nvim_get_current_win()") == window
        await editor.type("u")
        assert await editor.lines("a.txt") == LINES
        assert editor.model.problems == []
