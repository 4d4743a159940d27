"""Documents that open, change, are saved and close: all goes to the mirror."""

from collections.abc import Sequence

from lsprotocol import types

from agent_lsp.lsp.documents import Edit
from agent_lsp.lsp.server import AgentServer


def register(server: AgentServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.mirror.open(document.uri, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        server.mirror.change(document.uri, document.version, _edits(params.content_changes))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.mirror.save(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.mirror.close(params.text_document.uri)


def _edits(changes: Sequence[types.TextDocumentContentChangeEvent]) -> list[Edit]:
    return [
        Edit(change.text, _place(change.range.start), _place(change.range.end))
        if isinstance(change, types.TextDocumentContentChangePartial)
        else Edit(change.text)
        for change in changes
    ]


def _place(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
