"""How words get from a person in a real Neovim to the agent: the prompt, its completion, commands with their ranges."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from nvim_editor import Neovim, neovim

from support.model_server import CallTool, Say

DONE = [CallTool("attempt_completion", result="Done.")]
TEXT = "".join(f"line {n}\n" for n in range(9))


@pytest.fixture
async def editor(tmp_path: Path, nvim: Path) -> AsyncGenerator[Neovim]:
    async with neovim(nvim, tmp_path, [DONE, DONE, DONE], {"src/a.txt": TEXT, "b c.txt": "unheard of\n"}) as editor:
        yield editor


READ = "return require('agent_lsp.prompt').read(...)"


WRITTEN: list[tuple[str, dict[str, object]]] = [
    ("just words", {"text": "just words"}),
    ("/plan look", {"text": "look", "permission_mode": "plan"}),
    ("/new /acceptEdits go", {"text": "go", "is_new": True, "permission_mode": "acceptEdits"}),
    ("/code go", {"text": "go", "mode": "code"}),
    ("/etc/hosts is odd", {"text": "/etc/hosts is odd"}),
    ("/planned", {"text": "/planned"}),
    ("say /plan", {"text": "say /plan"}),
    ("a@src/a.txt", {"text": "a@src/a.txt"}),
    ("see @nowhere", {"text": "see @nowhere"}),
]


async def test_slash_words_count_at_the_beginning_only(editor: Neovim) -> None:
    for written, read in WRITTEN:
        assert await editor.lua(READ, written) == {"is_new": False, **read}


async def test_what_a_completed_mention_names_reaches_the_model(editor: Neovim) -> None:
    await editor.command("Agent")
    await editor.type("isee @bc")
    await editor.until("#vim.fn.complete_info({ 'items' }).items > 0")
    await editor.type("<C-n><C-y><C-s><Esc>")
    await editor.until_state("idle")

    asked = str(editor.model.requests[0])
    assert "see @b" in asked
    assert "unheard of" in asked


async def test_a_terminal_that_is_mentioned_reaches_the_model(editor: Neovim) -> None:
    await editor.open("src/a.txt")
    await editor.command("terminal echo seen $((40 + 2)); exit 3")
    await editor.until("vim.fn.getline(1) == 'seen 42' and vim.fn.jobwait({ vim.bo.channel }, 0)[1] ~= -1")
    await editor.command("Agent why, @terminal?")
    await editor.until_state("idle")
    await editor.open("src/a.txt")
    asked = str(editor.model.requests[0])

    assert "`echo seen $((40 + 2)); exit 3` has ended with exit code 3" in asked
    assert "seen 42" in asked


async def test_lines_of_a_range_reach_the_model(editor: Neovim) -> None:
    await editor.open("src/a.txt")
    await editor.command("3,4Agent explain")
    await editor.until_state("idle")
    asked = str(editor.model.requests[0])

    assert "@src/a.txt:3-4" in asked
    assert "3 | line 2\\n4 | line 3" in asked


async def test_what_is_in_front_is_told_to_the_model(editor: Neovim) -> None:
    await editor.open("src/a.txt")
    await editor.type("5G")
    await editor.command("Agent look")
    await editor.until_state("idle")

    assert "src/a.txt" in str(editor.model.requests[0])


async def test_a_range_without_words_is_mentioned_in_the_prompt(editor: Neovim) -> None:
    await editor.open("src/a.txt")
    await editor.type("3GVj:Agent<CR>")
    await editor.until("vim.api.nvim_get_current_buf() == require('agent_lsp.prompt').buffer()")

    assert await editor.get("vim.api.nvim_get_current_line()") == "@src/a.txt:3-4 "


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("@a", "@src/a.txt"),
        ("/acc", "/acceptEdits"),
        ("see @sa", "see @src/a.txt"),
        ("(@sa", "(@src/a.txt"),
        ("@b,@sa", "@b,@src/a.txt"),
        ("fix:@sa", "fix:@src/a.txt"),
    ],
)
async def test_files_and_modes_are_completed(editor: Neovim, typed: str, expected: str) -> None:
    await editor.command("Agent")
    await editor.type(f"i{typed}")
    await editor.until(f"vim.api.nvim_get_current_line() == '{typed}' and vim.fn.pumvisible() == 1")
    await editor.type("<C-n><C-y><Esc>")

    assert await editor.get("vim.api.nvim_get_current_line()") == expected


async def test_words_that_could_not_be_sent_are_still_there(editor: Neovim) -> None:
    await editor.lua("require('agent_lsp').setup({ cmd = { 'no-such-program' } })")
    await editor.command("Agent")
    await editor.type("iprecious<Esc><CR>")

    assert await editor.get("vim.api.nvim_get_current_line()") == "precious"
    assert "no-such-program" in await editor.get("vim.fn.execute('messages')")


async def test_without_a_model_it_says_what_to_do_and_keeps_the_words(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [], {"a.txt": TEXT}) as editor:
        (tmp_path / "home" / "settings.json").write_text("{}")
        await editor.command("Agent precious")
        await editor.until_shown("agent-lsp configure")

        assert await editor.get("require('agent_lsp.prompt').text()") == "precious"


async def test_words_that_are_not_sent_keep_nobody_from_leaving(editor: Neovim) -> None:
    await editor.command("Agent")
    await editor.type("ihalf a <Esc>")

    assert await editor.get("#vim.fn.getbufinfo({ bufmodified = 1 })") == 0


async def test_written_prompts_are_sent_by_w(editor: Neovim) -> None:
    await editor.command("Agent")
    await editor.type("iplease<Esc>:w<CR>")
    await editor.until_state("idle")

    assert "please" in str(editor.model.requests[0])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("AgentPermissions ", ["plan", "default", "acceptEdits", "bypassPermissions"]),
        ("AgentPermissions B", ["bypassPermissions"]),
        ("AgentCheckpoints ", ["undo"]),
    ],
)
async def test_commands_complete_their_words(editor: Neovim, line: str, words: list[str]) -> None:
    assert await editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line) == words


SETTINGS: list[tuple[dict[str, object], str | None]] = [
    ({}, None),
    ({"width": 80, "keys": {"approve": False}}, None),
    ({"widht": 80}, "there is no setting `widht`"),
    ({"width": "80"}, "`width` is a number, not a string"),
    ({"keys": {"approve": 1}}, "`keys.approve` is a key, or false"),
    ({"keys": {"aprove": "x"}}, "there is no setting `keys.aprove`"),
    ({"cmd": []}, "`cmd` begins with the name of a program"),
]


async def test_wrong_settings_are_named(editor: Neovim) -> None:
    for settings, problem in SETTINGS:
        found = await editor.lua("return require('agent_lsp.config').problem(...)", settings)

        assert found == (problem and f"agent-lsp: {problem}; see :help agent-lsp-config.")


async def test_all_that_is_said_fits_into_one_line(editor: Neovim) -> None:
    for text in ("long " * 100, "two\nlines", "🦊" * 200):
        await editor.lua("require('agent_lsp.notify').warn(...)", text)
        assert await editor.rpc.call("nvim_get_mode") == {"mode": "n", "blocking": False}


async def test_earlier_tasks_are_brought_back(editor: Neovim) -> None:
    await editor.command("Agent the first one")
    await editor.until_state("idle")
    await editor.command("AgentNew")
    await editor.until_state("no_task")
    await editor.lua(
        "vim.ui.select = function(items, options, chosen) seen = options.format_item(items[1]) chosen(items[1], 1) end"
    )
    await editor.command("AgentHistory")
    await editor.until_shown("the first one")

    assert "the first one" in await editor.get("seen")


async def test_the_health_check_says_what_is_there(editor: Neovim) -> None:
    await editor.open("b c.txt".replace(" ", "\\ "))
    await editor.command("checkhealth agent_lsp")
    report = "\n".join(await editor.get("vim.api.nvim_buf_get_lines(0, 0, -1, true)"))

    assert "ERROR" not in report
    assert "the server runs" in report


async def test_a_task_is_stopped_by_key_in_the_prompt(tmp_path: Path, nvim: Path) -> None:
    async with neovim(nvim, tmp_path, [[Say("x"), CallTool("execute_command", command="sleep 60")]], {}) as editor:
        await editor.command("Agent")
        await editor.type("igo<Esc><CR>")
        await editor.until_ask("command")
        await editor.type("<C-c>")
        await editor.until_state("resumable")

        assert await editor.get("vim.bo.filetype") == "agentprompt"
