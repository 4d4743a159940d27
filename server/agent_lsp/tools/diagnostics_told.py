"""What the model is told of the diagnostics that an edit has brought: in few words, and never more than it can use."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent_lsp.domain.diagnostics import DiagnosticsNews, DiagnosticsStatus, NewDiagnostic
from agent_lsp.domain.turns import Outcome

MOST_LINES = 20
MOST_CHARACTERS = 2_000
_MOST_IN_MESSAGE = 300

UNKNOWN = DiagnosticsNews(DiagnosticsStatus.UNKNOWN)

_WITHOUT_ANY = {
    DiagnosticsStatus.SUCCESS: "none new.",
    DiagnosticsStatus.STARTING: "unknown, the language server is still starting.",
    DiagnosticsStatus.NO_SERVER: "unknown, the editor has no language server for this.",
    DiagnosticsStatus.TIMEOUT: "timeout, nothing was found in time.",
    DiagnosticsStatus.UNKNOWN: "unknown.",
}


def with_diagnostics(outcome: Outcome, news: DiagnosticsNews) -> Outcome:
    """Add what the editor's language servers say of an edit that was made."""
    return replace(outcome, text=f"{outcome.text}\n{_told(news)}")


def _told(news: DiagnosticsNews) -> str:
    if not news.new:
        return f"Diagnostics: {_WITHOUT_ANY[news.status]}"
    heading = "New diagnostics" if news.is_compared else "Diagnostics, some perhaps from before your edit"
    note = {DiagnosticsStatus.SUCCESS: "", DiagnosticsStatus.TIMEOUT: ", timeout: there may be more"}
    rows = list(_within_bounds([row(each) for each in news.new]))
    rest = len(news.new) - len(rows)
    more = [f"({rest} more)"] if rest else []
    return "\n".join([f"{heading} (from the editor{note.get(news.status, '')}):", *rows, *more])


def _within_bounds(rows: Sequence[str]) -> Iterator[str]:
    size = 0
    for row in rows[:MOST_LINES]:
        size += len(row) + 1
        if size > MOST_CHARACTERS:
            return
        yield row


def row(new: NewDiagnostic) -> str:
    """One diagnostic on one line."""
    diagnostic = new.diagnostic
    origin = " ".join(filter(None, [diagnostic.source, diagnostic.code]))
    mark = f" [{_line(origin)}]" if origin else ""
    kind = diagnostic.severity.name.lower()
    return f"{new.path}:{diagnostic.line + 1}: {kind}: {_line(diagnostic.message)}{mark}"


def _line(words: str) -> str:
    """Put words of others on one line of bounded length."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())
    return line if len(line) <= _MOST_IN_MESSAGE else line[: _MOST_IN_MESSAGE - 1] + "…"
