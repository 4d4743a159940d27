"""Files that are not open go through the editor too, and of them its word is no proof either."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from story import Story, story

from support.fake_editor import Manner
from support.lsp_client import Json
from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="Done.")]
EDIT = [CallTool("edit_file", path="a.txt", old_string="two", new_string="2")]
CREATE = [CallTool("write_to_file", path="b.txt", content="made\n")]
PATCH = [
    CallTool(
        "apply_patch",
        patch="*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** Add File: b.txt\n+made\n*** End Patch",
    )
]
BEFORE = {"a.txt": "one\ntwo\n"}
EDITED = {"a.txt": "one\n2\n"}
MADE = {"b.txt": "made\n"}


def standing(s: Story) -> dict[str, str]:
    """What the user has: documents where they are open, files where they are not."""
    files = {path.as_uri(): path.read_text() for path in s.workspace.rglob("*") if path.is_file()}
    shown = {uri: document.text for uri, document in s.editor.documents.items()}
    return {uri.removeprefix(s.workspace.as_uri() + "/"): text for uri, text in (files | shown).items()}


NOTHING = "Nothing was written: "
DOUBT = "The editor took the edit of "
LIES = [
    (Manner.CLAIMS_ONLY, EDIT, DOUBT, BEFORE),
    (Manner.CLAIMS_ONLY, CREATE, DOUBT, BEFORE),
    (Manner.CLAIMS_ONLY, PATCH, DOUBT, BEFORE),
    (Manner.LATE, EDIT, DOUBT, BEFORE),
    (Manner.DENIES, EDIT, "a.txt changed", EDITED),
    (Manner.DENIES, CREATE, "b.txt created", BEFORE | MADE),
    (Manner.DENIES, PATCH, "a.txt changed", EDITED | MADE),
    (Manner.HALF, PATCH, NOTHING, BEFORE),
    (Manner.REFUSES, PATCH, NOTHING, BEFORE),
    (Manner.FAILS, PATCH, NOTHING, BEFORE),
    (Manner.HONEST, PATCH, "a.txt changed", EDITED | MADE),
]


@pytest.mark.parametrize(("manner", "call", "told", "there"), LIES)
async def test_what_is_told_of_closed_files_is_what_is_there(
    tmp_path: Path, manner: Manner, call: list[CallTool], told: str, there: dict[str, str]
) -> None:
    async with story(tmp_path, [call, DONE]) as s:
        s.file("a.txt", BEFORE["a.txt"])
        await s.new_task()
        await s.ask("tool")
        s.editor.manner = manner
        s.client.answers["workspace/applyEdit"] = honest_after_the_first(s)
        await s.answer()
        await s.ask("completion_result")

        assert (s.model.requests[1].results[0].text[: len(told)], standing(s)) == (told, there)


def honest_after_the_first(s: Story) -> Callable[[Json], Awaitable[Json]]:
    async def answer(params: Json) -> Json:
        answered = await s.editor.apply(params)
        s.editor.manner = Manner.HONEST
        return answered

    return answer
