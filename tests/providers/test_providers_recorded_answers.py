"""What users said, written to a recording and read back."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agent_lsp.domain.errors import BadParams, NotConfigured
from agent_lsp.domain.files import Selection
from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say
from agent_lsp.domain.notices import MessageNotice
from agent_lsp.domain.requests import AskReply
from agent_lsp.providers.recorded_answers import AnswerNotes, recorded_answers, recorded_words

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
    assert recorded_words(file) == "Do it, [secret]."
    assert recorded_answers(file) == ((Ask.TOOL, AskReply(Response.YES, "[secret]")),)


def test_what_the_user_made_of_a_change_is_kept_by_the_paths_of_files(file: Path) -> None:
    change = {"changes": [{"path": "src/a.py", "uri": "file:///home/ada/src/a.py"}]}
    chosen = Selection(frozenset({"b", "a"}), {"file:///home/ada/src/a.py": "hush\n"})
    ask = replace(ASK, text=json.dumps(change), answer=replace(YES, selection=chosen))

    note(notes_in(file), [ask])

    assert rows(file) == [
        {"task": 0, "answered": "tool", "response": "yesButtonClicked"}
        | {"hunks": {"a": "reject", "b": "reject"}, "edited": {"src/a.py": "[secret]\n"}}
    ]
    assert recorded_answers(file) == (
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

    note(notes, [WORDS])
    note(notes, [replace(WORDS, text="Another."), replace(ASK, answer=YES)], task="b")

    assert recorded_words(file) == "Do it, [secret]."
    assert recorded_answers(file) == ()


@pytest.mark.parametrize(("content", "error"), [(HEADER, BadParams), ("notes\n", NotConfigured)])
def test_words_that_are_not_there_are_an_error(tmp_path: Path, content: str, error: type[Exception]) -> None:
    (tmp_path / "r.jsonl").write_text(content)

    with pytest.raises(error, match=r"recording"):
        recorded_words(tmp_path / "r.jsonl")
