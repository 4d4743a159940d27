"""The exceptions of this program, one small tree.

AgentError                one sentence that says what to do; `kind` names it on the wire
├── TaskUnknown           no such task
├── TaskBusy              the task cannot do that twice
├── Denied                policy forbids it
├── NotConfigured         no usable model, or a setting that cannot be used
├── BadParams             the caller's parameters make no sense
├── Overloaded            too much at once; try again later
├── VersionConflict       a document moved on meanwhile
├── FileProblem           a path or a file cannot be used as asked; a tool tells the model
│   └── FileMissing       there is no file at that path
├── StorageProblem        what belongs to a task cannot be stored or read back
└── ModelFault            the model's service failed; carries what a retry has to know
    └── ContextOverflow   the request is longer than the model takes; a shorter one may do
"""

from typing import ClassVar


class AgentError(Exception):
    """The root; its text is one sentence for a person."""

    kind: ClassVar[str] = "Failed"


class TaskUnknown(AgentError):
    kind = "TaskUnknown"


class TaskBusy(AgentError):
    kind = "TaskBusy"


class Denied(AgentError):
    kind = "Denied"


class NotConfigured(AgentError):
    kind = "NotConfigured"


class BadParams(AgentError):
    kind = "BadParams"


class Overloaded(AgentError):
    kind = "Overloaded"


class VersionConflict(AgentError):
    kind = "VersionConflict"


class FileProblem(AgentError):
    kind = "FileProblem"


class FileMissing(FileProblem):
    """There is no file at that path; a tool may create it."""


class StorageProblem(AgentError):
    kind = "StorageProblem"


class ModelFault(AgentError):
    """The model's service failed. `is_passing`: the same request may well succeed later."""

    kind = "ModelFault"

    def __init__(
        self,
        message: str,
        *,
        is_passing: bool,
        status: int | None = None,
        retry_after_seconds: float | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.is_passing = is_passing
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.hint = hint
        self.has_begun: bool | None = None
        """Whether an answer had begun, which is paid for; None where nobody has said so."""


class ContextOverflow(ModelFault):
    """The request is longer than the model takes. `window` is what it takes, in tokens, where the service says so."""

    kind = "ContextOverflow"

    def __init__(
        self, message: str, *, status: int | None = None, hint: str | None = None, window: int | None = None
    ) -> None:
        super().__init__(message, is_passing=False, status=status, hint=hint)
        self.window = window
