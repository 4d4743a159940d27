"""Neovim in a terminal of its own (tmux), as a person has it: keys go in, and what is on the screen comes out, as text or as a picture."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape

COLUMNS, LINES = 120, 36
SECONDS = 30.0
CHARACTER_WIDTH, LINE_HEIGHT = 8.43, 18
GROUND, TEXT = "#14161b", "#e0e2ea"
_SEQUENCE = re.compile(r"(\x1b\[[\d;:]*m|)([^\x1b]*)")
_BASIC = ("#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8")


@dataclass(frozen=True, slots=True)
class Paint:
    """How a piece of text is drawn."""

    ink: str = TEXT
    ground: str = GROUND
    is_bold: bool = False
    is_italic: bool = False


@dataclass
class Screen:
    """One terminal. Its tmux is named by a socket of its own, so that nobody else's is touched."""

    socket: Path
    columns: int = COLUMNS

    async def tmux(self, *words: str) -> str:
        process = await asyncio.create_subprocess_exec(
            "tmux", "-S", str(self.socket), *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        output, problem = await process.communicate()
        assert process.returncode == 0, problem.decode()
        return output.decode()

    async def start(self, folder: Path, environment: dict[str, str], command: list[str]) -> None:
        names = [f"{name}={value}" for name, value in environment.items()]
        size = ["-x", str(self.columns), "-y", str(LINES)]
        await self.tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", str(folder), "env", *names, *command)
        await self.tmux("set", "-s", "escape-time", "0")

    async def stop(self) -> None:
        await self.tmux("kill-server")

    async def type(self, text: str) -> None:
        await self.tmux("send-keys", "-l", text)

    async def press(self, *keys: str) -> None:
        await self.tmux("send-keys", *keys)

    async def enter(self, command: str) -> None:
        """Type a command and enter it."""
        await self.type(command)
        await self.press("Enter")

    async def pid(self) -> int:
        return int(await self.tmux("display", "-p", "#{pane_pid}"))

    async def text(self) -> str:
        return await self.tmux("capture-pane", "-p")

    async def until(self, text: str) -> None:
        """Wait until the screen says this."""
        try:
            async with asyncio.timeout(SECONDS):
                while text not in await self.text():  # noqa: ASYNC110 - a terminal has no event for what is drawn on it
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"never seen: {text}\n{await self.text()}") from None

    async def picture(self) -> str:
        """What is on the screen, drawn as SVG."""
        return drawn(await self.tmux("capture-pane", "-e", "-p"))


def drawn(captured: str) -> str:
    """Draw a captured screen."""
    width, height = round(COLUMNS * CHARACTER_WIDTH), LINES * LINE_HEIGHT
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    style = '<style>text { font: 14px "DejaVu Sans Mono", monospace; white-space: pre }</style>'
    ground = f'<rect width="{width}" height="{height}" fill="{GROUND}"/>'
    pieces = [element for piece in _painted(captured) for element in _piece(*piece)]
    return "\n".join([head, style, ground, *pieces, "</svg>"]) + "\n"


def _piece(line: int, column: int, text: str, paint: Paint) -> Iterator[str]:
    x, y = column * CHARACTER_WIDTH, line * LINE_HEIGHT
    if paint.ground != GROUND:
        width = len(text) * CHARACTER_WIDTH
        yield f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{LINE_HEIGHT}" fill="{paint.ground}"/>'
    if text.strip():
        weight = ' font-weight="bold"' if paint.is_bold else ""
        slant = ' font-style="italic"' if paint.is_italic else ""
        place = f'x="{x:.1f}" y="{y + 13.5}" textLength="{len(text) * CHARACTER_WIDTH:.1f}" xml:space="preserve"'
        yield f'<text {place} fill="{paint.ink}"{weight}{slant}>{escape(text)}</text>'


def _painted(captured: str) -> Iterator[tuple[int, int, str, Paint]]:
    """Pieces of one colour, each with its line and column; colours go on from line to line."""
    paint = Paint()
    for line, row in enumerate(captured.split("\n")[:LINES]):
        column = 0
        for sequence, text in _SEQUENCE.findall(row):
            if sequence:
                paint = _repainted(paint, [int(word or 0) for word in re.split("[;:]", sequence[2:-1])])
            yield line, column, text, paint
            column += len(text)


def _repainted(paint: Paint, codes: list[int]) -> Paint:
    while codes:
        match codes:
            case [38, 2, red, green, blue, *codes]:
                paint = replace(paint, ink=f"#{red:02x}{green:02x}{blue:02x}")
            case [48, 2, red, green, blue, *codes]:
                paint = replace(paint, ground=f"#{red:02x}{green:02x}{blue:02x}")
            case [code, *codes]:
                paint = _simply_repainted(paint, code)
            case _:
                break
    return paint


def _simply_repainted(paint: Paint, code: int) -> Paint:
    match code:
        case 0:
            return Paint()
        case 1:
            return replace(paint, is_bold=True)
        case 3:
            return replace(paint, is_italic=True)
        case 7:
            return replace(paint, ink=paint.ground, ground=paint.ink)
        case 39:
            return replace(paint, ink=TEXT)
        case 49:
            return replace(paint, ground=GROUND)
        case _ if 30 <= code <= 37:
            return replace(paint, ink=_BASIC[code - 30])
        case _ if 40 <= code <= 47:
            return replace(paint, ground=_BASIC[code - 40])
        case _:
            return paint
