"""Texts as models read them: lines with numbers, as many as fit, and a banner that names those left out."""

from agent_lsp.domain.errors import FileProblem
from agent_lsp.tools.outcomes import OUTPUT_LIMIT

MOST_LINES = 2000
_LINE_LIMIT = 2000
_BANNER_ROOM = 200


def numbered(text: str, offset: int = 1, limit: int = MOST_LINES) -> str:
    """Number the lines from `offset` on, as many as are wanted and fit."""
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines and offset == 1:
        return "(the file is empty)"
    if offset > len(lines):
        raise FileProblem(f"offset {offset} is past the end: the file has {len(lines)} lines.")
    shown = _fitting(lines[offset - 1 : offset - 1 + limit], offset)
    last = offset + len(shown) - 1
    banner = [] if (offset, last) == (1, len(lines)) else [_banner(offset, last, len(lines))]
    return "\n".join(banner + shown)


def _fitting(lines: list[str], offset: int) -> list[str]:
    """Take whole lines while the result stays within what a model bears."""
    shown: list[str] = []
    room = OUTPUT_LIMIT - _BANNER_ROOM
    for number, line in enumerate(lines, offset):
        row = f"{number} | {_cut(line)}"
        room -= len(row) + 1
        if room < 0:
            break
        shown.append(row)
    return shown


def _cut(line: str) -> str:
    line = line.removesuffix("\r")
    if len(line) <= _LINE_LIMIT:
        return line
    return f"{line[:_LINE_LIMIT]} [{len(line) - _LINE_LIMIT:,} more characters in this line]"


def _banner(first: int, last: int, total: int) -> str:
    after = f"; go on with offset={last + 1}" if last < total else ""
    return f"[Lines {first}-{last} of {total}{after}]"
