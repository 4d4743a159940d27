"""What the server asks clients about diagnostics, and what they answer. A slip in one of many spoils only itself."""

from typing import Annotated, cast

from pydantic import BeforeValidator, ValidationError

from agent_lsp.domain.diagnostics import Diagnostic, DiagnosticsStatus, Severity
from agent_lsp.lsp.wire.params import Params, Position, Range

MOST_PER_FILE = 1_000
"""More are not looked at: the model is told of a few, and the server has other things to do."""


class DiagnosticsParams(Params):
    """`min_versions` stand beside the uris; 0 where any version will do, as of a document that is not open."""

    uris: tuple[str, ...]
    min_versions: tuple[int, ...]
    timeout_ms: int


class FoundDiagnostic(Params):
    """As LSP has it; what the server does not use is left out."""

    message: str = ""
    range: Range = Range(start=Position(line=0, character=0), end=Position(line=0, character=0))
    severity: int = 1
    source: str = ""
    code: int | str = ""

    def to_diagnostic(self) -> Diagnostic:
        is_known = self.severity in Severity.__members__.values()
        severity = Severity(self.severity) if is_known else Severity.INFORMATION
        return Diagnostic(max(self.range.start.line, 0), self.message, severity, self.source, str(self.code))


def _sound(value: object) -> object:
    """Read the first of many, each for itself."""
    if not isinstance(value, list):
        return value
    found = map(_read, cast("list[object]", value)[:MOST_PER_FILE])
    return [diagnostic for diagnostic in found if diagnostic]


def _read(value: object) -> FoundDiagnostic | None:
    try:
        return FoundDiagnostic.model_validate(value)
    except ValidationError:
        return None


class DocumentDiagnostics(Params):
    """All that is found in one document, and the version that it was found in."""

    uri: str
    version: int | None = None
    diagnostics: Annotated[tuple[FoundDiagnostic, ...], BeforeValidator(_sound)] = ()


class DiagnosticsResult(Params):
    """`status` is `success`, `starting`, `no-server` or `timeout`; a word that is none of these counts as unknown."""

    status: str
    items: tuple[DocumentDiagnostics, ...] = ()

    @property
    def known_status(self) -> DiagnosticsStatus:
        try:
            return DiagnosticsStatus(self.status)
        except ValueError:
            return DiagnosticsStatus.UNKNOWN
