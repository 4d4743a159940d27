"""What counts as new among diagnostics: not what moved with its line, nor what an edit left as it was."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspace_editor import FakeEditor
from workspace_garden import ALL, Garden

from agent_lsp.domain.diagnostics import (
    Diagnostic,
    DiagnosticsNews,
    DiagnosticsReport,
    DiagnosticsStatus,
    FileDiagnostics,
    Look,
    NewDiagnostic,
    Severity,
)
from agent_lsp.domain.files import Applied
from agent_lsp.workspace.diagnosing import Diagnosing
from agent_lsp.workspace.new_diagnostics import Diagnosed, new_diagnostics

ABC = "a\nb\nc\n"


def at(line: int, message: str = "bad") -> Diagnostic:
    return Diagnostic(line, message)


CASES = {
    "nothing before": (ABC, [], ABC, [at(1)], [at(1)]),
    "the same": (ABC, [at(1)], ABC, [at(1)], []),
    "moved down with its line": (ABC, [at(1)], "x\ny\na\nb\nc\n", [at(3)], []),
    "moved up with its line": (ABC, [at(2)], "c\n", [at(0)], []),
    "mended": (ABC, [at(1)], "a\nB\nc\n", [], []),
    "still there in a line that was rewritten": (ABC, [at(1)], "a\nB\nc\n", [at(1)], []),
    "twice in a line that was rewritten": (ABC, [at(1)], "a\nB\nc\n", [at(1), at(1)], [at(1)]),
    "mended here and made there": (ABC, [at(0)], "A\nb\nC\n", [at(2)], [at(2)]),
    "other words": (ABC, [at(1)], ABC, [at(1, "worse")], [at(1, "worse")]),
    "words that name a line that moved": (ABC, [at(2, "see line 1")], "x\na\nb\nc\n", [at(3, "see line 2")], []),
    "past the end": (ABC, [at(3)], "a\nb\nc\nd\n", [at(4)], []),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_new_is_what_was_not_there(
    case: tuple[str, list[Diagnostic], str, list[Diagnostic], list[Diagnostic]],
) -> None:
    before, known, after, found, new = case

    assert new_diagnostics(Diagnosed(before, tuple(known)), Diagnosed(after, tuple(found))) == tuple(new)


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(0, 10), st.integers(0, 3))
def test_whatever_is_inserted_nothing_that_moved_is_new(lines: list[int], place: int, count: int) -> None:
    text = [f"line {number}\n" for number in range(10)]
    inserted = [*text[:place], *["new\n"] * count, *text[place:]]
    before = tuple(at(line) for line in lines)
    after = tuple(at(line + count if line >= place else line) for line in lines)

    assert new_diagnostics(Diagnosed("".join(text), before), Diagnosed("".join(inserted), after)) == ()


@dataclass
class Servers:
    """Language servers that find `ODD` wherever it stands, as long as they are asked nicely."""

    editor: FakeEditor
    status: DiagnosticsStatus = DiagnosticsStatus.SUCCESS
    knows_before: bool = True
    asked: list[tuple[tuple[str, ...], Look]] = field(default_factory=list[tuple[tuple[str, ...], Look]])
    can: bool = True

    def can_diagnose(self) -> bool:
        return self.can

    async def diagnose(self, uris: Sequence[str], look: Look) -> DiagnosticsReport:
        self.asked.append((tuple(uris), look))
        if look is Look.GLANCE and not self.knows_before:
            return DiagnosticsReport(DiagnosticsStatus.TIMEOUT)
        return DiagnosticsReport(self.status, tuple(map(self._file, uris)))

    def _file(self, uri: str) -> FileDiagnostics:
        lines = self.editor.text(uri).splitlines()
        found = [Diagnostic(n, line, Severity.WARNING) for n, line in enumerate(lines) if "ODD" in line]
        return FileDiagnostics(uri, tuple(found))


async def news_of(garden: Garden, servers: Servers, texts: dict[str, str | None]) -> DiagnosticsNews:
    proposal = await garden.propose(texts)
    watched = await Diagnosing(servers, garden.editor).watch(proposal)
    outcome = await garden.files.apply(proposal, ALL)
    assert isinstance(outcome, Applied)
    return await watched.news(outcome.edits)


def new(path: str, line: int, words: str) -> NewDiagnostic:
    return NewDiagnostic(path, Diagnostic(line, words, Severity.WARNING))


async def test_new_diagnostics_of_all_files_are_told(garden: Garden, editor: FakeEditor) -> None:
    for name in ("a", "b"):
        editor.open(garden.root / name, "one\nODD old\n")

    news = await news_of(garden, Servers(editor), {"b": "zero\none\nODD old\n", "a": "ODD new\none\nODD old\n"})

    assert news == DiagnosticsNews(DiagnosticsStatus.SUCCESS, (new("a", 0, "ODD new"),))


async def test_typing_after_the_edit_makes_nothing_new(garden: Garden, editor: FakeEditor) -> None:
    uri = editor.open(garden.root / "a", "one\ntwo\nODD old\n")
    proposal = await garden.propose({"a": "ONE\ntwo\nODD old\n"})
    watched = await Diagnosing(Servers(editor), editor).watch(proposal)
    outcome = await garden.files.apply(proposal, ALL)
    assert isinstance(outcome, Applied)
    editor.type(uri, "typed\n" * 4 + editor.text(uri))

    news = await watched.news(outcome.edits)

    assert news == DiagnosticsNews(DiagnosticsStatus.SUCCESS)


async def test_what_could_not_be_compared_is_said_so(garden: Garden, editor: FakeEditor) -> None:
    editor.open(garden.root / "a", "ODD old\n")

    news = await news_of(garden, Servers(editor, knows_before=False), {"a": "ODD old\nmore\n"})

    assert news == DiagnosticsNews(DiagnosticsStatus.SUCCESS, (new("a", 0, "ODD old"),), is_compared=False)


@pytest.mark.parametrize("status", [s for s in DiagnosticsStatus if s is not DiagnosticsStatus.SUCCESS])
async def test_other_answers_are_passed_on(garden: Garden, editor: FakeEditor, status: DiagnosticsStatus) -> None:
    editor.open(garden.root / "a", "one\n")

    news = await news_of(garden, Servers(editor, status), {"a": "two\n"})

    assert news == DiagnosticsNews(status)


async def test_nobody_is_asked_about_a_deletion_or_by_an_editor_that_cannot(garden: Garden, editor: FakeEditor) -> None:
    (garden.root / "gone").write_text("x\n")
    uri = editor.open(garden.root / "a", "one\n")
    one, other = Servers(editor), Servers(editor, can=False)

    gone, unable = await news_of(garden, one, {"gone": None}), await news_of(garden, other, {"a": "two\n"})

    assert (one.asked, other.asked, editor.text(uri)) == ([], [], "two\n")
    assert {gone, unable} == {DiagnosticsNews(DiagnosticsStatus.UNKNOWN)}
