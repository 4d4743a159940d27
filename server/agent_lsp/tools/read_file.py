"""read_file: the text of a file with line numbers, a picture for models that see, the text of a Word document."""

import asyncio
from base64 import b64encode
from pathlib import PurePosixPath

from pydantic import BaseModel, Field

from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Place
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.docx import docx_text
from agent_lsp.tools.outcomes import OUTPUT_LIMIT, declined, tool_ask, with_words
from agent_lsp.tools.parameters import FilePath
from agent_lsp.tools.ports import Files, Gate

_LINES = 2000
_LINE_LIMIT = 2000
_IMAGE_LIMIT = 5_000_000
_DOCX_LIMIT = 50_000_000
_LONG_TEXT = 300_000
"""From so many characters on, a text is taken apart in a thread."""
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


class ReadFile:
    name = "read_file"
    description = (
        "Read a file as `N | text` lines, 2,000 from offset on; a first line in brackets tells what is left out. "
        "Shows unsaved text of open editors, pictures and .docx text. Read before you edit, "
        "and again after the user changed the file."
    )

    class Arguments(BaseModel):
        path: FilePath
        offset: int = Field(default=1, description="First line, from 1")
        limit: int = Field(default=_LINES, ge=1, description="Most lines")

    def __init__(self, files: Files, gate: Gate, *, sees_images: bool = True) -> None:
        self._files = files
        self._gate = gate
        self._sees_images = sees_images

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        place = self._files.locate(arguments.path, "read")
        start_line = arguments.offset if arguments.offset > 1 else None
        body = tool_ask("readFile", place, startLine=start_line)
        decision = await self._gate.decide(Action(call_id, Deed.READ, body, places=(place,)))
        if not decision.is_approved:
            return declined(decision)
        return with_words(await self._read(place, arguments), decision)

    async def _read(self, place: Place, arguments: Arguments) -> Outcome:
        match PurePosixPath(place.path).suffix.lower():
            case ".pdf":
                raise FileProblem(f"{place.path} is a PDF. Get its text with a command, such as pdftotext.")
            case ".docx":
                content = await self._files.read_bytes(place, _DOCX_LIMIT)
                text = await asyncio.to_thread(docx_text, content, place.path)
            case suffix if suffix in _IMAGES:
                return await self._picture(place)
            case _:
                text = (await self._files.read(place)).text
        offset, limit = max(1, arguments.offset), min(arguments.limit, _LINES)
        if len(text) < _LONG_TEXT:
            return Outcome(numbered(text, offset, limit))
        return Outcome(await asyncio.to_thread(numbered, text, offset, limit))

    async def _picture(self, place: Place) -> Outcome:
        if not self._sees_images:
            raise FileProblem(f"{place.path} is a picture, and the model in use cannot see pictures.")
        content = await self._files.read_bytes(place, _IMAGE_LIMIT)
        kind = _picture_kind(content)
        if kind is None:
            raise FileProblem(f"{place.path} is named like a picture, but is none.")
        encoded = await asyncio.to_thread(b64encode, content)
        return Outcome(f"The picture {place.path}:", (f"data:image/{kind};base64,{encoded.decode()}",))


def numbered(text: str, offset: int, limit: int) -> str:
    """Number the lines from `offset` on, as many as are wanted and fit; a banner names those left out."""
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        return "(the file is empty)"
    if offset > len(lines):
        raise FileProblem(f"offset {offset} is past the end: the file has {len(lines)} lines.")
    shown = _fitting(lines[offset - 1 : offset - 1 + limit], offset)
    last = offset + len(shown) - 1
    banner = [] if (offset, last) == (1, len(lines)) else [_banner(offset, last, len(lines))]
    return "\n".join(banner + shown)


def _fitting(lines: list[str], offset: int) -> list[str]:
    """Take whole lines while the result stays within what a model bears; one fits always."""
    shown: list[str] = []
    room = OUTPUT_LIMIT - 200
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


def _picture_kind(content: bytes) -> str | None:
    """Tell the kind by the first bytes: a name proves nothing, and services refuse a wrong one."""
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    signatures = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}
    return next((kind for signature, kind in signatures.items() if content.startswith(signature)), None)
