"""The real server, a task of many edits, and a user who types all the while in the same document."""

import os
import random
from pathlib import Path

import pytest
from story import CAPABILITIES, story
from typing_room import Typist

from support.lsp_client import Json
from support.model_server import CallTool

STEPS = int(os.environ.get("TYPING_STEPS", "25"))
SLOTS = 12


def first_text() -> str:
    return "".join(f"🦊 slot {number:02} = 0;\r\n\r\ne\u0301 between\r\n" for number in range(SLOTS))


def script(chance: random.Random) -> list[list[CallTool]]:
    """Count one slot up in each step; what the user types into a slot is the tool's to find out."""
    counts, steps = [0] * SLOTS, list[list[CallTool]]()
    for _ in range(STEPS):
        slot = chance.randrange(SLOTS)
        old, counts[slot] = counts[slot], counts[slot] + 1
        edit = CallTool(
            "edit_file",
            path="a.txt",
            old_string=f"slot {slot:02} = {old};",
            new_string=f"slot {slot:02} = {old + 1};",
        )
        steps.append([edit])
    return [*steps, [CallTool("attempt_completion", result="Done.")]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_a_user_who_types_through_a_whole_task_loses_nothing(tmp_path: Path, encoding: str) -> None:
    chance = random.Random(encoding)
    capabilities: Json = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    settings: Json = {"permissionMode": "acceptEdits", "limits": {"consecutiveMistakes": 1000}}
    async with story(tmp_path, script(chance), capabilities=capabilities, settings=settings) as s:
        uri = s.file("a.txt", first_text()).as_uri()
        s.editor.open(uri, first_text())
        typist = Typist(s.editor, uri, chance)
        s.client.answers["workspace/applyEdit"] = typist.around(s.editor.apply)
        await s.new_task()
        await s.ask("completion_result")
        results = [result for request in s.model.requests[1:] for result in request.results]

        assert typist.lost() == []
        assert len(typist.typed) >= STEPS // 2
        made = [result for result in results if result.text.startswith("a.txt changed")]
        assert len(made) >= STEPS // 2
        assert [result.text for result in results if "does not show it" in result.text] == []
