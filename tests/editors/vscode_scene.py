"""One task with something of everything, played in a VS Code workbench, for those who look at it or take pictures of it.

`uv run --group editors python tests/editors/vscode_scene.py` takes the pictures in docs/images anew, and that of the extension's own page.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from editors_site import ROOT
from playwright.async_api import expect

from support.model_server import Answer, CallTool, Figures, Refusal, Say, Think

if TYPE_CHECKING:
    from workbench import Workbench

PICTURES = ROOT / "docs" / "images"
EXTENSION = ROOT / "editors" / "vscode"  # What its own page shows has to be in its package.
SOURCE = '''"""Reads durations as people write them."""

import re

UNITS = {"s": 1, "m": 60, "h": 3600}


def parse_duration(text: str) -> int:
    """Tell how many seconds `1h30m` are."""
    total = 0
    for number, unit in re.findall(r"(\\d+)([smh])", text):
        total += int(number) * UNITS[unit]
    return total
'''
TESTS = """import unittest

from durations import parse_duration


class TestDurations(unittest.TestCase):
    def test_days(self):
        self.assertEqual(parse_duration("2d12h"), 216_000)
"""
FILES = {"durations.py": SOURCE, "test_durations.py": TESTS}
CHANGED = SOURCE.replace('"h": 3600}', '"h": 3600, "d": 86_400}').replace("([smh])", "([smhd])")
FOUND = """Two things are missing in `durations.py`:

1. **Days.** `UNITS` has no `d`, and the pattern stops at `h`.
2. **Garbage** passes silently: `parse_duration("soon")` is `0`.

For days, one entry and one letter are enough:

```python
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
```
"""
RESULT = """Durations know days now, and the tests pass.

| input | before | now |
|---|---|---|
| `2d12h` | 43200 | 216000 |
| `1h30m` | 5400 | 5400 |

What is no duration still counts as nothing, as you wanted."""


def _todos(*marks: str) -> CallTool:
    steps = ("Read the parser", "Teach it days", "Run the tests")
    return CallTool("update_todo_list", todos="\n".join(f"[{m}] {s}" for m, s in zip(marks, steps, strict=True)))


QUESTION = CallTool(
    "ask_followup_question",
    question="What shall `parse_duration` do with **garbage**?",
    follow_up=[
        {"text": "Leave it as it is"},
        {"text": "Raise `ValueError`, as `int` does"},
        {"text": "Return None; callers check that"},
    ],
)
TURNS = [
    Answer(
        (
            Think("The user wants days. I look at the parser first, then at its tests."),
            Say("I look at the parser and its tests."),
            _todos("-", " ", " "),
            CallTool("read_file", path="durations.py"),
            CallTool("search_files", path=".", regex="parse_duration"),
        ),
        Figures(9_200, 310, 4_000, 5_000),
    ),
    Answer(
        (Say(FOUND), _todos("x", "-", " "), CallTool("write_to_file", path="durations.py", content=CHANGED)),
        Figures(14_200, 810, 9_000, 5_000),
    ),
    Answer((_todos("x", "x", "-"), CallTool("execute_command", command="python3 -m unittest")), Figures(18_200, 210)),
    Answer((QUESTION,), Figures(18_900, 110, 18_000, 900)),
    Refusal(529, "Overloaded", headers=(("retry-after", "30"),)),
    Answer((_todos("x", "x", "x"), CallTool("attempt_completion", result=RESULT)), Figures(21_200, 210, 19_000, 1_000)),
]

Take = Callable[[str], Awaitable[None]]
"""Looks at the window, at a point of the task that has this name."""


async def play(w: "Workbench", take: Take) -> None:
    await w.open("durations.py")
    await w.show_view()
    await take("welcome")
    await w.send("Teach `parse_duration` days, as in `2d12h`.")
    await expect(w.action("Approve")).to_be_visible()
    await take("edit")
    await w.command("Agent: Show the Proposed Change")
    await expect(w.page.locator(".editor.modified .view-line", has_text="86_400")).to_be_visible()
    await take("diff")
    await w.action("Approve").click()
    await expect(w.action("Run")).to_be_visible()
    await take("command")
    await w.action("Run").click()
    await expect(w.row("followup")).to_be_visible()
    await take("question")
    await w.view.get_by_role("button", name="Leave it as it is").click()
    await expect(w.view.get_by_role("button", name="Try now")).to_be_visible()
    await take("retry")
    await w.view.get_by_role("button", name="Try now").click()
    await expect(w.action("New task")).to_be_visible()
    await take("done")


async def set_theme(w: "Workbench", name: str, kind: str) -> None:
    """Choose a colour theme of the editor's; `kind` is what the page is told of it."""
    await w.command("Preferences: Color Theme")
    box = w.page.locator(".quick-input-widget input")
    await box.fill(name)
    await expect(w.page.locator(".quick-input-list .monaco-list-row.focused", has_text=name)).to_be_visible()
    await w.page.keyboard.press("Enter")
    await expect(w.view.locator(f'body[data-vscode-theme-id="{name}"], body.vscode-{kind}')).to_have_count(1)


async def widen(w: "Workbench", by: int) -> None:
    """Draw the edge of the side bar to the right."""
    box = await w.page.locator("#workbench\\.parts\\.sidebar").bounding_box()
    assert box
    x, y = box["x"] + box["width"], box["y"] + box["height"] / 2
    await w.page.mouse.move(x, y)
    await w.page.mouse.down()
    await w.page.mouse.move(x + by, y, steps=4)
    await w.page.mouse.up()


SHOWN = {"diff": "Dark Modern", "question": "Dark Modern", "retry": "Light Modern", "done": "Light Modern"}
KINDS = {"Dark Modern": "dark", "Light Modern": "light"}


async def _take_pictures(folder: Path) -> None:
    from workbench import build_extension, code_server, workbench

    (folder / "windows").mkdir()
    with code_server(folder / "windows", build_extension(folder)) as windows:
        async with workbench(folder, windows, TURNS, FILES, size=(1180, 760)) as w:
            await w.show_view()
            await widen(w, 90)

            async def take(name: str) -> None:
                theme = SHOWN.get(name)
                if theme:
                    await set_theme(w, theme, KINDS[theme])
                    await w.page.mouse.move(600, 740)
                    await _take_picture(w, name)

            await play(w, take)


async def _take_picture(w: "Workbench", name: str) -> None:
    path = EXTENSION / "media" / "task.png" if name == "diff" else PICTURES / f"vscode-{name}.png"
    await w.page.screenshot(path=str(path), animations="disabled", caret="hide")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(_take_pictures(Path(scratch)))
