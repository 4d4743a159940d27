"""The text of a Word document. Its tables, notes and pictures are not read."""

import re
import struct
import zipfile
import zlib
from html import unescape
from io import BytesIO

from agent_lsp.domain.errors import FileProblem

_TEXT_LIMIT = 20_000_000
_PIECE = re.compile(r"<w:t(?: [^>]*)?>([^<]*)</w:t>|<w:(tab|br|cr)(?: [^>]*)?/>|(</w:p>)")


def docx_text(content: bytes, path: str) -> str:
    """Extract the paragraphs, a line each. The XML is only scanned: nothing in it is resolved or expanded."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive, archive.open("word/document.xml") as document:
            xml = document.read(_TEXT_LIMIT + 1)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        LookupError,
        OSError,
        RuntimeError,
        ValueError,
    ) as fault:
        # What a spoilt archive makes the standard library raise is not one kind of error.
        raise FileProblem(f"{path} cannot be read as a Word document.") from fault
    if len(xml) > _TEXT_LIMIT:
        raise FileProblem(f"{path} holds too much text; convert a part of it with execute_command.")
    return "".join(map(_piece, _PIECE.finditer(xml.decode("utf-8", "replace"))))


def _piece(match: re.Match[str]) -> str:
    if match[3]:
        return "\n"
    if match[2]:
        return "\t" if match[2] == "tab" else "\n"
    return unescape(match[1])
