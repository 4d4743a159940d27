"""What the server says while Neovim ends is handled by nobody: a failure then would wait for a key for ever."""

import json
import subprocess
from pathlib import Path

from nvim_editor import PLUGIN

LEAVE = """
local handled = {}
local function note(method)
  table.insert(handled, method)
  return vim.NIL
end
vim.lsp.rpc.start = function(_, dispatchers)
  dispatchers.notification('agent/message', {})
  dispatchers.server_request('agent/save', {})
  vim.api.nvim_create_autocmd('VimLeave', { callback = function()
    dispatchers.notification('agent/state', {})
    local _, refusal = dispatchers.server_request('agent/diagnostics', {})
    vim.fn.writefile({ vim.json.encode({ handled, refusal and refusal.message }) }, 'told.json')
  end })
end
local dispatchers = { notification = note, server_request = note, on_exit = note }
require('agent_lsp.server').spawn(dispatchers, {})
"""


def test_nothing_is_handled_any_more_once_neovim_ends(tmp_path: Path, nvim: Path) -> None:
    script = tmp_path / "leave.lua"
    script.write_text(LEAVE)
    words = ["-u", "NONE", "-i", "NONE", "-n", "--cmd", f"set rtp^={PLUGIN}", "-c", f"luafile {script}", "-c", "qa!"]

    subprocess.run([nvim, "--headless", *words], cwd=tmp_path, check=True)

    told = json.loads((tmp_path / "told.json").read_text())
    assert told == [["agent/message", "agent/save"], "Neovim ends."]
