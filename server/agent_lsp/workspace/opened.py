"""Open documents: which one shows a place, and what stands in for an editor that is not there."""

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from agent_lsp.domain.documents import ApplyAnswer, ApplyResult, DocumentEdit, Documents, OpenDocument
from agent_lsp.domain.files import Place


class NoDocuments:
    """`Documents` without an editor: none is open, and nothing can be applied."""

    def get(self, uri: str) -> OpenDocument | None:  # noqa: ARG002  # The protocol's signature.
        return None

    def open_documents(self) -> Sequence[OpenDocument]:
        return ()

    def can_apply(self) -> bool:
        return False

    def can_save_closed(self) -> bool:
        return False

    def can_delete(self) -> bool:
        return False

    async def apply(self, edits: Sequence[DocumentEdit]) -> ApplyAnswer:  # noqa: ARG002  # The protocol's signature.
        return ApplyAnswer(ApplyResult.REFUSED, "There is no editor to make the edit.")

    async def save(self, uris: Sequence[str]) -> Sequence[str]:
        return uris

    async def until_saved(self, uris: Sequence[str]) -> None:
        """Return at once: no document is open, so none is unsaved."""


def document_at(documents: Documents, place: Place) -> OpenDocument | None:
    """Find the document that shows a place, also where the editor spells its path otherwise or came by a link."""
    if document := documents.get(place.uri):
        return document
    candidates = documents.open_documents()
    if not candidates:
        return None
    status = _status(place.absolute)
    return next((document for document in candidates if _shows(document, place.absolute, status)), None)


def path_of_uri(uri: str) -> Path | None:
    """The path of a `file:` address as editors write it; None for any other."""
    if not uri.startswith("file:///"):
        return None
    return Path(unquote(uri[len("file://") :], errors="surrogateescape"))


def is_opened_by_link(uri: str) -> bool:
    """Whether an editor that deletes or renames what is open at an address would do it to a link, not to the file."""
    path = path_of_uri(uri)
    return path is not None and path.is_symlink()


def _shows(document: OpenDocument, absolute: Path, status: os.stat_result | None) -> bool:
    path = path_of_uri(document.uri)
    if path is None:
        return False
    if path == absolute:
        return True
    other = status and _status(path)
    if not (status and other and os.path.samestat(status, other)):
        return False
    # The same file may be there under two names (hard links), of which only one is meant.
    return status.st_nlink == 1 or os.path.realpath(path) == str(absolute)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None
