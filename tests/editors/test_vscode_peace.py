"""What the agent does to the person at a real VS Code workbench: it takes no focus, loses no character, and stays quick."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect
from workbench import CodeServer, Workbench, workbench

from support.model_server import CallTool, Hold, Say

DONE = [CallTool("attempt_completion", result="All done.")]
TEXT = "".join(f"line {n}\n" for n in range(40))
EDIT = [CallTool("edit_file", path="a.txt", old_string="line 20\n", new_string="line twenty\n")]
NEW = [CallTool("write_to_file", path="sub/new.txt", content="made\n")]
RUN = [CallTool("execute_command", command="echo one > made.txt")]
WATCH = """() => {
    window.moves = [];
    const note = (event) => window.moves.push(`${event.type} ${event.target.className ?? event.target}`);
    for (const type of ["focusin", "focusout"]) document.addEventListener(type, note, true);
    window.addEventListener("blur", note);
}"""
FRAMES = """() => {
    window.frames_ = [];
    let before = performance.now();
    const next = (now) => { window.frames_.push(now - before); before = now; window.frame_ = requestAnimationFrame(next); };
    window.frame_ = requestAnimationFrame(next);
}"""
STOP = """() => new Promise((resolve) => {
    const look = () => {
        if (window.frames_.length < 20) return requestAnimationFrame(look);
        cancelAnimationFrame(window.frame_);
        resolve(window.frames_.slice(1).sort((a, b) => a - b));
    };
    look();
})"""


async def test_a_whole_task_takes_no_focus_and_loses_no_character(tmp_path: Path, windows: CodeServer) -> None:
    hold = Hold()
    turns = [[Say("I look."), hold, *EDIT], NEW, RUN, DONE]
    async with workbench(tmp_path, windows, turns, {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.open("a.txt")
        await w.send("change it")
        await expect(w.row("text").last).to_have_text("I look.")
        await w.page.locator(".monaco-editor .view-line", has_text="line 1").first.click()
        await w.page.keyboard.press("Control+Home")
        await w.page.evaluate(WATCH)

        hold.release.set()
        typed = ""
        for subject in ("twenty", "sub/new.txt", "echo one"):
            typed += await _type_until_asked(w, subject)
            await w.page.keyboard.press("Alt+y")  # One key, from where the user is.
        await expect(w.row("completion_result")).to_be_visible()
        typed += await _type(w)

        assert await w.page.evaluate("window.moves") == []
        await w.page.keyboard.press("Control+s")
        await expect(w.page.locator(".tab.active.dirty")).to_have_count(0)
        assert w.file("a.txt").read_text() == typed + TEXT.replace("line 20\n", "line twenty\n")
        assert (w.file("sub/new.txt").read_text(), w.file("made.txt").read_text()) == ("made\n", "one\n")


async def _type_until_asked(w: Workbench, subject: str) -> str:
    """Type on until the agent asks about this; what was typed."""
    typed = await _type(w)
    while not await w.view.locator(".row.waits", has_text=subject).count():
        typed += await _type(w)
    return typed


async def _type(w: Workbench) -> str:
    await w.page.keyboard.type("abc ")
    return "abc "


async def test_a_toast_that_is_dismissed_leaves_the_ask_waiting(tmp_path: Path, windows: CodeServer) -> None:
    hold = Hold()
    async with workbench(tmp_path, windows, [[Say("I look."), hold, *EDIT], DONE], {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("change it")
        await expect(w.row("text").last).to_have_text("I look.")
        await w.page.keyboard.press("Control+Shift+e")
        await expect(w.prompt).to_be_hidden()
        hold.release.set()
        toast = w.page.locator(".notification-toast", has_text="waits for your answer")
        await expect(toast).to_be_visible()
        await toast.hover()
        await toast.locator(".codicon-notifications-clear").click()
        await expect(toast).to_have_count(0)

        await expect(w.page.locator(".statusbar-item", has_text="your answer")).to_be_visible()
        assert w.file("a.txt").read_text() == TEXT
        await w.command("Agent: Approve")
        await w.show_view()
        await expect(w.row("completion_result")).to_be_visible()
        assert w.file("a.txt").read_text() == TEXT.replace("line 20\n", "line twenty\n")


async def test_what_the_user_changed_in_the_same_place_is_kept_and_told(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [EDIT, DONE], {"a.txt": TEXT}) as w:
        await w.open("a.txt")
        await w.show_view()
        await w.send("change it")
        await expect(w.action("Approve")).to_be_visible()
        line = w.page.locator(".monaco-editor .view-line", has_text="line 20")
        await line.click()
        await w.page.keyboard.press("Home")
        await w.page.keyboard.type("MINE ")
        await w.action("Approve").click()
        await expect(w.row("completion_result")).to_be_visible()

        await expect(line.first).to_have_text("MINE line 20")
        assert "MINE line 20" in w.model.requests[1].results[0].text


@pytest.mark.timeout(300)
async def test_five_thousand_messages_cost_little(tmp_path: Path, windows: CodeServer) -> None:
    """Prints what it measured; `-rP` shows it."""
    reads = [CallTool("read_file", path="a.txt", offset=n, limit=1) for n in range(1, 5001)]
    steps = [[Say("step"), *reads[first : first + 100]] for first in range(0, 5000, 100)]
    before, after = Stream(), Stream()
    turns = [before.parts(reads[0]), *steps, after.parts(*DONE)]
    async with workbench(tmp_path, windows, turns, {"a.txt": "one\n" * 5000}) as w:
        await w.show_view()
        await w.send("read it often")
        quick = await before.frames(w)
        heap = await used_heap(w.page)
        before.end.release.set()
        async with asyncio.timeout(120):
            await after.begin.reached.wait()
        grown = await used_heap(w.page) - heap
        late = await after.frames(w)
        after.end.release.set()
        await expect(w.row("completion_result")).to_be_visible()
        rows = await w.view.locator(".row").count()

        print(f"5,000 messages: {rows} rows on the page, {grown / 1e6:.1f} MB more of heap")
        print(f"frames while text streams, ms (median, 95 of 100): at first {quick}, at the end {late}")
        assert rows < 120
        assert grown < 5000 * 10_000
        await w.view.locator(".rows").evaluate("element => { element.scrollTop = 0 }")
        await expect(w.view.locator(".row.users")).to_contain_text("read it often")
        assert await w.view.locator(".row").count() < 120


class Stream:
    """Text that streams between two holds, so that it can be watched from its first word to its last."""

    def __init__(self) -> None:
        self.begin = Hold()
        self.end = Hold()

    def parts(self, *calls: CallTool) -> list[Any]:
        return [self.begin, Say("Some **words** in a line. ", times=200), self.end, *calls]

    async def frames(self, w: Workbench) -> tuple[float, float]:
        """How long the page's pictures took while it grew: the median, and that of which only five in a hundred take longer."""
        page = w.view.locator("#app")
        async with asyncio.timeout(60):
            await self.begin.reached.wait()
        await page.evaluate(FRAMES)
        self.begin.release.set()
        async with asyncio.timeout(60):
            await self.end.reached.wait()
        times: list[float] = await page.evaluate(STOP)
        return round(times[len(times) // 2], 1), round(times[int(len(times) * 0.95)], 1)


async def used_heap(page: Page) -> int:
    """What scripts of the window hold, once what nobody needs is collected."""
    chromium = await page.context.new_cdp_session(page)
    await chromium.send("HeapProfiler.collectGarbage")
    usage = await chromium.send("Runtime.getHeapUsage")
    await chromium.detach()
    return usage["usedSize"]
