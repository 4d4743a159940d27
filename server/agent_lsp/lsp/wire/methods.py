"""The table of our own methods: which parameters each takes, and what comes back."""

from dataclasses import dataclass
from types import UnionType

from pydantic import BaseModel

from agent_lsp.domain.checkpoints import CheckpointDifference, CheckpointList, Restoration
from agent_lsp.domain.modes import ModeList
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice
from agent_lsp.domain.permissions import PermissionList
from agent_lsp.domain.requests import (
    Answered,
    ExportedTask,
    ForkedTask,
    ProfileList,
    QueueList,
    Sent,
    Snapshot,
    TaskList,
    TaskReference,
)
from agent_lsp.domain.slash import CommandList
from agent_lsp.domain.status import Status
from agent_lsp.domain.trust import TrustList
from agent_lsp.lsp.wire import diagnostics, params, permissions, results


@dataclass(frozen=True, slots=True)
class Method:
    """What clients may send. `result` is a domain type or `str`; None is `null`."""

    params: type[BaseModel]
    result: type | None = None
    is_notification: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What the server asks a client that announced it."""

    params: type[BaseModel]
    result: type[BaseModel] | None


CLIENT_METHODS: dict[str, Method] = {
    "agent/newTask": Method(params.NewTaskParams, TaskReference),
    "agent/state": Method(params.StateParams, Snapshot),
    "agent/askResponse": Method(params.AskResponseParams, Answered),
    "agent/sendMessage": Method(params.SendMessageParams, Sent),
    "agent/queue": Method(params.QueueParams, QueueList),
    "agent/cancelTask": Method(params.TaskParams, Status),
    "agent/clearTask": Method(params.OptionalTaskParams),
    "agent/condense": Method(params.CondenseParams),
    "agent/resumeTask": Method(params.TaskParams, Status),
    "agent/listTasks": Method(params.ListTasksParams, TaskList),
    "agent/renameTask": Method(params.RenameTaskParams),
    "agent/deleteTask": Method(params.TaskParams),
    "agent/forkTask": Method(params.ForkTaskParams, ForkedTask),
    "agent/exportTask": Method(params.TaskParams, ExportedTask),
    "agent/terminalOperation": Method(params.TerminalOperationParams, results.Operated),
    "agent/preview": Method(params.PreviewParams, results.Preview),
    "agent/checkpoints": Method(params.TaskParams, CheckpointList),
    "agent/checkpointDiff": Method(params.CheckpointDiffParams, CheckpointDifference),
    "agent/restore": Method(params.RestoreParams, Restoration),
    "agent/setMode": Method(params.SetModeParams),
    "agent/listModes": Method(params.OptionalTaskParams, ModeList),
    "agent/listCommands": Method(params.NoParams, CommandList),
    "agent/listProfiles": Method(params.OptionalTaskParams, ProfileList),
    "agent/setProfile": Method(params.SetProfileParams),
    "agent/setPermissionMode": Method(params.SetPermissionModeParams),
    "agent/permissions": Method(permissions.PermissionsParams, PermissionList),
    "agent/trust": Method(permissions.TrustParams, TrustList),
    "agent/editorContext": Method(params.EditorContextParams, is_notification=True),
    "agent/debugReport": Method(params.NoParams, str),
}

NOTIFICATIONS: dict[str, type | UnionType] = {
    "agent/message": MessageNotice | DeletionNotice,
    "agent/messageDelta": DeltaNotice,
    "agent/state": Status,
}
"""What clients that announced the agent are told."""

QUESTIONS: dict[str, Question] = {
    "agent/save": Question(params.SaveParams, params.SaveResult),
    "agent/diagnostics": Question(diagnostics.DiagnosticsParams, diagnostics.DiagnosticsResult),
}
