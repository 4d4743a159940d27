"""What the client's language servers find in documents: asked for, bounded, and believed only of the right version."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from pygls.exceptions import JsonRpcException

from agent_lsp.domain.diagnostics import DiagnosticsReport, DiagnosticsStatus, FileDiagnostics, Look
from agent_lsp.lsp.client import Client
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.patience import Patience
from agent_lsp.lsp.wire.diagnostics import DiagnosticsParams, DiagnosticsResult, DocumentDiagnostics

_CLIENTS_SHARE = 0.8
"""The client is told to answer in this part of the time, so that its `timeout` comes before ours."""


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

    def can_diagnose(self) -> bool:
        return self._client.announces("diagnostics")

    async def diagnose(self, uris: Sequence[str], look: Look) -> DiagnosticsReport:
        if not self.can_diagnose():
            return DiagnosticsReport(DiagnosticsStatus.UNKNOWN)
        seconds = self._patience.diagnostics if look is Look.CHECK else self._patience.known_diagnostics
        versions = tuple(self._version(uri) for uri in uris)
        params = DiagnosticsParams(
            uris=tuple(uris), min_versions=versions, timeout_ms=round(seconds * _CLIENTS_SHARE * 1000)
        )
        try:
            async with asyncio.timeout(seconds):
                answer = await self._requests.find_diagnostics(params)
        except TimeoutError:
            return DiagnosticsReport(DiagnosticsStatus.TIMEOUT)
        except JsonRpcException:
            return DiagnosticsReport(DiagnosticsStatus.UNKNOWN)
        return _report(answer, dict(zip(uris, versions, strict=True)))

    def _version(self, uri: str) -> int:
        document = self._mirror.get(uri)
        return document.version if document else 0


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
