from dataclasses import replace

import pytest
from test_lsp_waiting import CHANGE, FIRST, SECOND, URI, command, propose, settle

from agent_lsp.domain.files import Hunk
from agent_lsp.lsp.plain.marks import changed_places
from agent_lsp.workspace.diffs import compare
from support.front_door import FrontDoor
from support.lsp_client import Json

MESSAGE = "The agent would change this: +1 -1 (hunk {} of 2)"


def open_document(door: FrontDoor, uri: str = URI, version: int = 0) -> None:
    item = {"uri": uri, "languageId": "p", "version": version, "text": CHANGE.before}
    door.client.notify("textDocument/didOpen", {"textDocument": item})


def mark(line: int, hunk_id: str, number: int) -> Json:
    place = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    return {"range": place, "severity": 3, "source": "agent", "code": hunk_id, "message": MESSAGE.format(number)}


async def published(door: FrontDoor) -> list[Json]:
    await door.client.request("agent/debugReport")
    return door.client.named("textDocument/publishDiagnostics")


async def test_hunks_are_marked_until_they_are_decided(plain: FrontDoor) -> None:
    open_document(plain)
    await published(plain)

    propose(plain)
    await command(plain, "agent.acceptHunk")
    settle(plain)

    marks = [mark(1, FIRST, 1), mark(28, SECOND, 2)]
    assert await published(plain) == [
        {"uri": URI, "diagnostics": marks},
        {"uri": URI, "diagnostics": marks[1:]},
        {"uri": URI, "diagnostics": []},
    ]


PLACES = {
    "changed": (5, [" a", "-b", "+B", " c"], [(5, 6)]),
    "added between two": (5, [" a", "+b", " c"], [(5, 5)]),
    "dropped, with lines kept between": (1, ["-a", "-b", " }", "-c", "+C", " d"], [(0, 2), (3, 4)]),
    "newline lost at the end": (1, [" a", "-b", "+b", "\\ No newline at end of file"], [(1, 2)]),
    "kept without a newline": (1, ["+a", " b", "\\ No newline at end of file"], [(0, 0)]),
}


@pytest.mark.parametrize(("start", "lines", "places"), PLACES.values(), ids=PLACES)
def test_each_run_of_changed_lines_is_a_place(start: int, lines: list[str], places: list[tuple[int, int]]) -> None:
    hunk = Hunk("h", "", start, tuple(lines))

    assert [(place.start.line, place.end.line) for place in changed_places(hunk)] == places


async def test_runs_of_changed_lines_are_marked_one_by_one(plain: FrontDoor) -> None:
    before, after = "one\n{\ntwo\n", "1\n{\n2\n"
    difference = compare("a.txt", before, after)
    open_document(plain)
    await published(plain)

    propose(plain, change=replace(CHANGE, hunks=difference.hunks, before=before, after=after))

    (params,) = await published(plain)
    ranges = [(mark["range"]["start"]["line"], mark["range"]["end"]["line"]) for mark in params["diagnostics"]]
    assert (len(difference.hunks), ranges) == (1, [(0, 1), (2, 3)])


async def test_document_that_is_opened_later_is_marked_then(plain: FrontDoor) -> None:
    propose(plain)
    before = await published(plain)

    open_document(plain, "file:///w/other.txt")
    open_document(plain)
    at_open = await published(plain)
    plain.client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})

    assert before == []
    assert [len(params["diagnostics"]) for params in at_open] == [2]
    assert (await published(plain))[1:] == [{"uri": URI, "diagnostics": []}]


async def test_document_that_nobody_asks_about_is_left_alone(plain: FrontDoor) -> None:
    open_document(plain, "file:///w/other.txt")

    propose(plain)
    settle(plain)

    assert await published(plain) == []


async def test_two_tasks_mark_one_document_together(plain: FrontDoor) -> None:
    open_document(plain)
    await published(plain)

    propose(plain)
    propose(plain, ts=9, task_id="t2")
    settle(plain)

    assert [len(params["diagnostics"]) for params in await published(plain)] == [2, 4, 2]


async def test_client_with_a_plugin_marks_by_itself(ready: FrontDoor) -> None:
    open_document(ready)

    propose(ready)

    assert await published(ready) == []
