"""What the editor, git and the web have to tell, as it is attached to the user's words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from briefing_room import Editor

from agent_lsp.domain.diagnostics import (
    Diagnostic,
    DiagnosticsReport,
    DiagnosticsStatus,
    FileDiagnostics,
    LanguageServers,
    Look,
    Severity,
)
from agent_lsp.domain.files import Place, Standing
from agent_lsp.tasks.attaching import Attachment
from agent_lsp.tasks.attaching_world import MOST_PROBLEMS, editor_problems, world
from agent_lsp.workspace.git_reading import GitText


@dataclass
class Servers(LanguageServers):
    files: tuple[FileDiagnostics, ...] = ()
    status: DiagnosticsStatus = DiagnosticsStatus.SUCCESS

    def can_diagnose(self) -> bool:
        return True

    async def diagnose(self, uris: Sequence[str], look: Look) -> DiagnosticsReport:
        return DiagnosticsReport(self.status, tuple(file for file in self.files if file.uri in uris))


@dataclass
class Git:
    printed: GitText | None

    def changes(self, most: int) -> GitText | None:
        return self.printed if most else None

    def commit(self, commit: str, most: int) -> GitText | None:
        return self.printed if commit and most else None


def locate(uri: str) -> Place:
    path = Path(uri.removeprefix("file://"))
    return Place(path.name, path, uri, Standing.INSIDE, path.parent)


async def problems(servers: LanguageServers | None, *names: str) -> Attachment:
    return await editor_problems(servers, Editor({f"file:///w/{name}": (1, "") for name in names}), locate)


async def test_problems_of_open_documents_are_told_the_worst_first() -> None:
    servers = Servers(
        (
            FileDiagnostics("file:///w/b.py", (Diagnostic(4, "unused", Severity.WARNING, "ruff", "F401"),)),
            FileDiagnostics("file:///w/a.py", (Diagnostic(0, "hint\nhint", Severity.HINT), Diagnostic(2, "bad"))),
            FileDiagnostics("file:///w/closed.py", (Diagnostic(0, "old"),)),
        )
    )

    assert await problems(servers, "a.py", "b.py") == Attachment(
        "a.py:3: error: bad\nb.py:5: warning: unused [ruff F401]\na.py:1: hint: hint hint"
    )


@pytest.mark.parametrize(
    ("servers", "names", "attachment"),
    [
        (
            None,
            ["a.py"],
            Attachment(problem="this editor does not tell its diagnostics; run the project's own checks."),
        ),
        (Servers(), ["a.py"], Attachment("No problems in the open documents.")),
        (Servers(), [], Attachment("No document is open; of others the editor tells nothing.")),
        (Servers(status=DiagnosticsStatus.TIMEOUT), ["a.py"], Attachment("(The editor's answer: timeout.)")),
    ],
)
async def test_what_there_is_to_tell_without_problems(
    servers: LanguageServers | None, names: list[str], attachment: Attachment
) -> None:
    assert await problems(servers, *names) == attachment


async def test_many_problems_are_counted() -> None:
    found = FileDiagnostics("file:///w/a.py", tuple(Diagnostic(line, "bad") for line in range(MOST_PROBLEMS + 5)))

    told = await problems(Servers((found,)), "a.py")

    assert told.text.splitlines()[-1] == "(5 more)"
    assert len(told.text.splitlines()) == MOST_PROBLEMS + 1


@pytest.mark.parametrize(
    ("printed", "changes", "commit"),
    [
        (GitText("M a.py\n"), Attachment("M a.py"), Attachment("M a.py")),
        (GitText("long", is_cut=True), *[Attachment("long\n[There is more; git shows it.]")] * 2),
        (GitText(""), Attachment("Nothing is changed."), Attachment("")),
        (
            None,
            Attachment(problem="there is no git repository here that can be read."),
            Attachment(problem="there is no such commit here."),
        ),
    ],
)
async def test_what_git_prints_is_attached(printed: GitText | None, changes: Attachment, commit: Attachment) -> None:
    async def fetch(url: str) -> str:
        return url

    async def none() -> Attachment:
        return Attachment()

    found = world(Git(printed), fetch, tuple, none)

    assert (await found.changes(), await found.commit("1a2b3c4")) == (changes, commit)


@pytest.mark.parametrize("name", ["deadbeef", "1234567"])
async def test_word_that_may_well_be_no_commit_is_left_alone(name: str) -> None:
    async def fetch(url: str) -> str:
        return url

    async def none() -> Attachment:
        return Attachment()

    assert await world(None, fetch, tuple, none).commit(name) is None
