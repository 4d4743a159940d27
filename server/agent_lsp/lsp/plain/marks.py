"""Diagnostics on the lines that a waiting ask is about, in open documents; gone as soon as they are decided."""

from collections.abc import Iterator

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
        version = self._mirror.version(uri)
        is_open = version is not None
        diagnostics = [mark for waiting in self._asks.all() for mark in _marks(waiting, uri)] if is_open else []
        if diagnostics:
            self._marked.add(uri)
        elif uri in self._marked:
            self._marked.remove(uri)
        else:
            return
        params = types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
        self._server.text_document_publish_diagnostics(params)


def _marks(waiting: Waiting, uri: str) -> Iterator[types.Diagnostic]:
    hunks = waiting.hunks()
    for number, (change, hunk) in enumerate(hunks, 1):
        if change.uri == uri and hunk.id not in waiting.decisions:
            yield types.Diagnostic(
                range=hunk_range(hunk),
                severity=types.DiagnosticSeverity.Information,
                source=SOURCE,
                code=hunk.id,
                message=_message(change, hunk, number, len(hunks)),
            )


def hunk_range(hunk: Hunk) -> types.Range:
    """The lines of the text as it is that a hunk changes; where it only adds some, the place between them."""
    line = hunk.start_line - 1
    first, last = None, line
    for text in hunk.lines:
        if text[:1] in "+-" and first is None:
            first = last = line
        if text[:1] == "-":
            last = line + 1
        if text[:1] in "- ":
            line += 1
    start = types.Position(line=first if first is not None else line, character=0)
    return types.Range(start=start, end=types.Position(line=max(last, start.line), character=0))


def _message(change: Change, hunk: Hunk, number: int, count: int) -> str:
    added = sum(line.startswith("+") for line in hunk.lines)
    removed = sum(line.startswith("-") for line in hunk.lines)
    which = f"hunk {number} of {count}" if count > 1 else change.kind
    return f"The agent would change this: +{added} -{removed} ({which})"
