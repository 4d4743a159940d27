"""Where changes are shown and decided in a real VS Code workbench: at the lines that they change, and nowhere else."""

from pathlib import Path

from playwright.async_api import Locator, expect
from workbench import CodeServer, Workbench, workbench

from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="All done.")]
TEXT = "".join(f"line {n}\n" for n in range(40))
TWICE = TEXT.replace("line 9\n", "nine\n").replace("line 29\n", "twenty-nine\n")
WRITE = [CallTool("write_to_file", path="a.txt", content=TWICE)]
PATCH = "*** Begin Patch\n" + "".join(
    f"*** Update File: {name}\n@@\n-line 3\n+line three\n" for name in ("a.txt", "b.txt")
)
BOTH = [CallTool("apply_patch", patch=f"{PATCH}*** End Patch")]
NEW = [CallTool("write_to_file", path="new.txt", content="one\ntwo\n")]


async def test_hunks_are_shown_and_decided_at_the_lines_that_they_change(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [WRITE, DONE], {"a.txt": TEXT}) as w:
        await w.open("a.txt")
        await w.show_view()
        await w.send("change it")
        await expect(w.view.locator(".hunk-bar .dim")).to_have_text(["Line 10 · 1 of 2", "Line 30 · 2 of 2"])
        lens = w.page.locator(".contentWidgets .codelens-decoration", has_text="Reject hunk").first
        await expect(lens).to_be_visible()
        assert 0 < await top_of(line(w, "line 9")) - await top_of(lens) < 30
        await line(w, "line 7").click()
        await w.command("Agent: Reject This Hunk")
        await expect(w.page.locator(".statusbar-item", has_text="no change under the cursor")).to_be_visible()
        await expect(w.view.locator(".row.waits .choice[aria-pressed=true]")).to_have_count(0)
        await line(w, "line 9").click()
        await w.page.keyboard.press("Alt+Shift+N")
        await expect(w.view.locator(".hunk-box.reject .hunk-bar .dim")).to_have_text(["Line 10 · 1 of 2"])
        await w.command("Agent: Approve")
        await expect(w.row("completion_result")).to_be_visible()

        await w.save("line 8")
        assert w.file("a.txt").read_text() == TEXT.replace("line 29\n", "twenty-nine\n")


async def test_of_a_new_file_only_what_there_is_is_shown_and_its_checkpoint_is_known_by_words(
    tmp_path: Path, windows: CodeServer
) -> None:
    async with workbench(tmp_path, windows, [NEW, DONE], {"a.txt": TEXT}) as w:
        await w.show_view()
        await w.send("make a new file")
        await expect(w.view.locator(".row.waits .counts")).to_have_text("+2")
        await w.command("Agent: Show the Proposed Change")
        await expect(w.page.locator(".tab.active", has_text="new.txt")).to_be_visible()
        await expect(w.page.locator(".monaco-editor .view-line", has_text="two")).to_be_visible()
        await expect(w.page.locator(".editor.original")).to_have_count(0)
        await w.page.keyboard.press("Alt+y")
        await expect(w.row("completion_result")).to_be_visible()
        await expect(w.page.locator(".tab", has_text="new.txt")).to_have_count(0)
        await w.command("Agent: Checkpoints")

        row = w.page.locator(".quick-input-list .monaco-list-row")
        await expect(row.locator(".quick-input-list-label-meta")).to_have_text("make a new file")
        assert w.file("new.txt").read_text() == "one\ntwo\n"


async def test_of_several_files_the_diff_of_the_one_in_front_is_shown(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [BOTH, DONE], {"a.txt": TEXT, "b.txt": TEXT}) as w:
        await w.open("b.txt")
        await w.show_view()
        await w.send("change both")
        await expect(w.view.locator(".row.waits .change")).to_have_count(2)
        await w.command("Agent: Show the Proposed Change")
        await expect(w.page.locator(".tab.active", has_text="b.txt (proposed)")).to_be_visible()
        await w.page.keyboard.press("Alt+y")
        await expect(w.row("completion_result")).to_be_visible()

        assert w.file("a.txt").read_text() == TEXT.replace("line 3\n", "line three\n", 1)


def line(w: Workbench, text: str) -> Locator:
    return w.page.locator(".monaco-editor .view-line").get_by_text(text, exact=True).first


async def top_of(element: Locator) -> float:
    box = await element.bounding_box()
    assert box
    return box["y"]
