"""How a task works and which model it asks: modes, profiles, and the words that set them."""

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.wire import params as wire


def register(server: AgentServer) -> None:
    _register_modes(server)
    _register_profiles(server)


def _register_modes(server: AgentServer) -> None:
    @server.feature("agent/setMode")
    async def set_mode(params: wire.SetModeParams) -> None:
        await server.until_configured()
        server.hall.set_mode(params.task_id, params.mode)

    @server.feature("agent/listModes")
    async def list_modes(params: wire.OptionalTaskParams) -> Json:
        await server.until_configured()
        return to_wire(server.hall.list_modes(params.task_id))

    @server.feature("agent/listCommands")
    def list_commands(_: wire.NoParams) -> Json:
        return to_wire(server.hall.list_commands())


def _register_profiles(server: AgentServer) -> None:
    @server.feature("agent/setProfile")
    async def set_profile(params: wire.SetProfileParams) -> None:
        await server.until_configured()
        server.hall.set_profile(params.task_id, params.profile)

    @server.feature("agent/listProfiles")
    async def list_profiles(params: wire.OptionalTaskParams) -> Json:
        await server.until_configured()
        return to_wire(server.hall.profiles(params.task_id))
