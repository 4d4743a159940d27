"""What users said, as a recording holds it: the words that a task began with, and the answers to its asks."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import NotConfigured
from agent_lsp.domain.messages import Answer, Ask, Category, Message, Response, Say, proposed_files
from agent_lsp.domain.notices import MessageNotice, Notice, StatusNotice
from agent_lsp.domain.requests import AskReply
from agent_lsp.providers.recording import append_line
from agent_lsp.providers.replay import recording_header

_MOST_HELD = 1000


class AnswerNotes:
    """Listens to a hall, and writes each of the user's answers once. Rows wait until the recording has its first line.

    Of more than a thousand rows that wait, the newest are not written.
    """

    def __init__(self, file: Path, redacted: Callable[[str], str]) -> None:
        self._file = file
        self._redacted = redacted
        self._tasks: dict[str, int] = {}
        self._written: set[tuple[str, int]] = set()
        self._held: list[Json] = []
        self._unfinished: dict[str, Json] = {}
        """By task, a row that waits for what is told next: first words for their mode, an answer for queued words."""

    def notice(self, notice: Notice) -> None:
        match notice:
            case MessageNotice(task_id=task_id, message=message):
                self._note(task_id, message)
            case StatusNotice(status):
                self._finish(status.task_id, "words", {"mode": status.mode})
            case _:
                return
        self._write()

    def _note(self, task_id: str, message: Message) -> None:
        if message.say is Say.USER_FEEDBACK:
            self._finish(task_id, "answered", {"text": self._redacted(message.text or "")})
            return
        task = self._tasks.setdefault(task_id, len(self._tasks))
        row = self._row(message, is_first=(task_id, 0) not in self._written)
        key = (task_id, message.ts)
        if row is None or key in self._written:
            return
        self._written |= {key, (task_id, 0)}
        if before := self._unfinished.pop(task_id, None):
            self._hold(before)
        row = {"task": task} | row
        if "words" in row or _lets_queued_words_in(message):
            self._unfinished[task_id] = row
        else:
            self._hold(row)

    def _finish(self, task_id: str, kind: str, told: Json) -> None:
        if kind in self._unfinished.get(task_id, ()):
            self._hold(self._unfinished.pop(task_id) | told)

    def _hold(self, row: Json) -> None:
        if len(self._held) < _MOST_HELD:
            self._held.append(row)

    def is_congested(self) -> bool:
        return False

    def _row(self, message: Message, *, is_first: bool) -> Json | None:
        if is_first and message.say is Say.TEXT:
            return {"words": self._redacted(message.text or "")}
        answer = message.answer
        if message.ask is None or answer is None or answer.by == "policy":
            return None
        said = {"text": self._redacted(answer.text)} if answer.text else {}
        return {"answered": message.ask.value, "response": answer.response.value} | said | self._chosen(message, answer)

    def _chosen(self, message: Message, answer: Answer) -> Json:
        """What the user made of a proposal. Files are called by their paths, since a play may be in another folder."""
        if answer.selection is None:
            return {}
        paths = {uri: path for path, uri in proposed_files(message).items()}
        rejected = sorted(answer.selection.rejected_hunks)
        edited = answer.selection.edited.items()
        row: Json = {
            "hunks": dict.fromkeys(rejected, "reject"),
            "edited": {paths.get(uri, uri): self._redacted(text) for uri, text in edited},
        }
        return {name: value for name, value in row.items() if value}

    def _write(self) -> None:
        if not self._held or not self._file.exists() or not self._file.stat().st_size:
            return
        for row in self._held:
            append_line(self._file, row)
        self._held.clear()


def _lets_queued_words_in(message: Message) -> bool:
    """Whether a task at rest goes on with what was queued: those words follow, and are the answer in a play."""
    is_at_rest = message.ask is not None and message.ask.category in (Category.IDLE, Category.RESUMABLE)
    answer = message.answer
    return is_at_rest and answer is not None and answer.response is Response.MESSAGE and not answer.text


@dataclass(frozen=True, slots=True)
class RecordedStory:
    """What the user of a recorded task said: the words it began with, the mode they were for, and all answers."""

    words: str | None = None
    mode: str | None = None
    answers: tuple[tuple[Ask, AskReply], ...] = ()


def recorded_story(file: Path) -> RecordedStory:
    """Read what the user said; NotConfigured names the line of it that cannot be played."""
    recording_header(file)
    story = RecordedStory()
    for place, row in _rows(file):
        try:
            story = _with(story, row)
        except (TypeError, ValueError) as problem:
            raise NotConfigured(f"Line {place} of the recording {file} cannot be played: {problem}.") from problem
    return story


def _with(story: RecordedStory, row: Json) -> RecordedStory:
    if "answered" in row:
        return replace(story, answers=(*story.answers, (Ask(row["answered"]), _reply(row))))
    if story.words is None and "words" in row:
        return replace(story, words=_text(row, "words"), mode=_text(row, "mode") or None)
    return story


def _reply(row: Json) -> AskReply:
    """An answer whose `edited` texts are by path, as they were written."""
    hunks: dict[str, Literal["accept", "reject"]] = {
        name: _verdict(word) for name, word in _texts(row, "hunks").items()
    }
    return AskReply(Response(_text(row, "response")), _text(row, "text"), hunks=hunks, edited=_texts(row, "edited"))


def _verdict(word: str) -> Literal["accept", "reject"]:
    match word:
        case "accept" | "reject":
            return word
        case _:
            raise ValueError(f"a hunk is accepted or rejected, not {word!r}")


def _text(row: Json, name: str) -> str:
    if not isinstance(text := row.get(name, ""), str):
        raise TypeError(f"{name} is no text")
    return text


def _texts(row: Json, name: str) -> dict[str, str]:
    if not isinstance(texts := row.get(name, {}), dict):
        raise TypeError(f"{name} is no object")
    values = cast("Json", texts)  # The keys of JSON are strings.
    return {key: _text(values, key) for key in values}


def _rows(file: Path) -> Iterator[tuple[int, Json]]:
    """The lines of the first task that are no answers of a model; what cannot be read is told when it is played."""
    with file.open("rb") as lines:
        for place, line in enumerate(lines, 1):
            try:
                row: object = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict) and "batches" not in row and cast("Json", row).get("task") == 0:
                yield place, cast("Json", row)
