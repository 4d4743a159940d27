"""Lines and positions as LSP counts them: three line endings, and columns in the units of the agreed encoding."""

import re

from agent_lsp.lsp.client import Encoding

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    r"""Split at `\n`, `\r\n` and `\r` only, endings kept; the last line has none, and may be empty."""
    lines: list[str] = _LINE.findall(text)
    if not lines or lines[-1][-1] in "\r\n":
        lines.append("")
    return lines


def content_length(line: str) -> int:
    """The length of a line without its ending."""
    return len(line) - (2 if line.endswith("\r\n") else 1 if line.endswith(("\n", "\r")) else 0)


def index_in_line(line: str, units: int, encoding: Encoding) -> int:
    """The index of the character at a column; inside of a character, its beginning; past the end, the end."""
    end = content_length(line)
    if units <= 0 or encoding == "utf-32" or line.isascii():
        return min(max(units, 0), end)
    index = _index_in_utf8(line, units) if encoding == "utf-8" else _index_in_utf16(line, units)
    return min(index, end)


def units_before(line: str, index: int, encoding: Encoding) -> int:
    """The column of the character at an index."""
    before = line[:index]
    if encoding == "utf-32" or before.isascii():
        return len(before)
    if encoding == "utf-8":
        return len(before.encode("utf-8", "surrogatepass"))
    return len(before.encode("utf-16-le", "surrogatepass")) // 2


def _index_in_utf8(line: str, units: int) -> int:
    encoded = line.encode("utf-8", "surrogatepass")
    while units < len(encoded) and encoded[units] & 0xC0 == 0x80:
        units -= 1
    return len(encoded[:units].decode("utf-8", "surrogatepass"))


def _index_in_utf16(line: str, units: int) -> int:
    encoded = line.encode("utf-16-le", "surrogatepass")
    if _is_high(encoded, units - 1) and _is_low(encoded, units):
        units -= 1
    return len(encoded[: 2 * units].decode("utf-16-le", "surrogatepass"))


def _is_high(encoded: bytes, unit: int) -> bool:
    return encoded[2 * unit + 1 : 2 * unit + 2] in _HIGH


def _is_low(encoded: bytes, unit: int) -> bool:
    return encoded[2 * unit + 1 : 2 * unit + 2] in _LOW


_HIGH = frozenset(bytes((byte,)) for byte in range(0xD8, 0xDC))
_LOW = frozenset(bytes((byte,)) for byte in range(0xDC, 0xE0))
