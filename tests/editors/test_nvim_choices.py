"""What a person is asked, and chooses, in a real Neovim: answers, commands, permissions, profiles, checkpoints."""

from pathlib import Path

import pytest
from nvim_cases import DONE, EDITED_LINES, TEXT, WRITE
from nvim_editor import neovim

from support.model_server import CallTool, Refusal


async def test_a_command_is_looked_at_in_a_float(tmp_path: Path, nvim: Path) -> None:
    run = [CallTool("execute_command", command="echo one\necho two")]
    async with neovim(nvim, tmp_path, [run, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent run it")
        await editor.until_ask("command")
        await editor.command("AgentDiff")
        shown = await editor.get("vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        await editor.type("q")
        await editor.until_ask("command")
        await editor.command("AgentDiff")
        await editor.type("y")
        await editor.until_state("idle")

        assert shown == ["echo one", "echo two"]


async def test_a_question_is_answered_and_a_dismissed_list_decides_nothing(tmp_path: Path, nvim: Path) -> None:
    ask = [CallTool("ask_followup_question", question="Which one?", follow_up=["The red one", "The blue one"])]
    async with neovim(nvim, tmp_path, [ask, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent choose")
        await editor.until_ask("followup")
        await editor.lua(
            "seen = {} vim.ui.select = function(items, options, chosen) "
            "table.insert(seen, items) chosen(#seen == 2 and items[2] or nil, #seen == 2 and 2 or nil) end"
        )
        await editor.command("AgentAnswer")
        assert await editor.get("require('agent_lsp').state()") == "waiting_for_input"
        await editor.command("AgentAnswer")
        await editor.until_state("idle")

        assert await editor.get("seen[1]") == ["The red one", "The blue one", "Write an answer…"]
        assert "The blue one" in editor.model.requests[1].results[0].text


@pytest.mark.parametrize("keys", ["2", "j<CR>", "gg<CR>"])
async def test_where_nobody_has_a_list_of_their_own_it_is_a_float(tmp_path: Path, nvim: Path, keys: str) -> None:
    ask = [CallTool("ask_followup_question", question="Which\none?", follow_up=["The red one", "The blue one"])]
    async with neovim(nvim, tmp_path, [ask, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent choose")
        await editor.until_ask("followup")
        await editor.command("AgentAnswer")
        shown = await editor.get("vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        await editor.type("q")
        await editor.until("vim.api.nvim_win_get_config(0).relative == ''")
        assert await editor.get("require('agent_lsp').state()") == "waiting_for_input"
        await editor.command("AgentAnswer")
        await editor.type(keys)
        await editor.until_state("idle")

        assert shown == ["Which", "one?", "", "1  The red one", "2  The blue one", "3  Write an answer…"]
        chosen = "The red one" if keys == "gg<CR>" else "The blue one"
        assert chosen in editor.model.requests[1].results[0].text


async def test_what_is_written_in_the_prompt_answers_a_question(tmp_path: Path, nvim: Path) -> None:
    ask = [CallTool("ask_followup_question", question="Which one?", follow_up=["The red one", "The blue one"])]
    async with neovim(nvim, tmp_path, [ask, DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent")
        await editor.type("ichoose<Esc><CR>")
        await editor.until_ask("followup")
        await editor.type("ineither<C-s><Esc>")
        await editor.until_state("idle")

        assert "neither" in editor.model.requests[1].results[0].text
        assert await editor.get("vim.api.nvim_get_current_line()") == ""


BUSY = Refusal(529, "busy", (("retry-after", "200"),))


@pytest.mark.parametrize(
    ("command", "state"), [("AgentApprove", "completion_result"), ("AgentReject", "api_req_failed")]
)
async def test_the_wait_for_a_service_is_cut_short(tmp_path: Path, nvim: Path, command: str, state: str) -> None:
    async with neovim(nvim, tmp_path, [BUSY, DONE], {"a.txt": TEXT}) as editor:
        await editor.command("AgentOpen")
        await editor.command("Agent say hello")
        await editor.until_shown("ga try now · gr give up")
        await editor.command(command)
        await editor.until_ask(state)

        assert "try now" not in "\n".join(await editor.view())


async def test_what_the_agent_did_is_taken_back_after_the_plan_was_shown(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("AgentApprove")
        await editor.until_state("idle")
        await editor.lua(
            "vim.ui.select = function(items, options, chosen) "
            "seen = vim.tbl_map(options.format_item, items) chosen(items[#items], #items) end"
        )
        await editor.command("AgentCheckpoints")
        await editor.until("vim.api.nvim_win_get_config(0).relative == 'editor'")
        assert [row.partition("  ")[2] for row in await editor.get("seen")] == ["before your message: change it"]
        assert await editor.get("vim.api.nvim_buf_get_lines(0, 0, -1, true)") == ["edit    a.txt"]
        assert await editor.lines("a.txt") == EDITED_LINES
        await editor.type("y")
        await editor.until("vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, 1, true)[1] == 'line 0'")
        await editor.until("vim.fn.execute('messages'):find('1 file restored')")
        await editor.command("AgentCheckpoints undo")
        await editor.until("vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, 1, true)[1] == 'first'")


async def test_the_newest_task_is_brought_back_where_none_is_here(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [DONE, DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent say hello")
        await editor.until_state("idle")
        await editor.command("AgentNew")
        await editor.until_state("no_task")
        await editor.command("AgentResume")
        await editor.until_shown("say hello")
        await editor.until_ask("resume_completed_task")
        await editor.command("Agent and again")
        await editor.until_shown("and again")
        await editor.until_ask("completion_result")

        assert "and again" in str(editor.model.requests[1])


async def test_a_task_goes_back_to_before_words_and_forth_again(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [DONE, WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent say hello")
        await editor.until_state("idle")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("AgentApprove")
        await editor.until("#require('agent_lsp.agent').task.order > 5")
        await editor.until_state("idle")
        before = await editor.view()
        await editor.lua("vim.ui.select = function(items, _, chosen) chosen(items[1], 1) end")
        await editor.command("AgentRewind")
        await editor.until("vim.api.nvim_win_get_config(0).relative == 'editor'")
        await editor.type("y")
        await editor.until("require('agent_lsp.prompt').text() == 'change it'")
        assert "change it" not in "\n".join(await editor.view())
        assert (await editor.lines("a.txt"))[0] == "line 0"
        await editor.until("vim.fn.execute('messages'):find('Rewound')")
        await editor.command("AgentCheckpoints undo")
        await editor.until_shown("◆ Edit")
        await editor.until_state("idle")

        assert await editor.view() == before
        assert await editor.lines("a.txt") == EDITED_LINES


async def test_what_is_allowed_for_good_is_not_asked_again(tmp_path: Path, nvim: Path) -> None:
    run = [CallTool("execute_command", command="make it")]
    async with neovim(nvim, tmp_path, [run, run, DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent run it")
        await editor.until_ask("command")
        await editor.lua("vim.ui.select = function(items, _, chosen) seen = items chosen(items[1], 1) end")
        await editor.command("AgentAlways")
        await editor.until_state("idle")

        assert await editor.get("seen") == ["in this task", "in this project", "everywhere"]
        assert len(editor.model.requests) == 3


async def test_a_profile_is_chosen_for_tasks_to_come(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.until("#vim.fn.getcompletion('AgentProfile ', 'cmdline') > 0")
        await editor.lua("vim.ui.select = function(items, options, chosen) seen = options.format_item(items[1]) end")
        await editor.command("AgentProfile")
        await editor.until("seen")

        assert await editor.get("seen") == "● test  scripted"


async def test_a_question_of_the_servers_waits_without_taking_the_focus(tmp_path: Path, nvim: Path) -> None:
    async with neovim(
        nvim, tmp_path, [DONE], {"a.txt": TEXT, ".agent-lsp/settings.json": '{"allowedCommands":["make"]}'}
    ) as editor:
        await editor.open("a.txt")
        window = await editor.get("vim.api.nvim_get_current_win()")
        await editor.command("Agent go")
        await editor.until("require('agent_lsp.questions').pending()")
        assert await editor.get("vim.api.nvim_get_current_win()") == window
        await editor.lua("vim.ui.select = function(items, _, chosen) seen = items chosen(items[1], 1) end")
        await editor.command("AgentAnswer")
        await editor.until("not require('agent_lsp.questions').pending()")

        assert len(await editor.get("seen")) > 1
