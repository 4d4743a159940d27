"""Standing permissions, listed, added and taken back; and which folders the user trusts."""

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.wire.permissions import PermissionsParams, TrustParams


def register(server: AgentServer) -> None:
    @server.feature("agent/permissions")
    async def permissions(params: PermissionsParams) -> Json:
        hall = server.hall.permissions
        match params.op:
            case "list":
                return to_wire(hall.listed())
            case "add":
                return to_wire(await hall.add(params.to_wish()))
            case "revoke":
                return to_wire(await hall.revoke(params.to_id()))

    @server.feature("agent/trust")
    async def trust(params: TrustParams) -> Json:
        hall = server.hall.trust
        match params.op:
            case "list":
                return to_wire(hall.listed())
            case "forget":
                return to_wire(await hall.forget(params.to_root()))
            case "trust" | "decline":
                root, digest = params.to_decision()
                return to_wire(await hall.decide(root, digest, is_trusted=params.op == "trust"))
