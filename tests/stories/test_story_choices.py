"""What the user makes of a proposal, from outside: other texts, some hunks only, words; all of it reaches the model."""

import json
from pathlib import Path

import pytest
from story import YES, Story, story, tool_ask

from support.lsp_client import Json
from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="Done.")]
LINES = [f"line {number}" for number in range(30)]
BEFORE = "\n".join(LINES) + "\n"
AFTER = "\n".join(["first", *LINES[1:29], "last"]) + "\n"
WRITE = [CallTool("write_to_file", path="a b.txt", content=AFTER)]


async def result(s: Story) -> str:
    await s.ask("completion_result")
    return s.model.requests[1].results[0].text


def user_diffs(s: Story) -> list[Json]:
    rows = s.picture.update().messages.values()
    return [json.loads(row["text"]) for row in rows if row.get("say") == "user_feedback_diff"]


@pytest.mark.parametrize("response", ["yesButtonClicked", "objectResponse"])
@pytest.mark.parametrize("spelling", ["a%20b.txt", "%61%20b.txt"])
@pytest.mark.parametrize("is_open", [True, False])
async def test_text_of_the_user_is_applied_and_told(
    tmp_path: Path, response: str, spelling: str, is_open: bool
) -> None:
    async with story(tmp_path, [WRITE, DONE]) as s:
        path = s.file("a b.txt", BEFORE)
        if is_open:
            s.editor.open(path.as_uri(), BEFORE)
        await s.new_task()
        await s.ask("tool")
        mine = AFTER.replace("last", "my last")
        uri = path.as_uri().replace("a%20b.txt", spelling)
        await s.answer(response, edited=[{"uri": uri, "text": mine}], text="better so")
        told = await result(s)

        assert (s.editor.documents[path.as_uri()].text if is_open else path.read_text()) == mine
        assert told.startswith(
            "a b.txt changed.\nThe user changed your proposal. From what you proposed, a b.txt differs"
        )
        assert "-last\n+my last" in told
        assert told.endswith("The user approved this and says:\nbetter so")
        assert [(diff["path"], "+my last" in diff["diff"]) for diff in user_diffs(s)] == [("a b.txt", True)]


async def test_text_of_the_user_for_another_file_is_not_dropped_in_silence(tmp_path: Path) -> None:
    async with story(tmp_path, [WRITE, DONE]) as s:
        path = s.file("a b.txt", BEFORE)
        await s.new_task()
        await s.ask("tool")
        await s.answer(YES, edited=[{"uri": "file:///elsewhere", "text": "mine"}])

        assert "The user's own text is for file:///elsewhere" in await result(s)
        assert path.read_text() == BEFORE


async def test_text_that_was_set_back_leaves_the_file_alone(tmp_path: Path) -> None:
    async with story(tmp_path, [WRITE, DONE]) as s:
        path = s.file("a b.txt", BEFORE)
        stamp = path.stat().st_mtime_ns
        await s.new_task()
        await s.ask("tool")
        await s.answer(YES, edited=[{"uri": path.as_uri(), "text": BEFORE}])

        assert (await result(s)).startswith("a b.txt stays as it was.\nThe user changed your proposal.")
        assert (path.read_text(), path.stat().st_mtime_ns) == (BEFORE, stamp)


async def test_hunks_and_words_of_a_change_that_moved_reach_the_model(tmp_path: Path) -> None:
    async with story(tmp_path, [WRITE, DONE]) as s:
        uri = s.file("a b.txt", BEFORE).as_uri()
        s.editor.open(uri, BEFORE)
        await s.new_task()
        ask = tool_ask(await s.ask("tool"))
        s.editor.type(uri, BEFORE.replace("line 1\n", "line 1\ntyped\n"))
        await s.answer(YES, hunks={ask["changes"][0]["hunks"][1]["id"]: "reject"}, text="not the last")
        again = await s.ask("tool")
        await s.answer(YES, ts=again["ts"], text="now yes")
        told = await result(s)

        assert s.editor.documents[uri].text == BEFORE.replace("line 0\nline 1\n", "first\nline 1\ntyped\n")
        assert "-last\n+line 29" in told
        assert told.endswith("The user approved this and says:\nnot the last\nnow yes")
        assert len(user_diffs(s)) == 1
