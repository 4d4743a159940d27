"""One file's part of an edit that is being made through the editor: how it is sent, and what takes it back."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.documents import ApplyAnswer, ApplyResult, DocumentEdit, Documents, OpenDocument
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import FileEdit, Place
from agent_lsp.workspace.disk import delete_file
from agent_lsp.workspace.merge import merge
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
    def takes_away(self) -> bool:
        """Whether there will be no file where there is one."""
        return self.edit.after is None or self.edit.move_to is not None

    @property
    def text_before(self) -> str | None:
        return self.edit.before.text if self.edit.before else None

    @property
    def target(self) -> Place:
        """Where the text is to stand afterwards."""
        return self.edit.move_to or self.edit.place

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


def weigh(answer: ApplyAnswer, steps: Sequence[Step], texts: Sequence[str | None]) -> ApplyAnswer:
    """Weigh an answer against how the files read at their targets: of closed ones it is no more than a word."""
    pairs = list(zip(steps, texts, strict=True))
    if all(text == step.edit.after for step, text in pairs):
        return ApplyAnswer(ApplyResult.APPLIED)
    closed = [(step, text) for step, text in pairs if not step.is_open]
    match answer.result:
        case ApplyResult.APPLIED:
            # An editor may format what it saves; but something it must have done.
            if missing := tuple(step.uri for step, text in closed if _is_untouched(step, text)):
                return ApplyAnswer(ApplyResult.UNPROVEN, _NOT_SHOWN, missing)
        case ApplyResult.REFUSED:
            if made := tuple(step.uri for step, text in closed if _is_begun(step, text)):
                return ApplyAnswer(ApplyResult.UNPROVEN, answer.reason, made, is_denied=True)
        case ApplyResult.UNPROVEN:
            pass
    return answer


def reversal(step: Step, text: str | None, documents: Documents) -> DocumentEdit | None:
    """What takes a step back that was made; nothing where the target, which reads `text`, is not as was meant."""
    before, after, moved = step.edit.before, step.edit.after, step.edit.move_to
    there, document = documents.get(moved.uri) if moved else None, documents.get(step.uri)
    if there and before and text == after:
        return DocumentEdit(there.uri, "rename", there.text, before.text, there.version, step.uri)
    if moved:
        text = document.text if document else None
    version = document.version if document else None
    if before and document and after is not None and not moved:
        return _without(step.uri, document, before.text, after)
    if text != after:
        return None
    if before is None:
        return DocumentEdit(step.uri, "delete", text or "", "", version)
    if text is None:
        return DocumentEdit(step.uri, "create", "", before.text, None)
    return DocumentEdit(step.uri, "edit", text, before.text, version)


def _without(uri: str, document: OpenDocument, before: str, after: str) -> DocumentEdit | None:
    """Take an edit out of a document, be it but a part of it that was made: what the user typed beside it stays."""
    merged = merge(after, document.text, before)
    if not merged.is_clean or merged.text == document.text:
        return None
    return DocumentEdit(uri, "edit", document.text, merged.text, document.version)


def remove_empty(paths: Sequence[Path]) -> None:
    """Remove files that an editor has made and got no further with."""
    for path in paths:
        with suppress(FileProblem):
            delete_file(path, b"")


_NOT_SHOWN = "The editor said that it made the edit, and the file does not show it."


def _is_untouched(step: Step, text: str | None) -> bool:
    is_empty = step.edit.before is None and not text
    return text != step.edit.after and (is_empty or text == step.text_before)


def _is_begun(step: Step, text: str | None) -> bool:
    """Whether a file that was not open has become what was meant, or was made and not filled."""
    return text == step.edit.after or (step.edit.before is None and text == "")
