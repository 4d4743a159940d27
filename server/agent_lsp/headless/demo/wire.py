"""The server's notifications read back into notices, as far as the demo shows them."""

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Message
from agent_lsp.domain.notices import DeltaNotice, MessageNotice, Notice, StatusNotice
from agent_lsp.domain.status import State, Status, Todo, Usage


def notice_from_wire(method: str, params: Json) -> Notice | None:
    """Read a notification; None for one that is no business of the task's."""
    match method:
        case "agent/message":
            message = Message.from_wire(params["message"])
            return MessageNotice(params["taskId"], params["instanceId"], params["seq"], message)
        case "agent/messageDelta":
            return DeltaNotice(params["taskId"], params["instanceId"], params["seq"], params["ts"], params["append"])
        case "agent/state":
            return StatusNotice(_status(params))
        case _:
            return None


def _status(params: Json) -> Status:
    usage = params["usage"]
    return Status(
        task_id=params["taskId"],
        instance_id=params["instanceId"],
        seq=params["seq"],
        state=State(params["state"]),
        usage=Usage(usage["tokensIn"], usage["tokensOut"], usage["cacheReads"], usage["cacheWrites"], usage["cost"]),
        todos=tuple(Todo(each["id"], each["content"], each["status"]) for each in params["todos"]),
    )
