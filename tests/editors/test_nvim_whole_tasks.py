"""What is done with whole tasks and with words for them, in a real Neovim: queued, pictured, forked, named, exported, deleted."""

import base64
from pathlib import Path

import pytest
from nvim_cases import DONE, TEXT
from nvim_editor import Neovim, neovim

from support.model_requests import SeenWords
from support.model_server import CallTool, Hold, Say

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICKED = "vim.ui.select = function(items, options, chosen) choices = vim.tbl_map(options.format_item, items) {} end"


async def pick(editor: Neovim, index: int) -> None:
    """Have the next list be answered with this item, from 1 on."""
    await editor.lua(PICKED.format(f"chosen(items[{index}], {index})"))


def pictures(editor: Neovim) -> int:
    """How many pictures the last request has."""
    return sum(item.images for item in editor.model.requests[-1].items if isinstance(item, SeenWords))


async def test_words_that_wait_are_changed_moved_and_dropped(tmp_path: Path, nvim: Path) -> None:
    hold = Hold()
    async with neovim(nvim, tmp_path, [[Say("I work.\n"), hold], DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent work")
        await editor.until_shown("I work.")
        for words in ("one", "two", "three"):
            await editor.lua("require('agent_lsp.agent').task.status.ask = { ts = 0, kind = 'tool' }")
            await editor.command(f"Agent {words}")
        await editor.until("require('agent_lsp.agent').task.status.queue == 3")
        await editor.command("AgentQueue")
        await editor.until("vim.api.nvim_win_get_config(0).relative == 'editor'")
        await editor.type("jf")
        await editor.until("vim.api.nvim_get_current_line() == 'two'")
        moved = await editor.get("vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        await editor.type("d")
        await editor.until("vim.api.nvim_get_current_line() == 'one'")
        await editor.type("<CR>")
        await editor.until("require('agent_lsp.prompt').text() == 'one'")
        await editor.until("require('agent_lsp.agent').task.status.queue == 1")
        await editor.command("AgentCancel")

        assert moved == ["two", "one", "three"]


async def test_a_picture_goes_along_with_the_next_words(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [DONE, DONE], {"a.txt": TEXT}) as editor:
        editor.file("a shot.png").write_bytes(PNG)
        await editor.command("Agent")
        await editor.command("AgentImage a\\ shot.png")
        await editor.type("iwhat is this?<C-s><Esc>")
        await editor.until_state("idle")
        assert pictures(editor) == 1
        await editor.until_shown("1 picture")
        await editor.type("iand now?<C-s><Esc>")
        await editor.until_shown("and now?")
        await editor.until_state("idle")

        assert pictures(editor) == 1
        assert len(editor.model.requests) == 2


async def test_a_picture_is_taken_from_the_clipboard(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [DONE], {"a.txt": TEXT}) as editor:
        (tmp_path / "shot.png").write_bytes(PNG)
        xclip = tmp_path / "bin" / "xclip"
        xclip.write_text(f'#!/bin/sh\n[ "$4" = image/png ] && exec cat "{tmp_path}/shot.png"\n')
        xclip.chmod(0o755)
        await editor.lua("vim.env.WAYLAND_DISPLAY = nil")
        await editor.command("AgentImage")
        await editor.until("require('agent_lsp.images').names()[1] == 'from the clipboard'")
        await editor.command("Agent what is this?")
        await editor.until_state("idle")

        assert pictures(editor) == 1


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.png", b"no picture", "a.png is no PNG, JPEG, GIF or WebP picture."),
        ("a.png", PNG + bytes(5 * 1024 * 1024), "a.png is larger than 5 MB; make it smaller."),
        ("b.png", None, "b.png: No such file or directory"),
    ],
)
async def test_what_is_no_picture_is_not_sent(
    tmp_path: Path, nvim: Path, name: str, content: bytes | None, said: str
) -> None:
    async with neovim(nvim, tmp_path, [], {}) as editor:
        if content:
            editor.file(name).write_bytes(content)
        await editor.command(f"AgentImage {name}")

        assert said in await editor.get("vim.fn.execute('messages')")
        assert await editor.get("require('agent_lsp.images').names()") == []


async def test_a_task_is_forked_before_words_and_both_are_kept(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [DONE, DONE, DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent the first words")
        await editor.until_state("idle")
        await editor.command("Agent the other words")
        await editor.until("#require('agent_lsp.agent').task:own_words() == 2")
        await editor.until_state("idle")
        first = await editor.get("require('agent_lsp.agent').task:id()")
        await pick(editor, 2)
        await editor.command("AgentFork")
        await editor.until(f"require('agent_lsp.agent').task:id() ~= '{first}'")
        await editor.until("require('agent_lsp.prompt').text() == 'the other words'")

        assert await editor.get("choices") == ["all of it", "before: the other words", "before: the first words"]
        assert "the other words" not in "\n".join(await editor.view())


async def test_a_task_is_named_exported_and_deleted(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent say hello")
        await editor.until_state("idle")
        await editor.command("AgentRename A good name")
        await editor.until_shown("# A good name")
        for _ in range(2):
            await editor.command("AgentExport told.md")
        await editor.until("vim.fn.execute('messages'):find('is there already')")
        await editor.command("AgentExport")
        await editor.until("vim.bo.filetype == 'markdown'")
        exported = "\n".join(await editor.get("vim.api.nvim_buf_get_lines(0, 0, -1, true)"))
        await editor.command("tabclose | AgentDelete")
        await editor.type("y")
        await editor.until_state("no_task")
        await editor.command("AgentHistory")
        await editor.until("vim.fn.execute('messages'):find('There is no earlier task here')")

        assert "say hello" in exported
        assert editor.file("told.md").read_text() == f"{exported}\n"


async def test_how_it_works_is_chosen_from_a_list(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent say hello")
        await editor.until_state("idle")
        await pick(editor, 1)
        await editor.command("AgentPermissions")
        await editor.until("require('agent_lsp.agent').task.status.permissionMode == 'plan'")

        assert (await editor.get("choices"))[:2] == [
            "  plan               it reads, and changes nothing",
            "● default            it asks before it changes or runs anything",
        ]


async def test_a_task_is_condensed_with_words_of_ones_own(tmp_path: Path, nvim: Path) -> None:
    reads = [[CallTool("read_file", path="a.txt", offset=n, limit=5)] for n in (1, 10, 20)]
    summary = "It was read in three pieces."
    async with neovim(nvim, tmp_path, [*reads, DONE, [Say(summary)], DONE], {"a.txt": TEXT}) as editor:
        await editor.command("Agent read it well")
        await editor.until_shown("All **done**.")
        await editor.command("AgentCondense mind the names")
        await editor.until_shown("Summed up what was before")
        await editor.until_state("idle")
        await editor.command("Agent and now?")
        await editor.until_shown("and now?")
        await editor.until_state("idle")

        assert "mind the names" in str(editor.model.requests[4].items[-1])
        assert summary in str(editor.model.requests[5].items)
        assert "line 9" not in str(editor.model.requests[5].items)
