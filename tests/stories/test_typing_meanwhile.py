"""The user types while the agent edits, a thousand times: no character of theirs is lost, and every claim is true."""

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from typing_room import Typist, is_typed, typing_room

from agent_lsp.domain.files import Applied

ROUNDS = int(os.environ.get("TYPING_ROUNDS", "340"))
"""For each encoding."""
ENDINGS = {"LF": "\n", "CRLF": "\r\n"}
WORDS = ["plain", "f🦊x", "e\u0301te", "naïve", "中文", "\t", "a\u2028b", ""]


def first_text(ending: str) -> str:
    return "".join(f"{number}: {WORDS[number % len(WORDS)]}{ending}" for number in range(60))


def revised(text: str, number: int, chance: random.Random) -> str:
    """Replace, drop or put in lines, and leave alone what the user typed and the agent has seen."""
    lines = text.splitlines(keepends=True)
    own = [at for at, line in enumerate(lines) if not is_typed(line)]
    for at in sorted(chance.sample(own, min(len(own), chance.randint(1, 3))), reverse=True):
        new = f"edit {number}: {chance.choice(WORDS)}\n"
        match chance.choice(["replace", "replace", "drop", "put"]):
            case "drop" if len(own) > 20:
                del lines[at]
            case "replace":
                lines[at] = new
            case _:
                lines.insert(at, new)
    return "".join(lines)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_nothing_that_the_user_types_during_edits_is_lost(tmp_path: Path, encoding: str, ending: str) -> None:
    chance, outcomes = random.Random(f"{encoding} {ending}"), Counter[str]()
    async with typing_room(tmp_path, first_text(ENDINGS[ending]), encoding) as room:
        typist = Typist(room.editor, room.uri, chance)
        room.door.client.answers["workspace/applyEdit"] = typist.around(room.editor.apply)
        for number in range(ROUNDS // len(ENDINGS)):
            typist.maybe()
            proposal = await room.proposal(lambda text, n=number: revised(text, n, chance))
            typist.maybe()

            outcome = await room.make(proposal)

            outcomes[type(outcome).__name__] += 1
            await room.settled()
            assert typist.lost() == []
            assert room.mirrored == room.shown
            assert is_true(outcome, number, room.editor.past)

    assert len(typist.typed) > ROUNDS // len(ENDINGS)
    assert outcomes["Applied"] > ROUNDS // len(ENDINGS) // 4
    assert outcomes["Unproven"] == 0


def is_true(outcome: object, number: int, past: list[str]) -> bool:
    """Whether the editor has shown exactly what was said to be made."""
    if isinstance(outcome, Applied):
        return all(edit.after in past for edit in outcome.edits)
    return not any(f"edit {number}: " in text for text in past)
