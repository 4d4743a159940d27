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
from agent_lsp.tools.numbered_lines import MOST_LINES, numbered
from agent_lsp.tools.outcomes import declined, tool_ask, usable, with_words
from agent_lsp.tools.parameters import FilePath
from agent_lsp.tools.ports import Files, Gate

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
        limit: int = Field(default=MOST_LINES, ge=1, description="Most lines")

    def __init__(self, files: Files, gate: Gate, *, sees_images: bool = True) -> None:
        self._files = files
        self._gate = gate
        self._sees_images = sees_images

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        place = usable(self._files.locate(arguments.path, "read"))
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
        offset, limit = max(1, arguments.offset), min(arguments.limit, MOST_LINES)
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


def _picture_kind(content: bytes) -> str | None:
    """Tell the kind by the first bytes: a name proves nothing, and services refuse a wrong one."""
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    signatures = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}
    return next((kind for signature, kind in signatures.items() if content.startswith(signature)), None)
