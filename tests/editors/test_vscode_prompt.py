"""The prompt in a real VS Code workbench: what goes with the words, what is offered while they are typed, and what becomes of them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect
from workbench import CodeServer, SharedWindow, Workbench, shared_window, workbench

from support.model_server import CallTool, Hold, Say

DONE = [CallTool("attempt_completion", result="All done.")]
ASK = [CallTool("ask_followup_question", question="Which?", follow_up=[{"text": "This"}])]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
PASTE = """(prompt, base64) => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], "picture.png", { type: "image/png" }));
    prompt.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""
SENT_AT_ONCE = """(prompt, words) => {
    prompt.value = words;
    prompt.selectionStart = prompt.selectionEnd = words.length;
    prompt.dispatchEvent(new InputEvent("input", { bubbles: true }));
    prompt.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
}"""
TYPED = "echo be${none}gun; read; echo from-the-terminal"
COMMAND = "---\ndescription: Look over the changes\n---\nReview what changed.\n"
FILES = {
    "a.txt": "one\n",
    "lib/deep/app.py": "x = 1\n",
    "lib/with space.py": "y = 2\n",
    ".agent-lsp/commands/review.md": COMMAND,
}

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory, windows: CodeServer) -> AsyncGenerator[SharedWindow]:
    async with shared_window(tmp_path_factory.mktemp("shared"), windows, FILES) as window:
        yield window


async def test_a_pasted_picture_is_seen_by_the_model_and_in_the_task(shared: SharedWindow) -> None:
    w = await shared.task(DONE)
    await w.prompt.evaluate(PASTE, PNG)
    await expect(w.chips).to_have_count(1)
    await w.send("What is this?")
    await expect(w.row("completion_result")).to_be_visible()

    picture = w.view.locator(".row.users img")
    assert await picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") == 1
    await expect(w.chips).to_have_count(0)
    assert PNG in str(w.model.requests[0].body)


async def test_what_is_written_is_still_there_when_the_view_was_hidden_or_the_window_reloaded(
    tmp_path: Path, windows: CodeServer
) -> None:
    async with workbench(tmp_path, windows, [DONE], FILES) as w:
        await w.show_view()
        await w.prompt.press_sequentially("half a @dee")
        await expect(w.offers.first).to_have_text("deep/lib/deep/")
        await w.prompt.press("Tab")
        await w.prompt.evaluate(PASTE, PNG)
        await expect(w.chips).to_have_count(1)
        await w.command("View: Show Explorer")
        await expect(w.prompt).to_have_count(0)
        await w.show_view()
        await expect(w.prompt).to_have_value("half a @/lib/deep/ ")
        await w.page.reload()

        await expect(w.prompt).to_have_value("half a @/lib/deep/ ")
        await expect(w.chips).to_have_count(1)


async def test_a_tab_dragged_into_the_prompt_is_attached(shared: SharedWindow) -> None:
    w = await shared.task(DONE)
    await w.open("app.py")
    await drag(w, w.page.locator(".tab", has_text="app.py"), w.prompt)
    await expect(w.chips).to_have_text(["app.py"])
    await w.send("Look at it")
    await expect(w.row("completion_result")).to_be_visible()

    assert "lib/deep/app.py" in str(w.model.requests[0].body)
    assert "x = 1" in str(w.model.requests[0].body)


async def test_what_is_attached_later_in_a_task_reaches_the_model_too(shared: SharedWindow) -> None:
    w = await shared.task(DONE, DONE)
    await w.send("Look around")
    await expect(w.row("completion_result")).to_be_visible()
    await w.open("app.py")
    await w.command("View: Show Explorer")
    await expect(w.prompt).to_have_count(0)
    await w.page.locator(".monaco-editor .view-line", has_text="x = 1").click()
    await w.command("Agent: Ask About This")
    await expect(w.chips).to_have_text(["lib/deep/app.py:1"])
    await expect(w.prompt).to_be_focused()
    await w.page.keyboard.type("And here?")
    await w.page.keyboard.press("Enter")
    await expect(w.row("completion_result")).to_have_count(2)

    await expect(w.row("user_feedback")).to_contain_text("@/lib/deep/app.py:1")
    assert "x = 1" in str(w.model.requests[1].body)


async def test_words_in_the_prompt_go_along_with_a_key(shared: SharedWindow) -> None:
    run = [CallTool("execute_command", command="echo hello")]
    w = await shared.task(run, DONE)
    await w.send("run it")
    await expect(w.action("Run")).to_be_visible()
    await w.prompt.press_sequentially("not yet")
    await w.prompt.press("Alt+n")
    await expect(w.row("completion_result")).to_be_visible()

    await expect(w.view.locator(".note.rejected")).to_have_text("rejected: not yet")
    await expect(w.prompt).to_have_value("")
    assert "not yet" in w.model.requests[1].results[0].text


async def test_what_ends_a_command_stays_in_its_place_while_output_comes(shared: SharedWindow) -> None:
    run = [CallTool("execute_command", command="while :; do echo again; sleep 0.05; done")]
    w = await shared.task(run, DONE)
    await w.send("run it")
    await w.action("Run").click()
    end = w.view.get_by_role("button", name="End it")
    await end.evaluate("button => { button.dataset.isTheSame = '' }")
    await expect(w.view.get_by_role("button", name="lines")).to_be_visible()

    await expect(w.view.locator("[data-is-the-same]")).to_be_visible()
    await end.click()
    await expect(w.row("completion_result")).to_be_visible()


async def test_a_folder_that_a_row_names_is_shown_among_the_files(shared: SharedWindow) -> None:
    w = await shared.task([CallTool("list_files", path="lib")], DONE)
    await w.send("look around")
    await expect(w.row("completion_result")).to_be_visible()
    await w.row("tool").get_by_role("link", name="lib").click()

    await expect(w.page.locator(".explorer-folders-view .monaco-list-row.focused", has_text="lib")).to_be_visible()
    await w.show_view()


async def test_a_terminal_that_is_mentioned_reaches_the_model(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [DONE, DONE], FILES) as w:
        await w.show_view()
        await w.command("Terminal: Create New Terminal")
        await type_in_terminal(w, TYPED)
        await expect(w.page.locator(".xterm-rows")).to_contain_text("begun")
        await w.send("What runs, @terminal?")
        await expect(w.row("completion_result")).to_have_count(1)
        await w.command("Terminal: Focus Terminal")
        await type_in_terminal(w, "")
        await expect(w.page.locator(".codicon-terminal-decoration-success")).to_have_count(1)
        await w.send("And now, @terminal?")
        await expect(w.row("completion_result")).to_have_count(2)
        first, second = (str(request.body) for request in w.model.requests)

        assert f"`{TYPED}` still runs\\nbegun\\n<" in first
        assert f"`{TYPED}` has ended with exit code 0\\nbegun\\n\\nfrom-the-terminal\\n<" in second


async def test_files_folders_and_commands_are_offered_and_taken_by_keys(shared: SharedWindow) -> None:
    w = await shared.task(DONE)
    await w.prompt.press_sequentially("Compare @withs")
    await expect(w.offers).to_contain_text(["with space.py"])
    await w.prompt.press("Tab")
    await expect(w.prompt).to_have_value("Compare @/lib/with\\ space.py ")
    await w.prompt.press_sequentially("and @dee")
    await expect(w.offers.first).to_have_text("deep/lib/deep/")
    await w.prompt.press("Escape")
    await expect(w.offers).to_have_count(0)
    await w.prompt.press("Enter")
    await expect(w.row("completion_result")).to_be_visible()

    assert "y = 2" in str(w.model.requests[0].body)


async def test_a_slash_at_the_beginning_offers_the_servers_commands(shared: SharedWindow) -> None:
    w = await shared.task(DONE)
    await w.prompt.press_sequentially("/rev")
    await expect(w.offers).to_contain_text(["Look over the changes"])
    await w.prompt.press("Enter")
    await expect(w.prompt).to_have_value("/review ")
    await w.prompt.press("Enter")
    await expect(w.row("completion_result")).to_be_visible()

    assert "Review what changed." in str(w.model.requests[0].body)


async def test_offers_that_come_late_cover_nothing(shared: SharedWindow) -> None:
    w = await shared.task(ASK, DONE)
    await w.prompt.evaluate(SENT_AT_ONCE, "Look at @/a.txt")
    await w.view.get_by_role("button", name="This").click()

    await expect(w.row("completion_result")).to_be_visible()
    await expect(w.offers).to_have_count(0)


async def test_words_that_wait_can_be_changed_and_removed(shared: SharedWindow) -> None:
    run = [CallTool("execute_command", command="echo hello")]
    w = await shared.task(run, DONE, DONE)
    await w.send("run it")
    await expect(w.action("Run")).to_be_visible()
    for words in ("first", "second"):
        await w.send(words)
    await expect(w.queued).to_have_text(["first", "second"])
    await w.queued.first.get_by_role("button", name="Change these words").click()
    await expect(w.prompt).to_have_value("first")
    await w.queued.first.get_by_role("button", name="Remove these words").click()
    await expect(w.queued).to_have_count(0)
    await w.prompt.fill("")
    await w.action("Run").click()
    await expect(w.row("completion_result")).to_be_visible()

    assert not any("second" in str(request.body) for request in w.model.requests)


async def test_words_said_while_it_works_reach_the_model_with_the_next_request(shared: SharedWindow) -> None:
    hold = Hold()
    w = await shared.task([Say("I look."), hold, *ASK], DONE)
    await w.send("begin")
    await expect(w.row("text").last).to_have_text("I look.")
    await w.send("mind the tests")
    await expect(w.queued).to_have_text(["mind the tests"])
    hold.release.set()
    await w.view.get_by_role("button", name="This").click()
    await expect(w.row("completion_result")).to_be_visible()

    assert "mind the tests" in str(w.model.requests[1].body)


async def test_mode_and_permissions_are_chosen_from_the_prompt(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [DONE], FILES) as w:
        await w.show_view()
        await w.view.locator(".p-mode").click()
        await w.choose("How the agent works", "Ask")
        await expect(w.view.locator(".p-mode")).to_have_text("ask")
        await w.view.locator(".p-permissions").click()
        await w.choose("What runs unasked", "plan")
        await expect(w.view.locator(".p-permissions")).to_have_text("Plan")
        await w.send("look")
        await expect(w.row("completion_result")).to_be_visible()

        await expect(w.view.locator(".choices button")).to_have_text(["ask", "scripted", "Plan"])


async def test_what_runs_unasked_is_shown_before_a_task_as_the_users_file_says(
    tmp_path: Path, windows: CodeServer
) -> None:
    async with workbench(tmp_path, windows, [], FILES, settings={"permissionMode": "acceptEdits"}) as w:
        await w.show_view()

        await expect(w.view.locator(".p-permissions")).to_have_text("Edit")


async def test_earlier_tasks_are_gone_back_to_renamed_copied_exported_and_deleted(
    tmp_path: Path, windows: CodeServer
) -> None:
    async with workbench(tmp_path, windows, [DONE], FILES) as w:
        await w.show_view()
        await w.send("the only task")
        await w.action("New task").click()
        await w.view.locator(".recent").click()
        await expect(w.row("completion_result")).to_be_visible()
        await w.history("Rename")
        name = w.page.locator(".quick-input-widget input")
        await expect(name).to_have_value("the only task")
        await name.fill("Another name")
        await w.page.keyboard.press("Enter")
        await w.history("Export as Markdown", "Another name")
        await expect(w.page.locator(".view-line", has_text="the only task").first).to_be_visible()
        await w.history("Go on in a copy", "Another name")
        await w.command("Agent: History")
        await expect(w.page.locator(".quick-input-list .monaco-list-row")).to_have_count(2)
        await w.page.keyboard.press("Escape")
        await w.history("Delete")
        await w.page.locator(".monaco-dialog-box").get_by_role("button", name="Delete", exact=True).click()
        await w.command("Agent: History")
        await expect(w.page.locator(".quick-input-list .monaco-list-row")).to_have_count(1)


async def type_in_terminal(w: Workbench, line: str) -> None:
    await w.page.locator(".terminal.focus .xterm-helper-textarea").wait_for(state="attached")
    await w.page.keyboard.type(line)
    await w.page.keyboard.press("Enter")


async def drag(w: Workbench, source: Locator, target: Locator) -> None:
    """Drag as a hand does. The editor lets pages have what is dragged while Shift is held."""
    await source.hover()
    await w.page.mouse.down()
    box = await target.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await w.page.mouse.move(x + 40, y, steps=4)
    await w.page.keyboard.down("Shift")
    await w.page.mouse.move(x, y, steps=8)
    await expect(w.view.locator(".composer.dropping")).to_be_visible()
    await w.page.mouse.up()
    await w.page.keyboard.up("Shift")
