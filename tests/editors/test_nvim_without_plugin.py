"""Neovim with nothing but its own LSP client: no plugin, no code about the agent but what starts the server."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from nvim_cases import DONE, EDITED, EDITED_LINES, TEXT, WRITE
from nvim_editor import Neovim, command_line, make_project, write_settings
from nvim_rpc import Rpc

from support.model_server import CallTool, scripted_model

INIT = """
vim.lsp.config('agent_lsp', {
  cmd = { 'agent-lsp', '--stdio' },
  root_markers = { '.git' },
  reuse_client = function(client, config) return client.name == config.name end,
})
vim.lsp.enable('agent_lsp')
asked = {}
vim.ui.select = function(items, options, chosen) table.insert(asked, options.prompt) chosen(nil) end
told = {}
vim.lsp.handlers['window/showMessage'] = function(_, params) table.insert(told, params.message) end
function agent(command, ...)
  local client = vim.lsp.get_clients({ name = 'agent_lsp' })[1]
  return client:request_sync('workspace/executeCommand', { command = 'agent.' .. command, arguments = { ... } }, 60000).result
end
"""
ACTIONS = """
local params = vim.lsp.util.make_range_params(0, 'utf-8')
params.context = { diagnostics = {} }
local found = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 60000)
local titles = {}
for _, answer in pairs(found) do
  for _, action in ipairs(answer.result or {}) do table.insert(titles, action.title) end
end
return titles
"""


class PlainNeovim(Neovim):
    """One editor without our plugin."""

    async def screen(self) -> str:
        return str(await self.lua("return { told = told, asked = asked, messages = vim.fn.execute('messages') }"))

    async def until_told(self, text: str) -> None:
        await self.until(f"vim.iter(told):any(function(one) return one:find([[{text}]], 1, true) end)")


@asynccontextmanager
async def plain_neovim(
    program: Path, folder: Path, turns: Sequence[Any], files: dict[str, str]
) -> AsyncGenerator[PlainNeovim]:
    project = make_project(folder, files)
    async with scripted_model(turns) as model:
        environment = write_settings(folder, model)
        (folder / "init.lua").write_text(INIT)
        rpc = await Rpc.start(command_line(program, folder, "--embed"), project, environment)
        editor = PlainNeovim(rpc, model, project)
        try:
            await rpc.call("nvim_ui_attach", 120, 40, {})
            await editor.open("a.txt")
            yield editor
            assert await rpc.call("nvim_get_mode") == {"mode": "n", "blocking": False}
            assert await editor.get("vim.v.errmsg") == ""
        finally:
            await rpc.stop()


async def test_an_edit_is_approved_by_command_after_its_list_was_dismissed(tmp_path: Path, nvim: Path) -> None:
    async with plain_neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.lua("agent('newTask', 'change it')")
        await editor.until("#asked == 1")
        await editor.until("#vim.diagnostic.get(0) == 2")
        actions = await editor.lua(ACTIONS)
        await editor.lua("agent('approve')")
        await editor.until_told("Done: All done.")

        assert await editor.lines("a.txt") == EDITED_LINES
        assert actions[:2] == ["Agent: approve a.txt", "Agent: reject a.txt"]
        assert await editor.get("#vim.diagnostic.get(0)") == 0
        assert editor.file("a.txt").read_text() == TEXT


@pytest.mark.parametrize("text", ["one\ntwo\n", "no end", "\n\n", ""])
async def test_a_new_file_has_exactly_the_text_that_was_approved(tmp_path: Path, nvim: Path, text: str) -> None:
    create = [CallTool("write_to_file", path="sub/new.txt", content=text)]
    async with plain_neovim(nvim, tmp_path, [create, DONE], {"a.txt": TEXT}) as editor:
        await editor.lua("agent('newTask', 'make it')")
        await editor.until("#asked == 1")
        await editor.lua("agent('approve')")
        await editor.until_told("Done: All done.")

        assert editor.file("sub/new.txt").read_bytes() == text.encode()


async def test_a_file_that_is_not_open_keeps_what_is_not_changed(tmp_path: Path, nvim: Path) -> None:
    write = [CallTool("write_to_file", path="b.txt", content=EDITED)]
    async with plain_neovim(nvim, tmp_path, [write, write, DONE], {"a.txt": "", "b.txt": TEXT}) as editor:
        await editor.lua("agent('newTask', 'change it')")
        await editor.until("#asked == 1")
        assert editor.file("b.txt").read_text() == TEXT
        await editor.lua("agent('reject', 'not yet')")
        await editor.until("#asked == 2")
        assert editor.file("b.txt").read_text() == TEXT
        await editor.lua("agent('approve')")
        await editor.until_told("Done: All done.")

        assert editor.file("b.txt").read_text() == EDITED
        assert "not yet" in editor.model.requests[1].results[-1].text


async def test_what_is_typed_while_an_edit_waits_is_kept_and_one_undo_takes_it_back(tmp_path: Path, nvim: Path) -> None:
    async with plain_neovim(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as editor:
        await editor.lua("agent('newTask', 'change it')")
        await editor.until("#asked == 1")
        await editor.lua("vim.api.nvim_buf_set_lines(0, 20, 21, true, { 'typed 🦊' })")
        await editor.lua("agent('approve')")
        await editor.until_told("Done: All done.")
        applied = await editor.lines("a.txt")
        await editor.command("undo")

        assert applied == [*EDITED_LINES[:20], "typed 🦊", *EDITED_LINES[21:]]
        assert (await editor.lines("a.txt"))[20] == "typed 🦊"
        assert (await editor.lines("a.txt"))[0] == "line 0"


async def test_the_transcript_is_a_buffer_that_is_kept_current(tmp_path: Path, nvim: Path) -> None:
    ask = [CallTool("ask_followup_question", question="Which one?", follow_up=["The red one", "The blue one"])]
    async with plain_neovim(nvim, tmp_path, [ask, DONE], {"a.txt": TEXT}) as editor:
        await editor.lua("agent('newTask', 'choose')")
        await editor.until("#asked == 1")
        await editor.lua("agent('showTranscript')")
        shown = "table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')"
        await editor.until(f"{shown}:find('Which one?', 1, true)")
        await editor.lua("agent('answer', 'neither')")
        await editor.until(f"{shown}:find('All **done**', 1, true)")

        assert "neither" in editor.model.requests[1].results[-1].text
