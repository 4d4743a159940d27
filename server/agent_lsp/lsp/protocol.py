"""pygls' protocol with our own way in and out: every message is looked at before a handler sees it, and every request
gets exactly one answer. Which handlers there are, is not known here.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from typing import Any, Protocol, cast

from cattrs import Converter
from cattrs.cols import is_sequence, list_structure_factory
from lsprotocol import types
from pydantic import BaseModel
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound
from pygls.protocol import LanguageServerProtocol

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError
from agent_lsp.lsp import envelope
from agent_lsp.lsp.capabilities import dig, is_initialize_params
from agent_lsp.lsp.envelope import Id, Notification, Reply, Request, encode_frame
from agent_lsp.lsp.errors import bad_params, is_bug, wire_error
from agent_lsp.lsp.intake import Received
from agent_lsp.lsp.questions import Questions
from agent_lsp.lsp.wire.methods import CLIENT_METHODS, QUESTIONS

logger = logging.getLogger(__name__)


class Phase(Enum):
    FRESH = auto()
    READY = auto()
    SHUT_DOWN = auto()


class Outlet(Protocol):
    """Where frames go; never blocks."""

    def write(self, frame: bytes) -> None: ...

    def is_congested(self) -> bool: ...


class AgentProtocol(LanguageServerProtocol):
    """One connection: the phase of its life, and the requests that run.

    What is overridden closes holes of pygls: requests with bad parameters that were never answered, payloads with a
    `jsonrpc` key, futures kept for ever, late answers that became pop-ups, tracebacks sent to clients.
    """

    def start(self, outlet: Outlet, answered_id: object = None) -> None:
        """Begin to talk. An `initialize` of this id has been answered already."""
        self.outlet = outlet
        self.phase = Phase.FRESH
        self.trace_level = "off"
        self.questions = Questions(self.send)
        self._answered_id = answered_id
        self._converter.register_structure_hook_factory(is_sequence, _list_hook)
        self._running: dict[Id, asyncio.Future[Any]] = {}

    def receive(self, received: Received) -> None:
        """Take a message. Never raises."""
        self._trace(received)
        match message := received.message:
            case Request():
                self._admit(message)
            case Notification():
                self._take_notification(message)
            case Reply():
                self.questions.take(message)

    def send(self, message: Json) -> None:
        self.outlet.write(encode_frame(message))

    async def stop(self) -> None:
        """End what runs: the client is gone, or about to go."""
        self.questions.abandon()
        self._cancel_running()
        if self._running:
            await asyncio.wait(self._running.values())

    # What pygls calls, and what its generated requests to the client are made of.

    def notify(self, method: str, params: Any | None = None) -> None:  # Any: pygls' own signature.
        self.send({"jsonrpc": "2.0", "method": method, "params": self._plain(params)})

    def send_request_async(
        self, method: str, params: Any | None = None, msg_id: Id | None = None
    ) -> "asyncio.Future[Any]":
        """Ask the client; the answer is of the method's own type, and the ids are given here."""
        if msg_id is not None:
            raise TypeError("The ids of questions are not for callers to choose.")
        return asyncio.ensure_future(self._ask(method, params))

    async def _ask(self, method: str, params: Any) -> Any:  # Any: as in the method above.
        result = await self.questions.ask(method, self._plain(params))
        try:
            return self._structured_result(method, result)
        except Exception as error:
            # cattrs' hooks raise whatever they like; the client's answer is at fault in any case.
            raise JsonRpcException(f"The client's answer to {method} makes no sense.") from error

    def _register_builtin_features(self) -> None:
        """Leave out pygls' own handlers: they keep a second mirror of the documents, and split lines otherwise."""

    # Requests

    def _admit(self, request: Request) -> None:
        if refusal := self._refusal(request):
            self._refuse(request.id, *refusal)
        elif request.id in self._running:
            # Two answers of one id would tell the client nothing: this one has none.
            self._refuse(None, envelope.INVALID_REQUEST, f"The id {request.id} belongs to a request that still runs.")
        else:
            self._change_phase(request.method)
            self._run(request)

    def _refusal(self, request: Request) -> tuple[int, str] | None:
        is_initialize = request.method == types.INITIALIZE
        match self.phase:
            case Phase.SHUT_DOWN:
                return envelope.INVALID_REQUEST, "The server is shut down; all it still takes is exit."
            case Phase.FRESH if not is_initialize:
                return envelope.NOT_INITIALIZED, "The first request has to be initialize."
            case Phase.FRESH if not is_initialize_params(request.params):
                return envelope.INVALID_PARAMS, "initialize: the parameters do not fit."
            case Phase.READY if is_initialize:
                return envelope.INVALID_REQUEST, "The server is initialized already."
            case _:
                return None

    def _change_phase(self, method: str) -> None:
        if method == types.INITIALIZE:
            self.phase = Phase.READY
        elif method == types.SHUTDOWN:
            self._cancel_running()
            self.phase = Phase.SHUT_DOWN

    def _run(self, request: Request) -> None:
        try:
            handler = self._get_handler(request.method)
            result = handler(self._structured_params(request.method, request.params))
        except Exception as error:  # noqa: BLE001  This is the boundary: whatever it is, it gets an answer.
            self._answer_error(request, error)
            return
        if not inspect.iscoroutine(result):
            self._answer(request, result)
            return
        running = asyncio.ensure_future(result)
        self._running[request.id] = running
        running.add_done_callback(partial(self._finish, request))

    def _finish(self, request: Request, running: asyncio.Future[Any]) -> None:
        self._running.pop(request.id, None)
        if running.cancelled():
            self._refuse(request.id, envelope.REQUEST_CANCELLED, f"{request.method} was cancelled.")
        elif error := running.exception():
            self._answer_error(request, error)
        else:
            self._answer(request, running.result())

    def _cancel_running(self) -> None:
        for running in self._running.values():
            running.cancel()

    # Notifications

    def _take_notification(self, notification: Notification) -> None:
        if notification.method == types.CANCEL_REQUEST:
            self._cancel(notification.params)
            return
        if self.phase is not Phase.READY and notification.method != types.EXIT:
            return
        try:
            handler = self._get_handler(notification.method)
            handler(self._structured_params(notification.method, notification.params))
        except JsonRpcMethodNotFound:
            logger.debug("No handler for the notification %s", notification.method)
        except AgentError as error:
            logger.warning("%s", error)
        except Exception:
            # The boundary: a notification has no answer, and must not end the connection.
            logger.exception("The notification %s failed", notification.method)

    def _cancel(self, params: Any) -> None:  # Any: whatever the client sent.
        request_id = dig(params, "id")
        if isinstance(request_id, int | str) and (running := self._running.get(request_id)):
            running.cancel()

    # Shapes

    def _structured_params(self, method: str, params: Any) -> Any:  # Any: JSON in, the method's own type out.
        if method == types.INITIALIZE:
            return params
        try:
            if own := CLIENT_METHODS.get(method):
                # Lua has one empty table for both: Neovim's `{}` comes as `[]`.
                return own.params.model_validate(params if params not in (None, []) else {})
            shape = types.METHOD_TO_TYPES[method][2]
            return shape and self._converter.structure(params, shape)
        except Exception as error:
            # cattrs' hooks raise whatever they like.
            raise bad_params(method, error) from error

    def _structured_result(self, method: str, result: Any) -> Any:  # Any: as above.
        if own := QUESTIONS.get(method):
            return own.result.model_validate(result) if own.result else None
        shape = types.METHOD_TO_TYPES[method][1]
        return self._converter.structure({"jsonrpc": "2.0", "id": 0, "result": result}, shape).result

    def _plain(self, value: Any) -> Any:  # Any: JSON, a model or an lsprotocol type in, JSON out.
        if isinstance(value, BaseModel):
            return value.model_dump(mode="json", by_alias=True, exclude_none=True)
        if isinstance(value, list):
            return [self._plain(item) for item in cast("list[Any]", value)]  # Any: as the value.
        return self._converter.unstructure(value) if hasattr(value, "__attrs_attrs__") else value

    # Answers

    def _answer(self, request: Request, result: Any) -> None:  # Any: JSON or an lsprotocol type.
        if request.method == types.INITIALIZE and request.id == self._answered_id:
            return
        try:
            self.send({"jsonrpc": "2.0", "id": request.id, "result": self._plain(result)})
        except (TypeError, ValueError) as error:
            # What a handler gave is no JSON: a mistake of ours, and still the one answer there is.
            self._answer_error(request, error)
            return
        self.log_trace(f"Sent response '{request.method} - ({request.id})'.")

    def _answer_error(self, request: Request, error: BaseException) -> None:
        if is_bug(error):
            logger.error("The request %s failed", request.method, exc_info=error)
        self.send({"jsonrpc": "2.0", "id": request.id, "error": wire_error(error)})
        self.log_trace(f"Sent response '{request.method} - ({request.id})', an error.")

    def _refuse(self, request_id: Id | None, code: int, reason: str) -> None:
        self.send({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": reason}})

    # Tracing

    def _trace(self, received: Received) -> None:
        match message := received.message:
            case Request():
                self.log_trace(f"Received request '{message.method} - ({message.id})'.", received.size)
            case Notification():
                self.log_trace(f"Received notification '{message.method}'.", received.size)
            case Reply():
                self.log_trace(f"Received response '({message.id})'.", received.size)

    def log_trace(self, message: str, size: int | None = None) -> None:
        """Tell the client, if it wants to be told. Verbose names sizes only: bodies have keys and files in them."""
        if self.trace_level == "off":
            return
        verbose = {"verbose": f"{size} bytes"} if size is not None and self.trace_level == "verbose" else {}
        self.send({"jsonrpc": "2.0", "method": types.LOG_TRACE, "params": {"message": message, **verbose}})


def _list_hook(shape: type, converter: Converter) -> Callable[[object, type], Any]:  # Any: a list of whatever it is of.
    """Read a list from nothing but a list: cattrs would take a text for a list of its letters."""
    structure = list_structure_factory(shape, converter)

    def read(value: object, shape: type) -> Any:  # Any: as above.
        if not isinstance(value, list | tuple):
            raise TypeError("a list is needed")
        return structure(value, shape)

    return read
