"""A model that plays a recording: request n of a task gets answer n, whatever it asks. No network, no key, no cost."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import ContextOverflow, ModelFault, NotConfigured
from agent_lsp.domain.history import Reply
from agent_lsp.domain.model import CallBegan, ModelEvent, ModelFacts, ModelRequest
from agent_lsp.providers import faults
from agent_lsp.providers.answer import CallIds
from agent_lsp.providers.recorded_events import event_from_json
from agent_lsp.providers.recorded_facts import facts_from_json, number_of
from agent_lsp.providers.recorded_requests import RecordedRun, RequestNotes, difference, prompt_difference
from agent_lsp.providers.recording import PLAYABLE, read_header
from agent_lsp.providers.secrets import Secrets

_SOME_TIME_MS = 1_700_000_000_000

log = logging.getLogger(__name__)


class ReplayModel:
    """Reads the whole file when the first answer is asked for; a `pace` above 0 keeps the recorded delays.

    A request that differs from the recorded one gets the recorded answer all the same, and the log says so; where the
    play `is_exact`, it fails instead.
    """

    def __init__(self, file: Path, *, is_exact: bool = False) -> None:
        header = recording_header(file)
        self._file = file
        self._is_exact = is_exact
        self._pace = number_of(header, "pace")
        self._answers: dict[int, list[_Line]] | None = None
        run = RecordedRun()
        self._tasks = run.tasks
        self._notes = RequestNotes(Secrets(), run)
        self._told: set[str] = set()
        self._played: dict[int, int] = {}
        """How many answers each task has had: tasks may share a model, not a story."""
        self._header_facts = self.facts = facts_from_json(header)
        """Those of the next request: by them it is decided what it tells."""
        self.origin = f"replay/{self.facts.name}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        if self._answers is None:
            self._answers = await asyncio.to_thread(_answers, self._file)
        answer = self._next_answer(self._answers, request)
        self._compare(answer, request)
        ids = CallIds({call.id for item in request.history if isinstance(item, Reply) for call in item.calls})
        for batch in answer["batches"]:
            # The delay is what a paced recording is for: a demonstration is to be watched.
            await asyncio.sleep(number_of(batch, "after") * self._pace)
            yield [_with_own_id(event_from_json(event), ids) for event in batch["events"]]
        self.facts = self._next_facts(self._answers, request)
        _raise_as_recorded(answer)

    async def aclose(self) -> None:
        """Nothing is open between answers."""

    def _next_answer(self, answers: "dict[int, list[_Line]]", request: ModelRequest) -> Json:
        task = self._tasks.of(request.history)
        number = self._played.get(task, 0)
        self._played[task] = number + 1
        lines = _lines_of(task, answers)
        if number < len(lines):
            return self._parsed(lines[number].place, lines[number].text)
        reason = (
            f"The recording {self._file} is at its end: it has {len(lines)} answers, and this is request {number + 1}."
        )
        raise ModelFault(reason, is_passing=False, hint="Record a longer run, or choose another profile.")

    def _next_facts(self, answers: "dict[int, list[_Line]]", request: ModelRequest) -> ModelFacts:
        """Tell by which figures the next request was made; behind the last one, those that it was answered with."""
        task = self._tasks.of(request.history)
        lines, number = _lines_of(task, answers), self._played[task]
        place, _, told = lines[min(number, len(lines) - 1)]
        try:
            return facts_from_json(told) if told else self._header_facts
        except (TypeError, ValueError) as error:
            raise self._unplayable(place, f"facts: {error}") from error

    def _compare(self, answer: Json, request: ModelRequest) -> None:
        now, asked = self._notes.of(request), answer.get("asked")
        if not asked:
            return
        differs = [difference(asked, now)]
        # What is the same from step to step is told of once.
        if (prompt := prompt_difference(asked, now)) not in self._told:
            self._told.add(prompt)
            differs.append(prompt)
        for told in filter(None, differs):
            self._tell(f"Request {answer['request'] + 1} differs from the recorded one: {told}")

    def _tell(self, told: str) -> None:
        if self._is_exact:
            raise ModelFault(told, is_passing=False, hint="Without --exact the recorded answer is played all the same.")
        log.warning("%s", told)

    def _parsed(self, place: int, line: bytes) -> Json:
        try:
            answer = json.loads(line)
            for batch in answer["batches"]:
                number_of(batch, "after")
                for event in batch["events"]:
                    event_from_json(event)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            is_torn = not line.endswith(b"\n")
            raise self._unplayable(place, "it was cut off" if is_torn else str(error)) from error
        return answer

    def _unplayable(self, place: int, why: str) -> ModelFault:
        return ModelFault(f"Line {place} of the recording {self._file} cannot be played: {why}.", is_passing=False)


class _Line(NamedTuple):
    """A line of the file with its number, from 1, and what was known of its model, where the header says otherwise."""

    place: int
    text: bytes
    facts: Json | None


def _lines_of(task: int, answers: dict[int, list[_Line]]) -> list[_Line]:
    """A recording of one task serves as many as play it."""
    return answers.get(task, answers[0])


def recording_header(file: Path) -> Json:
    """Read what a recording says of itself. Raises NotConfigured where it is none that can be played."""
    try:
        with file.open("rb") as recording:
            header = read_header(recording.readline())
    except OSError as error:
        raise NotConfigured(f"The recording {file} cannot be read: {error.strerror}.") from error
    if header is None:
        raise NotConfigured(f"{file} is no recording: its first line does not say so.")
    # An unknown version may mean anything; better to say so than to play it wrong.
    if header["recording"] not in PLAYABLE:
        formats = " and ".join(map(str, PLAYABLE))
        raise NotConfigured(f"{file} is a recording of format {header['recording']}; this version plays {formats}.")
    try:
        facts_from_json(header)
        for name in ("pace", "startedMs"):
            number_of(header, name)
    except (TypeError, ValueError) as error:
        raise NotConfigured(f"Line 1 of the recording {file} cannot be played: {error}.") from error
    return header


def replay_settings(file: Path) -> Json:
    """The settings by which new tasks play a recording."""
    return {"providers": {"replay": {"type": "replay", "file": str(file)}}, "currentProvider": "replay"}


def recording_started(file: Path) -> int:
    """When a recording was begun, in milliseconds. Where it does not say, some time that is always the same."""
    try:
        return int(number_of(recording_header(file), "startedMs", _SOME_TIME_MS))
    except NotConfigured:
        return _SOME_TIME_MS  # Whoever plays it is told.


def _with_own_id(event: ModelEvent, ids: CallIds) -> ModelEvent:
    """A recording played twice in one task must not make two calls of one id."""
    return CallBegan(event.key, ids.unique(event.id), event.name) if isinstance(event, CallBegan) else event


def _raise_as_recorded(answer: Json) -> None:
    if answer.get("cut"):
        raise faults.cut_off()
    if fault := answer.get("fault"):
        raise _fault(fault)


def _fault(told: Json) -> ModelFault:
    message, status, hint = told["message"], told.get("status"), told.get("hint")
    pause = told.get("retryAfterSeconds")
    if told.get("kind") == ContextOverflow.kind:
        fault = ContextOverflow(message, status=status, hint=hint, window=told.get("window"))
        fault.retry_after_seconds = pause
    else:
        fault = ModelFault(message, is_passing=told["isPassing"], status=status, retry_after_seconds=pause, hint=hint)
    fault.has_begun = told.get("hasBegun")
    return fault


def _answers(file: Path) -> dict[int, list[_Line]]:
    """The answers' lines by task. A line that cannot be read is kept, to be told of when its turn comes."""
    tasks: dict[int, list[_Line]] = {0: []}
    with file.open("rb") as recording:
        for place, line in enumerate(recording, 1):
            if place > 1 and line.strip() and (found := _task_of(line)) is not None:
                task, facts = found
                tasks.setdefault(task, []).append(_Line(place, line, facts))
    return tasks


def _task_of(line: bytes) -> tuple[int, Json | None] | None:
    """The number of the task that an answer belongs to, and its facts; None for a line about what the user said."""
    try:
        row = json.loads(line)
        return None if "words" in row or "answered" in row else (int(row.get("task", 0)), row.get("facts"))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return 0, None
