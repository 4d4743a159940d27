"""Recordings: a run's answers as JSON lines, made while it runs, with secrets taken out. Playing them is `replay.py`.

What is written are decoded events, not a vendor's bytes: a recording plays the same whichever API it was made with.
`docs/recordings.md` describes the file.
"""

import json
import os
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import ContextOverflow, ModelFault, NotConfigured
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest, Stopped
from agent_lsp.domain.moments import now_ms
from agent_lsp.providers.encoding import dump
from agent_lsp.providers.recorded_events import Batch, cleaned, event_to_json
from agent_lsp.providers.recorded_facts import differ, facts_to_json
from agent_lsp.providers.recorded_requests import RecordedRun, RequestNotes
from agent_lsp.providers.secrets import Secrets

VERSION = 2
PLAYABLE = (1, VERSION)


class Streaming(Protocol):
    """A model, as far as it is wrapped here."""

    @property
    def facts(self) -> ModelFacts: ...

    @property
    def origin(self) -> str: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]: ...

    async def aclose(self) -> None: ...


class RecordingModel:
    """Passes everything on, and adds one line to the file for each answer once it has ended, however it ended.

    An answer is kept in memory until then: only whole can it be searched for secrets that lie across two events.
    """

    def __init__(
        self,
        model: Streaming,
        file: Path,
        secrets: Secrets,
        clock: Callable[[], float] = time.monotonic,
        run: RecordedRun | None = None,
    ) -> None:
        self._model = model
        self._file = file
        self._secrets = secrets
        self._clock = clock
        self._run = run or RecordedRun()
        self._notes = RequestNotes(secrets, self._run)
        self._started_ms = now_ms()
        self._header = _checked(file)
        self._was_asked = False

    @property
    def facts(self) -> ModelFacts:
        return self._model.facts

    @property
    def origin(self) -> str:
        return self._model.origin

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        head: Json = {"request": self._run.next_request(), "task": self._run.tasks.of(request.history)}
        head["asked"] = self._notes.of(request)
        prepared_by, asked_by = self._prepared_by(), None
        batches: list[Batch] = []
        fault: ModelFault | None = None
        before = self._clock()
        try:
            async with aclosing(self._model.stream(request)) as events_of_reads:
                async for events in events_of_reads:
                    asked_by = asked_by or prepared_by()
                    self._begin(asked_by)
                    now = self._clock()
                    batches.append(Batch(now - before, tuple(events)))
                    before = now
                    yield events
        except ModelFault as error:
            fault = error
            raise
        finally:
            self._write(head, asked_by or prepared_by(), batches, fault)

    async def aclose(self) -> None:
        await self._model.aclose()

    def _prepared_by(self) -> Callable[[], Json]:
        """Give what tells by which figures a request was made, once its answer begins or has failed.

        What an answer teaches holds for the next request. Only its window does a server tell when it is first asked,
        before it answers: a play has it from the beginning.
        """
        facts, is_first = self.facts, not self._was_asked
        self._was_asked = True

        def told() -> Json:
            now = self.facts if is_first else facts
            return facts_to_json(replace(facts, window=now.window, max_output=now.max_output))

        return told

    def _begin(self, facts: Json) -> Json:
        """Give the header; a new recording gets it now: what a server on this machine has to say, it has said."""
        if self._header is None:
            self._header = _checked(self._file)
        if self._header is None:
            own = {"recording": VERSION, **facts, "startedMs": self._started_ms, "pace": 0}
            append_line(self._file, own)
            self._header = own
        return self._header

    def _write(self, head: Json, facts: Json, batches: Sequence[Batch], fault: ModelFault | None) -> None:
        header = self._begin(facts)
        line: Json = (
            head
            | ({"facts": facts} if differ(facts, header) else {})
            | {
                "batches": [
                    {"after": round(batch.after_seconds, 3), "events": [event_to_json(event) for event in batch.events]}
                    for batch in cleaned(batches, self._secrets)
                ],
            }
        )
        if fault:
            line["fault"] = _fault_to_json(fault, self._secrets)
        elif not any(isinstance(event, Stopped) for batch in batches for event in batch.events):
            line["cut"] = True
        append_line(self._file, line)


def _fault_to_json(fault: ModelFault, secrets: Secrets) -> Json:
    wire: Json = {"message": secrets.removed_from(str(fault)), "isPassing": fault.is_passing}
    optional = {
        "status": fault.status,
        "retryAfterSeconds": fault.retry_after_seconds,
        "hint": fault.hint,
        "hasBegun": fault.has_begun,
    }
    if isinstance(fault, ContextOverflow):
        optional |= {"kind": fault.kind, "window": fault.window}
    return wire | {key: value for key, value in optional.items() if value is not None}


def read_header(line: bytes) -> Json | None:
    """Read a recording's first line, of whatever version; None if it is none."""
    try:
        header: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) and isinstance(header.get("recording"), int) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - JSON of unknown shape


def _checked(file: Path) -> Json | None:
    """Make sure that a file can be recorded to; gives its header, if it has one yet."""
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
        with file.open("rb") as existing:
            first = existing.readline()
    except OSError as error:
        raise NotConfigured(f"The recording {file} cannot be written: {error.strerror}.") from error
    if not first:
        return None
    header = read_header(first)
    if header is None:
        raise NotConfigured(f"{file} is no recording, and is not written to; name another file to record to.")
    if header["recording"] != VERSION:
        raise NotConfigured(f"{file} is a recording of format {header['recording']}; name another file to record to.")
    return header


def append_line(file: Path, line: Json) -> None:
    """Add a line by one write, which other writers to the file cannot tear."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, dump(line) + b"\n")
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ModelFault(f"The recording {file} cannot be written: {error.strerror}.", is_passing=False) from error
