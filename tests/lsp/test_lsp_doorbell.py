import json

import pytest

from agent_lsp.domain.messages import Ask, Message
from agent_lsp.domain.status import ACTIONS, WaitingAsk
from agent_lsp.lsp.plain.doorbell import MAX_COLUMNS, MAX_LINES, Doorbell, doorbell, one_line


def bell(kind: Ask, text: str) -> Doorbell | None:
    message = Message(ts=7, type="ask", ask=kind, text=text)
    return doorbell(message, WaitingAsk(7, kind, kind.category, ACTIONS[kind]))


SAVE_FIRST = "Save, so that the command sees your edits; or approve to run it on what is\non the disk: a, b"


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (Ask.COMMAND, '{"command": "make\\nmake test"}', "Run this command?\nmake\nmake test"),
        (Ask.TOOL, '{"tool": "readFile", "path": "x"}', "Read x"),
        (Ask.TOOL, '{"tool": "saveFiles", "paths": ["a", "b"]}', SAVE_FIRST),
        (Ask.TOOL, '{"tool": "t", "path": "x", "isProtected": true}', "This file is protected.\nt: x"),
        (Ask.TOOL, "no json", "no json"),
        (Ask.TOOL, "[1]", "[1]"),
        (
            Ask.TOOL,
            '{"isOutsideWorkspace": true, "reason": "why", "changes": [{"kind": "rename", "path": "a", "newPath": "b", "added": 0, "removed": 0}]}',
            "This is outside the workspace.\nRename a to b (+0 -0)\nwhy",
        ),
        (Ask.FOLLOWUP, '{"question": "Which?"}', "Which?"),
        (Ask.TOOL, '{"tool": "switchMode", "mode": "ask", "reason": "why"}', "Switch to mode ask\nwhy"),
        (Ask.API_REQ_FAILED, '{"message": "no"}', "The model's service failed:\nno"),
        (Ask.MISTAKE_LIMIT_REACHED, "Stuck.", "Stuck."),
        (
            Ask.AUTO_APPROVAL_MAX_REQ_REACHED,
            '{"count": 5, "limit": 5, "type": "requests"}',
            "The limit is reached: 5 of 5 (requests). Go on?",
        ),
        (Ask.COMMAND, '{"command": "echo \\u202egpj"}', "Run this command?\necho \\u202egpj"),
    ],
)
def test_pop_up_says_what_is_asked(kind: Ask, text: str, words: str) -> None:
    found = bell(kind, text)

    assert found
    assert found.text == words
    assert found.choices[0].response is None


@pytest.mark.parametrize("kind", [Ask.COMPLETION_RESULT, Ask.RESUME_TASK, Ask.RESUME_COMPLETED_TASK])
def test_nobody_is_called_for_a_task_at_rest(kind: Ask) -> None:
    assert bell(kind, "") is None


@pytest.mark.parametrize("command", ["x\n" * 100, "y" * 5_000, "漢" * 900, "a b " * 600])
def test_pop_up_is_never_tall_or_wide(command: str) -> None:
    found = bell(Ask.COMMAND, json.dumps({"command": command}))

    assert found
    lines = found.text.split("\n")
    assert len(lines) <= MAX_LINES
    assert max(len(line) if line.isascii() else 2 * len(line) for line in lines) <= MAX_COLUMNS
    assert "more lines" in lines[-1]


def test_one_liner_is_one_line() -> None:
    assert one_line("a\nb\tc" + " d" * 500).count("\n") == 0
