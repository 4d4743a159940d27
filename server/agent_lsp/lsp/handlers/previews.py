"""Proposed changes, as whole texts and as documents of a scheme of their own."""

from lsprotocol import types

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.errors import TaskUnknown
from agent_lsp.lsp.capabilities import PREVIEW_SCHEME
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.wire import params as wire
from agent_lsp.lsp.wire.results import Preview


def register(server: AgentServer) -> None:
    @server.feature("agent/preview")
    def preview(params: wire.PreviewParams) -> Json:
        return to_wire(Preview(server.hall.preview(params.task_id, params.ts)))

    @server.feature(
        types.WORKSPACE_TEXT_DOCUMENT_CONTENT,
        types.TextDocumentContentOptions(schemes=[PREVIEW_SCHEME]),
    )
    def text_document_content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        text = server.asks.preview_text(params.uri)
        if text is None:
            raise TaskUnknown("This preview is gone; ask for the task's state and open a newer one.")
        return types.TextDocumentContentResult(text=text)
