"""The page of VS Code's view by itself in a browser, for what hangs on the order of things within one picture."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from editors_site import chromium
from playwright.async_api import Page, async_playwright, expect
from workbench import BROWSER, EXTENSION

EDITOR = "window.acquireVsCodeApi = () => ({ postMessage() {} })"
SHORTER_THEN_LONGER = """async (rows) => {
    const picture = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const text = rows.querySelector(".row.k-text:not(.users) .markdown");
    text.style.marginBottom = "-200px";
    await picture();
    rows.getBoundingClientRect();
    text.style.marginBottom = "800px";
    for (let n = 0; n < 4; n++) await picture();
    return rows.scrollHeight - rows.clientHeight - rows.scrollTop;
}"""
MESSAGES = [
    {"ts": 1, "type": "say", "say": "text", "text": "say much"},
    {"ts": 2, "type": "say", "say": "text", "text": "A line.\n\n" * 100},
    {"ts": 3, "type": "ask", "ask": "completion_result", "text": "All done."},
]
ASK = {"ts": 3, "kind": "completion_result", "actions": [{"label": "New task", "response": "agent/clearTask"}]}
USAGE = {"tokensIn": 0, "tokensOut": 0, "cost": None}
CONTEXT = {"tokens": 0, "window": 0, "percent": 0}
STATUS = {"taskId": "t", "state": "idle", "ask": ASK, "mode": "code", "usage": USAGE, "context": CONTEXT, "todos": []}


@pytest.mark.usefixtures("extensions")
async def test_the_end_stays_in_sight_when_rows_become_shorter_and_then_longer() -> None:
    async with opened() as page:
        await send(page, {"type": "snapshot", "status": STATUS, "messages": MESSAGES, "decisions": {}})
        await expect(page.get_by_role("button", name="New task")).to_be_in_viewport()

        assert await page.locator(".rows").evaluate(SHORTER_THEN_LONGER) == 0


@asynccontextmanager
async def opened() -> AsyncGenerator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(chromium()), args=BROWSER)
        page = await browser.new_page(viewport={"width": 300, "height": 700})
        await page.set_content('<body><div id="app"></div></body>')
        await page.add_style_tag(content=(EXTENSION / "dist" / "style.css").read_text())
        await page.evaluate(EDITOR)
        await page.add_script_tag(content=(EXTENSION / "dist" / "view.js").read_text())
        yield page
        await browser.close()


async def send(page: Page, message: dict[str, Any]) -> None:  # Any: whatever the extension says to its page.
    await page.evaluate("message => window.postMessage(message, '*')", message)
