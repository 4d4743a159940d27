"""How exceptions look on the wire: a code, one sentence, and the kind; never a traceback."""

from cattrs import transform_error
from pydantic import ValidationError
from pygls.exceptions import JsonRpcException

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError, BadParams
from agent_lsp.lsp import envelope


def wire_error(exception: BaseException) -> Json:
    """The `error` member for an exception. Whatever is not ours to explain is an internal error."""
    match exception:
        case AgentError():
            code = envelope.INVALID_PARAMS if isinstance(exception, BadParams) else envelope.REQUEST_FAILED
            return {"code": code, "message": str(exception), "data": {"kind": exception.kind}}
        case JsonRpcException():
            return {"code": exception.code, "message": exception.message}
        case _:
            message = "The server made a mistake; its log says more."
            return {"code": envelope.INTERNAL_ERROR, "message": message, "data": {"kind": "Failed"}}


def is_bug(exception: BaseException) -> bool:
    """Whether an exception is nobody's fault but this program's."""
    return not isinstance(exception, AgentError | JsonRpcException)


def bad_params(method: str, exception: Exception) -> BadParams:
    """Say what does not fit, by the name of the field and without its value."""
    return BadParams(f"{method}: {_reason(exception)}")


def _reason(exception: Exception) -> str:
    if isinstance(exception, ValidationError):
        first = exception.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}." if place else f"{first['msg']}."
    reasons = transform_error(exception)
    return f"{reasons[0]}." if reasons else "the parameters do not fit."
