"""What users said, written to a recording and read back."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import NotConfigured
from agent_lsp.domain.files import Selection
from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say
from agent_lsp.domain.notices import MessageNotice, StatusNotice
from agent_lsp.domain.requests import AskReply
from agent_lsp.domain.status import State, Status
from agent_lsp.providers.recorded_answers import AnswerNotes, RecordedStory, recorded_story

HEADER = '{"recording": 2}\n'
WORDS = Message(1, "say", say=Say.TEXT, text="Do it, hush.")
ASK = Message(2, "ask", ask=Ask.TOOL, text="{}")
YES = Answer(Response.YES, "user", 0)


def note(notes: AnswerNotes, messages: Sequence[Message], task: str = "a") -> None:
    for message in messages:
        notes.notice(MessageNotice(task, "i", 1, message))


def rows(file: Path) -> list[object]:
    return [json.loads(line) for line in file.read_text().splitlines()[1:]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "r.jsonl"
    file.write_text(HEADER)
    return file


def notes_in(file: Path) -> AnswerNotes:
    return AnswerNotes(file, lambda text: text.replace("hush", "[secret]"))


def test_words_and_answers_are_written_once_and_without_secrets(file: Path) -> None:
    answered = replace(ASK, answer=replace(YES, text="hush"))
    notes = notes_in(file)

    note(notes, [WORDS, ASK, answered, answered, Message(3, "say", say=Say.TEXT, text="The model's.")])

    assert rows(file) == [
        {"task": 0, "words": "Do it, [secret]."},
        {"task": 0, "answered": "tool", "response": "yesButtonClicked", "text": "[secret]"},
    ]
    assert recorded_story(file).words == "Do it, [secret]."
    assert recorded_story(file).answers == ((Ask.TOOL, AskReply(Response.YES, "[secret]")),)


def test_what_the_user_made_of_a_change_is_kept_by_the_paths_of_files(file: Path) -> None:
    change = {"changes": [{"path": "src/a.py", "uri": "file:///home/ada/src/a.py"}]}
    chosen = Selection(frozenset({"b", "a"}), {"file:///home/ada/src/a.py": "hush\n"})
    ask = replace(ASK, text=json.dumps(change), answer=replace(YES, selection=chosen))

    note(notes_in(file), [ask])

    assert rows(file) == [
        {"task": 0, "answered": "tool", "response": "yesButtonClicked"}
        | {"hunks": {"a": "reject", "b": "reject"}, "edited": {"src/a.py": "[secret]\n"}}
    ]
    assert recorded_story(file).answers == (
        (
            Ask.TOOL,
            AskReply(Response.YES, hunks={"a": "reject", "b": "reject"}, edited={"src/a.py": "[secret]\n"}),
        ),
    )


@pytest.mark.parametrize(
    ("answer", "is_written"), [(YES, True), (replace(YES, by="timeout"), True), (replace(YES, by="policy"), False)]
)
def test_what_policy_decided_is_no_answer_of_a_user(file: Path, answer: Answer, is_written: bool) -> None:
    note(notes_in(file), [replace(ASK, answer=answer)])

    assert bool(rows(file)) is is_written


def test_rows_wait_until_the_recording_has_its_first_line(tmp_path: Path) -> None:
    file = tmp_path / "late.jsonl"
    notes = notes_in(file)
    note(notes, [WORDS])
    assert not file.exists()

    file.write_text(HEADER)
    note(notes, [replace(ASK, answer=YES)])

    assert file.read_text().startswith(HEADER)
    assert rows(file) == [
        {"task": 0, "words": "Do it, [secret]."},
        {"task": 0, "answered": "tool", "response": "yesButtonClicked"},
    ]


def test_only_the_first_task_is_played(file: Path) -> None:
    notes = notes_in(file)

    note(notes, [WORDS, replace(ASK, answer=replace(YES, response=Response.NO))])
    note(notes, [replace(WORDS, text="Another."), replace(ASK, answer=YES)], task="b")

    assert recorded_story(file).words == "Do it, [secret]."
    assert recorded_story(file).answers == ((Ask.TOOL, AskReply(Response.NO)),)


def test_queued_words_are_the_answer_of_the_ask_that_let_them_in(file: Path) -> None:
    rest, goes_on = Message(3, "ask", ask=Ask.COMPLETION_RESULT), Answer(Response.MESSAGE, "user", 0)
    notes = notes_in(file)

    note(notes, [replace(rest, answer=goes_on)])
    notes.notice(StatusNotice(Status("a", "i", 2, State.RUNNING)))
    note(notes, [Message(4, "say", say=Say.USER_FEEDBACK, text="And hush.")])
    note(notes, [replace(rest, ts=5, answer=goes_on), replace(rest, ts=6, answer=replace(goes_on, text="More."))])
    note(notes, [Message(7, "say", say=Say.USER_FEEDBACK, text="More.")])

    row = {"task": 0, "answered": "completion_result", "response": "messageResponse"}
    assert rows(file) == [row | {"text": "And [secret]."}, row, row | {"text": "More."}]


def test_the_mode_that_a_task_began_in_is_kept(file: Path) -> None:
    notes = notes_in(file)
    note(notes, [WORDS])
    for mode in ("architect", "code"):
        notes.notice(StatusNotice(Status("a", "i", 2, State.RUNNING, mode=mode)))

    assert rows(file) == [{"task": 0, "words": "Do it, [secret].", "mode": "architect"}]
    assert recorded_story(file) == RecordedStory("Do it, [secret].", "architect")


def test_a_file_that_is_no_recording_tells_no_story(file: Path) -> None:
    file.write_text("notes\n")

    with pytest.raises(NotConfigured, match="is no recording"):
        recorded_story(file)


ANSWERED = {"task": 0, "answered": "tool", "response": "yesButtonClicked"}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"task": 0, "words": 5}, "words is no text"),
        ({"task": 0, "words": "x", "mode": []}, "mode is no text"),
        (ANSWERED | {"answered": "nonsense"}, "'nonsense' is not a valid Ask"),
        (ANSWERED | {"answered": []}, "[] is not a valid Ask"),
        ({"task": 0, "answered": "tool"}, "'' is not a valid Response"),
        (ANSWERED | {"response": "yes"}, "'yes' is not a valid Response"),
        (ANSWERED | {"text": 1}, "text is no text"),
        (ANSWERED | {"hunks": ["a"]}, "hunks is no object"),
        (ANSWERED | {"hunks": {"a": "maybe"}}, "a hunk is accepted or rejected, not 'maybe'"),
        (ANSWERED | {"edited": {"a.py": None}}, "a.py is no text"),
    ],
)
def test_a_line_of_the_users_that_makes_no_sense_is_named(file: Path, row: Json, problem: str) -> None:
    file.write_text(f"{HEADER}[1]\nnotes\n{json.dumps(row)}\n")

    with pytest.raises(NotConfigured) as raised:
        recorded_story(file)

    assert str(raised.value) == f"Line 4 of the recording {file} cannot be played: {problem}."
