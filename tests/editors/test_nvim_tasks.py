"""Tasks from their first word to their last in a real Neovim, as a person does them."""

from pathlib import Path

import psutil
import pytest
from nvim_cases import DONE, EDITED, EDITED_LINES, LINES, TEXT, WRITE
from nvim_editor import Neovim, desk, neovim

from support.model_server import CallTool, Hold, Say


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


async def test_words_of_a_rejection_reach_the_model(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("AgentReject not yet")
        await editor.until_shown("✗ rejected: not yet")
        await editor.until_state("idle")

        assert await editor.lines("a.txt") == LINES
        assert "not yet" in editor.model.requests[1].results[0].text


async def test_one_hunk_is_left_out_where_the_cursor_is(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.type("40G")
        await editor.command("AgentRejectHunk")
        await editor.until_shown("✗ left out")
        await editor.type("gg")
        await editor.command("AgentAcceptHunk")
        await editor.until_state("idle")

        assert await editor.lines("a.txt") == ["first", *LINES[1:]]


async def test_hunks_are_decided_by_keys_in_the_view(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("wincmd b | wincmd k | normal! gg")
        await editor.type("]hgH")
        await editor.until_shown("✗ left out")
        await editor.type("]hgh")
        await editor.until_state("idle")

        assert await editor.lines("a.txt") == [*LINES[:39], "last"]


async def test_what_the_user_types_before_approving_is_kept(tmp_path: Path, nvim: Path) -> None:
    fox = "🦊🦊 line 20"
    text = TEXT.replace("line 20", fox)
    edit = [CallTool("edit_file", path="a.txt", old_string=fox, new_string="🦊 fox 20")]
    async with neovim(nvim, tmp_path, [edit, DONE], {"a.txt": text}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.type("ggiTYPED 🦊 <Esc>")
        await editor.command("AgentApprove")
        await editor.until_state("idle")
        typed = ["TYPED 🦊 line 0", *LINES[1:20], "🦊 fox 20", *LINES[21:]]
        assert await editor.lines("a.txt") == typed
        await editor.type("u")

        assert await editor.lines("a.txt") == [*typed[:20], fox, *LINES[21:]]


async def test_text_that_moved_on_in_the_same_place_is_not_written_over(tmp_path: Path, nvim: Path) -> None:
    edit = [CallTool("edit_file", path="a.txt", old_string="line 20\n", new_string="twenty\n")]
    async with neovim(nvim, tmp_path, [edit, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.type("21Gccmine<Esc>")
        await editor.command("AgentApprove")
        await editor.until_state("idle")

        assert await editor.lines("a.txt") == [*LINES[:20], "mine", *LINES[21:]]


async def test_an_edited_proposal_is_what_is_applied(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        window = await editor.get("vim.api.nvim_get_current_win()")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("AgentDiff")
        await editor.until("vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'first'")
        assert await editor.get("{vim.wo.diff, #vim.api.nvim_list_tabpages()}") == [True, 2]
        await editor.type("ccmine<Esc>")
        await editor.command("write")
        await editor.until_state("idle")
        await editor.until("#vim.api.nvim_list_tabpages() == 1")

        assert await editor.lines("a.txt") == ["mine", *EDITED_LINES[1:]]
        assert await editor.get("vim.api.nvim_get_current_win()") == window


async def test_a_proposal_takes_no_typing_before_its_text_is_there(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")

        assert await editor.lua("vim.cmd.AgentDiff() return vim.bo.modifiable") is False
        await editor.until("vim.bo.modifiable and vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'first'")


async def test_a_file_that_is_not_open_is_not_truncated(tmp_path: Path, nvim: Path) -> None:
    edit = [CallTool("edit_file", path="b.txt", old_string="line 20\n", new_string="twenty\n")]
    async with neovim(nvim, tmp_path, [edit, edit, DONE], {"a.txt": "", "b.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        first = await editor.until_ask("tool")
        await editor.command("AgentReject")
        await editor.until_shown("✗ rejected")
        await editor.until_ask("tool", after=first)
        assert editor.file("b.txt").read_text() == TEXT
        await editor.command("AgentApprove")
        await editor.until_state("idle")

        assert editor.file("b.txt").read_text() == TEXT.replace("line 20\n", "twenty\n")


async def test_a_command_sees_what_was_edited_and_its_changes_are_read(tmp_path: Path, nvim: Path) -> None:
    run = [CallTool("execute_command", command="head -1 a.txt; echo new > b.txt")]
    async with neovim(nvim, tmp_path, [WRITE, run, DONE], {"a.txt": TEXT, "b.txt": "old\n"}) as editor:
        await editor.open("b.txt")
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("AgentApprove")
        await editor.until_ask("command")
        await editor.until_shown("ga run")
        await editor.command("AgentApprove")
        await editor.until_state("idle")
        await editor.until_shown("first")
        await editor.until("vim.api.nvim_buf_get_lines(vim.fn.bufnr('b.txt'), 0, -1, true)[1] == 'new'")

        assert editor.file("a.txt").read_text() == EDITED
        assert "first" in editor.model.requests[2].results[-1].text


async def test_a_task_is_stopped_in_the_middle_and_goes_on(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [[Say("I begin "), Hold()], DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent begin")
        await editor.until_shown("I begin ")
        await editor.command("AgentCancel")
        await editor.until_state("resumable")
        await editor.until_shown("cut off")
        await editor.until_ask("resume_task")
        await editor.command("AgentResume")
        await editor.until_state("idle")

        assert "I begin" in "\n".join(await editor.view())


async def test_a_task_goes_on_after_neovim_was_closed(tmp_path: Path, nvim: Path) -> None:
    async with desk(nvim, tmp_path, [[Say("I look.\n"), *WRITE], WRITE, DONE], {"a.txt": TEXT}) as made:
        async with made.neovim() as editor:
            await editor.open("a.txt")
            await editor.command("Agent change it")
            await editor.until_ask("tool")
        async with made.neovim() as editor:
            await editor.open("a.txt")
            await editor.command("AgentOpen | AgentResume")
            await editor.until_ask("resume_task")
            shown = "\n".join(await editor.view())
            await editor.command("AgentResume")
            await editor.until_ask("tool")
            await editor.command("AgentApprove")
            await editor.until_state("idle")

            assert "I look." in shown
            assert await editor.lines("a.txt") == EDITED_LINES


async def test_a_server_that_died_is_started_again_and_its_task_goes_on(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.lua("vim.uv.kill(..., 'sigkill')", await server_pid(editor))
        await editor.until_state("stopped")
        await editor.command("AgentResume")
        await editor.until_ask("resume_task")
        await editor.command("AgentApprove")
        await editor.until_ask("tool")
        await editor.command("AgentApprove")
        await editor.until_state("idle")

        assert await editor.lines("a.txt") == EDITED_LINES


@pytest.mark.parametrize("text", ["", "made\n", "made", "made\n\n", "\n", "🦊"])
async def test_a_new_file_has_exactly_the_text_that_was_approved(tmp_path: Path, nvim: Path, text: str) -> None:
    write = [CallTool("write_to_file", path="far/away/new.txt", content=text)]
    async with neovim(nvim, tmp_path, [write, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent make it")
        await editor.until_ask("tool")
        await editor.command("AgentApprove")
        await editor.until_state("idle")

        await editor.until("vim.uv.fs_stat('far/away/new.txt')")
        assert editor.file("far/away/new.txt").read_bytes() == text.encode()


async def test_each_file_of_a_change_has_its_diff(tmp_path: Path, nvim: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 0\n+first\n line 1\n"
        "*** Add File: new.txt\n+made\n*** End Patch\n"
    )
    async with neovim(nvim, tmp_path, [[CallTool("apply_patch", input=patch)], DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        assert await editor.lua("return vim.fn.getcompletion('AgentDiff ', 'cmdline')") == ["a.txt", "new.txt"]
        await editor.command("AgentDiff new.txt")
        await editor.until("vim.api.nvim_get_current_line() == 'made'")
        await editor.type("ccmine<Esc>")
        await editor.command("AgentDiff a.txt")
        await editor.until("vim.api.nvim_get_current_line() == 'first'")
        await editor.command("write")
        await editor.until_state("idle")

        assert editor.file("new.txt").read_text() == "mine\n"
        assert (await editor.lines("a.txt"))[0] == "first"


async def test_a_command_that_runs_long_is_ended_and_the_agent_goes_on(tmp_path: Path, nvim: Path) -> None:
    run = [CallTool("execute_command", command="echo be''gun; sleep 600")]
    async with neovim(nvim, tmp_path, [run, DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent run it")
        await editor.until_ask("command")
        await editor.command("AgentApprove")
        await editor.until_shown("begun")
        await editor.command("AgentCommand abort")
        await editor.until_state("idle")

        assert "begun" in editor.model.requests[1].results[0].text


async def test_keys_of_a_diff_are_not_left_in_the_file(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("AgentDiff")
        await editor.until("vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'first'")
        await editor.type("ga")
        await editor.until_state("idle")

        assert await editor.get("#vim.api.nvim_buf_get_keymap(vim.fn.bufnr('a.txt'), 'n')") == 0
        assert await editor.get("{ vim.wo.diff, vim.wo.winbar, vim.o.winbar }") == [False, "", ""]


async def test_what_was_made_of_a_proposal_stays_when_somebody_else_answers(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("AgentDiff")
        await editor.until("vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'first'")
        await editor.type("ccmine<Esc>")
        await editor.lua("require('agent_lsp.agent').answer('noButtonClicked')")
        await editor.until_state("idle")

        assert await editor.get("vim.api.nvim_get_current_line()") == "mine"
        await editor.lua("vim.bo.modified = false")


async def server_pid(editor: Neovim) -> int:
    children = psutil.Process(editor.rpc.pid).children(recursive=True)
    return next(child.pid for child in children if "--stdio" in child.cmdline())


async def test_an_old_neovim_is_told_so_in_one_line(tmp_path: Path, old_nvim: Path) -> None:
    async with neovim(old_nvim, tmp_path, [], {"a.txt": TEXT}) as editor:
        assert (
            await editor.get("vim.fn.execute('messages')") == "\nagent-lsp needs Neovim 0.11 or newer; this is 0.10.4."
        )
        assert await editor.get("vim.fn.exists(':Agent')") == 0
