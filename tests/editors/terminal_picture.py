"""What a terminal shows, as a picture: its cells with their colours drawn as SVG, and that photographed as PNG."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape

from editors_site import chromium
from playwright.async_api import async_playwright
from terminal import Size

CHARACTER_WIDTH, LINE_HEIGHT = 8.43, 16.5
_SEQUENCE = re.compile(r"(\x1b\[[\d;:]*m|)([^\x1b]*)")
_CUBE = (0, 95, 135, 175, 215, 255)


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a terminal: of what says nothing of colour, and the sixteen that have names."""

    ink: str
    ground: str
    named: tuple[str, ...]


DARK = Palette(
    "#e0e2ea",
    "#14161b",
    (
        *("#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8"),
        *("#4f5258", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#ffffff"),
    ),
)


@dataclass(frozen=True, slots=True)
class Paint:
    """How a piece of text is drawn; None is the terminal's own colour."""

    ink: str | None = None
    ground: str | None = None
    is_bold: bool = False
    is_italic: bool = False
    is_dim: bool = False
    is_reversed: bool = False
    is_underlined: bool = False
    is_struck: bool = False


async def photograph(painted: Sequence[str], size: Size, palette: Palette, file: Path) -> None:
    """Draw a screen, as a terminal is told it, into a PNG."""
    width, height = round(size.columns * CHARACTER_WIDTH), round(size.rows * LINE_HEIGHT)
    page = f'<body style="margin: 0">{drawn(painted, size, palette)}</body>'
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(chromium()), args=["--no-sandbox"])
        tab = await browser.new_page(viewport={"width": width, "height": height})
        await tab.set_content(page)
        await tab.screenshot(path=str(file))
        await browser.close()


def drawn(painted: Sequence[str], size: Size, palette: Palette) -> str:
    """Draw a screen as SVG."""
    width, height = round(size.columns * CHARACTER_WIDTH), round(size.rows * LINE_HEIGHT)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    style = '<style>text { font: 14px "DejaVu Sans Mono", monospace; white-space: pre }</style>'
    ground = f'<rect width="{width}" height="{height}" fill="{palette.ground}"/>'
    pieces = list(_pieces(painted[: size.rows], palette))
    grounds = [element for piece in pieces for element in _ground(*piece, palette)]
    texts = [element for piece in pieces for element in _text(*piece, palette)]
    return "\n".join([head, style, ground, *grounds, *texts, "</svg>"]) + "\n"


def _ground(line: int, column: int, text: str, paint: Paint, palette: Palette) -> Iterator[str]:
    if colour := _grounds(paint, palette):
        x, width = column * CHARACTER_WIDTH, _width(text) * CHARACTER_WIDTH
        y = line * LINE_HEIGHT
        yield f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{LINE_HEIGHT + 0.3}" fill="{colour}"/>'


def _text(line: int, column: int, text: str, paint: Paint, palette: Palette) -> Iterator[str]:
    if not text.strip():
        return
    places: list[str] = []
    for character in text:
        places.append(f"{column * CHARACTER_WIDTH:.2f}")
        column += _width(character)
    style = f'fill="{_inks(paint, palette)}"'
    style += ' font-weight="bold"' if paint.is_bold else ""
    style += ' font-style="italic"' if paint.is_italic else ""
    style += ' opacity="0.6"' if paint.is_dim else ""
    line_on_it = "underline" * paint.is_underlined + " line-through" * paint.is_struck
    style += f' text-decoration="{line_on_it.strip()}"' if line_on_it else ""
    yield f'<text x="{" ".join(places)}" y="{line * LINE_HEIGHT + 12.8:.1f}" {style}>{escape(text)}</text>'


def _inks(paint: Paint, palette: Palette) -> str:
    if paint.is_reversed:
        return paint.ground or palette.ground
    return paint.ink or palette.ink


def _grounds(paint: Paint, palette: Palette) -> str | None:
    if paint.is_reversed:
        return paint.ink or palette.ink
    return paint.ground


def _width(text: str) -> int:
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or character in "\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _pieces(rows: Sequence[str], palette: Palette) -> Iterator[tuple[int, int, str, Paint]]:
    """Pieces of one colour, each with its line and column; colours go on from line to line."""
    paint = Paint()
    for line, row in enumerate(rows):
        column = 0
        for sequence, text in _SEQUENCE.findall(row):
            if sequence:
                paint = _repainted(paint, sequence[2:-1], palette)
            if text:
                yield line, column, text, paint
            column += _width(text)


def _repainted(paint: Paint, sequence: str, palette: Palette) -> Paint:
    codes = [[int(part or 0) for part in word.split(":")] for word in sequence.split(";")]
    while codes:
        match codes:
            case [[38], [2], [red], [green], [blue], *codes]:
                paint = replace(paint, ink=f"#{red:02x}{green:02x}{blue:02x}")
            case [[48], [2], [red], [green], [blue], *codes]:
                paint = replace(paint, ground=f"#{red:02x}{green:02x}{blue:02x}")
            case [[38], [5], [number], *codes]:
                paint = replace(paint, ink=_numbered(number, palette))
            case [[48], [5], [number], *codes]:
                paint = replace(paint, ground=_numbered(number, palette))
            case [[58, *_], *codes] | [[58], [2], [_], [_], [_], *codes] | [[58], [5], [_], *codes]:
                pass  # The colour of a line below the text.
            case [[code, *shape], *codes]:
                paint = _simply_repainted(paint, code, shape, palette)
            case _:
                break
    return paint


def _numbered(number: int, palette: Palette) -> str:
    if number < 16:
        return palette.named[number]
    if number >= 232:
        grey = 8 + 10 * (number - 232)
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    red, green, blue = (_CUBE[(number - 16) // step % 6] for step in (36, 6, 1))
    return f"#{red:02x}{green:02x}{blue:02x}"


_SWITCHES: dict[int, dict[str, bool]] = {
    1: {"is_bold": True},
    2: {"is_dim": True},
    3: {"is_italic": True},
    7: {"is_reversed": True},
    9: {"is_struck": True},
    22: {"is_bold": False, "is_dim": False},
    23: {"is_italic": False},
    24: {"is_underlined": False},
    27: {"is_reversed": False},
    29: {"is_struck": False},
}


def _simply_repainted(paint: Paint, code: int, shape: list[int], palette: Palette) -> Paint:
    match code:
        case 0:
            return Paint()
        case 4:
            return replace(paint, is_underlined=shape != [0])
        case 39:
            return replace(paint, ink=None)
        case 49:
            return replace(paint, ground=None)
        case _ if 30 <= code <= 37:
            return replace(paint, ink=palette.named[code - 30])
        case _ if 40 <= code <= 47:
            return replace(paint, ground=palette.named[code - 40])
        case _ if 90 <= code <= 97:
            return replace(paint, ink=palette.named[code - 82])
        case _ if 100 <= code <= 107:
            return replace(paint, ground=palette.named[code - 92])
        case _:
            return replace(paint, **_SWITCHES.get(code, {}))
