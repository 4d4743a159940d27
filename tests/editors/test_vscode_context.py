"""The context in a real VS Code workbench: condensed by the user, and told in full again."""

from pathlib import Path

from playwright.async_api import expect
from workbench import CodeServer, workbench

from support.model_server import CallTool, Say

FILES = {name: f"words of {name}\n" for name in ("a.txt", "b.txt", "c.txt")}
READS = [[CallTool("read_file", path=name)] for name in FILES]
DONE = [CallTool("attempt_completion", result="All done.")]
SUMMARY = "Three files were read."


async def test_a_summary_is_taken_back_beside_it(tmp_path: Path, windows: CodeServer) -> None:
    turns = [*READS, DONE, [Say(SUMMARY)], DONE]
    async with workbench(tmp_path, windows, turns, FILES) as w:
        await w.show_view()
        await w.send("read it well")
        await expect(w.row("completion_result")).to_be_visible()
        await w.view.get_by_role("button", name="Condense it").click()
        await w.row("condense_context").get_by_role("button", name="Take this back").click()
        await w.page.locator(".monaco-dialog-box").get_by_role("button", name="Go back").click()
        await expect(w.row("condense_context")).to_have_count(0)
        await w.send("and now?")
        await expect(w.row("completion_result")).to_have_count(2)

        asked = str(w.model.requests[-1].items)
        assert (SUMMARY in asked, asked.count("words of ")) == (False, 3)
