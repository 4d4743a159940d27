"""What the model reads of diagnostics: the new ones, in few words."""

import pytest
from tool_fakes import Workshop

from agent_lsp.domain.diagnostics import Diagnostic, DiagnosticsNews, DiagnosticsStatus, NewDiagnostic, Severity
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.diagnostics_told import MOST_CHARACTERS, MOST_LINES, with_diagnostics

S = DiagnosticsStatus


def told(news: DiagnosticsNews) -> str:
    return with_diagnostics(Outcome("Done."), news).text.removeprefix("Done.\n")


def found(*diagnostics: Diagnostic) -> tuple[NewDiagnostic, ...]:
    return tuple(NewDiagnostic("a.py", diagnostic) for diagnostic in diagnostics)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (S.SUCCESS, "Diagnostics: none new."),
        (S.STARTING, "Diagnostics: unknown, the language server is still starting."),
        (S.NO_SERVER, "Diagnostics: unknown, the editor has no language server for this."),
        (S.TIMEOUT, "Diagnostics: timeout, nothing was found in time."),
        (S.UNKNOWN, "Diagnostics: unknown."),
    ],
)
def test_nothing_found_is_told_as_what_it_is(status: DiagnosticsStatus, words: str) -> None:
    assert told(DiagnosticsNews(status)) == words


CALL = Diagnostic(2, "Undefined name `x`", Severity.ERROR, "Ruff", "F821")
CALL_ROW = "a.py:3: error: Undefined name `x` [Ruff F821]"
HINT = Diagnostic(0, "two\nlines\x1b[0m", Severity.HINT)


@pytest.mark.parametrize(
    ("news", "text"),
    [
        (
            DiagnosticsNews(S.SUCCESS, found(CALL, HINT)),
            f"New diagnostics (from the editor):\n{CALL_ROW}\na.py:1: hint: two lines [0m",
        ),
        (
            DiagnosticsNews(S.TIMEOUT, found(HINT)),
            "New diagnostics (from the editor, timeout: there may be more):\na.py:1: hint: two lines [0m",
        ),
        (
            DiagnosticsNews(S.SUCCESS, found(HINT), is_compared=False),
            "Diagnostics, some perhaps from before your edit (from the editor):\na.py:1: hint: two lines [0m",
        ),
    ],
)
def test_each_diagnostic_is_one_line_with_its_place(news: DiagnosticsNews, text: str) -> None:
    assert told(news) == text


def test_many_are_cut_to_the_first_lines() -> None:
    rows = told(DiagnosticsNews(S.SUCCESS, found(*[CALL] * 50))).split("\n")

    assert (len(rows), rows[-1]) == (MOST_LINES + 2, "(30 more)")


def test_long_ones_are_cut_to_a_bounded_text() -> None:
    text = told(DiagnosticsNews(S.SUCCESS, found(*[Diagnostic(0, "long " * 1_000)] * 15)))

    assert MOST_CHARACTERS / 2 < len(text) < MOST_CHARACTERS + 100
    assert text.endswith(" more)")


async def test_edit_that_was_not_made_says_nothing_of_diagnostics() -> None:
    workshop = Workshop({"a.txt": "a\n"})

    outcome = await workshop.write("a.txt", "a\n")

    assert "iagnostics" not in outcome.text
