import json

import pytest
from headless_hall import COMMAND, EDIT, ROOT, ask, say
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say
from agent_lsp.domain.requests import AskReply
from agent_lsp.headless.answers import (
    DECIDE,
    NOBODY,
    NOT_COVERED,
    Given,
    needs_person,
    persons_answer,
    prompt,
    unattended_answer,
    wants_answer,
)

YES, NO = AskReply(Response.YES), AskReply(Response.NO)
FOLLOWUP: Json = {"question": "Which?", "suggest": [{"answer": "the first"}, {"answer": "the second"}]}


def message(kind: Ask, body: Json | str = "") -> Message:
    return ask(1, kind, body if isinstance(body, str) else json.dumps(body))


@pytest.mark.parametrize(
    ("kind", "body", "is_left"),
    [
        (Ask.TOOL, EDIT, False),
        (Ask.TOOL, EDIT | {"isProtected": True}, True),
        (Ask.TOOL, EDIT | {"isOutsideWorkspace": True}, True),
        (Ask.TOOL, {"tool": "newFileCreated", "path": "/etc/x", "isOutsideWorkspace": True}, True),
        (Ask.TOOL, {"tool": "readFile", "path": "/etc/hosts", "isOutsideWorkspace": True}, False),
        (Ask.TOOL, {"tool": "readFile", "path": "AGENTS.md", "isProtected": True}, False),
        (Ask.TOOL, {"tool": "unheardOf", "path": "/etc/hosts", "isOutsideWorkspace": True}, True),
        (Ask.TOOL, {"tool": "saveFiles", "paths": ["a"]}, False),
        (Ask.COMMAND, COMMAND, False),
        (Ask.COMMAND, COMMAND | {"cwd": str(ROOT / "src")}, False),
        (Ask.COMMAND, COMMAND | {"cwd": "src"}, False),
        (Ask.COMMAND, COMMAND | {"cwd": "/"}, True),
        (Ask.COMMAND, COMMAND | {"mayHideDenied": True}, True),
        (Ask.COMMAND, COMMAND | {"cwd": str(ROOT) + "-other"}, True),
        (Ask.USE_MCP_SERVER, {"serverName": "s"}, False),
        (Ask.FOLLOWUP, FOLLOWUP, True),
        (Ask.API_REQ_FAILED, {"message": "no"}, True),
        (Ask.MISTAKE_LIMIT_REACHED, "stuck", True),
        (Ask.AUTO_APPROVAL_MAX_REQ_REACHED, {"count": 1}, True),
    ],
)
def test_standing_yes_leaves_the_dangerous_and_the_unanswerable_to_a_person(
    kind: Ask, body: Json | str, is_left: bool
) -> None:
    assert needs_person(message(kind, body), ROOT) is is_left


@pytest.mark.parametrize(
    ("kind", "body", "approves_all", "given"),
    [
        (Ask.TOOL, EDIT, True, Given(YES)),
        (Ask.COMMAND, COMMAND, True, Given(YES)),
        (Ask.TOOL, EDIT, False, Given(AskReply(Response.NO, NOBODY), is_refusal=True)),
        (Ask.COMMAND, COMMAND, False, Given(AskReply(Response.NO, NOBODY), is_refusal=True)),
        (Ask.TOOL, EDIT | {"isProtected": True}, True, Given(AskReply(Response.NO, NOT_COVERED), is_refusal=True)),
        (Ask.FOLLOWUP, FOLLOWUP, True, Given(AskReply(Response.MESSAGE, DECIDE))),
        (Ask.FOLLOWUP, FOLLOWUP, False, Given(AskReply(Response.MESSAGE, DECIDE), is_refusal=True)),
        (Ask.COMPLETION_RESULT, "done", True, None),
        (Ask.RESUME_TASK, "", True, None),
        (Ask.RESUME_COMPLETED_TASK, "", True, None),
        (Ask.API_REQ_FAILED, {"message": "no"}, True, None),
        (Ask.MISTAKE_LIMIT_REACHED, "stuck", True, None),
        (Ask.AUTO_APPROVAL_MAX_REQ_REACHED, {"count": 1}, True, None),
    ],
)
def test_nobody_answers_by_the_rules(kind: Ask, body: Json | str, approves_all: bool, given: Given | None) -> None:
    assert unattended_answer(message(kind, body), ROOT, approves_all=approves_all) == given


@pytest.mark.parametrize(
    ("kind", "line", "reply"),
    [
        *((kind, line, YES) for kind in (Ask.TOOL, Ask.COMMAND, Ask.API_REQ_FAILED) for line in ("y\n", " YES \n")),
        *((kind, line, NO) for kind in (Ask.TOOL, Ask.COMMAND, Ask.API_REQ_FAILED) for line in ("n\n", "No\n")),
        (Ask.TOOL, "not that file\n", AskReply(Response.NO, "not that file")),
        (Ask.COMMAND, "yes but in src\n", AskReply(Response.NO, "yes but in src")),
        (Ask.TOOL, "\n", None),
        (Ask.TOOL, "  \n", None),
        (Ask.FOLLOWUP, "2\n", AskReply(Response.MESSAGE, "the second")),
        (Ask.FOLLOWUP, "3\n", AskReply(Response.MESSAGE, "3")),
        (Ask.FOLLOWUP, "0\n", AskReply(Response.MESSAGE, "0")),
        (Ask.FOLLOWUP, "²\n", AskReply(Response.MESSAGE, "²")),
        (Ask.FOLLOWUP, "y\n", AskReply(Response.MESSAGE, "y")),
        (Ask.FOLLOWUP, "\n", None),
        (Ask.MISTAKE_LIMIT_REACHED, "y\n", YES),
        (Ask.MISTAKE_LIMIT_REACHED, "look in b.py\n", AskReply(Response.MESSAGE, "look in b.py")),
        (Ask.API_REQ_FAILED, "perhaps\n", None),
        (Ask.AUTO_APPROVAL_MAX_REQ_REACHED, "y\n", YES),
        (Ask.AUTO_APPROVAL_MAX_REQ_REACHED, "why\n", None),
    ],
)
def test_line_at_the_prompt_is_understood(kind: Ask, line: str, reply: AskReply | None) -> None:
    body: Json | str = FOLLOWUP if kind is Ask.FOLLOWUP else "{}"

    assert persons_answer(message(kind, body), line) == reply


@given(st.text().filter(lambda text: text.strip().lower() not in ("y", "yes")))
def test_only_a_plain_yes_approves(line: str) -> None:
    reply = persons_answer(message(Ask.COMMAND, COMMAND), line)

    assert reply is None or reply.response == Response.NO


@pytest.mark.parametrize("kind", list(Ask))
def test_every_prompt_ends_where_the_answer_is_typed(kind: Ask) -> None:
    assert prompt(message(kind, FOLLOWUP if kind is Ask.FOLLOWUP else "{}")).endswith(": ")


def test_question_without_suggestions_asks_for_words_alone() -> None:
    assert prompt(message(Ask.FOLLOWUP, {"question": "Which?"})) == "your answer: "


@pytest.mark.parametrize(
    ("message", "is_wanted"),
    [
        (ask(1, Ask.TOOL), True),
        (ask(1, Ask.COMMAND_OUTPUT), False),
        (say(1, Say.TEXT), False),
        (Message(1, "ask", Ask.TOOL, partial=True), False),
        (Message(1, "ask", Ask.TOOL, answer=Answer(Response.YES, "policy", 1)), False),
        (Message(1, "ask", Ask.TOOL, state="interrupted"), False),
    ],
)
def test_task_waits_for_open_asks_alone(message: Message, is_wanted: bool) -> None:
    assert wants_answer(message) is is_wanted
