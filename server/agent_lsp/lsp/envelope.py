"""What kind of JSON-RPC message a body is: decoding and its errors, without any state."""

import json
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from agent_lsp.domain.encoding import Json
from agent_lsp.lsp.framing import frame

Id = int | str

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_CANCELLED = -32800
REQUEST_FAILED = -32803


@dataclass(frozen=True, slots=True)
class Request:
    id: Id
    method: str
    params: Any  # Any: JSON, whose shape the method knows.


@dataclass(frozen=True, slots=True)
class Notification:
    method: str
    params: Any  # Any: JSON, whose shape the method knows.


@dataclass(frozen=True, slots=True)
class Reply:
    """The client's answer to a question of ours; without an id it is a complaint about what it could not read."""

    id: Id | None
    result: Any  # Any: JSON, whose shape the method knows.
    error: Json | None


@dataclass(frozen=True, slots=True)
class Malformed:
    """No message at all; `id` where one could be made out."""

    code: int
    reason: str
    id: Id | None = None


Message = Request | Notification | Reply


def read_envelope(body: bytes) -> Message | Malformed:
    """Decode a body. Never raises."""
    try:
        message = json.loads(body.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return Malformed(PARSE_ERROR, "The message is not JSON in UTF-8.")
    if not isinstance(message, dict):
        return Malformed(INVALID_REQUEST, "A message is one JSON object; batches are not part of this protocol.")
    return _classify(cast("Json", message))


def encode_frame(message: Json) -> bytes:
    """Encode a message with its header."""
    text = _ENCODER.encode(message)
    try:
        return frame(text.encode())
    except UnicodeEncodeError:
        # Half a surrogate pair has no UTF-8; JSON can escape it.
        return frame(json.dumps(message).encode())


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _classify(message: Json) -> Message | Malformed:
    message_id, method = message.get("id"), message.get("method")
    known_id = message_id if _is_id(message_id) else None
    if message.get("jsonrpc") != "2.0":
        return Malformed(INVALID_REQUEST, 'A message says "jsonrpc": "2.0".', known_id)
    if "method" not in message and ("result" in message or "error" in message):
        return Reply(known_id, message.get("result"), _error_of(message))
    if not isinstance(method, str):
        return Malformed(INVALID_REQUEST, "A message names its method as a string.", known_id)
    if "id" not in message:
        return Notification(method, message.get("params"))
    if known_id is None:
        return Malformed(INVALID_REQUEST, "The id of a request is a string or an integer.")
    return Request(known_id, method, message.get("params"))


def _error_of(message: Json) -> Json | None:
    error = message.get("error")
    return cast("Json", error) if error is None or isinstance(error, dict) else {"message": str(error)}


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
