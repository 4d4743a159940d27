"""A model that plays a recording: request n of a task gets answer n, whatever it asks. No network, no key, no cost."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import ModelFault, NotConfigured
from agent_lsp.domain.history import HistoryItem, Reply
from agent_lsp.domain.model import CallBegan, ModelEvent, ModelFacts, ModelRequest
from agent_lsp.providers import faults
from agent_lsp.providers.answer import CallIds
from agent_lsp.providers.recorded_events import event_from_json
from agent_lsp.providers.recording import read_header


class ReplayModel:
    """Reads the whole file when the first answer is asked for; a `pace` above 0 keeps the recorded delays."""

    def __init__(self, file: Path) -> None:
        header = _header(file)
        self._file = file
        self._pace = float(header.get("pace") or 0)
        self._answers: list[bytes] | None = None
        # Counted for each task, told by the first item of its history: tasks may share a model, not a story.
        self._played: WeakKeyDictionary[HistoryItem, int] = WeakKeyDictionary()
        self.facts = ModelFacts(header.get("model") or "replay", int(header.get("window") or 0), max_output=0)
        self.origin = f"replay/{self.facts.name}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        if self._answers is None:
            self._answers = await asyncio.to_thread(_lines, self._file)
        number = self._number_of(request)
        if number >= len(self._answers):
            count = len(self._answers)
            reason = (
                f"The recording {self._file} is at its end: it has {count} answers, and this is request {count + 1}."
            )
            raise ModelFault(reason, is_passing=False, hint="Record a longer run, or choose another profile.")
        answer = self._parsed(number, self._answers[number])
        ids = CallIds({call.id for item in request.history if isinstance(item, Reply) for call in item.calls})
        for batch in answer["batches"]:
            # The delay is what a paced recording is for: a demonstration is to be watched.
            await asyncio.sleep(batch.get("after", 0) * self._pace)
            yield [_with_own_id(event_from_json(event), ids) for event in batch["events"]]
        _raise_as_recorded(answer)

    def _number_of(self, request: ModelRequest) -> int:
        task = request.history[0]
        number = self._played.get(task, 0)
        self._played[task] = number + 1
        return number

    async def aclose(self) -> None:
        """Nothing is open between answers."""

    def _parsed(self, number: int, line: bytes) -> Json:
        try:
            answer = json.loads(line)
            for batch in answer["batches"]:
                for event in batch["events"]:
                    event_from_json(event)
        except (ValueError, KeyError, TypeError) as error:
            # The header is the file's first line.
            reason = f"Line {number + 2} of the recording {self._file} cannot be played: {error}."
            raise ModelFault(reason, is_passing=False) from error
        return answer


def _with_own_id(event: ModelEvent, ids: CallIds) -> ModelEvent:
    """A recording played twice in one task must not make two calls of one id."""
    return CallBegan(event.key, ids.unique(event.id), event.name) if isinstance(event, CallBegan) else event


def _raise_as_recorded(answer: Json) -> None:
    if answer.get("cut"):
        raise faults.cut_off()
    if fault := answer.get("fault"):
        raise ModelFault(
            fault["message"],
            is_passing=fault["isPassing"],
            status=fault.get("status"),
            retry_after_seconds=fault.get("retryAfterSeconds"),
            hint=fault.get("hint"),
        )


def _header(file: Path) -> Json:
    try:
        with file.open("rb") as recording:
            header = read_header(recording.readline())
    except OSError as error:
        raise NotConfigured(f"The recording {file} cannot be read: {error.strerror}.") from error
    if header is None:
        raise NotConfigured(f"{file} is no recording that this version can play.")
    return header


def _lines(file: Path) -> list[bytes]:
    return [line for line in file.read_bytes().split(b"\n")[1:] if line.strip()]
