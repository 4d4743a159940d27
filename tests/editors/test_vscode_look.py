"""How the view looks in a real VS Code workbench: nothing is cut however narrow it is, and all can be read in every theme."""

from pathlib import Path

import pytest
from playwright.async_api import expect
from vscode_scene import FILES, TURNS, play, set_theme, widen
from workbench import CodeServer, Workbench, workbench

THEMES = [("Light Modern", "light"), ("Dark Modern", "dark"), ("Dark High Contrast", "high-contrast")]
CUT = """() => [...document.querySelectorAll("#app, .row, .composer, .footer, .header, .welcome, .actions, .file, .head")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.className)"""
PALE = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const over = (colours) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => {
        const [r, g, b] = rgb.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const root = getComputedStyle(document.documentElement);
    const behind = (element) => {
        const colours = [];
        for (let at = element; at; at = at.parentElement) { colours.unshift(getComputedStyle(at).backgroundColor); }
        return [root.getPropertyValue("--vscode-sideBar-background"), ...colours];
    };
    const says = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    return [...document.querySelectorAll("#app *")]
        .filter((one) => says(one) && one.checkVisibility() && !one.closest("[disabled], .interrupted, .visually-hidden"))
        .flatMap((one) => {
            const ground = behind(one);
            const [a, b] = [light(over(ground)), light(over([...ground, getComputedStyle(one).color]))];
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            return ratio < 3 ? [`${one.className}: ${one.textContent.slice(0, 30)} ${ratio.toFixed(1)}`] : [];
        });
}"""


@pytest.mark.parametrize(("theme", "kind"), THEMES)
async def test_nothing_is_cut_or_pale(tmp_path: Path, windows: CodeServer, theme: str, kind: str) -> None:
    async with workbench(tmp_path, windows, TURNS, FILES) as w:
        await w.show_view()
        await set_theme(w, theme, kind)
        await widen(w, -100)
        found: dict[str, list[str]] = {}

        async def look(name: str) -> None:
            page = w.view.locator("#app")
            found[name] = [*await page.evaluate(CUT), *await page.evaluate(PALE)]

        await play(w, look)

        assert list(found) == ["welcome", "edit", "diff", "command", "question", "retry", "done"]
        assert {name: problems for name, problems in found.items() if problems} == {}


async def test_rows_and_what_they_ask_are_named_for_who_does_not_see(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, TURNS, FILES) as w:
        await play(w, lambda name: _named(w, name))


async def _named(w: Workbench, name: str) -> None:
    """Every button and row has a name, and what waits was said."""
    nameless = "one => !(one.ariaLabel ?? one.textContent).trim()"
    found = f'() => [...document.querySelectorAll("button, [role=feed], textarea, meter")].filter({nameless}).length'
    assert await w.view.locator("#app").evaluate(found) == 0
    if name in ("edit", "command", "question"):
        await expect(w.view.locator("[aria-live]")).to_contain_text("The agent asks")
