"""A real Neovim with our plugin in it, and a scripted model behind the server.

Everything that waits, waits inside of Neovim for what it wants to see.
"""

import json
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editors_site import ROOT
from nvim_rpc import Rpc

from support.model_server import ScriptedServer, scripted_model

PLUGIN = ROOT / "editors" / "nvim"
PATIENCE_MS = 60_000
PROFILE = {"type": "anthropic", "model": "scripted", "apiKey": "sk-planted-0123456789"}
VIEW = "vim.api.nvim_buf_get_lines(require('agent_lsp.view').buffer(), 0, -1, true)"
WAIT = """
local condition = assert(load('return ' .. ...))
if vim.wait({patience}, function() local ok, value = pcall(condition) return ok and value end, 10) then return true end
return false
"""


@dataclass
class Neovim:
    """One editor, its model, and the project it works in."""

    rpc: Rpc
    model: ScriptedServer
    folder: Path

    async def lua(self, code: str, *arguments: object) -> Any:  # Any: whatever Neovim answers.
        """Run Lua; what it returns."""
        return await self.rpc.call("nvim_exec_lua", code, arguments)

    async def get(self, expression: str) -> Any:  # Any: whatever Neovim answers.
        return await self.lua(f"return {expression}")

    async def command(self, command: str) -> None:
        await self.rpc.call("nvim_command", command)

    async def type(self, keys: str) -> None:
        """Press keys, as in a mapping: `<CR>`, `<Esc>`."""
        await self.rpc.call("nvim_input", keys)

    async def until(self, expression: str) -> None:
        """Wait until a Lua expression is true."""
        holds = await self.lua(WAIT.replace("{patience}", str(PATIENCE_MS)), expression)
        assert holds, f"never true: {expression}\n{await self.screen()}"

    async def until_shown(self, text: str) -> None:
        """Wait until the view says this."""
        await self.until(f"table.concat({VIEW}, '\\n'):find({lua_string(text)}, 1, true)")

    async def until_state(self, state: str) -> None:
        await self.until(f"require('agent_lsp').state() == {lua_string(state)}")

    async def until_ask(self, kind: str, after: int = 0) -> int:
        """Wait until an ask of this kind waits, a newer one than `after`; its `ts`."""
        ask = "(require('agent_lsp.agent').task:ask() or { ts = 0 })"
        await self.until(f"{ask}.kind == {lua_string(kind)} and {ask}.ts > {after}")
        return await self.get(f"{ask}.ts")

    async def view(self) -> list[str]:
        """The lines of the view."""
        return await self.get(VIEW)

    async def lines(self, name: str) -> list[str]:
        """The lines of an open file."""
        path = str(self.folder / name)
        return await self.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)", path)

    async def open(self, name: str) -> None:
        await self.command(f"edit {self.folder / name}")
        await self.until("#vim.lsp.get_clients({ name = 'agent_lsp', bufnr = 0 }) > 0")

    async def screen(self) -> str:
        """What can be seen of the state, for the message of a test that failed."""
        facts = await self.lua(
            "local buffer = require('agent_lsp.view').buffer() "
            "return {mode = vim.api.nvim_get_mode(), errmsg = vim.v.errmsg, state = require('agent_lsp').state(), "
            "messages = vim.fn.execute('messages'), "
            "view = buffer and vim.api.nvim_buf_get_lines(buffer, 0, -1, true) or {}}"
        )
        return json.dumps(facts, indent=1, ensure_ascii=False)

    def file(self, name: str) -> Path:
        return self.folder / name


def lua_string(text: str) -> str:
    """A text as Lua reads it."""
    return json.dumps(text, ensure_ascii=False)


def make_project(folder: Path, files: dict[str, str]) -> Path:
    """A project with these files, as they are, byte for byte."""
    project = folder / "project"
    (project / ".git").mkdir(parents=True)
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    return project


def write_settings(folder: Path, model: ScriptedServer) -> dict[str, str]:
    """The environment of an editor whose server asks this model."""
    starter = folder / "bin" / "agent-lsp"
    starter.parent.mkdir()
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agent_lsp "$@"\n')
    starter.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    profile = {**PROFILE, "baseURL": model.base_url("anthropic")}
    (home / "settings.json").write_text(json.dumps({"currentProvider": "test", "providers": {"test": profile}}))
    (folder / "init.lua").write_text(
        f"vim.opt.runtimepath:prepend([[{PLUGIN}]])\nif vim.lsp.enable then vim.lsp.enable('agent_lsp') end\n"
    )
    return {
        **os.environ,
        "PATH": f"{starter.parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_STATE_HOME": str(folder / "xdg"),
        "AGENT_LSP_HOME": str(home),
        "AGENT_LSP_STATE": str(folder / "state"),
    }


def command_line(program: Path, folder: Path, *words: str) -> list[str]:
    return [str(program), "-u", str(folder / "init.lua"), "-i", "NONE", "-n", *words]


@asynccontextmanager
async def neovim(program: Path, folder: Path, turns: Sequence[Any], files: dict[str, str]) -> AsyncGenerator[Neovim]:
    """Start Neovim in a project with these files; the model answers with these turns."""
    async with (
        desk(program, folder, turns, files) as made,
        made.neovim() as editor,
    ):
        yield editor


@dataclass(frozen=True, slots=True)
class Desk:
    """A project with a model, and a Neovim that does not run yet."""

    program: Path
    folder: Path
    project: Path
    model: ScriptedServer
    environment: dict[str, str]

    @asynccontextmanager
    async def neovim(self) -> AsyncGenerator[Neovim]:
        """Run Neovim once."""
        rpc = await Rpc.start(command_line(self.program, self.folder, "--embed"), self.project, self.environment)
        editor = Neovim(rpc, self.model, self.project)
        try:
            await rpc.call("nvim_ui_attach", 120, 40, {})
            yield editor
            assert await rpc.call("nvim_get_mode") == {"mode": "n", "blocking": False}
            assert await editor.get("vim.v.errmsg") == ""
        finally:
            await rpc.stop()


@asynccontextmanager
async def desk(program: Path, folder: Path, turns: Sequence[Any], files: dict[str, str]) -> AsyncGenerator[Desk]:
    """Make a project with these files; the model answers with these turns."""
    project = make_project(folder, files)
    async with scripted_model(turns) as model:
        yield Desk(program, folder, project, model, write_settings(folder, model))
