import json
from pathlib import Path

import pytest
from headless_hall import COMMAND, EDIT, ROOT, ask, say

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say
from agent_lsp.domain.status import Todo, Usage
from agent_lsp.headless.paint import Paint, Tone
from agent_lsp.headless.rows import answer_rows, message_rows, task_rows, todo_rows, usage_row

PLAIN, COLOURED = Paint(is_on=False), Paint(is_on=True)
DIFF_ROWS = ["  @@ -1 +1 @@", "  -old", "  +new"]


def ask_rows(kind: Ask, body: Json | str = "", root: Path = ROOT) -> list[str]:
    return message_rows(ask(1, kind, body if isinstance(body, str) else json.dumps(body)), PLAIN, root)


def say_rows(kind: Say, body: Json | str = "") -> list[str]:
    return message_rows(say(1, kind, body if isinstance(body, str) else json.dumps(body)), PLAIN, ROOT)


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (EDIT, ["? edit src/a.py  +1 -1", *DIFF_ROWS]),
        (
            {"tool": "newFileCreated", "path": "/etc/x", "isOutsideWorkspace": True, "reason": "It lies outside."},
            ["? create /etc/x  (outside the workspace)", "  It lies outside."],
        ),
        (EDIT | {"isProtected": True}, ["? edit src/a.py  +1 -1  (protected file)", *DIFF_ROWS]),
        ({"tool": "readFile", "path": "a.py"}, ["? read a.py"]),
        ({"tool": "listFilesRecursive", "path": "src"}, ["? list src"]),
        ({"tool": "searchFiles", "path": "src", "regex": "x+", "filePattern": "*.py"}, ["? search src for x+ (*.py)"]),
        ({"tool": "saveFiles", "paths": ["a", "b"]}, ["? save a b"]),
        ({"tool": "renamedFile", "path": "a", "newPath": "b"}, ["? rename a to b"]),
        ({"tool": "fetchUrl"}, ["? fetchUrl"]),
        (
            {"tool": "switchMode", "mode": "ask", "reason": "Only a question."},
            ["? switch to mode ask", "  Only a question."],
        ),
    ],
)
def test_tool_asks_say_what_is_to_be_done(body: Json, rows: list[str]) -> None:
    assert ask_rows(Ask.TOOL, body) == rows


def test_change_of_several_files_names_each() -> None:
    change = EDIT["changes"][0]
    body = EDIT | {"changes": [change, change | {"path": "src/b.py"}]}

    rows = ask_rows(Ask.TOOL, body)

    assert rows == ["? edit src/a.py  +2 -2", "  src/a.py", *DIFF_ROWS, "  src/b.py", *DIFF_ROWS]


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (COMMAND, ["? run", "  $ make test"]),
        (COMMAND | {"cwd": str(ROOT / "src")}, ["? run in src", "  $ make test"]),
        (COMMAND | {"cwd": "/tmp"}, ["? run in /tmp", "  $ make test"]),
        ({"command": "cat <<E\nx\nE"}, ["? run", "  $ cat <<E", "    x", "    E"]),
        (COMMAND | {"reason": "It is not in the list."}, ["? run", "  $ make test", "  It is not in the list."]),
        (
            {
                "command": "git log | rm x",
                "segments": [{"text": "git log", "verdict": "auto_approve"}, {"text": "rm x", "verdict": "ask"}],
            },
            ["? run", "  $ git log | rm x", "  allowed git log", "  asks    rm x"],
        ),
    ],
)
def test_command_asks_show_the_command_where_it_runs_and_its_parts(body: Json, rows: list[str]) -> None:
    assert ask_rows(Ask.COMMAND, body) == rows


@pytest.mark.parametrize(
    ("kind", "body", "rows"),
    [
        (
            Ask.FOLLOWUP,
            {"question": "Which?\nThink.", "suggest": [{"answer": "this"}, {"answer": "that", "mode": "ask"}]},
            ["? Which?", "  Think.", "  1. this", "  2. that (sets ask mode)"],
        ),
        (Ask.COMPLETION_RESULT, "One.\nTwo.\n", ["✓ Completed", "One.", "Two."]),
        (
            Ask.API_REQ_FAILED,
            {"message": "Overloaded.", "status": 529, "attempts": 5, "hint": "Wait."},
            ["✗ Overloaded. (status 529) Tried 5 times. Wait."],
        ),
        (
            Ask.API_REQ_FAILED,
            {"message": "It answered 401: bad key", "status": 401, "attempts": 1, "hint": "Check it."},
            ["✗ It answered 401: bad key. Check it."],
        ),
        (Ask.MISTAKE_LIMIT_REACHED, "It is stuck.", ["! It is stuck."]),
        (
            Ask.AUTO_APPROVAL_MAX_REQ_REACHED,
            {"count": 3, "limit": 3, "type": "requests"},
            ["! The request limit is reached: 3 of 3."],
        ),
        (Ask.USE_MCP_SERVER, {"serverName": "db", "toolName": "query"}, ["? use mcp server: db query"]),
        (Ask.BROWSER_ACTION_LAUNCH, {"url": "http://x"}, ["? browser action launch: http://x"]),
        (Ask.RESUME_TASK, "", []),
        (Ask.RESUME_COMPLETED_TASK, "", []),
    ],
)
def test_other_asks_are_spelled_out(kind: Ask, body: Json | str, rows: list[str]) -> None:
    assert ask_rows(kind, body) == rows


@pytest.mark.parametrize(
    ("kind", "body", "rows"),
    [
        (Say.TOOL, {"tool": "readFile", "path": "a.py"}, ["• read a.py"]),
        (Say.TOOL, EDIT, ["• edit src/a.py  +1 -1", *DIFF_ROWS]),
        (Say.TOOL, {"tool": "updateTodoList", "todos": []}, []),
        (Say.COMMAND, {"command": "make\nmake test"}, ["• $ make …"]),
        (Say.API_REQ_STARTED, {}, []),
        (Say.API_REQ_STARTED, {"cost": 0.1}, []),
        (Say.API_REQ_STARTED, {"cancelReason": "streaming_failed", "error": "Cut."}, ["✗ request failed: Cut."]),
        (
            Say.API_REQ_RETRY_DELAYED,
            {"attempt": 1, "seconds": 2, "reason": "Overloaded."},
            ["… attempt 1 failed, next one in 2 s: Overloaded."],
        ),
        (Say.USER_FEEDBACK, "not so\nbut so", ["❯ not so", "❯ but so"]),
        (
            Say.USER_FEEDBACK_DIFF,
            {"path": "src/a.py", "diff": EDIT["changes"][0]["diff"]},
            ["❯ your changes to src/a.py", *DIFF_ROWS],
        ),
        (Say.ERROR, "No tool was used.", ["! No tool was used."]),
        (Say.ERROR, EDIT | {"reason": "Plan mode."}, ["✗ edit src/a.py  +1 -1", "  Plan mode."]),
        (Say.ERROR, {"command": "rm x", "reason": "Denied."}, ["✗ $ rm x", "  Denied."]),
        (Say.IGNORE_ERROR, {"tool": "readFile", "path": ".env", "reason": "Ignored."}, ["✗ read .env", "  Ignored."]),
        (Say.CHECKPOINT_SAVED, "", []),
        (Say.INFO, "One.\n\nTwo.", ["· One.", "· Two."]),
    ],
)
def test_says_are_a_row_or_few(kind: Say, body: Json | str, rows: list[str]) -> None:
    assert say_rows(kind, body) == rows


@pytest.mark.parametrize(
    ("kind", "answer", "rows"),
    [
        (Ask.TOOL, Answer(Response.YES, "user", 1), ["  ✓ approved"]),
        (Ask.TOOL, Answer(Response.OBJECT, "user", 1), ["  ✓ approved"]),
        (Ask.COMMAND, Answer(Response.NO, "user", 1, "not here"), ["  ✗ rejected"]),
        (Ask.COMMAND, Answer(Response.MESSAGE, "user", 1, "so"), ["  ✗ rejected"]),
        (Ask.FOLLOWUP, Answer(Response.MESSAGE, "user", 1, "this"), []),
        (Ask.TOOL, None, []),
    ],
)
def test_answers_of_approvals_are_shown(kind: Ask, answer: Answer | None, rows: list[str]) -> None:
    assert answer_rows(Message(1, "ask", kind, answer=answer), PLAIN) == rows


def test_interrupted_approval_is_shown() -> None:
    assert answer_rows(Message(1, "ask", Ask.TOOL, state="interrupted"), PLAIN) == ["  — interrupted"]


def test_long_task_is_shown_by_its_first_lines() -> None:
    rows = task_rows("\n".join(map(str, range(1, 9))), PLAIN)

    assert rows == ["❯ 1", "  2", "  3", "  4", "  5", "  6", "  … 2 more lines"]


def test_todos_show_how_far_they_are() -> None:
    todos = [Todo("1", "look", "completed"), Todo("2", "mend", "in_progress"), Todo("3", "test", "pending")]

    assert todo_rows(todos, PLAIN) == ["  ☑ look", "  ▸ mend", "  ☐ test"]


@pytest.mark.parametrize(("cost", "words"), [(None, "cost unknown"), (0.0, "$0"), (0.01234, "$0.0123")])
def test_cost_is_shown_as_far_as_it_is_known(cost: float | None, words: str) -> None:
    assert usage_row(Usage(1234567, 8, cost=cost), PLAIN) == f"1,234,567 tokens in · 8 out · {words}"


def test_diff_is_coloured_line_by_line() -> None:
    rows = message_rows(ask(1, Ask.TOOL, json.dumps(EDIT)), COLOURED, ROOT)

    assert rows[1:] == ["  \x1b[36m@@ -1 +1 @@\x1b[0m", "  \x1b[31m-old\x1b[0m", "  \x1b[32m+new\x1b[0m"]


def test_colour_ends_with_each_line() -> None:
    assert COLOURED(Tone.DIM, "a\n\nb") == "\x1b[2ma\x1b[0m\n\n\x1b[2mb\x1b[0m"


HOSTILE = "a\x1b[2Kb\rc\u202ed\x9be\x07f\u200bg"
HARMLESS = r"a\x1b[2Kb\rc\u202ed\x9be\x07f\u200bg"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (Ask.TOOL, {"tool": "readFile", "path": HOSTILE}),
        (Ask.TOOL, EDIT | {"changes": [EDIT["changes"][0] | {"diff": f"@@ @@\n+{HOSTILE}"}]}),
        (Ask.TOOL, {"tool": HOSTILE, "reason": HOSTILE}),
        (Ask.COMMAND, {"command": HOSTILE}),
        (Ask.COMMAND, {"command": "ls", "cwd": HOSTILE}),
        (Ask.FOLLOWUP, {"question": HOSTILE, "suggest": [{"answer": HOSTILE}]}),
        (Ask.COMPLETION_RESULT, HOSTILE),
        (Ask.API_REQ_FAILED, {"message": HOSTILE}),
        (Ask.USE_MCP_SERVER, {"serverName": HOSTILE}),
    ],
)
def test_nothing_that_is_asked_about_can_steer_the_terminal_or_hide(kind: Ask, body: Json | str) -> None:
    text = "".join(ask_rows(kind, body))

    assert HARMLESS in text
    assert "\x1b" not in text


def test_ask_that_was_cut_off_while_it_grew_is_told_by_its_first_line() -> None:
    head = {"tool": "newFileCreated", "path": "a.py"}
    grown = Message(1, "ask", Ask.TOOL, text=json.dumps(head) + "\nimport os\n", partial=False, state="interrupted")

    assert message_rows(grown, PLAIN, ROOT) == ask_rows(Ask.TOOL, head)


def test_call_that_came_to_nothing_while_it_was_written_has_no_row() -> None:
    grown = Message(
        1, "say", say=Say.TOOL, text='{"tool": "newFileCreated"}\nimport', partial=False, state="interrupted"
    )

    assert message_rows(grown, PLAIN, ROOT) == []
