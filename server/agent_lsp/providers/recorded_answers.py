"""What users said, as a recording holds it: the words that a task began with, and the answers to its asks."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say, proposed_files
from agent_lsp.domain.notices import MessageNotice, Notice
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

    def notice(self, notice: Notice) -> None:
        if not isinstance(notice, MessageNotice):
            return
        self._write()
        task = self._tasks.setdefault(notice.task_id, len(self._tasks))
        row = self._row(notice.message, is_first=(notice.task_id, 0) not in self._written)
        key = (notice.task_id, notice.message.ts)
        if row is None or key in self._written:
            return
        self._written |= {key, (notice.task_id, 0)}
        if len(self._held) < _MOST_HELD:
            self._held.append({"task": task} | row)
        self._write()

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


def recorded_words(file: Path) -> str:
    """The words that a recorded task began with. Raises BadParams where the recording has none."""
    recording_header(file)
    if words := next((row["words"] for row in _rows(file) if "words" in row), ""):
        return words
    raise BadParams(f"The recording {file} has no words of a user: say what is to be done as an argument.")


def recorded_answers(file: Path) -> tuple[tuple[Ask, AskReply], ...]:
    """What the asks of a recorded task were answered, in order."""
    return tuple((Ask(row["answered"]), _reply(row)) for row in _rows(file) if "answered" in row)


def _reply(row: Json) -> AskReply:
    """An answer whose `edited` texts are by path, as they were written."""
    return AskReply(
        Response(row["response"]), row.get("text", ""), hunks=row.get("hunks", {}), edited=row.get("edited", {})
    )


def _rows(file: Path) -> Iterator[Json]:
    """The lines of the first task that are no answers of a model; what cannot be read is told when it is played."""
    with file.open("rb") as lines:
        for line in lines:
            try:
                row: Json = json.loads(line)
            except ValueError:
                continue
            if row.get("task") == 0 and "batches" not in row:
                yield row
