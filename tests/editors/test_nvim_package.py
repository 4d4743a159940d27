"""The plugin as it is handed out: its help, its files, and what it does before the agent is wanted."""

import re
import subprocess
from pathlib import Path

import pytest
from nvim_editor import PLUGIN, neovim

HELP = (PLUGIN / "doc" / "agent-lsp.txt").read_text()


def names_in(file: str, pattern: str) -> set[str]:
    return set(re.findall(pattern, (PLUGIN / file).read_text(), re.MULTILINE))


def test_every_command_is_described_and_does_something() -> None:
    commands = names_in("plugin/agent_lsp.lua", r"^  (Agent\w*) = \{")

    assert set(re.findall(r"\*:(Agent\w*)\*", HELP)) == commands
    assert names_in("lua/agent_lsp/commands.lua", r"^  (Agent\w*) = (?!changed|server|prompt|function)") == commands


def test_every_highlight_group_is_described() -> None:
    assert set(re.findall(r"^    (Agent\w+)  ", HELP, re.MULTILINE)) == names_in(
        "lua/agent_lsp/highlights.lua", r"\b(Agent\w+)\b"
    )


def test_every_setting_is_described_with_its_default() -> None:
    settings = names_in("lua/agent_lsp/config.lua", r"^    (\w+ = '[^']*'),") | names_in(
        "lua/agent_lsp/config.lua", r"^  (\w+ = [\w.]+),"
    )

    assert [setting for setting in settings if setting not in HELP] == []


def test_tags_are_those_of_the_help(tmp_path: Path, nvim: Path) -> None:
    (tmp_path / "agent-lsp.txt").write_text(HELP)
    subprocess.run(
        [nvim, "--headless", "-u", "NONE", "-i", "NONE", "-c", f"helptags {tmp_path}", "-c", "qa"], check=True
    )

    assert (tmp_path / "tags").read_text() == (PLUGIN / "doc" / "tags").read_text()


@pytest.mark.parametrize("file", sorted(PLUGIN.rglob("*.lua")), ids=lambda file: str(file.relative_to(PLUGIN)))
def test_no_file_is_too_long_to_read(file: Path) -> None:
    is_printed = file.name == "types.lua"

    assert is_printed or len(file.read_text().splitlines()) < 350
    assert is_printed or max(map(len, file.read_text().splitlines())) <= 120


async def test_nothing_is_started_or_shown_before_it_is_wanted(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [], {}) as editor:
        assert await editor.get("vim.lsp.get_clients()") == []
        assert await editor.get("require('agent_lsp').status()") == ""
        assert await editor.get("#vim.api.nvim_list_bufs()") == 1


async def test_without_a_server_files_are_opened_in_silence(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [], {"a.txt": "x\n"}) as editor:
        await editor.lua("vim.g.agent_lsp = { cmd = { 'no-such-program' } }")
        await editor.command("edit a.txt")

        assert await editor.get("vim.fn.execute('messages')") == ""
