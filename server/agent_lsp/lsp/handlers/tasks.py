"""Tasks: started, looked at, spoken to, stopped, listed."""

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.wire import params as wire
from agent_lsp.lsp.wire.results import snapshot_to_wire


def register(server: AgentServer) -> None:
    _register_running(server)
    _register_history(server)
    _register_permission_modes(server)


def _register_running(server: AgentServer) -> None:
    @server.feature("agent/newTask")
    async def new_task(params: wire.NewTaskParams) -> Json:
        return to_wire(await server.new_task(params.to_request()))

    @server.feature("agent/sendMessage")
    async def send_message(params: wire.SendMessageParams) -> Json:
        return to_wire(await server.hall.send(params.task_id, params.text, params.images, params.delivery))

    @server.feature("agent/queue")
    def queue(params: wire.QueueParams) -> Json:
        return to_wire(server.hall.queue(params.task_id, params.to_edit()))

    @server.feature("agent/cancelTask")
    async def cancel_task(params: wire.TaskParams) -> Json:
        return to_wire(await server.hall.cancel(params.task_id))

    @server.feature("agent/condense")
    async def condense(params: wire.CondenseParams) -> None:
        await server.until_configured()
        server.hall.condense(params.task_id, params.instructions)

    @server.feature("agent/clearTask")
    async def clear_task(params: wire.OptionalTaskParams) -> None:
        await server.hall.clear(params.task_id)

    @server.feature("agent/resumeTask")
    async def resume_task(params: wire.TaskParams) -> Json:
        await server.until_configured()
        return to_wire(await server.hall.resume(params.task_id))


def _register_history(server: AgentServer) -> None:
    @server.feature("agent/state")
    def state(params: wire.StateParams) -> Json:
        snapshot = server.hall.snapshot(
            params.task_id,
            instance_id=params.instance_id,
            since=params.since,
            limit=params.limit,
            before=params.before,
        )
        return snapshot_to_wire(snapshot)

    @server.feature("agent/listTasks")
    async def list_tasks(params: wire.ListTasksParams) -> Json:
        listed = await server.hall.list_tasks(cursor=params.cursor, limit=params.limit, query=params.query)
        return to_wire(listed)

    @server.feature("agent/renameTask")
    async def rename_task(params: wire.RenameTaskParams) -> None:
        await server.hall.rename(params.task_id, params.title)

    @server.feature("agent/deleteTask")
    async def delete_task(params: wire.TaskParams) -> None:
        await server.hall.delete(params.task_id)

    @server.feature("agent/forkTask")
    async def fork_task(params: wire.ForkTaskParams) -> Json:
        await server.until_configured()
        return to_wire(await server.hall.fork(params.task_id, params.ts, params.title))

    @server.feature("agent/exportTask")
    async def export_task(params: wire.TaskParams) -> Json:
        return to_wire(await server.hall.export(params.task_id))


def _register_permission_modes(server: AgentServer) -> None:
    @server.feature("agent/setPermissionMode")
    def set_permission_mode(params: wire.SetPermissionModeParams) -> None:
        server.hall.set_permission_mode(params.task_id, params.permission_mode)

    @server.feature("agent/editorContext")
    def editor_context(params: wire.EditorContextParams) -> None:
        server.hall.editor_context(params.to_context())

    @server.feature("agent/debugReport")
    def debug_report(_: wire.NoParams) -> str:
        return server.hall.debug_report()
