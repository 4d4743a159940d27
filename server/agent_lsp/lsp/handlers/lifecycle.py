"""The beginning and the end of a connection, and what the client says about tracing and progress."""

from lsprotocol import types

from agent_lsp.domain.encoding import Json
from agent_lsp.lsp.capabilities import initialize_result
from agent_lsp.lsp.client import read_client
from agent_lsp.lsp.protocol import Phase
from agent_lsp.lsp.server import AgentServer


def register(server: AgentServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: Json) -> Json:
        server.meet(read_client(params))
        return initialize_result(params)

    @server.feature(types.INITIALIZED)
    def initialized(_: None) -> None:
        server.pull_configuration()
        server.watch_settings()

    @server.feature(types.SHUTDOWN)
    async def shutdown(_: None) -> None:
        await server.settle()

    @server.feature(types.EXIT)
    def exit_(_: None) -> None:
        server.end(0 if server.connection.phase is Phase.SHUT_DOWN else 1)

    @server.feature(types.SET_TRACE)
    def set_trace(params: types.SetTraceParams) -> None:
        server.connection.trace_level = params.value.value

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel_progress(params: types.WorkDoneProgressCancelParams) -> None:
        progress = server.plain and server.plain.progress
        task_id = progress and progress.task_of(params.token)
        if task_id:
            server.cancel_task(task_id)
