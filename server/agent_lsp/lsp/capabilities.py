"""What this server says of itself, known beforehand: the answer to `initialize` and the names of its methods.

Imports nothing but the version, since `initialize` is answered before anything else is imported. Tests hold these
tables equal to the registered handlers and to the schema.
"""

from agent_lsp import __version__

TYPE_CHECKING = False  # The import of typing would cost more than all of this.
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeGuard

PROTOCOL_VERSION = 1

METHODS = (
    "agent/newTask",
    "agent/state",
    "agent/askResponse",
    "agent/sendMessage",
    "agent/queue",
    "agent/cancelTask",
    "agent/clearTask",
    "agent/condense",
    "agent/resumeTask",
    "agent/listTasks",
    "agent/renameTask",
    "agent/deleteTask",
    "agent/forkTask",
    "agent/exportTask",
    "agent/terminalOperation",
    "agent/preview",
    "agent/checkpoints",
    "agent/checkpointDiff",
    "agent/restore",
    "agent/setMode",
    "agent/listModes",
    "agent/listCommands",
    "agent/listProfiles",
    "agent/setProfile",
    "agent/setPermissionMode",
    "agent/permissions",
    "agent/trust",
    "agent/editorContext",
    "agent/debugReport",
)

COMMANDS = (
    "agent.newTask",
    "agent.send",
    "agent.cancel",
    "agent.clear",
    "agent.condense",
    "agent.resume",
    "agent.tasks",
    "agent.mode",
    "agent.approve",
    "agent.reject",
    "agent.answer",
    "agent.acceptHunk",
    "agent.rejectHunk",
    "agent.showTranscript",
    "agent.showDiff",
    "agent.showPrompt",
    "agent.sendPrompt",
    "agent.restore",
)

ACTION_KINDS = ("quickfix", "agent")

COMPLETION = {"triggerCharacters": ["/", "@"], "resolveProvider": False}
"""Of prompt documents only; other documents get nothing from it."""

FEATURES = ("hunks", "preview", "reconnect")
"""Answers that name hunks, previews as documents, and `agent/state` with `since`."""

PREVIEW_SCHEME = "agent-preview"

SCHEMA_HASH = "eb97429b10538e49"
"""Of the JSON Schema that `agent-lsp schema` prints; changes whenever a shape on the wire does."""

_ENCODINGS = ("utf-8", "utf-16", "utf-32")


def initialize_result(params: "Mapping[str, object]") -> dict[str, object]:
    """The answer to `initialize`, the same at start-up and later."""
    return {
        "capabilities": {
            "positionEncoding": position_encoding(params),
            "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
            "executeCommandProvider": {"commands": list(COMMANDS)},
            "codeActionProvider": {"codeActionKinds": list(ACTION_KINDS)},
            **({} if registers_completion(params) else {"completionProvider": COMPLETION}),
            **({"codeLensProvider": {"resolveProvider": False}} if wants_lenses(params) else {}),
            "workspace": {
                "workspaceFolders": {"supported": True, "changeNotifications": True},
                "textDocumentContent": {"schemes": [PREVIEW_SCHEME]},
            },
            "experimental": {
                "agent": {
                    "protocolVersion": PROTOCOL_VERSION,
                    "serverVersion": __version__,
                    "methods": list(METHODS),
                    "features": {name: {} for name in FEATURES},
                    "schemaHash": SCHEMA_HASH,
                }
            },
        },
        "serverInfo": {"name": "agent-lsp", "version": __version__},
    }


def position_encoding(params: "Mapping[str, object]") -> str:
    """The encoding of positions for a client: utf-8 where it is offered, else the protocol's default."""
    offered = dig(params, "capabilities", "general", "positionEncodings")
    if not isinstance(offered, list):
        return "utf-16"
    return next((encoding for encoding in _ENCODINGS if encoding in offered), "utf-16")


def registers_completion(params: "Mapping[str, object]") -> bool:
    """Whether completion can be registered for our own documents alone, later."""
    return dig(params, "capabilities", "textDocument", "completion", "dynamicRegistration") is True


def wants_lenses(params: "Mapping[str, object]") -> bool:
    """Whether a client draws code lenses and shows nothing of its own above what waits."""
    has_plugin = is_object(dig(params, "capabilities", "experimental", "agent"))
    return not has_plugin and is_object(dig(params, "capabilities", "textDocument", "codeLens"))


def is_initialize_params(params: object) -> "TypeGuard[dict[str, Any]]":
    """Whether these are parameters that `initialize` can be answered to; unknown fields are no fault."""
    if not is_object(params):
        return False
    process_id, root = dig(params, "processId"), dig(params, "rootUri")
    return (
        isinstance(dig(params, "capabilities"), dict)
        and (process_id is None or (isinstance(process_id, int) and not isinstance(process_id, bool)))
        and (root is None or isinstance(root, str))
    )


def dig(value: object, *keys: str) -> object:
    """Follow keys into nested objects; None where the path ends."""
    for key in keys:
        value = value.get(key) if is_object(value) else None
    return value


def is_object(value: object) -> "TypeGuard[dict[str, Any]]":  # Any: JSON has no closed type.
    """Whether a value out of JSON is an object."""
    return isinstance(value, dict)
