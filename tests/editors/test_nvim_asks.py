"""What a real Neovim does with yes and no, with hunks at the cursor, and with an ask that nobody sees."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from nvim_cases import DONE, LINES, TEXT, WRITE
from nvim_editor import Neovim, neovim

from support.model_server import CallTool

ASK = [CallTool("ask_followup_question", question="Which one?", follow_up=["The red one", "The blue one"])]
FLOATS = """vim.iter(vim.api.nvim_list_wins())
  :filter(function(w) return vim.api.nvim_win_get_config(w).relative ~= '' end)
  :map(function(w) return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, 1, true)[1] end)
  :totable()"""


async def until_float(editor: Neovim, *first_lines: str) -> None:
    """Wait until these floats are on the screen, and no other."""
    listed = ", ".join(f"'{line}'" for line in first_lines)
    await editor.until(f"vim.deep_equal({FLOATS}, {{ {listed} }})")


@pytest.mark.parametrize("command", ["AgentApprove", "AgentReject"])
async def test_yes_and_no_are_no_answer_to_a_question(tmp_path: Path, nvim: Path, command: str) -> None:
    async with neovim(nvim, tmp_path, [ASK, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent choose")
        await editor.until_ask("followup")
        await editor.command(command)
        await until_float(editor, "Which one?")
        assert "wants more than a yes or no" in await editor.get("vim.fn.execute('messages')")
        await editor.type("q")

        assert await editor.get("require('agent_lsp').state()") == "waiting_for_input"
        assert len(editor.model.requests) == 1


@pytest.mark.parametrize("command", ["AgentApprove", "AgentReject"])
async def test_words_with_a_yes_or_no_answer_a_question(tmp_path: Path, nvim: Path, command: str) -> None:
    async with neovim(nvim, tmp_path, [ASK, DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent choose")
        await editor.until_ask("followup")
        await editor.command(f"{command} the green one")
        await editor.until_state("idle")

        assert "the green one" in editor.model.requests[1].results[0].text


async def test_hunks_are_decided_only_where_the_cursor_is_on_one(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        for line in ("2G", "20G", "39G"):
            await editor.type(line)
            await editor.command("AgentAcceptHunk")
        await editor.command("wincmd b | wincmd k | normal! gg")
        await editor.command("AgentRejectHunk")
        decided = "vim.tbl_count(require('agent_lsp.agent').task:decisions(require('agent_lsp.agent').task:ask().ts))"
        assert await editor.get(decided) == 0
        assert (await editor.get("vim.fn.execute('messages')")).count("No change under the cursor.") == 4
        await editor.command("wincmd t | normal! G")
        await editor.command("AgentRejectHunk")

        await editor.until(f"{decided} == 1")
        assert await editor.lines("a.txt") == LINES


async def test_hunks_are_decided_at_the_cursor_in_a_diff(tmp_path: Path, nvim: Path) -> None:
    grown = "\n".join(["above", "first", *LINES[1:38], "last"]) + "\n"
    write = [CallTool("write_to_file", path="a.txt", content=grown)]
    async with neovim(nvim, tmp_path, [write, DONE], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent change it")
        await editor.until_ask("tool")
        await editor.command("AgentDiff")
        await editor.until("vim.bo.modifiable and vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'above'")
        await editor.type("2GgHGgh")
        await editor.until_state("idle")

        assert await editor.lines("a.txt") == [*LINES[:38], "last"]


AT = "return (require('agent_lsp.hunks').at(...) or {}).id"
BOTH = {"id": "both", "header": "@@ -3,5 +4,5 @@", "startLine": 3, "lines": [" a", "-b", "+B", " c"]}
ADDED = {"id": "added", "header": "@@ -10,2 +11,3 @@", "startLine": 10, "lines": [" a", "+new", " b"]}
REMOVED = {"id": "removed", "header": "@@ -20,3 +22,2 @@", "startLine": 20, "lines": [" a", "-old", " b"]}
FIRST = {"id": "first", "header": "@@ -0,0 +1,2 @@", "startLine": 1, "lines": ["+one", "+two"]}
BARE: dict[str, object] = {"id": "bare", "header": "", "startLine": 5}


PLACES: list[tuple[list[Mapping[str, object]], str, dict[int, str]]] = [
    ([BOTH], "before", {3: "both"}),
    ([BOTH], "after", {4: "both"}),
    ([ADDED], "before", {9: "added", 10: "added"}),
    ([ADDED], "after", {11: "added"}),
    ([REMOVED], "before", {20: "removed"}),
    ([REMOVED], "after", {21: "removed", 22: "removed"}),
    ([FIRST], "before", {0: "first"}),
    ([FIRST], "after", {0: "first", 1: "first"}),
    ([ADDED, {**BOTH, "startLine": 10}], "before", {9: "added", 10: "both"}),
    ([BARE], "before", {3: "bare", 4: "bare"}),
    ([], "before", {}),
]


async def test_a_hunk_is_where_its_changed_lines_are(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [], {}) as editor:
        for hunks, side, places in PLACES:
            seen = {line: await editor.lua(AT, hunks, line, side) for line in range(30)}

            assert {line: hunk for line, hunk in seen.items() if hunk} == places


CLOSINGS = ["only", "AgentClose", "wincmd b | wincmd k | quit", "wincmd b | wincmd k | edit! other.txt"]


@pytest.mark.parametrize("closing", CLOSINGS)
async def test_what_waits_is_told_of_however_the_view_is_closed(tmp_path: Path, nvim: Path, closing: str) -> None:
    async with neovim(nvim, tmp_path, [ASK], {"a.txt": TEXT}) as editor:
        await editor.open("a.txt")
        await editor.command("Agent choose")
        await editor.until_ask("followup")
        assert await editor.get(FLOATS) == []
        await editor.command(closing)
        await until_float(editor, "Which one?")
        await editor.command("AgentOpen")

        await until_float(editor)


HINT = """
local hints = vim.api.nvim_create_namespace('agent_lsp_prompt')
local marks = vim.api.nvim_buf_get_extmarks(require('agent_lsp.prompt').buffer(), hints, 0, -1, { details = true })
for _, mark in ipairs(marks) do
  if mark[4].virt_text then return (mark[4].virt_text[1][1]:gsub('  @ .*', '')) end
end
"""


async def test_the_empty_prompt_says_what_words_are_for_now(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [ASK, WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.command("AgentOpen")
        hints = [await editor.lua(HINT)]
        await editor.command("Agent choose")
        for kind in ("followup", "tool", "completion_result"):
            await editor.until_ask(kind)
            hints.append(await editor.lua(HINT))
            await editor.command("AgentApprove well")

        assert hints == [
            "What is to be done?",
            "Your answer",
            "Words to go with ga or gr",
            "What is to be done next?",
        ]


async def test_windows_of_the_agent_keep_their_buffers_and_titles(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [], {"a.txt": TEXT}) as editor:
        await editor.command("AgentOpen | wincmd b")
        title = "return vim.api.nvim_eval_statusline('%f', { winid = vim.api.nvim_get_current_win() }).str"
        seen: list[object] = []
        for _ in range(2):
            refused = await editor.lua("return not pcall(vim.cmd.edit, 'a.txt')")
            seen.append([refused, await editor.lua(title)])
            await editor.command("wincmd k")

        assert seen == [[True, "[Agent prompt]"], [True, "[Agent]"]]
