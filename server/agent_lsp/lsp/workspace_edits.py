"""One `workspace/applyEdit` out of the edits of a tool call, with the garnish that this client bears. Pure."""

from collections.abc import Sequence

from lsprotocol import types

from agent_lsp.domain.documents import DocumentEdit
from agent_lsp.lsp.client import Client
from agent_lsp.lsp.documents import Place
from agent_lsp.lsp.edits import text_edits

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
        workspace_edit = types.WorkspaceEdit(document_changes=changes)
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
    match edit.kind:
        case "create":
            # Without `ignoreIfExists`, two editors empty a file that is there after all.
            created = types.CreateFile(uri=edit.uri, options=types.CreateFileOptions(ignore_if_exists=True))
            return [created, *_changed_text(edit, client)]
        case "edit":
            return [*_changed_text(edit, client)]
        case "rename":
            return [*_changed_text(edit, client), types.RenameFile(old_uri=edit.uri, new_uri=edit.new_uri or edit.uri)]
        case "delete":
            return [types.DeleteFile(uri=edit.uri)]


def _changed_text(edit: DocumentEdit, client: Client) -> list[types.TextDocumentEdit]:
    changes = _text_edits(edit, client)
    if not changes:
        return []
    document = types.OptionalVersionedTextDocumentIdentifier(uri=edit.uri, version=edit.version)
    return [types.TextDocumentEdit(text_document=document, edits=changes)]


def _text_edits(edit: DocumentEdit, client: Client) -> list[types.TextEdit]:
    return [
        types.TextEdit(
            range=types.Range(start=_position(change.start), end=_position(change.end)), new_text=change.text
        )
        for change in text_edits(edit.before, edit.after, client.encoding)
    ]


def _position(place: Place) -> types.Position:
    return types.Position(line=place[0], character=place[1])


def _label(edits: Sequence[DocumentEdit]) -> str:
    return "Agent: 1 file" if len(edits) == 1 else f"Agent: {len(edits)} files"
