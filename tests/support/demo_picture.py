"""The README's picture: the demo as a terminal shows it, drawn as SVG from its real output.

`uv run python tests/support/demo_picture.py` draws it anew after a change of what the demo shows.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "demo.svg"
COMMAND = "$ uv run agent-lsp demo"
LAST_LINE = "✓ Checked"

COLUMNS = 80
CHARACTER_WIDTH, LINE_HEIGHT, MARGIN = 8.4, 19, 20
_STYLE = """\
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d5d9e0; white-space: pre }
.s1 { font-weight: bold } .s2 { fill: #8b93a1 } .s31 { fill: #f28b82 } .s32 { fill: #81c995 }
.s35 { fill: #d7aefb } .s36 { fill: #78d9ec }"""
_PAINTED = re.compile(r"\x1b\[(\d+)m(.*?)\x1b\[0m")


def demo_output() -> str:
    """Play the demo with its colours."""
    with tempfile.TemporaryDirectory() as home:
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        environment |= {"FORCE_COLOR": "1", "HOME": home, "AGENT_LSP_HOME": home}
        command = [sys.executable, "-m", "agent_lsp", "demo"]
        demo = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return demo.stdout.decode()


def pictured_lines(output: str) -> list[str]:
    """What is drawn of an output: up to its last claim, and without what differs from one run to the next."""
    text = re.sub(r"in /\S*/agent-lsp-demo-\w+/", "in /tmp/agent-lsp-demo/", output)
    text = re.sub(r"in \d\.\d{3}s", "in 0.001s", text)
    lines = text.splitlines()
    end = next(place for place, line in enumerate(lines) if LAST_LINE in line)
    return [COMMAND, *lines[: end + 1]]


def without_colours(lines: list[str]) -> list[str]:
    return [_PAINTED.sub(r"\2", line).rstrip() for line in lines]


def drawn(lines: list[str]) -> str:
    """Draw a terminal with these lines."""
    width = round(COLUMNS * CHARACTER_WIDTH) + 2 * MARGIN
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN
    rows = (
        f'<text x="{MARGIN}" y="{MARGIN + (n + 0.75) * LINE_HEIGHT:g}" xml:space="preserve">{_spans(line)}</text>'
        for n, line in enumerate(lines)
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    ground = f'<rect width="{width}" height="{height}" rx="8" fill="#1f2329"/>'
    title = "<title>The demo: a failing test, an approved edit, a passing test</title>"
    return "\n".join([head, title, f"<style>\n{_STYLE}\n</style>", ground, *rows, "</svg>"]) + "\n"


def lines_in(picture: str) -> list[str]:
    """Read the lines of text back out of a picture."""
    root = ET.fromstring(picture)
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def _spans(line: str) -> str:
    return "".join(_pieces(line.rstrip()))


def _pieces(line: str) -> Iterator[str]:
    done = 0
    for painted in _PAINTED.finditer(line):
        yield escape(line[done : painted.start()])
        yield f'<tspan class="s{painted[1]}">{escape(painted[2])}</tspan>'
        done = painted.end()
    yield escape(line[done:])


if __name__ == "__main__":
    PICTURE.write_text(drawn(pictured_lines(demo_output())), encoding="utf-8")
