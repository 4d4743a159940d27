"""What the server asks of a real Neovim's buffers: saving them, what is found in them, what would become of them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from nvim_editor import Neovim, neovim

SAVE = "return require('agent_lsp.documents').save({ uris = { ... } })"
FIND = """
local uris, timeout = ...
found = nil
coroutine.wrap(function()
  found = require('agent_lsp.diagnostics').find({ uris = uris, minVersions = {}, timeoutMs = timeout }, { client_id = -1 })
end)()
"""
PUBLISH = """
local text, source = ...
local range = { start = { line = 0, character = 2 }, ['end'] = { line = 0, character = 4 } }
namespace = namespace or vim.api.nvim_create_namespace('other')
vim.diagnostic.set(namespace, 0, {
  { lnum = 0, col = 4, end_lnum = 0, end_col = 6, message = text, severity = 2, source = source, code = 'C1' },
})
"""
LANGUAGE_SERVER = """
vim.lsp.start({
  name = 'other',
  cmd = function()
    return {
      request = function(method, _, callback)
        callback(nil, method == 'initialize' and { capabilities = {} } or nil)
        return true, 1
      end,
      notify = function() return true end,
      is_closing = function() return false end,
      terminate = function() end,
    }
  end,
})
"""


@pytest.fixture
async def editor(tmp_path: Path, nvim: Path) -> AsyncGenerator[Neovim]:
    async with neovim(nvim, tmp_path, [], {"a.txt": "🦊 text\n"}) as editor:
        await editor.open("a.txt")
        yield editor


def uri(editor: Neovim, name: str) -> str:
    return editor.file(name).as_uri()


async def test_modified_buffers_are_saved_without_a_word(editor: Neovim) -> None:
    await editor.type("omore<Esc>")
    result = await editor.lua(SAVE, uri(editor, "a.txt"))

    assert result == {"saved": [uri(editor, "a.txt")], "failed": []}
    assert editor.file("a.txt").read_text() == "🦊 text\nmore\n"
    assert await editor.get("vim.fn.execute('messages')") == ""


async def test_a_file_that_others_changed_is_not_written_over(editor: Neovim) -> None:
    await editor.type("omine<Esc>")
    editor.file("a.txt").write_text("theirs\n")
    result = await editor.lua(SAVE, uri(editor, "a.txt"))

    assert [each["reason"][:36] for each in result["failed"]] == ["the file was changed on the disk; co"]
    assert editor.file("a.txt").read_text() == "theirs\n"


async def test_what_cannot_be_saved_is_said_with_its_reason(editor: Neovim) -> None:
    await editor.lua("vim.bo.readonly = true")
    await editor.type("omine<Esc>")
    result = await editor.lua(SAVE, uri(editor, "a.txt"), uri(editor, "b.txt"))

    assert result["saved"] == []
    assert [each["uri"] for each in result["failed"]] == [uri(editor, "a.txt"), uri(editor, "b.txt")]
    assert result["failed"][0]["reason"].startswith("E45")
    assert result["failed"][1]["reason"] == "it is not open"
    await editor.lua("vim.v.errmsg = ''")


async def test_diagnostics_are_told_once_they_have_changed(editor: Neovim) -> None:
    await editor.lua(LANGUAGE_SERVER)
    await editor.lua(FIND, [uri(editor, "a.txt")], 30_000)
    await editor.lua(PUBLISH, "is wrong", "linter")
    await editor.until("found")

    (item,) = (await editor.get("found"))["items"]
    assert (await editor.get("found.status"), item["uri"]) == ("success", uri(editor, "a.txt"))
    assert item["diagnostics"] == [
        {
            "message": "is wrong",
            "severity": 2,
            "source": "linter",
            "code": "C1",
            "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 6}},
        }
    ]


async def test_marks_of_the_agents_own_are_no_diagnostics(editor: Neovim) -> None:
    await editor.lua(LANGUAGE_SERVER)
    await editor.lua(PUBLISH, "proposed", "agent")
    await editor.lua(FIND, [uri(editor, "a.txt")], 1)
    await editor.until("found")

    assert await editor.get("{ found.status, #found.items[1].diagnostics }") == ["timeout", 0]


async def test_without_a_language_server_nobody_waits(editor: Neovim) -> None:
    await editor.lua("vim.lsp.buf_detach_client(0, vim.lsp.get_clients({ name = 'agent_lsp' })[1].id)")
    await editor.lua(FIND, [uri(editor, "a.txt")], 30_000)

    assert await editor.get("found.status") == "no-server"


@pytest.mark.parametrize("text", ["", "one\n", "one", "one\r\ntwo\r\n", "one\r\ntwo", "mixed\r\n\n", "\n\n", "🦊\n"])
async def test_a_proposed_text_comes_back_as_it_was(editor: Neovim, text: str) -> None:
    back = await editor.lua(
        "local documents, buffer = require('agent_lsp.documents'), vim.api.nvim_create_buf(false, true) "
        "documents.fill(buffer, ...) return documents.text(buffer)",
        text,
    )

    assert back == text


async def test_files_without_a_type_are_known_to_the_server(editor: Neovim) -> None:
    editor.file("plain").write_text("x\n")
    await editor.open("plain")

    assert await editor.get("vim.bo.filetype") == ""


async def test_buffers_that_are_no_files_are_not_given_to_the_server(editor: Neovim) -> None:
    await editor.command("AgentOpen")
    await editor.command("new")
    buffers = await editor.get("vim.lsp.get_clients({ name = 'agent_lsp' })[1].attached_buffers")

    assert len(buffers) == 1
