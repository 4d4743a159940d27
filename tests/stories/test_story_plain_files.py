"""A stock client, and all it can decide on: hunks one by one, diffs edited by hand, transcripts, prompts."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from story import Story, story

from support.lsp_client import RpcError
from support.model_server import CallTool

CAPABILITIES = {
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "executeCommand": {}},
    "window": {"showMessage": {"messageActionItem": {}}, "showDocument": {"support": True}},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
}
BEFORE = "".join(f"line {n}\n" for n in range(1, 31))
TWO_HUNKS = [
    CallTool(
        "write_to_file", path="a.txt", content=BEFORE.replace("line 2\n", "line two\n").replace("line 29\n", "end\n")
    )
]
DONE = [CallTool("attempt_completion", result="Done.")]


async def command(s: Story, name: str, *arguments: str) -> Any:
    return await s.client.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})


async def until_ask(s: Story, kind: str) -> dict:
    while True:
        status = await s.client.request("agent/state", {})
        if status["ask"] and status["ask"]["kind"] == kind:
            return status["messages"][-1]


async def begin(s: Story) -> Path:
    s.client.answers["window/showDocument"] = lambda _: {"success": True}
    path = s.file("a.txt", BEFORE)
    await command(s, "agent.newTask", "change two lines")
    await until_ask(s, "tool")
    return path


def path_of(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


async def test_hunks_are_decided_one_by_one(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE], capabilities=CAPABILITIES, agent=None) as s:
        path = await begin(s)

        first = await command(s, "agent.acceptHunk")
        second = await command(s, "agent.rejectHunk")
        await until_ask(s, "completion_result")

        assert (first, second) == ({"accepted": True, "undecided": 1}, {"accepted": True, "undecided": 0})
        assert path.read_text() == BEFORE.replace("line 2\n", "line two\n")
        assert "line 29" in s.model.requests[1].results[0].text


async def test_approving_leaves_a_rejected_hunk_out(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE], capabilities=CAPABILITIES, agent=None) as s:
        path = await begin(s)

        await command(s, "agent.rejectHunk")
        await command(s, "agent.approve")
        await until_ask(s, "completion_result")

        assert path.read_text() == BEFORE.replace("line 29\n", "end\n")


async def test_a_diff_edited_on_the_disk_is_what_is_applied(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE], capabilities=CAPABILITIES, agent=None) as s:
        path = await begin(s)

        shown = await command(s, "agent.showDiff")
        diff = path_of(shown["uri"])
        diff.write_text(diff.read_text().replace("+line two\n", "+zwei\n+und mehr\n"))
        await command(s, "agent.approve")
        await until_ask(s, "completion_result")

        assert path.read_text() == BEFORE.replace("line 2\n", "zwei\nund mehr\n").replace("line 29\n", "end\n")
        assert "zwei" in s.model.requests[1].results[0].text
        assert [p["uri"] for m, p in s.client.questions if m == "window/showDocument"] == [shown["uri"]]
        assert not diff.exists()


async def test_a_diff_that_does_not_fit_any_more_is_refused_and_the_ask_waits(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE], capabilities=CAPABILITIES, agent=None) as s:
        path = await begin(s)
        shown = await command(s, "agent.showDiff")
        s.editor.open(shown["uri"], path_of(shown["uri"]).read_text())
        s.editor.type(shown["uri"], s.editor.documents[shown["uri"]].text.replace("-line 2\n", "-line zwei\n"))

        with pytest.raises(RpcError) as error:
            await command(s, "agent.approve")

        assert (error.value.kind, "does not fit" in error.value.message) == ("BadParams", True)
        assert (await until_ask(s, "tool"))["ask"] == "tool"
        assert path.read_text() == BEFORE


async def test_an_answer_may_bring_a_diff(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE]) as s:
        path = s.file("a.txt", BEFORE)
        await s.new_task()
        ask = await s.ask("tool")
        (change,) = json.loads(ask["text"])["changes"]

        await s.answer(edited=[{"uri": change["uri"], "diff": "@@ -2 +2 @@\n-line 2\n+zwei\n"}])
        await s.ask("completion_result")

        assert path.read_text() == BEFORE.replace("line 2\n", "zwei\n")


async def test_transcript_is_kept_current_in_the_editor(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE], capabilities=CAPABILITIES, agent=None) as s:
        await begin(s)
        shown = await command(s, "agent.showTranscript")
        at_first = path_of(shown["uri"]).read_text()
        s.editor.open(shown["uri"], at_first)

        await command(s, "agent.approve")
        await s.client.until(lambda: "## Done" in s.editor.documents[shown["uri"]].text)
        at_last = s.editor.documents[shown["uri"]].text

        assert "`agent.approve`" in at_first
        assert "change two lines" in at_first
        assert at_last.index("Done.") < at_last.index("+line two") < at_last.index("## Task")
        assert path_of(shown["uri"]).read_text() == at_first


async def test_transcript_that_is_not_open_is_a_current_file_at_the_end(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE], capabilities=CAPABILITIES, agent=None) as s:
        await begin(s)
        shown = await command(s, "agent.showTranscript")
        await command(s, "agent.approve")
        await until_ask(s, "completion_result")
        await s.client.shut_down()

        text = path_of(shown["uri"]).read_text()
        assert "*at rest*" in text
        assert text.index("Done.") < text.index("+line two") < text.index("## Task")


async def test_a_prompt_document_runs_a_task_by_code_actions_alone(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE], capabilities=CAPABILITIES, agent=None) as s:
        path = s.file("a.txt", BEFORE)
        uri = s.file("work.agent.md", "").as_uri()
        s.editor.open(uri, "change two lines of @a.txt:2-3, please")

        await perform(s, uri, "Agent: send this prompt")
        await until_ask(s, "tool")
        await perform(s, uri, "Agent: approve a.txt")
        await until_ask(s, "completion_result")

        assert path.read_text() != BEFORE
        assert s.editor.documents[uri].text == ""
        assert "line 3" in "".join(s.model.requests[0].new_texts[1:])


async def perform(s: Story, uri: str, title: str) -> None:
    place = {"line": 0, "character": 0}
    params = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}
    actions = await s.client.request("textDocument/codeAction", params)
    action = next(action for action in actions if action["title"] == title)
    await command(s, action["command"]["command"], *action["command"]["arguments"])


async def test_files_are_taken_back_by_command(tmp_path: Path) -> None:
    async with story(tmp_path, [TWO_HUNKS, DONE], capabilities=CAPABILITIES, agent=None) as s:
        path = await begin(s)
        await command(s, "agent.approve")
        await until_ask(s, "completion_result")
        after = path.read_text()

        plan = await command(s, "agent.restore")
        told = await s.client.notification("window/showMessage", lambda p: "undoes that" in p["message"])

        assert (after != BEFORE, path.read_text()) == (True, BEFORE)
        assert [file["path"] for file in plan["files"]] == ["a.txt"]
        assert told["message"].startswith("Taken back: a.txt. agent.restore ")
