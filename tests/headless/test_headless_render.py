import json
from dataclasses import replace

import pytest
from headless_hall import COMMAND, ROOT, STATUS, ask, say
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.messages import Answer, Ask, DeletedMessage, Message, Response, Say
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice, Notice, StatusNotice
from agent_lsp.domain.status import Todo
from agent_lsp.headless.paint import Paint
from agent_lsp.headless.render import Renderer
from agent_lsp.headless.views import notice_to_json

TASK = say(1, Say.TEXT, "Fix it.")
PROSE = say(2, Say.TEXT, "", partial=True)


def shown(*notices: Notice | Message, has_colours: bool = False) -> str:
    renderer = Renderer(Paint(has_colours), ROOT)
    whole = (MessageNotice("t", "i", 0, each) if isinstance(each, Message) else each for each in notices)
    return "".join(renderer.take(notice) for notice in whole) + renderer.close()


def grew(ts: int, text: str) -> DeltaNotice:
    return DeltaNotice("t", "i", 0, ts, text)


def whole(message: Message, text: str) -> Message:
    return replace(message, text=text, partial=False)


def test_what_is_hidden_later_stays_in_the_terminal() -> None:
    hidden = DeletionNotice("t", "i", 2, DeletedMessage(1))

    assert shown(TASK, hidden) == shown(TASK)
    assert notice_to_json(hidden) == {
        "type": "message",
        "taskId": "t",
        "instanceId": "i",
        "seq": 2,
        "message": {"ts": 1, "deleted": True},
    }


def test_prose_is_shown_as_it_grows() -> None:
    renderer = Renderer(Paint(is_on=False), ROOT)

    pieces = [
        renderer.take(notice)
        for notice in (
            MessageNotice("t", "i", 1, TASK),
            MessageNotice("t", "i", 2, replace(PROSE, text="I ")),
            grew(2, "look"),
            MessageNotice("t", "i", 3, whole(PROSE, "I look.")),
        )
    ]

    assert pieces == ["❯ Fix it.\n", "\nI ", "look", ".\n"]


@given(st.text(alphabet="ab \n", max_size=30), st.data())
def test_prose_looks_the_same_however_it_is_cut(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    in_pieces = shown(TASK, PROSE, *(grew(2, piece) for piece in pieces), whole(PROSE, text))

    body = text.strip("\n")
    assert in_pieces == "❯ Fix it.\n" + (f"\n{body}\n" if body else "")


def test_prose_cut_off_says_so() -> None:
    cut_off = replace(PROSE, text="I wi", partial=False, state="interrupted")

    assert shown(TASK, PROSE, grew(2, "I wi"), cut_off) == "❯ Fix it.\n\nI wi — interrupted\n"


def test_output_stands_in_a_margin_below_its_command() -> None:
    command = say(2, Say.COMMAND, json.dumps({"command": "make"}))
    output = Message(3, "ask", Ask.COMMAND_OUTPUT, text="", partial=True)

    text = shown(TASK, command, output, grew(3, "one\ntw"), grew(3, "o\n"), whole(output, "one\ntwo\n"))

    assert text == "❯ Fix it.\n• $ make\n  │ one\n  │ two\n"


def test_line_of_output_is_shown_whole_at_once() -> None:
    renderer = Renderer(Paint(is_on=False), ROOT)
    output = Message(3, "ask", Ask.COMMAND_OUTPUT, text="", partial=True)
    renderer.take(MessageNotice("t", "i", 1, output))

    pieces = [renderer.take(grew(3, piece)) for piece in ("one\n", "two\n\nth", "ree\n")]

    assert pieces == ["  │ one\n", "  │ two\n  │\n  │ th", "ree\n"]


def test_answered_output_is_not_shown_twice() -> None:
    output = Message(3, "ask", Ask.COMMAND_OUTPUT, text="", partial=True)
    ended = replace(whole(output, "one\n"), answer=Answer(Response.YES, "policy", 1))

    assert shown(TASK, output, grew(3, "one\n"), ended, ended) == "❯ Fix it.\n  │ one\n"


def test_deltas_replaced_by_the_whole_text_lose_nothing() -> None:
    assert shown(TASK, PROSE, grew(2, "one "), replace(PROSE, text="one two three")) == "❯ Fix it.\n\none two three\n"


def test_thoughts_are_dim_and_apart_from_prose() -> None:
    thought = say(2, Say.REASONING, "Hm.", partial=False)
    prose = say(3, Say.TEXT, "Yes.", partial=False)

    assert shown(thought, prose, has_colours=True) == "\x1b[2mHm.\x1b[0m\n\nYes.\n"


def test_answer_follows_its_ask() -> None:
    question = ask(2, Ask.COMMAND, json.dumps(COMMAND))
    answered = replace(question, answer=Answer(Response.YES, "user", 1))

    text = shown(TASK, question, answered, answered)

    assert text == "❯ Fix it.\n\n? run\n  $ make test\n  ✓ approved\n"


def test_ask_that_still_grows_is_not_shown() -> None:
    growing = Message(2, "ask", Ask.TOOL, text='{"tool":"appliedDiff"}', partial=True)

    assert shown(TASK, growing) == "❯ Fix it.\n"


def test_request_is_shown_once_it_failed() -> None:
    request = say(2, Say.API_REQ_STARTED, "{}")
    failed = replace(request, text=json.dumps({"cancelReason": "streaming_failed", "error": "Cut off."}))

    assert shown(TASK, request, failed) == "❯ Fix it.\n✗ request failed: Cut off.\n"


def test_countdown_is_one_row() -> None:
    rows = [
        say(2, Say.API_REQ_RETRY_DELAYED, json.dumps({"attempt": 1, "seconds": n, "reason": "Busy."}))
        for n in (2, 1, 0)
    ]

    assert shown(TASK, *rows) == "❯ Fix it.\n… attempt 1 failed, next one in 2 s: Busy.\n"


def test_todos_are_shown_when_they_change() -> None:
    first = StatusNotice(replace(STATUS, todos=(Todo("1", "look", "pending"),)))
    second = StatusNotice(replace(STATUS, todos=(Todo("1", "look", "completed"),)))

    assert shown(TASK, first, first, second) == "❯ Fix it.\n  ☐ look\n  ☑ look\n"


def test_line_that_is_open_ends_before_a_row() -> None:
    row = say(3, Say.TOOL, json.dumps({"tool": "readFile", "path": "a"}))

    assert shown(TASK, PROSE, grew(2, "I look"), row) == "❯ Fix it.\n\nI look\n\n• read a\n"


def test_two_growing_messages_keep_to_their_own_lines() -> None:
    output = Message(3, "say", say=Say.COMMAND_OUTPUT, text="", partial=True)

    text = shown(TASK, PROSE, output, grew(2, "one"), grew(3, "out"), grew(2, "two"))

    assert text == "❯ Fix it.\n\none\n\n  │ out\n\ntwo\n"


def test_delta_of_a_message_never_seen_is_nothing() -> None:
    assert shown(TASK, grew(7, "lost")) == "❯ Fix it.\n"


@pytest.mark.parametrize("kind", [Say.TEXT, Say.REASONING, Say.COMMAND_OUTPUT])
def test_streamed_text_cannot_steer_the_terminal(kind: Say) -> None:
    message = say(2, kind, "a\x1b[31mb", partial=True)

    assert r"a\x1b[31mb" in shown(TASK, message)
