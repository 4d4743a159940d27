"""How files stood at moments of a task, and taking back what the agent did since."""

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.wire import params as wire


def register(server: AgentServer) -> None:
    @server.feature("agent/checkpoints")
    async def checkpoints(params: wire.TaskParams) -> Json:
        return to_wire(await server.hall.checkpoints.listed(params.task_id))

    @server.feature("agent/checkpointDiff")
    async def checkpoint_diff(params: wire.CheckpointDiffParams) -> Json:
        return to_wire(await server.hall.checkpoints.difference(params.task_id, params.checkpoint, params.to))

    @server.feature("agent/restore")
    async def restore(params: wire.RestoreParams) -> Json:
        restoration = await server.hall.checkpoints.restore(
            params.task_id, params.checkpoint, params.ts, is_dry_run=params.dry_run, what=params.what
        )
        return to_wire(restoration)
