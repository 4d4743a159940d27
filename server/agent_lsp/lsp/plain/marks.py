"""Diagnostics on the lines that a waiting ask is about, in open documents; gone as soon as they are decided."""

from collections.abc import Iterator
from itertools import groupby

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from agent_lsp.domain.files import Change, Hunk
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.waiting import Asks, Waiting

SOURCE = "agent"


class HunkMarks:
    """Publishes all marks of a document anew whenever one of them comes or goes."""

    def __init__(self, server: LanguageServer, asks: Asks, mirror: Mirror) -> None:
        self._server = server
        self._asks = asks
        self._mirror = mirror
        self._marked: set[str] = set()
        asks.on_change.append(self._refresh)
        mirror.on_document.append(self._look_at)

    def _refresh(self, _task_id: str) -> None:
        pending = {change.uri for waiting in self._asks.all() for change in waiting.changes}
        for uri in sorted(self._marked | pending):
            self._publish(uri)

    def _look_at(self, uri: str) -> None:
        is_pending = any(change.uri == uri for waiting in self._asks.all() for change in waiting.changes)
        if is_pending or uri in self._marked:
            self._publish(uri)

    def _publish(self, uri: str) -> None:
        is_open = self._mirror.version(uri) is not None
        diagnostics = [mark for waiting in self._asks.all() for mark in _marks(waiting, uri)] if is_open else []
        if diagnostics:
            self._marked.add(uri)
        elif uri in self._marked:
            self._marked.remove(uri)
        else:
            return
        # Without a version: of one that the user has typed past, editors show nothing, and marks come only once.
        params = types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics)
        self._server.text_document_publish_diagnostics(params)


def _marks(waiting: Waiting, uri: str) -> Iterator[types.Diagnostic]:
    hunks = waiting.hunks()
    for number, (change, hunk) in enumerate(hunks, 1):
        if change.uri == uri and hunk.id not in waiting.decisions:
            message = _message(change, hunk, number, len(hunks))
            for place in changed_places(hunk):
                yield types.Diagnostic(
                    range=place,
                    severity=types.DiagnosticSeverity.Information,
                    source=SOURCE,
                    code=hunk.id,
                    message=message,
                )


def hunk_range(hunk: Hunk) -> types.Range:
    """The lines of the text as it is from the first to the last that a hunk changes."""
    places = list(changed_places(hunk))
    return types.Range(start=places[0].start, end=places[-1].end)


def changed_places(hunk: Hunk) -> Iterator[types.Range]:
    """The lines of the text as it is that a hunk changes, run by run; of one that only adds, the place between two."""
    line = hunk.start_line - 1
    signs = (text[:1] for text in hunk.lines if text[:1] in (" ", "+", "-"))
    for is_changed, run in groupby(signs, key=lambda sign: sign != " "):
        size = sum(sign != "+" for sign in run)
        if is_changed:
            yield types.Range(
                start=types.Position(line=line, character=0), end=types.Position(line=line + size, character=0)
            )
        line += size


def _message(change: Change, hunk: Hunk, number: int, count: int) -> str:
    added = sum(line.startswith("+") for line in hunk.lines)
    removed = sum(line.startswith("-") for line in hunk.lines)
    which = f"hunk {number} of {count}" if count > 1 else change.kind
    return f"The agent would change this: +{added} -{removed} ({which})"
