"""One `workspace/applyEdit` out of the edits of a tool call, with the garnish that this client bears. Pure."""

from collections.abc import Sequence

from lsprotocol import types

from agent_lsp.domain.documents import DocumentEdit
from agent_lsp.lsp.client import Client
from agent_lsp.lsp.documents import Place
from agent_lsp.lsp.edits import text_edits

ANNOTATION = "agent"

DocumentChange = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


def unsupported(edits: Sequence[DocumentEdit], client: Client) -> str | None:
    """Say which of the edits this client cannot be sent, if any."""
    if not client.takes_edits:
        return "The editor takes no edits."
    for edit in edits:
        if edit.kind == "edit":
            continue
        if not client.takes_document_changes or edit.kind not in client.resource_operations:
            return f"The editor cannot {edit.kind} files."
    return None


def apply_params(edits: Sequence[DocumentEdit], client: Client) -> types.ApplyWorkspaceEditParams:
    if client.takes_document_changes:
        changes = [change for edit in edits for change in _document_changes(edit, client)]
        annotations = {ANNOTATION: _annotation(edits)} if client.takes_annotations else None
        workspace_edit = types.WorkspaceEdit(document_changes=changes, change_annotations=annotations)
    else:
        workspace_edit = types.WorkspaceEdit(changes={edit.uri: _text_edits(edit, client) for edit in edits})
    return types.ApplyWorkspaceEditParams(
        edit=workspace_edit,
        # Neovim prints labels, and the user has to press Enter.
        label=None if client.is_neovim else _label(edits),
        # VS Code saves what such an edit touched.
        metadata=types.WorkspaceEditMetadata(is_refactoring=True) if client.takes_edit_metadata else None,
    )


def _document_changes(edit: DocumentEdit, client: Client) -> list[DocumentChange]:
    annotation = ANNOTATION if client.takes_annotations else None
    match edit.kind:
        case "create":
            # Without `ignoreIfExists`, two editors empty a file that is there after all.
            options = types.CreateFileOptions(ignore_if_exists=True)
            created = types.CreateFile(uri=edit.uri, options=options, annotation_id=annotation)
            return [created, *_changed_text(edit, client)]
        case "edit":
            return [*_changed_text(edit, client)]
        case "rename":
            new_uri = edit.new_uri or edit.uri
            renamed = types.RenameFile(old_uri=edit.uri, new_uri=new_uri, annotation_id=annotation)
            return [*_changed_text(edit, client), renamed]
        case "delete":
            return [types.DeleteFile(uri=edit.uri, annotation_id=annotation)]


def _changed_text(edit: DocumentEdit, client: Client) -> list[types.TextDocumentEdit]:
    changes = _text_edits(edit, client)
    if not changes:
        return []
    document = types.OptionalVersionedTextDocumentIdentifier(uri=edit.uri, version=edit.version)
    return [types.TextDocumentEdit(text_document=document, edits=_annotated(changes, client))]


def _annotated(
    edits: Sequence[types.TextEdit], client: Client
) -> list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit]:
    if not client.takes_annotations:
        return [*edits]
    return [types.AnnotatedTextEdit(range=e.range, new_text=e.new_text, annotation_id=ANNOTATION) for e in edits]


def _text_edits(edit: DocumentEdit, client: Client) -> list[types.TextEdit]:
    return [
        types.TextEdit(
            range=types.Range(start=_position(change.start), end=_position(change.end)), new_text=change.text
        )
        for change in text_edits(edit.before, edit.after, client.encoding)
    ]


def _position(place: Place) -> types.Position:
    return types.Position(line=place[0], character=place[1])


def _annotation(edits: Sequence[DocumentEdit]) -> types.ChangeAnnotation:
    # It was approved before it came here: asked again, the user would have to tick it, line by line.
    return types.ChangeAnnotation(label=_label(edits), needs_confirmation=False)


def _label(edits: Sequence[DocumentEdit]) -> str:
    return "Agent: 1 file" if len(edits) == 1 else f"Agent: {len(edits)} files"
