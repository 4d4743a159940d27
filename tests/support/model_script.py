"""A model's answers, written without any vendor in mind: what a scripted model says, thinks and calls."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Stop = Literal["end", "calls", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class Say:
    """Prose; `times` sends the text again and again, each time as a delta of its own."""

    text: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Think:
    """Reasoning, with the seal that the service wants to see again (it has none in Chat Completions)."""

    text: str
    seal: str = "sealed"


@dataclass(frozen=True, slots=True)
class RawCall:
    """A tool call whose arguments may be anything; an `id` or `name` of None is left out of the stream."""

    name: str | None
    arguments: str
    id: str | None = ""
    """Empty: the server makes one that no other call has."""


class CallTool(RawCall):
    """`CallTool("read_file", path="a")`: a well-formed call."""

    __slots__ = ()

    def __init__(self, name: str, /, **arguments: Any) -> None:
        super().__init__(name, json.dumps(arguments, ensure_ascii=False))


@dataclass(frozen=True, slots=True, eq=False)
class Hold:
    """The answer stops here until `release` is set; `reached` is set once all before it has been sent.

    As an answer's first part it holds back even the status.
    """

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class Pause:
    """The answer stops for a while: for demonstrations by hand; tests use `Hold`."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends here: closed, or reset when `is_reset`."""

    is_reset: bool = False


@dataclass(frozen=True, slots=True)
class StreamError:
    """The service gives up in the middle of its answer and says so in the stream."""

    message: str
    type: str = "overloaded_error"


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes sent as they are, between the events."""

    bytes: bytes


Part = Say | Think | RawCall | Hold | Pause | Cut | StreamError | Raw


@dataclass(frozen=True, slots=True)
class Figures:
    """What the service says it counted; `tokens_in` is the whole prompt, cached parts included."""

    tokens_in: int = 100
    tokens_out: int = 10
    cache_reads: int = 0
    cache_writes: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """A streamed answer and how it is sent. `piece` is the most characters one delta carries."""

    parts: tuple[Part, ...]
    usage: Figures | None = Figures()
    stop: Stop | None = None
    """None: `calls` where there are calls, else `end`."""
    piece: int = 16
    split_bytes: int | None = None
    """The body is sent in pieces of this many bytes, each a read of its own for the client."""
    cut_after_bytes: int | None = None
    """The connection closes after this many bytes of the body."""
    eol: str = "\n"
    """How lines of the stream end."""
    repeat: int = 1
    """The same answer for this many requests in a row."""

    @property
    def stop_reason(self) -> Stop:
        return self.stop or ("calls" if any(isinstance(part, RawCall) for part in self.parts) else "end")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no stream: a status with a body, an error in the vendor's shape unless `body` says otherwise."""

    status: int
    message: str = "scripted refusal"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str = "application/json"


Turn = Answer | Refusal


def as_turn(turn: "Turn | Sequence[Part]") -> Turn:
    """A plain list of parts is an answer with all the defaults."""
    return turn if isinstance(turn, Answer | Refusal) else Answer(tuple(turn))


def unrolled(turns: Iterable["Turn | Sequence[Part]"]) -> list[Turn]:
    """One turn for each request."""
    whole = [as_turn(turn) for turn in turns]
    return [turn for turn in whole for _ in range(turn.repeat if isinstance(turn, Answer) else 1)]


def turns_from_json(script: Any) -> list[Turn]:
    """Read a script file: a list of turns, each a list of parts, or an object with `parts` or `status`."""
    return unrolled([_turn_from_json(turn) for turn in script])


def _turn_from_json(turn: Any) -> Turn:
    if isinstance(turn, list):
        return Answer(tuple(_part_from_json(part) for part in turn))
    if "status" in turn:
        headers = tuple((name, str(value)) for name, value in turn.get("headers", {}).items())
        return Refusal(turn["status"], turn.get("message", "scripted refusal"), headers)
    options = {key: turn[key] for key in ("stop", "piece", "split_bytes", "cut_after_bytes", "repeat") if key in turn}
    usage = Figures(**turn.get("usage", {}))
    return Answer(tuple(_part_from_json(part) for part in turn["parts"]), usage, **options)


def _part_from_json(part: Any) -> Part:
    match part:
        case str():
            return Say(part)
        case {"say": text}:
            return Say(text, part.get("times", 1))
        case {"think": text}:
            return Think(text, part.get("seal", "sealed"))
        case {"call": name, "arguments": str(arguments)}:
            return RawCall(name, arguments, part.get("id", ""))
        case {"call": name}:
            return RawCall(name, json.dumps(part.get("arguments", {}), ensure_ascii=False), part.get("id", ""))
        case {"pause": seconds}:
            return Pause(seconds)
        case {"cut": _}:
            return Cut()
        case {"error": message}:
            return StreamError(message)
        case _:
            raise ValueError(f"a script has no such part: {part!r}")
