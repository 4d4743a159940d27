"""Bytes of any split in, events out: the same shell for every vendor. No I/O; what the events mean is the reader's."""

import json
from collections.abc import Callable
from typing import Protocol, TypeVar

import jiter

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.model import ModelEvent
from agent_lsp.providers import faults
from agent_lsp.providers.answer import Answer
from agent_lsp.providers.sse import LONGEST_EVENT_BYTES, EventTooLong, SseParser

T = TypeVar("T")

LONGEST_ANSWER_BYTES = 256 * 1024 * 1024
"""A stream without an end stops here, also where it says nothing; a real one of 100,000 tokens has some 30 MB."""

_END_MARK = b"[DONE]"

_FIELDS = (b":", b"data", b"event", b"id", b"retry")
"""How lines of a stream begin."""


class Reader(Protocol):
    """One vendor's events: writes what they mean into the answer. Raises ModelFault for an error among them."""

    def read(self, event: Json) -> None: ...

    def read_whole(self, answer: Json) -> bool:
        """Read an answer that came as one object; tell whether it is one."""
        ...

    def end(self, *, is_marked: bool) -> bool:
        """Finish the answer where nothing more comes, and tell whether it is whole.

        `is_marked`: the stream said itself that this is its end.
        """
        ...


class Decoder:
    """Feed it what the network gives, then tell it the end. Linear, whatever the pieces.

    Some servers answer with one JSON object though they were asked for a stream; its first character tells.
    """

    def __init__(self, reader: Reader, answer: Answer, ignored: frozenset[bytes]) -> None:
        self._parser = SseParser(ignored)
        self._reader = reader
        self._answer = answer
        self._left = LONGEST_ANSWER_BYTES
        self._has_begun = False
        self._whole: list[bytes] | None = None
        """The pieces of an answer that is no stream."""
        self._opening = bytearray()
        """What has come, as long as no event has."""
        self._has_events = False

    @property
    def has_ended(self) -> bool:
        """The service's end mark has come: what follows it does not matter."""
        return self._answer.has_ended

    def feed(self, piece: bytes) -> list[ModelEvent]:
        self._left -= len(piece)
        if self._left < 0:
            raise faults.unreadable("an answer without an end")
        if not self._has_begun:
            begin = piece.lstrip()
            self._has_begun = bool(begin)
            self._whole = [] if begin[:1] in (b"{", b"[") else None
        if self._whole is not None:
            return self._keep(self._whole, piece)
        if not self._has_events and len(self._opening) < faults.LONGEST_BODY_BYTES:
            self._opening += piece
        try:
            self._read(self._parser.feed(piece))
        except EventTooLong as error:
            raise faults.unreadable("an event too large to be one") from error
        except ValueError as error:
            raise faults.garbled() from error
        return self.take()

    def end(self) -> None:
        """Close the answer; raises ModelFault where it was cut off."""
        if self._answer.has_ended:
            return
        if self._whole is not None:
            self._read_whole(b"".join(self._whole))
            return
        try:
            self._read(self._parser.end())
        except ValueError as error:
            raise faults.cut_off() from error
        if not self._answer.has_ended and not self._reader.end(is_marked=False):
            raise self._unfinished()

    def take(self) -> list[ModelEvent]:
        """Hand over what was read and not told yet, also before a fault."""
        return self._answer.take()

    def _unfinished(self) -> ModelFault:
        begin = bytes(self._opening).removeprefix(b"\xef\xbb\xbf").strip()
        is_stream = any(begin.startswith(field) or field.startswith(begin) for field in _FIELDS)
        return faults.cut_off() if self._has_events or is_stream else faults.no_stream(begin)

    def _keep(self, whole: list[bytes], piece: bytes) -> list[ModelEvent]:
        if self._left < LONGEST_ANSWER_BYTES - LONGEST_EVENT_BYTES:
            raise faults.unreadable("an answer too large to be one")
        whole.append(piece)
        return []

    def _read_whole(self, body: bytes) -> None:
        try:
            answer = parsed(body)
        except ValueError as error:
            raise faults.not_a_stream("application/json", body[: faults.LONGEST_BODY_BYTES]) from error
        if not self._understood(self._reader.read_whole, answer):
            raise faults.not_a_stream("application/json", body[: faults.LONGEST_BODY_BYTES])
        self._answer.has_ended = True

    def _read(self, events: list[bytes]) -> None:
        self._has_events |= bool(events)
        for event in events:
            if self._answer.has_ended:
                break
            if event.strip() == _END_MARK:
                self._answer.has_ended = self._reader.end(is_marked=True)
            elif event.strip():
                self._understood(self._reader.read, parsed(event))

    def _understood(self, read: Callable[[Json], T], event: Json) -> T:
        try:
            return read(event)
        except (AttributeError, TypeError, KeyError, IndexError) as error:
            # It is JSON that somebody else wrote: a list may stand where an object should.
            raise faults.unreadable("an event of an unknown shape") from error


def parsed(event: bytes) -> Json:
    """Read an event's JSON object; a ValueError if it is none."""
    try:
        value: object = jiter.from_json(event)
    except ValueError:
        value = _parsed_leniently(event)
    if not isinstance(value, dict):
        raise ValueError("an event must be a JSON object")  # noqa: TRY004 - it is the text that is wrong
    return value  # pyright: ignore[reportUnknownVariableType] - JSON of unknown shape


def _parsed_leniently(event: bytes) -> object:
    """Read JSON with broken UTF-8 or half a surrogate pair in it; the other half may come with the next event."""
    try:
        return json.loads(event.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("JSON of a sensible depth was expected") from error
