"""Asking the user's language servers about files, before and after an edit. How they differ is not known here."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_lsp.domain.diagnostics import (
    DiagnosticsNews,
    DiagnosticsReport,
    DiagnosticsStatus,
    LanguageServers,
    Look,
    NewDiagnostic,
)
from agent_lsp.domain.documents import Documents
from agent_lsp.domain.files import FileEdit, Place, Proposal
from agent_lsp.workspace.new_diagnostics import Diagnosed, new_diagnostics
from agent_lsp.workspace.opened import document_at


@dataclass(frozen=True, slots=True)
class _Subject:
    """An edited file: where it was, where it is now, and how it reads."""

    before: Place
    now: Place
    uri: str
    text: str
    is_new: bool


class Diagnosing:
    """Asks twice about each edit. It keeps nothing."""

    def __init__(self, servers: LanguageServers, documents: Documents) -> None:
        self._servers = servers
        self._documents = documents

    async def watch(self, proposal: Proposal) -> "Watched":
        """Ask what is known of the files that are about to be changed."""
        texts = {
            self.uri_of(edit.place): (edit.place, self.text(edit.place, edit.before.text))
            for edit in proposal.edits
            if edit.before is not None and edit.after is not None
        }
        if not texts or not self._servers.can_diagnose():
            return Watched(self, {})
        report = await self._servers.diagnose(tuple(texts), Look.GLANCE)
        if report.status is not DiagnosticsStatus.SUCCESS:
            return Watched(self, {})
        found = [(texts[file.uri], file.diagnostics) for file in report.files if file.uri in texts]
        return Watched(self, {place: Diagnosed(text, diagnostics) for (place, text), diagnostics in found})

    async def check(self, uris: Sequence[str]) -> DiagnosticsReport:
        if not uris or not self._servers.can_diagnose():
            return DiagnosticsReport(DiagnosticsStatus.UNKNOWN)
        return await self._servers.diagnose(uris, Look.CHECK)

    def uri_of(self, place: Place) -> str:
        document = document_at(self._documents, place)
        return document.uri if document else place.uri

    def text(self, place: Place, otherwise: str) -> str:
        # The user may have typed on by now, and that is what the language server looks at.
        document = document_at(self._documents, place)
        return document.text if document else otherwise


class Watched:
    """Files before an edit; those whose diagnostics were not known are missing in `earlier`."""

    def __init__(self, diagnosing: Diagnosing, earlier: Mapping[Place, Diagnosed]) -> None:
        self._diagnosing = diagnosing
        self._earlier = earlier

    async def news(self, edits: Sequence[FileEdit]) -> DiagnosticsNews:
        """Ask what is found in the files after the edits, and tell what was not there before."""
        found = [subject for edit in edits if (subject := self._subject(edit))]
        subjects = {subject.uri: subject for subject in found}
        report = await self._diagnosing.check(tuple(subjects))
        if not report.files:
            return DiagnosticsNews(report.status)
        return await asyncio.to_thread(_news, subjects, report, self._earlier)

    def _subject(self, edit: FileEdit) -> _Subject | None:
        if edit.after is None:
            return None
        now = edit.move_to or edit.place
        uri, text = self._diagnosing.uri_of(now), self._diagnosing.text(now, edit.after)
        return _Subject(edit.place, now, uri, text, is_new=edit.before is None)


def _news(
    subjects: Mapping[str, _Subject], report: DiagnosticsReport, earlier: Mapping[Place, Diagnosed]
) -> DiagnosticsNews:
    new, is_compared = list[NewDiagnostic](), True
    for file in report.files:
        subject = subjects.get(file.uri)
        if subject is None:
            continue
        found = file.diagnostics
        if known := earlier.get(subject.before):
            found = new_diagnostics(known, Diagnosed(subject.text, found))
        elif found and not subject.is_new:
            is_compared = False
        new += [NewDiagnostic(subject.now.path, diagnostic) for diagnostic in found]
    # Errors first; among equals, as they stand.
    new.sort(key=lambda each: (each.diagnostic.severity, each.path, each.diagnostic.line))
    return DiagnosticsNews(report.status, tuple(new), is_compared)
