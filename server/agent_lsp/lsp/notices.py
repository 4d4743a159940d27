"""What happens in tasks, sent as `agent/*` notifications to a client that announced the agent."""

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice, Notice, StatusNotice
from agent_lsp.lsp.envelope import encode_frame
from agent_lsp.lsp.protocol import AgentProtocol


class AgentListener:
    """Sends each notice as it comes; past the outlet's bound it reports congestion, and the task merges its deltas."""

    def __init__(self, protocol: AgentProtocol) -> None:
        self._protocol = protocol

    def notice(self, notice: Notice) -> None:
        method, params = notification(notice)
        self._protocol.outlet.write(encode_frame({"jsonrpc": "2.0", "method": method, "params": params}))
        self._protocol.log_trace(f"Sent notification '{method}'.")

    def is_congested(self) -> bool:
        return self._protocol.outlet.is_congested()


def notification(notice: Notice) -> tuple[str, Json]:
    """The method and the parameters of a notice."""
    match notice:
        case DeltaNotice():
            # By hand: this is every piece of every stream.
            return "agent/messageDelta", {
                "taskId": notice.task_id,
                "instanceId": notice.instance_id,
                "seq": notice.seq,
                "ts": notice.ts,
                "append": notice.append,
            }
        case MessageNotice() | DeletionNotice():
            return "agent/message", to_wire(notice)
        case StatusNotice():
            return "agent/state", to_wire(notice.status)
