"""After an edit the model is told what the user's language servers newly find."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from story import Story, story

from support.lsp_client import AGENT, Json, NoAnswer
from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="Done.")]
EDIT = [CallTool("edit_file", path="a.py", old_string="two", new_string="x\n2")]
ABLE: Json = {**AGENT, "diagnostics": {}}


def checker(s: Story) -> Callable[[Json], Json]:
    """A language server that takes exception to digits, whatever the version."""

    def diagnose(params: Json) -> Json:
        items = list[Json]()
        for uri, least in zip(params["uris"], params["minVersions"], strict=True):
            document = s.editor.documents[uri]
            assert document.version >= least
            lines = [n for n, line in enumerate(document.text.splitlines()) if line.isdigit()]
            items.append({"uri": uri, "version": document.version, "diagnostics": [finding(n) for n in lines]})
        return {"status": "success", "items": items}

    return diagnose


def finding(line: int) -> Json:
    return {
        "range": {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}},
        "severity": 1,
        "message": "a digit",
        "source": "check",
    }


async def told_after_edit(s: Story, answer: Callable[[Json], Any]) -> str:
    path = s.file("a.py", "one\ntwo\n3\n")
    s.editor.open(path.as_uri(), path.read_text())
    s.client.answers["agent/diagnostics"] = answer
    await s.new_task()
    await s.approve("tool")
    await s.ask("completion_result")
    first, rest = s.model.requests[1].results[0].text.split("\n", 1)
    assert first == "a.py changed (once, +2 -1 lines)."
    return rest


async def test_new_ones_reach_the_model_and_old_ones_do_not(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE], agent=ABLE) as s:
        told = await told_after_edit(s, checker(s))

        assert told == "New diagnostics (from the editor):\na.py:3: error: a digit [check]"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("timeout", "Diagnostics: timeout, nothing was found in time."),
        ("starting", "Diagnostics: unknown, the language server is still starting."),
        ("no-server", "Diagnostics: unknown, the editor has no language server for this."),
    ],
)
async def test_why_there_are_none_is_told(tmp_path: Path, status: str, words: str) -> None:
    async with story(tmp_path, [EDIT, DONE], agent=ABLE) as s:
        assert await told_after_edit(s, lambda _: {"status": status, "items": []}) == words


async def test_client_that_did_not_announce_it_is_not_asked_and_the_model_knows(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        assert await told_after_edit(s, checker(s)) == "Diagnostics: unknown."
        assert "agent/diagnostics" not in [method for method, _ in s.client.questions]


async def test_turn_that_is_cancelled_waits_for_no_diagnostics(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE], agent=ABLE) as s:
        path = s.file("a.py", "one\ntwo\n3\n")
        s.editor.open(path.as_uri(), path.read_text())
        checks = checker(s)

        def silent_after_the_edit(params: Json) -> Json:
            if s.editor.applied:
                raise NoAnswer
            return checks(params)

        s.client.answers["agent/diagnostics"] = silent_after_the_edit
        await s.new_task()
        await s.approve("tool")
        await s.client.question("agent/diagnostics", lambda params: bool(s.editor.applied) and bool(params))
        status = await s.client.request("agent/cancelTask", {"taskId": s.task_id})

        assert status["state"] == "resumable"
        assert s.editor.documents[path.as_uri()].text == "one\nx\n2\n3\n"
