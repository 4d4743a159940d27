"""What a model is shown of a file: numbered lines, a picture, the text of a document. Permission is asked before."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import FileText, Place
from agent_lsp.domain.images import LARGEST_IMAGE, data_url, picture_kind
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.docx import docx_text
from agent_lsp.tools.numbered_lines import MOST_LINES, numbered

_DOCX_LIMIT = 50_000_000
_LONG_TEXT = 300_000
"""From so many characters on, a text is taken apart in a thread."""
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


class ReadableFiles(Protocol):
    async def read(self, place: Place) -> FileText: ...

    async def read_bytes(self, place: Place, limit: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Lines:
    """Which part of a text is wanted, counted from 1."""

    offset: int = 1
    limit: int = MOST_LINES


class Shown:
    """Shows files of a task to its model. `note` is told each text that it sees."""

    def __init__(
        self,
        files: ReadableFiles,
        *,
        sees_images: Callable[[], bool] = lambda: True,
        note: Callable[[Place, FileText], None] = lambda _place, _text: None,
    ) -> None:
        self._files = files
        self._sees_images = sees_images
        self._note = note

    async def outcome(self, place: Place, lines: Lines) -> Outcome:
        """Give what the model is shown; FileProblem, one sentence, where that is nothing."""
        match PurePosixPath(place.path).suffix.lower():
            case ".pdf":
                raise FileProblem(f"{place.path} is a PDF. Get its text with a command, such as pdftotext.")
            case ".docx":
                content = await self._files.read_bytes(place, _DOCX_LIMIT)
                text = await asyncio.to_thread(docx_text, content, place.path)
            case suffix if suffix in _PICTURES:
                return await self._picture(place)
            case _:
                read = await self._files.read(place)
                self._note(place, read)
                text = read.text
        offset, limit = max(1, lines.offset), min(lines.limit, MOST_LINES)
        if len(text) < _LONG_TEXT:
            return Outcome(numbered(text, offset, limit))
        return Outcome(await asyncio.to_thread(numbered, text, offset, limit))

    async def _picture(self, place: Place) -> Outcome:
        if not self._sees_images():
            raise FileProblem(f"{place.path} is a picture, and the model in use cannot see pictures.")
        content = await self._files.read_bytes(place, LARGEST_IMAGE)
        kind = picture_kind(content)
        if kind is None:
            raise FileProblem(f"{place.path} is named like a picture, but is none.")
        return Outcome(f"The picture {place.path}:", (await asyncio.to_thread(data_url, content, kind),))
