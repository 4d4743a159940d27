"""An editor in memory that implements `Documents`: honest by itself, and able to refuse, to lie and to be typed in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path

from agent_lsp.domain.documents import ApplyAnswer, ApplyResult, DocumentEdit, OpenDocument


class Manner(Enum):
    HONEST = auto()
    REFUSES = auto()
    SAYS_YES_AND_DOES_NOTHING = auto()
    SKIPS_THE_LAST = auto()
    """Makes all edits of a request but the last, and says that it made them."""


@dataclass
class FakeEditor:
    """Buffers by uri, which are dirty from a change until they are saved."""

    manner: Manner = Manner.HONEST
    takes_edits: bool = True
    saves_closed: bool = False
    saves: bool = True
    before_apply: Callable[[], object] | None = None
    """What the user does between our last look and the arrival of the edit."""
    requests: list[tuple[DocumentEdit, ...]] = field(default_factory=list)
    buffers: dict[str, OpenDocument] = field(default_factory=dict)

    def open(self, path: Path, text: str | None = None, *, uri: str | None = None) -> str:
        uri = uri or path.as_uri()
        on_disk = path.read_bytes().decode() if path.exists() else ""
        shown = on_disk if text is None else text
        self.buffers[uri] = OpenDocument(uri, 1, shown, is_dirty=shown != on_disk)
        return uri

    def type(self, uri: str, text: str) -> None:
        self.buffers[uri] = OpenDocument(uri, self.buffers[uri].version + 1, text, is_dirty=True)

    def text(self, uri: str) -> str:
        return self.buffers[uri].text

    def get(self, uri: str) -> OpenDocument | None:
        return self.buffers.get(uri)

    def open_documents(self) -> Sequence[OpenDocument]:
        return tuple(self.buffers.values())

    def can_apply(self) -> bool:
        return self.takes_edits

    def can_save_closed(self) -> bool:
        return self.saves_closed

    def can_delete(self) -> bool:
        return True

    async def apply(self, edits: Sequence[DocumentEdit]) -> ApplyAnswer:
        self.requests.append(tuple(edits))
        if self.before_apply:
            self.before_apply()
        if self.manner is Manner.REFUSES:
            return ApplyAnswer(ApplyResult.REFUSED, "The editor said no.")
        if any(self._has_moved(edit) for edit in edits):
            return ApplyAnswer(ApplyResult.REFUSED, "The document has changed.")
        if self.manner is Manner.SAYS_YES_AND_DOES_NOTHING:
            return ApplyAnswer(ApplyResult.UNPROVEN, "It does not show.", tuple(edit.uri for edit in edits))
        skipped = edits[-1:] if self.manner is Manner.SKIPS_THE_LAST else ()
        for edit in edits:
            if edit not in skipped:
                self._make(edit)
        if skipped:
            return ApplyAnswer(ApplyResult.UNPROVEN, "It does not show.", (skipped[0].uri,))
        return ApplyAnswer(ApplyResult.APPLIED)

    async def save(self, uris: Sequence[str]) -> Sequence[str]:
        if not self.saves:
            return uris
        for uri in uris:
            self.write(uri)
        return ()

    async def until_saved(self, uris: Sequence[str]) -> None:
        for uri in uris:
            self.write(uri)

    def write(self, uri: str) -> None:
        """Save a buffer, as the user or the editor does."""
        buffer = self.buffers[uri]
        Path(uri.removeprefix("file://")).write_bytes(buffer.text.encode())
        self.buffers[uri] = OpenDocument(uri, buffer.version, buffer.text, is_dirty=False)

    def _has_moved(self, edit: DocumentEdit) -> bool:
        buffer = self.buffers.get(edit.uri)
        if buffer is None:
            return edit.version is not None
        return buffer.text != edit.before or edit.version not in (None, buffer.version)

    def _make(self, edit: DocumentEdit) -> None:
        if edit.kind in ("delete", "rename"):
            self.buffers.pop(edit.uri, None)
        if edit.kind == "delete":
            return
        uri = edit.new_uri or edit.uri
        version = self.buffers[uri].version + 1 if uri in self.buffers else 1
        self.buffers[uri] = OpenDocument(uri, version, edit.after, is_dirty=True)
