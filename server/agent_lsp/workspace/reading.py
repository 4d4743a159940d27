"""Reading files: the open document first, else the disk. Where a path leads is `places.py`."""

import asyncio

from agent_lsp.domain.documents import Documents, OpenDocument
from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import Base, FileText, Place
from agent_lsp.workspace.disk import read_file, size_of
from agent_lsp.workspace.opened import document_at
from agent_lsp.workspace.places import Places
from agent_lsp.workspace.texts import LATIN, decode, digest, digest_of_text, encode

MOST_BYTES = 20_000_000
"""Larger files are no texts to edit; a command reads them better."""
LARGE_BYTES = 256_000
"""From so many bytes on a file is read off the event loop."""


class Reading:
    """Reads texts and bytes. It keeps nothing."""

    def __init__(self, places: Places, documents: Documents) -> None:
        self._places = places
        self._documents = documents

    async def read(self, place: Place) -> FileText:
        self._places.locate_again(place, "read")
        if document := document_at(self._documents, place):
            return text_of_document(document)
        try:
            if size_of(place.absolute) > LARGE_BYTES:
                return await asyncio.to_thread(text_on_disk, place)
            return text_on_disk(place)
        except FileMissing:
            _refuse_below_file(place)
            raise

    async def read_bytes(self, place: Place, limit: int) -> bytes:
        self._places.locate_again(place, "read")
        if size_of(place.absolute) > LARGE_BYTES:
            return (await asyncio.to_thread(read_file, place.absolute, limit)).content
        return read_file(place.absolute, limit).content


def refuse_unholdable(place: Place, before: FileText, after: str) -> None:
    """Refuse what the file cannot hold. Behind an open document, editors save a question mark, and say nothing.

    How the editor reads the file is not told; but where the document has letters beyond Latin-1, it is not so.
    """
    if not before.is_open:
        encode(after, before.encoding, place.path)
    elif _is_latin(before.text) and not _is_latin(after) and _encoding_on_disk(place) == LATIN:
        encode(after, LATIN, place.path)


def _is_latin(text: str) -> bool:
    try:
        text.encode(LATIN)
    except UnicodeEncodeError:
        return False
    return True


def _encoding_on_disk(place: Place) -> str | None:
    try:
        return text_on_disk(place).encoding
    except FileProblem:
        return None


def _refuse_below_file(place: Place) -> None:
    """Say why no file can ever be there, rather than that there is none."""
    if file := next((parent for parent in place.absolute.parents if parent.is_file()), None):
        raise FileProblem(f"{file} is a file, not a folder, so nothing can be in it.")


def text_of_document(document: OpenDocument) -> FileText:
    return FileText(document.text, Base(document.version, digest_of_text(document.text)), is_open=True)


def text_on_disk(place: Place) -> FileText:
    """Read a file's text from the disk; raises FileMissing where there is none, FileProblem where it is no text."""
    content = read_file(place.absolute, MOST_BYTES).content
    decoded = decode(content)
    if decoded is None:
        raise FileProblem(f"{place.path} is binary, not text; use a command to look into it.")
    return FileText(decoded.text, Base(None, digest(content)), is_open=False, encoding=decoded.encoding)
