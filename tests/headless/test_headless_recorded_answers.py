"""Answers as they were given when a task was recorded."""

import json
from dataclasses import replace

import pytest
from headless_hall import COMMAND, EDIT, ROOT, ask

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Ask, Message, Response
from agent_lsp.domain.requests import AskReply
from agent_lsp.headless.answers import Given, RecordedAnswers

YES, NO, WORDS = AskReply(Response.YES), AskReply(Response.NO, "not so"), AskReply(Response.MESSAGE, "the first")
GUARDED = EDIT | {"isProtected": True}


def message(kind: Ask, body: Json | None = None) -> Message:
    return ask(1, kind, json.dumps(body or {}))


@pytest.mark.parametrize(
    ("kind", "body", "reply", "is_given"),
    [
        (Ask.TOOL, EDIT, YES, True),
        (Ask.COMMAND, COMMAND, YES, True),
        (Ask.TOOL, EDIT, NO, True),
        (Ask.TOOL, GUARDED, NO, True),
        (Ask.TOOL, GUARDED, YES, False),
        (Ask.TOOL, GUARDED, AskReply(Response.OBJECT), False),
        (Ask.COMMAND, COMMAND | {"mayHideDenied": True}, YES, False),
        (Ask.FOLLOWUP, None, WORDS, True),
        (Ask.FOLLOWUP, None, AskReply(Response.MESSAGE), False),
        (Ask.FOLLOWUP, None, AskReply(Response.MESSAGE, " \n"), False),
        (Ask.FOLLOWUP, None, AskReply(Response.NO), False),
        (Ask.COMPLETION_RESULT, None, WORDS, True),
        (Ask.COMPLETION_RESULT, None, AskReply(Response.MESSAGE), False),
        (Ask.COMPLETION_RESULT, None, YES, False),
        (Ask.API_REQ_FAILED, None, YES, True),
        (Ask.AUTO_APPROVAL_MAX_REQ_REACHED, None, YES, True),
        (Ask.MISTAKE_LIMIT_REACHED, None, WORDS, True),
    ],
)
def test_a_recorded_answer_is_given_unless_it_wants_a_person_or_says_nothing(
    kind: Ask, body: Json | None, reply: AskReply, is_given: bool
) -> None:
    given = RecordedAnswers([(kind, reply)]).answer(message(kind, body), ROOT)

    assert given == (Given(reply) if is_given else None)


def test_the_users_own_text_is_given_for_the_file_as_it_is_called_here() -> None:
    edit = {"changes": [{"path": "a.py", "uri": "file:///here/a.py"}]}
    reply = AskReply(Response.YES, hunks={"h": "reject"}, edited={"a.py": "mine\n", "gone.py": "x"})

    given = RecordedAnswers([(Ask.TOOL, reply)]).answer(message(Ask.TOOL, EDIT | edit), ROOT)

    assert given == Given(replace(reply, edited={"file:///here/a.py": "mine\n", "gone.py": "x"}))


def test_answers_are_given_in_order_and_each_once() -> None:
    recorded = RecordedAnswers([(Ask.TOOL, NO), (Ask.TOOL, YES)])

    given = [recorded.answer(message(Ask.TOOL, EDIT), ROOT) for _ in range(3)]

    assert given == [Given(NO), Given(YES), None]


def test_an_ask_that_was_not_recorded_leaves_the_answers_to_those_that_were() -> None:
    recorded = RecordedAnswers([(Ask.TOOL, YES)])

    given = [recorded.answer(message(kind, EDIT), ROOT) for kind in (Ask.COMMAND, Ask.TOOL)]

    assert given == [None, Given(YES)]
