"""The view of a task in a real Neovim, fed with what a server would send: what it shows, and what that costs."""

import json
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import pytest
from nvim_editor import Neovim, neovim

SEND = "require('agent_lsp.agent').receive(...)"
STATUS: dict[str, object] = {
    "taskId": "t",
    "instanceId": "i",
    "seq": 1,
    "state": "running",
    "activity": "",
    "mode": "code",
    "profile": "p",
    "model": "m",
    "permissionMode": "default",
    "usage": {"tokensIn": 0, "tokensOut": 0, "cacheReads": 0, "cacheWrites": 0},
    "context": {"tokens": 0, "window": 1, "percent": 0},
    "todos": [],
    "queue": 0,
    "title": "a title",
}


@pytest.fixture
async def editor(tmp_path: Path, nvim: Path) -> AsyncGenerator[Neovim]:
    async with neovim(nvim, tmp_path, [], {"a.txt": "text\n"}) as editor:
        yield editor


async def load(editor: Neovim, *messages: Mapping[str, object], **status: object) -> None:
    """Have the view show a task with these messages, numbered from 1."""
    numbered = [{"ts": n, "type": "say", **message} for n, message in enumerate(messages, 1)]
    snapshot = {**STATUS, "messages": numbered, "hasMore": False, **status}
    await editor.lua("require('agent_lsp.windows').open() require('agent_lsp.agent').task:load(...)", snapshot)


async def receive(editor: Neovim, seq: int, **message: object) -> None:
    notice = {"taskId": "t", "instanceId": "i", "seq": seq, "message": {"type": "say", **message}}
    await editor.lua(SEND, "message", notice)


async def grow(editor: Neovim, seq: int, ts: int, append: str) -> None:
    await editor.lua(SEND, "delta", {"taskId": "t", "instanceId": "i", "seq": seq, "ts": ts, "append": append})


HEAD = ["# a title", ""]


def created(added: int, removed: int) -> str:
    change = {"uri": "file:///a", "path": "a", "kind": "create", "added": added, "removed": removed, "hunks": []}
    return json.dumps({"tool": "newFileCreated", "path": "a", "changes": [change]})


MESSAGES: list[tuple[Mapping[str, object], list[str]]] = [
    ({"say": "text", "text": "one\n\ntwo\n"}, ["one", "", "two"]),
    ({"say": "text", "text": "```py\nopen"}, ["```py", "open", "```"]),
    ({"say": "text", "text": "~~~\nx\n~~~\n`y`"}, ["~~~", "x", "~~~", "`y`"]),
    ({"say": "user_feedback", "text": "no"}, ["▌ You", "no"]),
    ({"say": "reasoning", "text": "a\nb"}, ["∴ Thought · 2 lines"]),
    ({"say": "reasoning", "text": "a\nb", "partial": True}, ["∴ Thinking", "a", "b"]),
    ({"say": "completion_result", "text": "It is."}, ["✓ Done", "It is."]),
    ({"say": "tool", "text": '{"tool":"readFile","path":"a.py"}'}, ["◆ Read `a.py`"]),
    ({"say": "tool", "text": '{"tool":"readFile","paths":["a","b"]}'}, ["◆ Read `a, b`"]),
    (
        {"say": "tool", "text": '{"tool":"appliedDiff","path":"a"}\n-x\n+y', "partial": True},
        ["◆ Edit `a`", "```diff", "-x", "+y", "```"],
    ),
    ({"say": "tool", "text": "no json"}, ["◆ A tool"]),
    ({"say": "tool", "text": created(3, 0)}, ["◆ Create `a`  +3"]),
    ({"say": "tool", "text": created(0, 2)}, ["◆ Create `a`  −2"]),
    ({"say": "tool", "text": created(0, 0)}, ["◆ Create `a`"]),
    ({"say": "command", "text": '{"command":"ls\\nps"}'}, ["```", "$ ls …", "```"]),
    ({"say": "command_output", "text": "one\x1b[31m red\x1b[0m\r\n"}, ["```", "one red", "```"]),
    ({"say": "command_output", "text": "```"}, ["````", "```", "````"]),
    ({"say": "error", "text": "It broke."}, ["✗ It broke."]),
    (
        {"say": "tool", "text": '{"tool":"updateTodoList","todos":[{"content":"x","status":"in_progress"}]}'},
        ["◐ x"],
    ),
    ({"say": "info", "text": "By the way:\nthis."}, ["· By the way: this."]),
    ({"say": "todos", "text": '[{"content":"x","status":"completed"},{"content":"y"}]'}, ["✓ x", "○ y"]),
    ({"say": "unheard_of", "text": "words"}, ["· words"]),
    ({"say": "text", "text": "I beg", "state": "interrupted"}, ["I beg", "  cut off"]),
    (
        {"type": "ask", "ask": "command", "text": '{"command":"ls"}', "answer": {"response": "noButtonClicked"}},
        ["```", "$ ls", "```", "  ✗ rejected"],
    ),
]


async def test_each_kind_of_message_has_its_lines(editor: Neovim) -> None:
    for message, shown in MESSAGES:
        await load(editor, {"say": "user_feedback", "text": "x"}, message)

        assert await editor.view() == [*HEAD, "▌ You", "x", "", *shown, ""]


TABLES = [
    ("| a | bcde |\n|---|---|\n| longer | x |", ["| a      | bcde |", "|--------|------|", "| longer | x    |"]),
    ("| n |\n|--:|\n| 1 |\n| 1000 |", ["|    n |", "|-----:|", "|    1 |", "| 1000 |"]),
    ("|a|\n|:-:|\n|xxxxx|", ["|   a   |", "|:-----:|", "| xxxxx |"]),
    ("| a | b |\n|-|-|\n| 1 |", ["| a   | b   |", "|-----|-----|", "| 1   |     |"]),
    ("| `2d` | x |\n|-|-|\n| **bold** | 🦊 |", ["| `2d`   | x   |", "|------|-----|", "| **bold** | 🦊  |"]),
    ("|a_b_c|\n|-|\n|_it_|", ["| a_b_c |", "|-------|", "| _it_    |"]),
    ("|`*a*`|\n|-|\n|[x](http://y)|", ["| `*a*` |", "|-----|", "| [x](http://y)   |"]),
    ("|a\\|b|\n|-|\n|x|", ["| a\\|b |", "|------|", "| x    |"]),
    ("a | b\n-|-", ["a | b", "-|-"]),
    ("| a |\n| b |", ["| a |", "| b |"]),
    ("| a |\n|-|-|", ["| a |", "|-|-|"]),
    ("```\n|a|\n|-|\n```", ["```", "|a|", "|-|", "```"]),
    (f"|a|\n|-|\n|{'x' * 60}|", ["|a|", "|-|", f"|{'x' * 60}|"]),
]


async def test_tables_are_aligned_as_they_are_shown(editor: Neovim) -> None:
    for text, shown in TABLES:
        await load(editor, {"say": "user_feedback", "text": "x"}, {"say": "text", "text": text})

        assert (await editor.view())[5:-1] == shown


@pytest.mark.parametrize(
    "message", [{"say": "checkpoint_saved", "text": "x"}, {"say": "api_req_started", "text": "{}"}]
)
async def test_what_only_machines_need_is_not_shown(editor: Neovim, message: Mapping[str, object]) -> None:
    await load(editor, message)

    assert await editor.view() == ["# a title", ""]


async def test_text_grows_in_place_wherever_it_is_cut(editor: Neovim) -> None:
    await load(editor, {"say": "text", "text": "task"})
    await receive(editor, 2, ts=2, say="text", text="", partial=True)
    for seq, piece in enumerate(["one ", "🦊", "\n", "\ntwo", "\r\n", "three"], 3):
        await grow(editor, seq, 2, piece)

    assert await editor.view() == [*HEAD, "▌ You", "task", "", "one 🦊", "", "two", "three", ""]


async def test_code_looks_like_code_while_it_grows(editor: Neovim) -> None:
    await load(editor, {"say": "text", "text": "task"})
    await receive(editor, 2, ts=2, say="text", text="See:\n```p", partial=True)
    for seq, piece in enumerate(["y\na = 1\nb", " = 2\n``", "`\nDone", "."], 3):
        await grow(editor, seq, 2, piece)
    while_growing = await look_of(editor)
    await receive(editor, 9, ts=2, say="text", text="See:\n```py\na = 1\nb = 2\n```\nDone.", partial=False)

    assert while_growing[5:-1] == ["", "fence", "code", "code", "fence", ""]
    assert await look_of(editor) == while_growing


LOOK = """
local looks = {}
for line = 0, vim.api.nvim_buf_line_count(require('agent_lsp.view').buffer()) - 1 do looks[line + 1] = '' end
local marks = vim.api.nvim_create_namespace('agent_lsp_view')
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(require('agent_lsp.view').buffer(), marks, 0, -1, { details = true })) do
  local details = mark[4]
  local look = details.conceal_lines and 'fence' or details.hl_group == 'AgentCode' and 'code'
  looks[mark[2] + 1] = look or looks[mark[2] + 1]
end
return looks
"""


async def look_of(editor: Neovim) -> list[str]:
    """What each line of the view is shown as."""
    return await editor.lua(LOOK)


async def test_the_end_of_the_task_fills_the_window(editor: Neovim) -> None:
    await load(editor, {"say": "text", "text": "task"})
    for ts in range(2, 6):
        code = "\n".join(["```", *("x" * 90 for _ in range(20)), "```"])
        await receive(editor, ts, ts=ts, say="text", text=code)
    shown = await editor.lua(
        "local w = vim.fn.bufwinid(require('agent_lsp.view').buffer()) "
        "return vim.api.nvim_win_text_height(w, { start_row = vim.fn.line('w0', w) - 1 }).all"
    )

    # One row is the bar's; a line of two rows may not fit any more.
    assert shown in await editor.lua(
        "local height = vim.api.nvim_win_get_height(vim.fn.bufwinid(require('agent_lsp.view').buffer())) return { height - 1, height - 2 }"
    )


async def test_notices_that_a_snapshot_holds_already_change_nothing(editor: Neovim) -> None:
    await load(editor, {"say": "text", "text": "whole"}, seq=7)
    await grow(editor, 7, 1, "again")

    assert await editor.view() == [*HEAD, "▌ You", "whole", ""]


async def test_deleted_messages_go_and_come_back_in_their_place(editor: Neovim) -> None:
    await load(editor, *({"say": "user_feedback", "text": word} for word in "abc"))
    await receive(editor, 2, ts=2, deleted=True)
    assert await editor.view() == [*HEAD, "▌ You", "a", "", "▌ You", "c", ""]
    await receive(editor, 3, ts=2, say="user_feedback", text="B")

    assert await editor.view() == [*HEAD, "▌ You", "a", "", "▌ You", "B", "", "▌ You", "c", ""]


async def test_tools_stand_together_and_apart_from_prose(editor: Neovim) -> None:
    read = {"say": "tool", "text": '{"tool":"readFile","path":"a"}'}
    await load(editor, {"say": "text", "text": "x"}, read, read)
    await receive(editor, 2, ts=4, say="text", text="prose")
    await receive(editor, 3, ts=3, deleted=True)

    assert (await editor.view())[4:] == ["", "◆ Read `a`", "", "prose", ""]


async def test_only_the_newest_list_of_steps_is_shown(editor: Neovim) -> None:
    def steps(status: str) -> dict[str, str]:
        return {"say": "tool", "text": f'{{"tool":"updateTodoList","todos":[{{"content":"x","status":"{status}"}}]}}'}

    await load(editor, {"say": "text", "text": "task"}, steps("pending"), steps("in_progress"))
    loaded = await editor.view()
    await receive(editor, 2, ts=4, say="text", text="prose")
    await receive(editor, 3, ts=5, **steps("completed"))

    assert loaded == [*HEAD, "▌ You", "task", "", "◐ x", ""]
    assert await editor.view() == [*HEAD, "▌ You", "task", "", "prose", "", "✓ x", ""]


async def test_long_output_is_folded_until_somebody_unfolds_it(editor: Neovim) -> None:
    lines = [f"line {n}" for n in range(40)]
    await load(editor, {"say": "command_output", "text": "\n".join(lines)})
    folded = await editor.view()
    await editor.command("wincmd b | wincmd k | normal! G")
    await editor.type("k<Tab>")

    assert folded[2:5] == ["  … 28 lines above · <Tab> shows them", "```", "line 28"]
    assert await editor.view() == [*HEAD, "```", *lines, "```", ""]


async def test_the_view_follows_only_who_is_at_its_end(editor: Neovim) -> None:
    await load(editor, {"say": "text", "text": "\n".join("task" for _ in range(100))})
    await editor.lua("window = vim.fn.bufwinid(require('agent_lsp.view').buffer())")
    await receive(editor, 2, ts=2, say="text", text="more\nand more")
    at_end = await editor.get("vim.api.nvim_win_get_cursor(window)[1]")
    await editor.lua("vim.api.nvim_win_set_cursor(window, { 10, 0 })")
    await receive(editor, 3, ts=3, say="text", text="and more")

    assert at_end == len(await editor.view()) - 2
    assert await editor.get("vim.api.nvim_win_get_cursor(window)[1]") == 10


async def test_the_focus_is_never_moved(editor: Neovim) -> None:
    window = await editor.get("vim.api.nvim_get_current_win()")
    await load(editor, {"say": "text", "text": "x"})
    ask = {"ts": 2, "kind": "command", "category": "interactive", "actions": []}
    for is_open in ("AgentOpen", "AgentClose"):
        await editor.command(is_open)
        await receive(editor, 2, ts=2, type="ask", ask="command", text='{"command":"ls"}')
        await editor.lua(SEND, "status", {**STATUS, "seq": 3, "state": "waiting_for_input", "ask": ask})
        assert await editor.get("vim.api.nvim_get_current_win()") == window
        await editor.lua(SEND, "status", {**STATUS, "seq": 4})


async def test_a_narrow_bar_says_how_the_task_stands_rather_than_figures(editor: Neovim) -> None:
    figures: dict[str, object] = {
        "state": "waiting_for_input",
        "context": {"tokens": 50, "window": 100, "percent": 50},
        "todos": [{"id": "1", "content": "x", "status": "pending"}],
    }
    await load(editor, {"say": "text", "text": "x"}, **figures)
    bar = "vim.api.nvim_eval_statusline(require('agent_lsp.status').winbar(), {{ maxwidth = {} }}).str"

    assert (await editor.get(bar.format(24))).startswith(" ● waiting for you")
    assert (await editor.get(bar.format(50))).endswith("✓ 0/1 · context 50% ")


TIMED = """
local agent, count = require('agent_lsp.agent'), ...
local messages = {}
for ts = 1, count do
  messages[ts] = { ts = ts, type = 'say', say = 'text', text = ('**message** %d'):format(ts) }
end
local snapshot = vim.tbl_extend('force', vim.deepcopy(agent.task.status), { messages = messages, hasMore = false })
agent.task:load(snapshot)
messages = nil
agent.receive('message', { taskId = 't', instanceId = 'i', seq = 10, message =
  { ts = count + 1, type = 'say', say = 'text', text = '', partial = true } })
vim.cmd.redraw()
collectgarbage()
local best = math.huge
for round = 1, 5 do
  local began = vim.uv.hrtime()
  for n = 1, 40 do
    agent.receive('delta', { taskId = 't', instanceId = 'i', seq = round * 100 + n, ts = count + 1, append = 'word\\n' })
    vim.cmd.redraw()
  end
  best = math.min(best, vim.uv.hrtime() - began)
end
return best
"""


async def test_growing_costs_the_same_after_five_thousand_messages(editor: Neovim) -> None:
    await load(editor, {"say": "text", "text": "x"})
    few = await editor.lua(TIMED, 50)
    many = await editor.lua(TIMED, 5_000)

    assert many < few * 4
