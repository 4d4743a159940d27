"""Diagnostics from the client: what is asked for, and what is believed of the answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agent_lsp.domain.diagnostics import (
    Diagnostic,
    DiagnosticsReport,
    DiagnosticsStatus,
    FileDiagnostics,
    LanguageServers,
    Look,
    Severity,
)
from agent_lsp.lsp.patience import Patience
from agent_lsp.lsp.wire.diagnostics import MOST_PER_FILE
from support.fake_editor import FakeEditor
from support.front_door import FrontDoor, front_door
from support.lsp_client import AGENT, Json, NoAnswer, RpcError

A, B = "file:///w/a.txt", "file:///w/b.txt"
UNKNOWN = DiagnosticsReport(DiagnosticsStatus.UNKNOWN)
TIMEOUT = DiagnosticsReport(DiagnosticsStatus.TIMEOUT)
EMPTY = DiagnosticsReport(DiagnosticsStatus.SUCCESS, (FileDiagnostics(A, (), 3),))


def served(door: FrontDoor) -> LanguageServers:
    return door.hall.documents  # pyright: ignore[reportReturnType]  The server gives its editor, which is both.


@asynccontextmanager
async def asking(answer: Callable[[Json], Any] | None, patience: Patience | None = None) -> AsyncGenerator[FrontDoor]:
    """A client with a document of version 3 that answers like this, or did not announce that it would."""
    async with front_door(patience) as door:
        await door.client.initialize(agent={**AGENT, "diagnostics": {}} if answer else AGENT)
        editor = FakeEditor(door.client)
        editor.open(A, "one\n")
        editor.type(A, "two\n")
        editor.type(A, "three\n")
        if answer:
            door.client.answers["agent/diagnostics"] = answer
        await door.client.request("agent/debugReport")
        yield door


async def test_client_is_asked_for_the_versions_of_now() -> None:
    async with asking(lambda _: {"status": "success"}) as door:
        await served(door).diagnose([A, B], Look.CHECK)
        await served(door).diagnose([A], Look.GLANCE)

        asked = [params for method, params in door.client.questions if method == "agent/diagnostics"]
        assert asked == [
            {"uris": [A, B], "minVersions": [3, 0], "timeoutMs": 1200},
            {"uris": [A], "minVersions": [3], "timeoutMs": 240},
        ]


def found(*diagnostics: object, uri: str = A, version: int | None = 3) -> Json:
    return {"status": "success", "items": [{"uri": uri, "version": version, "diagnostics": list(diagnostics)}]}


def at(line: int) -> Json:
    return {"range": {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}}}


WHOLE = {**at(4), "message": "bad", "severity": 2, "source": "ruff", "code": "F821", "tags": [1]}

ANSWERS: dict[str, tuple[object, DiagnosticsReport]] = {
    "nothing found": (found(), EMPTY),
    "all fields": (
        found(WHOLE),
        DiagnosticsReport(
            DiagnosticsStatus.SUCCESS,
            (FileDiagnostics(A, (Diagnostic(4, "bad", Severity.WARNING, "ruff", "F821"),), 3),),
        ),
    ),
    "hardly any field": (
        found({"message": "x", "code": 7, "severity": 9}),
        DiagnosticsReport(
            DiagnosticsStatus.SUCCESS, (FileDiagnostics(A, (Diagnostic(0, "x", Severity.INFORMATION, "", "7"),), 3),)
        ),
    ),
    "one of them wrong": (
        found({"message": 3}, "what", {"message": "right"}),
        DiagnosticsReport(DiagnosticsStatus.SUCCESS, (FileDiagnostics(A, (Diagnostic(0, "right"),), 3),)),
    ),
    "far too many": (
        found(*[at(0)] * (MOST_PER_FILE + 5)),
        DiagnosticsReport(DiagnosticsStatus.SUCCESS, (FileDiagnostics(A, (Diagnostic(0, ""),) * MOST_PER_FILE, 3),)),
    ),
    "without a version": (
        found(version=None),
        DiagnosticsReport(DiagnosticsStatus.SUCCESS, (FileDiagnostics(A, (), None),)),
    ),
    "an older version": (found(WHOLE, version=2), TIMEOUT),
    "another document": (found(WHOLE, uri=B), TIMEOUT),
    "starting": ({"status": "starting"}, DiagnosticsReport(DiagnosticsStatus.STARTING)),
    "no server": ({"status": "no-server", "items": []}, DiagnosticsReport(DiagnosticsStatus.NO_SERVER)),
    "timeout": ({"status": "timeout"}, TIMEOUT),
    "a word of tomorrow": ({"status": "busy"}, UNKNOWN),
    "null": (None, UNKNOWN),
    "a list": ([1], UNKNOWN),
}


@pytest.mark.parametrize(("answer", "report"), ANSWERS.values(), ids=ANSWERS)
async def test_answer_is_believed_as_far_as_it_makes_sense(answer: object, report: DiagnosticsReport) -> None:
    async with asking(lambda _: answer) as door:
        assert await served(door).diagnose([A], Look.CHECK) == report


def refuse(_: Json) -> Json:
    raise RpcError({"code": -32603, "message": "it broke"})


def be_silent(_: Json) -> Json:
    raise NoAnswer


@pytest.mark.parametrize(("answer", "report"), [(refuse, UNKNOWN), (be_silent, TIMEOUT)])
async def test_client_without_an_answer_is_waited_for_no_longer_than_said(
    answer: Callable[[Json], Json], report: DiagnosticsReport
) -> None:
    async with asking(answer, Patience(diagnostics=0.05)) as door:
        assert await served(door).diagnose([A], Look.CHECK) == report


async def told(door: FrontDoor, uri: str, answer: Json) -> tuple[str, int]:
    """What is reported of a file when the client answers like this, and how long the client was given."""
    door.client.answers["agent/diagnostics"] = lambda _: answer
    report = await served(door).diagnose([uri], Look.CHECK)
    asked = [params for method, params in door.client.questions if method == "agent/diagnostics"]
    return report.status, asked[-1]["timeoutMs"]


NOTHING: Json = {"status": "timeout", "items": [{"uri": A, "diagnostics": []}]}
FOUND: Json = {"status": "timeout", "items": [{"uri": A, "diagnostics": [at(1)]}]}


PYTHON = "file:///w/a.py"
WHOLE_WAIT, SHORT_WAIT = ("timeout", 1200), ("unknown", 240)


async def test_kind_of_file_that_nobody_checks_is_waited_for_only_now_and_then() -> None:
    async with asking(lambda _: None) as door:
        waits = [await told(door, A, NOTHING) for _ in range(17)]
        of_another_kind = await told(door, PYTHON, NOTHING)

    now_and_then = ("unknown", 1200)
    assert waits == [*[WHOLE_WAIT] * 3, *[SHORT_WAIT] * 5, now_and_then, *[SHORT_WAIT] * 7, now_and_then]
    assert of_another_kind == WHOLE_WAIT


@pytest.mark.parametrize("answer", [FOUND, found()], ids=["something found", "checked and clean"])
@pytest.mark.parametrize("silent_for", [1, 2, 3, 5, 9])
async def test_kind_of_file_that_is_checked_after_all_is_waited_for_again(answer: Json, silent_for: int) -> None:
    async with asking(lambda _: None) as door:
        for _ in range(silent_for):
            await told(door, A, NOTHING)
        await told(door, A, answer)
        later = [await told(door, A, NOTHING) for _ in range(5)]

    assert later == [WHOLE_WAIT] * 5


async def test_what_is_known_before_an_edit_is_heard_too() -> None:
    async with asking(lambda _: None) as door:
        for _ in range(3):
            await told(door, A, NOTHING)
        door.client.answers["agent/diagnostics"] = lambda _: FOUND
        await served(door).diagnose([A], Look.GLANCE)

        assert await told(door, A, NOTHING) == WHOLE_WAIT


async def test_kind_without_a_server_is_waited_for_once_there_is_one() -> None:
    async with asking(lambda _: None) as door:
        for _ in range(5):
            await told(door, A, {"status": "no-server"})

        assert await told(door, A, NOTHING) == WHOLE_WAIT


async def test_files_of_silent_kinds_are_waited_for_shortly_together() -> None:
    async with asking(lambda _: None) as door:
        for uri in (A, PYTHON) * 3:
            await told(door, uri, NOTHING)
        report = await served(door).diagnose([A, PYTHON], Look.CHECK)
        timeout = door.client.questions[-1][1]["timeoutMs"]

    assert (report.status, timeout) == SHORT_WAIT


async def test_question_that_is_given_up_is_cancelled() -> None:
    async with asking(be_silent) as door:
        asked = asyncio.create_task(served(door).diagnose([A], Look.CHECK))
        await door.client.question("agent/diagnostics")

        asked.cancel()

        await door.client.notification("$/cancelRequest")
        with pytest.raises(asyncio.CancelledError):
            await asked


async def test_client_that_did_not_announce_it_is_not_asked() -> None:
    async with asking(None) as door:
        assert not served(door).can_diagnose()
        assert await served(door).diagnose([A], Look.CHECK) == UNKNOWN
        assert door.client.questions == []
