"""What the user's words point to beside files: problems, terminals, git, pages. Each in words, or why there is none."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from agent_lsp.domain.diagnostics import DiagnosticsStatus, FileDiagnostics, LanguageServers, Look, NewDiagnostic
from agent_lsp.domain.documents import Documents, Terminal
from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.files import Place
from agent_lsp.tasks.attaching import Attachment, World
from agent_lsp.tools.diagnostics_told import row

MOST_PRINTED = 30_000
"""Characters of a difference that git is asked for."""
MOST_PROBLEMS = 100
_TERMINAL_TAIL = 10_000

Fetch = Callable[[str], Awaitable[str]]
"""The text of a page; AgentError, one sentence, where there is none."""


class Printed(Protocol):
    @property
    def text(self) -> str: ...

    @property
    def is_cut(self) -> bool: ...


class Git(Protocol):
    """Reads the user's repository; all calls wait."""

    def changes(self, most: int) -> Printed | None: ...

    def commit(self, commit: str, most: int) -> Printed | None: ...


def world(
    git: Git | None,
    fetch: Fetch,
    terminals: Callable[[], Sequence[Terminal]],
    problems: Callable[[], Awaitable[Attachment]],
) -> World:
    async def changes() -> Attachment:
        printed = await asyncio.to_thread(git.changes, MOST_PRINTED) if git else None
        if printed is None:
            return Attachment(problem="there is no git repository here that can be read.")
        return Attachment(_text(printed) or "Nothing is changed.")

    async def commit(name: str) -> Attachment | None:
        printed = await asyncio.to_thread(git.commit, name, MOST_PRINTED) if git else None
        if printed is None:
            is_likely = any(letter.isdigit() for letter in name) and not name.isdigit()
            return Attachment(problem="there is no such commit here.") if is_likely else None
        return Attachment(_text(printed))

    async def page(url: str) -> Attachment:
        try:
            return Attachment(await fetch(url))
        except AgentError as problem:
            return Attachment(problem=str(problem))

    return World(problems, lambda: _terminals(terminals()), changes, commit, page)


async def editor_problems(
    servers: LanguageServers | None, documents: Documents, locate: Callable[[str], Place]
) -> Attachment:
    """Tell what the editor's language servers find in the open documents, the worst first."""
    uris = [document.uri for document in documents.open_documents()]
    if servers is None or not servers.can_diagnose():
        return Attachment(problem="this editor does not tell its diagnostics; run the project's own checks.")
    report = await servers.diagnose(uris, Look.GLANCE) if uris else None
    if report is None:
        return Attachment("No document is open; of others the editor tells nothing.")
    rows = _rows(report.files, locate)
    more = [f"({len(rows) - MOST_PROBLEMS} more)"] if len(rows) > MOST_PROBLEMS else []
    note = [] if report.status is DiagnosticsStatus.SUCCESS else [f"(The editor's answer: {report.status.value}.)"]
    return Attachment("\n".join([*rows[:MOST_PROBLEMS], *more, *note]) or "No problems in the open documents.")


def _rows(files: Sequence[FileDiagnostics], locate: Callable[[str], Place]) -> list[str]:
    found = [NewDiagnostic(locate(file.uri).path, one) for file in files for one in file.diagnostics]
    return [row(one) for one in sorted(found, key=lambda one: (one.diagnostic.severity, one.path, one.diagnostic.line))]


def _terminals(terminals: Sequence[Terminal]) -> Attachment:
    told = [terminal for terminal in terminals if terminal.command or terminal.output]
    if not told:
        return Attachment(problem="the editor tells of no command in a terminal.")
    return Attachment("\n\n".join(map(_terminal, told)))


def _terminal(terminal: Terminal) -> str:
    end = "still runs" if terminal.is_running else "has ended"
    code = f" with exit code {terminal.exit_code}" if terminal.exit_code is not None else ""
    output = terminal.output.rstrip()
    cut = "[…]" if len(output) > _TERMINAL_TAIL else ""
    return f"{terminal.name}: `{terminal.command}` {end}{code}\n{cut}{output[-_TERMINAL_TAIL:] or '(no output)'}"


def _text(printed: Printed) -> str:
    return printed.text.rstrip() + ("\n[There is more; git shows it.]" if printed.is_cut else "")
