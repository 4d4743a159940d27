"""Two Neovims at the same task, through one server that both are connected to."""

import asyncio
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from nvim_cases import DONE, EDITED_LINES, TEXT, WRITE
from nvim_editor import Desk, desk


@asynccontextmanager
async def connected(made: Desk) -> AsyncGenerator[None]:
    """Have every Neovim of this desk connect to one server, which ends with the first of them."""
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "agent_lsp", "--tcp", "127.0.0.1:0"),
        cwd=made.project,
        env=made.environment,
        stderr=asyncio.subprocess.PIPE,
    )
    assert server.stderr
    said = (await server.stderr.readline()).decode()
    address = re.search(r"127\.0\.0\.1:\d+", said)
    assert address, said
    init = made.folder / "init.lua"
    init.write_text(f"vim.g.agent_lsp = {{ address = '{address[0]}' }}\n{init.read_text()}")
    try:
        yield
    finally:
        async with asyncio.timeout(60):
            await server.communicate()


async def test_a_second_neovim_sees_the_task_and_answers_for_both(tmp_path: Path, nvim: Path) -> None:
    async with desk(nvim, tmp_path, [WRITE, DONE], {"a.txt": TEXT}) as made, connected(made), made.neovim() as first:
        await first.open("a.txt")
        await first.command("Agent change it")
        await first.until_ask("tool")
        async with made.neovim() as second:
            await second.open("a.txt")
            await second.command("AgentOpen")
            await second.until_shown("change it")
            await second.until_ask("tool")
            await second.command("AgentApprove")
            await first.until_state("idle")
            await second.until_state("idle")
            await second.until_shown("All **done**.")
        await first.until_state("idle")

        assert await first.lines("a.txt") == EDITED_LINES


@pytest.mark.parametrize("address", ["nowhere", "7777", "127.0.0.1:"])
async def test_an_address_has_a_host_and_a_port(tmp_path: Path, nvim: Path, address: str) -> None:
    async with desk(nvim, tmp_path, [], {}) as made, made.neovim() as editor:
        problem = await editor.lua("return require('agent_lsp.config').problem({ address = ... })", address)

        assert "`address` is a host and a port" in problem
