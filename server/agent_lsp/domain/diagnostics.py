"""What language servers find in files, between the editor (the front door) and the workspace."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Protocol


class Severity(IntEnum):
    """As LSP counts them: the worst first."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


@dataclass(frozen=True, slots=True)
class Diagnostic:
    line: int
    """Counted from 0, as LSP does."""
    message: str
    severity: Severity = Severity.ERROR
    source: str = ""
    code: str = ""


class DiagnosticsStatus(StrEnum):
    SUCCESS = "success"
    STARTING = "starting"
    NO_SERVER = "no-server"
    TIMEOUT = "timeout"
    UNKNOWN = "unknown"
    """Nobody could be asked, or the answer made no sense."""


@dataclass(frozen=True, slots=True)
class FileDiagnostics:
    """All that is found in one document; `version` is None where it is not open."""

    uri: str
    diagnostics: tuple[Diagnostic, ...] = ()
    version: int | None = None


@dataclass(frozen=True, slots=True)
class DiagnosticsReport:
    status: DiagnosticsStatus
    files: tuple[FileDiagnostics, ...] = ()


@dataclass(frozen=True, slots=True)
class NewDiagnostic:
    """One that was not there before an edit, and the file it is in."""

    path: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class DiagnosticsNews:
    """What an edit has brought. `is_compared`: those from before were known, so that all of these are new."""

    status: DiagnosticsStatus
    new: tuple[NewDiagnostic, ...] = ()
    is_compared: bool = True


class Look(StrEnum):
    """How long an answer is worth waiting for."""

    GLANCE = "glance"
    """At what is known already; nothing has changed yet."""
    CHECK = "check"
    """Until the language server has seen to a change."""


class LanguageServers(Protocol):
    """The language servers of the user's editor. Asking never fails, and takes a bounded time."""

    def can_diagnose(self) -> bool: ...

    async def diagnose(self, uris: Sequence[str], look: Look) -> DiagnosticsReport:
        """What is found in the documents as they are now; nothing that belongs to an older version."""
        ...
