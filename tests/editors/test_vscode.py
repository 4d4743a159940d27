"""Tasks from their first word to their last in a real VS Code workbench, as a person sees and does them."""

from pathlib import Path

import psutil
from playwright.async_api import expect
from workbench import CodeServer, Workbench, workbench

from support.model_server import CallTool, Hold, Refusal, Say

DONE = [CallTool("attempt_completion", result="All **done**.")]
LINES = [f"line {n}" for n in range(40)]
TEXT = "\n".join(LINES) + "\n"
EDITED = "\n".join(["first", *LINES[1:39], "last"]) + "\n"
WRITE = [CallTool("write_to_file", path="a.txt", content=EDITED)]


async def test_a_task_streams_is_approved_and_ends_in_the_editor(tmp_path: Path, windows: CodeServer) -> None:
    hold = Hold()
    turns = [[Say("I look at "), hold, Say("**the file**.\n"), *WRITE], DONE]
    async with workbench(tmp_path, windows, turns, {"a.txt": TEXT}) as w:
        await w.open("a.txt")
        await w.show_view()
        await w.send("change it")
        await expect(w.row("text").last).to_have_text("I look at ")
        hold.release.set()
        await expect(w.row("text").last.locator("strong")).to_have_text("the file")
        await expect(w.action("Approve")).to_be_visible()
        assert w.file("a.txt").read_text() == TEXT
        assert await focus_is_in_prompt(w)
        await w.shot(tmp_path / "approval.png")
        await w.action("Approve").click()
        await expect(w.row("completion_result")).to_contain_text("All done.")

        await expect(w.page.locator(".view-line").first).to_have_text("first")
        await w.save("line 2")
        assert w.file("a.txt").read_text() == EDITED
        await w.page.keyboard.press("Control+z")
        await expect(w.page.locator(".view-line").first).to_have_text("line 0")
        assert w.model.problems == []


async def test_rejected_hunks_stay_out_and_words_reach_the_model(tmp_path: Path, windows: CodeServer) -> None:
    turns = [WRITE, WRITE, DONE]
    async with workbench(tmp_path, windows, turns, {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("change it")
        await expect(w.action("Reject")).to_be_visible()
        await w.prompt.fill("not yet")
        await w.action("Reject").click()
        await expect(w.view.locator(".note.rejected")).to_have_text("rejected: not yet")
        assert w.file("a.txt").read_text() == TEXT

        await expect(w.action("Approve")).to_be_visible()
        await w.view.locator(".row.waits .choice.reject").last.click()
        await w.view.locator(".row.waits .choice.accept").first.click()
        await expect(w.row("completion_result")).to_be_visible()

        assert w.file("a.txt").read_text() == TEXT.replace("line 0", "first")
        assert "not yet" in w.model.requests[1].results[0].text
        assert "reject" in w.model.requests[2].results[0].text.lower()


async def test_a_hunk_is_rejected_from_the_lines_it_would_change(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [WRITE, DONE], {"a.txt": TEXT}) as w:
        await w.open("a.txt")
        await w.show_view()
        await w.send("change it")
        lenses = w.page.locator(".contentWidgets .codelens-decoration")
        await expect(lenses.first).to_contain_text("Reject hunk")
        await lenses.first.get_by_text("Reject hunk").click()
        await expect(lenses.first.locator(".codicon-pass-filled")).to_be_visible()
        await w.command("Agent: Approve")
        await expect(w.row("completion_result")).to_be_visible()

        await w.save("line 2")
        assert w.file("a.txt").read_text() == TEXT.replace("line 39", "last")


async def test_the_native_diff_shows_what_would_be_and_approves_it(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [WRITE, DONE], {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("change it")
        await expect(w.action("Approve")).to_be_visible()
        await w.command("Agent: Show the Proposed Change")
        await expect(w.page.locator(".editor.modified .view-line").first).to_have_text("first")
        await expect(w.page.locator(".editor.original .view-line").first).to_have_text("line 0")
        await w.shot(tmp_path / "diff.png")
        await w.page.locator('.editor-actions [aria-label^="Approve"]').first.click()
        await expect(w.row("completion_result")).to_be_visible()

        assert w.file("a.txt").read_text() == EDITED
        await expect(w.page.locator(".tab", has_text="proposed")).to_have_count(0)


async def test_what_the_user_types_before_approving_is_kept(tmp_path: Path, windows: CodeServer) -> None:
    fox = "🦊🦊 line 20"
    text = TEXT.replace("line 20", fox)
    edit = [CallTool("edit_file", path="a.txt", old_string=fox, new_string="🦊 fox 20")]
    async with workbench(tmp_path, windows, [edit, DONE], {"a.txt": text}) as w:
        await w.show_view()
        await w.open("a.txt")
        await w.page.keyboard.press("Control+Home")
        await w.page.keyboard.type("TYPED ")
        await w.show_view()
        await w.send("change it")
        await expect(w.action("Approve")).to_be_visible()
        await w.page.locator(".monaco-editor .view-line", has_text="line 1").first.click()
        await w.page.keyboard.press("Control+Home")
        await w.page.keyboard.type("MORE ")
        await w.command("Agent: Approve")
        await expect(w.row("completion_result")).to_be_visible()

        await w.save("line 2")
        assert w.file("a.txt").read_text() == text.replace(fox, "🦊 fox 20").replace(
            "line 0\n", "MORE TYPED line 0\n", 1
        )


async def test_commands_run_only_when_approved_and_questions_are_answered(tmp_path: Path, windows: CodeServer) -> None:
    run = [CallTool("execute_command", command="echo one > made.txt; echo two")]
    ask = [
        CallTool("ask_followup_question", question="Which?", follow_up=[{"text": "The first"}, {"text": "The other"}])
    ]
    async with workbench(tmp_path, windows, [run, ask, DONE], {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("run it")
        await expect(w.row("command")).to_contain_text("echo one > made.txt; echo two")
        await expect(w.page.locator(".statusbar-item", has_text="your answer")).to_be_visible()
        assert not w.file("made.txt").exists()
        await w.action("Run").click()
        await expect(w.row("command_output")).to_contain_text("two")
        suggestion = w.view.get_by_role("button", name="The other")
        await expect(suggestion).to_be_visible()
        for key in ("Alt+y", "Alt+n"):
            await w.command("View: Show Explorer")
            await w.page.keyboard.press(key)
            await expect(w.view.locator(".notice")).to_contain_text("more than a yes or no")
            await expect(w.prompt).to_be_focused()
        await suggestion.click()
        await expect(w.row("completion_result")).to_be_visible()

        assert w.file("made.txt").read_text() == "one\n"
        assert "The other" in w.model.requests[2].results[-1].text


async def test_a_stopped_task_survives_a_reload_and_goes_on(tmp_path: Path, windows: CodeServer) -> None:
    hold = Hold()
    turns = [[Say("It begins"), hold], DONE]
    async with workbench(tmp_path, windows, turns, {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("change it")
        await expect(w.row("text").last).to_have_text("It begins")
        await w.command("Agent: Stop")
        await expect(w.action("Resume")).to_be_visible()
        await expect(w.row("text").last).to_contain_text("interrupted")
        await w.page.reload()
        await expect(w.action("Resume")).to_be_visible()
        await expect(w.row("text").last).to_contain_text("It begins")
        await w.action("Resume").click()
        await expect(w.row("completion_result")).to_be_visible()


async def test_a_dead_server_comes_back_with_its_task(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [WRITE, DONE], {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("change it")
        await expect(w.action("Approve")).to_be_visible()
        server = server_under(tmp_path)
        server.kill()
        await expect(w.action("Resume")).to_be_visible()
        assert w.file("a.txt").read_text() == TEXT
        await w.action("Resume").click()
        await expect(w.row("completion_result")).to_be_visible()


async def test_what_fails_is_said_with_what_to_do(tmp_path: Path, windows: CodeServer) -> None:
    turns = [Refusal(401, "invalid key"), DONE]
    async with workbench(tmp_path, windows, turns, {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("change it")
        await expect(w.row("api_req_failed")).to_contain_text("invalid key")
        await w.view.locator(".row.waits .actions button").first.click()
        await expect(w.row("completion_result")).to_be_visible()


async def test_new_files_are_made_and_files_that_are_there_keep_what_they_hold(
    tmp_path: Path, windows: CodeServer
) -> None:
    patch = "*** Begin Patch\n*** Add File: sub/new.txt\n+made\n*** Update File: a.txt\n@@\n-line 3\n+line three\n*** End Patch"
    turns = [[CallTool("apply_patch", patch=patch)], DONE]
    async with workbench(tmp_path, windows, turns, {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("change it")
        await w.action("Approve").click()
        await expect(w.row("completion_result")).to_be_visible()

        assert w.file("sub/new.txt").read_text() == "made\n"
        assert w.file("a.txt").read_text() == TEXT.replace("line 3\n", "line three\n")


def server_under(folder: Path) -> psutil.Process:
    """The server that the workbench in this folder started."""
    found = [p for p in psutil.process_iter(["cmdline", "environ"]) if "--stdio" in (p.info["cmdline"] or [])]
    return next(p for p in found if (p.info["environ"] or {}).get("AGENT_LSP_STATE") == str(folder / "state"))


async def focus_is_in_prompt(w: Workbench) -> bool:
    return bool(await w.prompt.evaluate("element => document.activeElement === element"))
