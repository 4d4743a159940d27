"""One file's part of an edit that is being made through the editor: how it is sent, and what takes it back."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.documents import DocumentEdit, Documents, OpenDocument
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import FileEdit
from agent_lsp.workspace.disk import delete_file
from agent_lsp.workspace.proposing import kind_of
from agent_lsp.workspace.rebasing import Rebased


@dataclass(frozen=True, slots=True)
class Step:
    """An edit that is made now, at the address the editor knows the file by."""

    rebased: Rebased
    uri: str

    @property
    def edit(self) -> FileEdit:
        return self.rebased.edit

    @property
    def is_open(self) -> bool:
        return self.edit.before is not None and self.edit.before.is_open

    @property
    def document_edit(self) -> DocumentEdit:
        before = self.edit.before
        return DocumentEdit(
            uri=self.uri,
            kind=kind_of(self.edit),
            before=before.text if before else "",
            after=self.edit.after or "",
            version=before.base.version if before else None,
            new_uri=self.edit.move_to.uri if self.edit.move_to else None,
        )


def reversal(step: Step, documents: Documents) -> DocumentEdit | None:
    """What takes a step back that was made; nothing where the document is not as it was meant to become."""
    before, moved = step.edit.before, step.edit.move_to
    made = _made(step.uri, step, documents)
    if before is None:
        return DocumentEdit(made.uri, "delete", made.text, "", made.version) if made else None
    if step.edit.after is None:
        is_gone = not documents.get(step.uri) and not step.edit.place.absolute.exists()
        return DocumentEdit(step.uri, "create", "", before.text, None) if is_gone else None
    if moved and (there := _made(moved.uri, step, documents)):
        return DocumentEdit(there.uri, "rename", there.text, before.text, there.version, step.uri)
    return DocumentEdit(made.uri, "edit", made.text, before.text, made.version) if made else None


def remove_empty(paths: Sequence[Path]) -> None:
    """Remove files that an editor has made and got no further with."""
    for path in paths:
        with suppress(FileProblem):
            delete_file(path, b"")


def _made(uri: str, step: Step, documents: Documents) -> OpenDocument | None:
    document = documents.get(uri)
    return document if document and document.text == step.edit.after else None
