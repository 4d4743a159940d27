"""Answers to asks, and what the user does with a running command."""

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.wire import params as wire
from agent_lsp.lsp.wire.results import Operated


def register(server: AgentServer) -> None:
    @server.feature("agent/askResponse")
    def ask_response(params: wire.AskResponseParams) -> Json:
        return to_wire(server.asks.answer(params.task_id, params.ts, params.to_reply(), params.diffs()))

    @server.feature("agent/terminalOperation")
    def terminal_operation(params: wire.TerminalOperationParams) -> Json:
        return to_wire(Operated(server.hall.operate(params.task_id, params.ts, params.operation)))
