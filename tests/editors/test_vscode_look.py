"""How the view looks in a real VS Code workbench: nothing is cut however narrow it is, and all can be read in every theme."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import expect
from vscode_scene import FILES, TURNS, play, set_theme, widen
from workbench import CodeServer, Workbench, workbench

THEMES = [("Light Modern", "light"), ("Dark Modern", "dark"), ("Dark High Contrast", "high-contrast")]
POINTS = ["welcome", "edit", "diff", "command", "question", "retry", "done"]
ASKS = ["edit", "command", "question"]
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


NAMELESS = """() => [...document.querySelectorAll("button, [role=feed], textarea, meter")]
    .filter((one) => !(one.ariaLabel ?? one.textContent).trim())
    .map((one) => one.outerHTML)"""


@dataclass
class Looks:
    """What was found wrong at each point of one task, and what was said at it to who does not see."""

    cut: dict[str, list[str]] = field(default_factory=dict)
    pale: dict[str, list[str]] = field(default_factory=dict)
    nameless: dict[str, list[str]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory, windows: CodeServer) -> Looks:
    """One task, looked at for all tests: playing it takes far longer than looking."""
    return asyncio.run(_looked_at(tmp_path_factory.mktemp("looks"), windows))


async def _looked_at(folder: Path, windows: CodeServer) -> Looks:
    looks = Looks()
    async with workbench(folder, windows, TURNS, FILES) as w:
        await w.show_view()
        await widen(w, -100)
        await play(w, lambda name: _look(w, name, looks))
    return looks


async def _look(w: Workbench, name: str, looks: Looks) -> None:
    page = w.view.locator("#app")
    if name in ASKS:
        await expect(w.view.locator("[aria-live]")).to_contain_text("The agent asks")
        looks.said[name] = await w.view.locator("[aria-live]").first.inner_text()
    looks.nameless[name] = await page.evaluate(NAMELESS)
    for theme, kind in THEMES:
        await set_theme(w, theme, kind)
        looks.cut[f"{name}, {kind}"] = await page.evaluate(CUT)
        looks.pale[f"{name}, {kind}"] = await page.evaluate(PALE)


def test_nothing_is_cut_in_any_theme(looks: Looks) -> None:
    assert looks.cut == {key: [] for key in (f"{name}, {kind}" for name in POINTS for _, kind in THEMES)}


def test_nothing_is_pale_in_any_theme(looks: Looks) -> None:
    assert looks.pale == {key: [] for key in (f"{name}, {kind}" for name in POINTS for _, kind in THEMES)}


def test_whatever_can_be_pressed_is_named_for_who_does_not_see(looks: Looks) -> None:
    assert looks.nameless == {key: [] for key in POINTS}


def test_whatever_waits_is_said_to_who_does_not_see(looks: Looks) -> None:
    assert list(looks.said) == ASKS
