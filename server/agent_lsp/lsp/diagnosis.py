"""What the client's language servers find in documents: asked for, bounded, and believed only of the right version."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from pygls.exceptions import JsonRpcException

from agent_lsp.domain.diagnostics import DiagnosticsReport, DiagnosticsStatus, FileDiagnostics, Look
from agent_lsp.lsp.client import Client
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.patience import Patience
from agent_lsp.lsp.wire.diagnostics import DiagnosticsParams, DiagnosticsResult, DocumentDiagnostics

_CLIENTS_SHARE = 0.8
"""The client is told to answer in this part of the time, so that its `timeout` comes before ours."""
_SILENT_AFTER = 3
"""Whole waits in a row that bring nothing; one alone may be a slow server, or one that is still starting."""
_HEARD_AGAIN_EACH = 8
"""Of so many checks of a silent kind one is waited for again: a server may have come, or have become slower."""


class DiagnosticsRequest(Protocol):
    """The one question that is put to the client here."""

    async def find_diagnostics(self, params: DiagnosticsParams) -> DiagnosticsResult: ...


class Diagnosis:
    """Implements `LanguageServers` for one client."""

    def __init__(self, client: Client, mirror: Mirror, requests: DiagnosticsRequest, patience: Patience) -> None:
        self._client = client
        self._mirror = mirror
        self._requests = requests
        self._patience = patience
        self._heard_of = _HeardOf()

    def can_diagnose(self) -> bool:
        return self._client.announces("diagnostics")

    async def diagnose(self, uris: Sequence[str], look: Look) -> DiagnosticsReport:
        if not self.can_diagnose():
            return DiagnosticsReport(DiagnosticsStatus.UNKNOWN)
        is_worth_it = look is Look.CHECK and self._heard_of.is_worth_waiting(uris)
        seconds = self._patience.diagnostics if is_worth_it else self._patience.known_diagnostics
        versions = tuple(self._version(uri) for uri in uris)
        params = DiagnosticsParams(
            uris=tuple(uris), min_versions=versions, timeout_ms=round(seconds * _CLIENTS_SHARE * 1000)
        )
        try:
            async with asyncio.timeout(seconds):
                answer = await self._requests.find_diagnostics(params)
        except TimeoutError:
            return self._heard_of.taken(uris, look, DiagnosticsReport(DiagnosticsStatus.TIMEOUT))
        except JsonRpcException:
            return DiagnosticsReport(DiagnosticsStatus.UNKNOWN)
        return self._heard_of.taken(uris, look, _report(answer, dict(zip(uris, versions, strict=True))))

    def _version(self, uri: str) -> int:
        document = self._mirror.get(uri)
        return document.version if document else 0


class _HeardOf:
    """Of which kinds of files language servers ever said something, and how many checks of the others brought nothing.

    No editor tells whether anything checks a plain text; a whole wait after its every edit would be for nothing. That
    there is no server is said at once, and perhaps only until it is started: nothing is to be learnt from it.
    """

    def __init__(self) -> None:
        self._spoken = set[str]()
        self._unheard = dict[str, int]()

    def is_worth_waiting(self, uris: Sequence[str]) -> bool:
        """Whether a check is given the whole time: of kinds that nothing is known to come of only now and then."""
        return not self._nothing(uris) or any(self._unheard[_kind(uri)] % _HEARD_AGAIN_EACH == 0 for uri in uris)

    def taken(self, uris: Sequence[str], look: Look, report: DiagnosticsReport) -> DiagnosticsReport:
        """Learn from a report. One that found nothing in time, as expected, is no time-out."""
        is_success = report.status is DiagnosticsStatus.SUCCESS and look is Look.CHECK
        for file in report.files:
            if file.diagnostics or is_success:
                self._spoken.add(_kind(file.uri))
                self._unheard.pop(_kind(file.uri), None)
        if report.status is not DiagnosticsStatus.TIMEOUT or look is not Look.CHECK:
            return report
        was_expected = self._nothing(uris)
        kinds = {_kind(uri) for uri in uris}
        # Of several kinds it may be any that was waited for.
        if len(kinds) == 1 or was_expected:
            self._unheard |= {kind: self._unheard.get(kind, 0) + 1 for kind in kinds - self._spoken}
        return replace(report, status=DiagnosticsStatus.UNKNOWN) if was_expected else report

    def _nothing(self, uris: Sequence[str]) -> bool:
        return all(self._unheard.get(_kind(uri), 0) >= _SILENT_AFTER for uri in uris)


def _kind(uri: str) -> str:
    """The extension of a file's name, or the name where it has none."""
    return uri.rpartition("/")[2].rpartition(".")[2]


def _report(answer: DiagnosticsResult, least: dict[str, int]) -> DiagnosticsReport:
    """Leave out what belongs to an older version, or to nothing that was asked about."""
    files = {item.uri: _file(item) for item in answer.items if _is_asked_for(item, least)}
    status = answer.known_status
    if status is DiagnosticsStatus.SUCCESS and len(files) < len(least):
        # It says that all is done, and some of it is not there.
        status = DiagnosticsStatus.TIMEOUT
    return DiagnosticsReport(status, tuple(files.values()))


def _is_asked_for(item: DocumentDiagnostics, least: dict[str, int]) -> bool:
    if item.uri not in least:
        return False
    return item.version is None or item.version >= least[item.uri]


def _file(item: DocumentDiagnostics) -> FileDiagnostics:
    return FileDiagnostics(item.uri, tuple(each.to_diagnostic() for each in item.diagnostics), item.version)
