"""A history as bytes: each item is encoded once and kept; a request is a join. What the bytes say is the vendor's."""

import json
import operator
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import jiter

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.history import Call, HistoryItem, Part, Reply, Spoken
from agent_lsp.domain.model import ModelRequest


@dataclass(frozen=True, slots=True)
class Encoded:
    """One item's bytes. `first` stand before all `rest` in the run of items that become one message."""

    first: tuple[bytes, ...] = ()
    rest: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Envelope:
    """What stands around a history in a request; nothing in it changes from step to step."""

    head: bytes
    opening: tuple[bytes, ...] = ()
    """Messages before those of the history."""
    tail: bytes = b"]}"


class Writer(Protocol):
    """How one vendor writes a request."""

    def envelope(self, request: ModelRequest) -> Envelope: ...

    def encode(self, item: HistoryItem) -> Encoded: ...

    def message(self, first: Sequence[bytes], rest: Sequence[bytes], *, is_reply: bool, is_marked: bool) -> bytes:
        """Write a run of items of one side, comma-joined where it is several messages.

        `is_marked`: a prompt cache is to reach to the end of it, where the vendor wants to be told.
        """
        ...


@dataclass(frozen=True, slots=True)
class Body:
    bytes: bytes
    call_ids: Container[str]
    """The ids of all calls in it."""


class BodyWriter:
    """Makes request bodies. Keeps the bytes of each task's history for as long as the task keeps the history."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._transcripts: WeakKeyDictionary[HistoryItem, _Transcript] = WeakKeyDictionary()
        """By the first item of a history, which a transcript does not hold itself."""
        self._envelope: tuple[ModelRequest, Envelope] | None = None

    def body(self, request: ModelRequest) -> Body:
        envelope = self._enveloped(request)
        transcript = self._transcript(request.history)
        messages = [*envelope.opening, *transcript.messages()] or [b""]
        # One join and no second copy of the whole: at 300 kB that copy costs thirty times the join.
        messages[0] = envelope.head + messages[0]
        messages[-1] += envelope.tail
        return Body(b",".join(messages), transcript.call_ids)

    def _enveloped(self, request: ModelRequest) -> Envelope:
        if self._envelope:
            before, envelope = self._envelope
            if before.system == request.system and before.tools == request.tools:
                return envelope
        envelope = self._writer.envelope(request)
        self._envelope = (ModelRequest(request.system, request.tools, ()), envelope)
        return envelope

    def _transcript(self, history: Sequence[HistoryItem]) -> "_Transcript":
        if not history:
            return _Transcript(self._writer)
        transcript = self._transcripts.get(history[0])
        if transcript is None or not transcript.is_start_of(history):
            transcript = self._transcripts[history[0]] = _Transcript(self._writer)
        transcript.extend(history)
        return transcript


class _Transcript:
    """The messages of one history so far, as bytes."""

    def __init__(self, writer: Writer) -> None:
        self.call_ids: set[str] = set()
        self._writer = writer
        self._length = 0
        self._rest: list[HistoryItem] = []
        """All items but the first: the history's owner keeps that, and with it this transcript, alive."""
        self._closed: list[bytes] = []
        self._is_reply = False
        self._first: list[bytes] = []
        self._later: list[bytes] = []
        self._marked: tuple[int, bytes] | None = None
        """The place of the newest closed message of the user's side, and how it reads with a cache mark."""

    def is_start_of(self, history: Sequence[HistoryItem]) -> bool:
        return self._length <= len(history) and all(map(operator.is_, self._rest, islice(history, 1, None)))

    def extend(self, history: Sequence[HistoryItem]) -> None:
        for item in islice(history, self._length, None):
            self._append(item)
        self._rest.extend(islice(history, max(self._length, 1), None))
        self._length = len(history)

    def messages(self) -> list[bytes]:
        """List the messages; cache marks stand on the last two of the user's side."""
        messages = self._closed.copy()
        if self._marked:
            place, marked = self._marked
            messages[place] = marked
        if self._first or self._later:
            messages.append(self._message(is_marked=not self._is_reply))
        return messages

    def _append(self, item: HistoryItem) -> None:
        encoded = self._writer.encode(item)
        if not encoded.first and not encoded.rest:
            return
        if isinstance(item, Reply):
            self.call_ids.update(call.id for call in item.calls)
        if isinstance(item, Reply) != self._is_reply:
            self._close()
            self._is_reply = isinstance(item, Reply)
        self._first.extend(encoded.first)
        self._later.extend(encoded.rest)

    def _close(self) -> None:
        if not self._first and not self._later:
            return
        if not self._is_reply:
            self._marked = (len(self._closed), self._message(is_marked=True))
        self._closed.append(self._message(is_marked=False))
        self._first.clear()
        self._later.clear()

    def _message(self, *, is_marked: bool) -> bytes:
        return self._writer.message(self._first, self._later, is_reply=self._is_reply, is_marked=is_marked)


CACHE_KEY = "prompt_cache_key"


def with_cache_key(fields: Json, request: ModelRequest) -> Json:
    """Say which requests begin alike, where a service wants to know: it sends them where it has kept the beginning."""
    if CACHE_KEY not in fields:
        return fields
    beginning = dump([request.system, *(tool.name for tool in request.tools)])
    return fields | {CACHE_KEY: sha256(beginning).hexdigest()[:32]}


def dump(value: Any) -> bytes:  # Any: whatever JSON can say
    """Encode as compact JSON; half a surrogate pair, which no service takes, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def dump_all(values: Sequence[Any]) -> tuple[bytes, ...]:  # Any: as above
    return tuple(dump(value) for value in values)


def arguments_of(call: Call) -> bytes:
    """Give a call's arguments as the JSON object they are, or an empty one: any other is refused by a service."""
    text = call.arguments.encode("utf-8", "replace")
    try:
        value: object = jiter.from_json(text, allow_inf_nan=False)
    except ValueError:
        return b"{}"
    return text if isinstance(value, dict) else b"{}"


_DATA_URL = re.compile(r"data:(?P<type>image/[\w.+-]+);base64,(?P<data>[A-Za-z0-9+/=\s]+)", re.ASCII)


def image_of(url: str) -> tuple[str, str] | None:
    """Take a data URL apart into media type and base64 text; None if it is none."""
    match = _DATA_URL.fullmatch(url)
    return (match["type"], match["data"]) if match else None


IMAGE_LEFT_OUT = "[An image was left out: this model cannot see it.]"


def without_last_thoughts(parts: Sequence[Part]) -> Sequence[Part]:
    """Leave out thoughts behind which nothing follows: a service refuses those that led nowhere."""
    ends = [at for at, part in enumerate(parts, 1) if isinstance(part, Call) or _is_said(part)]
    return parts[: ends[-1]] if ends else ()


def _is_said(part: Part) -> bool:
    return isinstance(part, Spoken) and bool(part.text.strip())


def plain_id(id_: str) -> str:
    """Make an id, which another service may have made, one that all take; the same for a call and its result."""
    return id_ if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id_) else fresh_id_of(id_)


def fresh_id_of(id_: str) -> str:
    """Make another id of one that cannot be used, always the same."""
    return f"call_{sha256(id_.encode('utf-8', 'replace')).hexdigest()[:24]}"
