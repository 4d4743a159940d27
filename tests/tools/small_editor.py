"""An honest editor in memory, as the workspace sees one. It keeps how each file is encoded, as real ones do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from tool_fakes import decoded

from agent_lsp.domain.documents import ApplyAnswer, ApplyResult, DocumentEdit, OpenDocument


@dataclass
class SmallEditor:
    """Documents by uri; what is changed in them stays unsaved until a save is asked for."""

    documents: dict[str, OpenDocument] = field(default_factory=dict[str, OpenDocument])
    encodings: dict[str, str] = field(default_factory=dict[str, str])
    requests: list[tuple[DocumentEdit, ...]] = field(default_factory=list[tuple[DocumentEdit, ...]])

    def open(self, path: Path) -> None:
        encoding, text = decoded(path.read_bytes(), path.name)
        self.encodings[path.as_uri()] = encoding
        self.documents[path.as_uri()] = OpenDocument(path.as_uri(), 1, text, is_dirty=False)

    def get(self, uri: str) -> OpenDocument | None:
        return self.documents.get(uri)

    def open_documents(self) -> Sequence[OpenDocument]:
        return tuple(self.documents.values())

    def can_apply(self) -> bool:
        return True

    def can_save_closed(self) -> bool:
        return True

    def can_delete(self) -> bool:
        return True

    async def apply(self, edits: Sequence[DocumentEdit]) -> ApplyAnswer:
        self.requests.append(tuple(edits))
        for edit in edits:
            document = self.documents.get(edit.uri)
            if document and (document.version, document.text) != (edit.version, edit.before):
                return ApplyAnswer(ApplyResult.REFUSED, "The document has changed.")
            if not document and any(folder.is_file() for folder in _path(edit.uri).parents):
                return ApplyAnswer(ApplyResult.REFUSED, "A file stands where a folder is wanted.")
        for edit in edits:
            self._make(edit)
        return ApplyAnswer(ApplyResult.APPLIED)

    async def save(self, uris: Sequence[str]) -> Sequence[str]:
        for uri in uris:
            self._write(self.documents[uri])
        return ()

    async def until_saved(self, uris: Sequence[str]) -> None:
        await self.save(uris)

    def save_all(self) -> None:
        for document in self.documents.values():
            self._write(document)

    def _make(self, edit: DocumentEdit) -> None:
        document = self.documents.pop(edit.uri, None)
        encoding = self.encodings.pop(edit.uri, "utf-8")
        if edit.kind in ("delete", "rename"):
            _path(edit.uri).unlink()
        if edit.kind == "delete":
            return
        uri = edit.new_uri or edit.uri
        self.encodings[uri] = encoding
        version = document.version + 1 if document else 2
        self.documents[uri] = OpenDocument(uri, version, edit.after, is_dirty=True)

    def _write(self, document: OpenDocument) -> None:
        try:
            content = document.text.encode(self.encodings[document.uri])
        except UnicodeEncodeError:
            content = document.text.encode()
        _path(document.uri).write_bytes(content)
        self.documents[document.uri] = OpenDocument(document.uri, document.version, document.text, is_dirty=False)


def _path(uri: str) -> Path:
    return Path(unquote(uri.removeprefix("file://")))
