"""How a service misbehaves, step by step: a case's steps as the bytes of either dialect and what happens between them."""

import base64
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Step = dict[str, Any]
Dialect = Literal["openai", "anthropic"]

STOPS = {
    "openai": {"stop": "stop", "tool": "tool_calls", "length": "length", "filter": "content_filter"},
    "anthropic": {"stop": "end_turn", "tool": "tool_use", "length": "max_tokens", "filter": "refusal"},
}


@dataclass(frozen=True, slots=True)
class Head:
    """The answer's status and fields."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Stand:
    """Nothing comes for so long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Leave:
    """The connection ends."""

    is_reset: bool


Act = bytes | Head | Stand | Leave


def acts_of(steps: list[Step], dialect: Dialect, names: Mapping[str, str]) -> Iterator[Act]:
    """Turn steps into what is done; `names` are put in the place of `@read`, `@KEY@` and their like."""
    teller = (_OpenAi if dialect == "openai" else _Anthropic)(names)
    split: str | None = None
    has_head = False
    for step in _unrolled(steps):
        ((kind, what), *more) = step.items()
        match kind:
            case "status":
                headers = {key: filled(str(value), names) for key, value in dict(more).get("headers", {}).items()}
                yield Head(what, {"content-type": "application/json", **headers})
                has_head = True
            case "headers":
                yield Head(200, {"content-type": "text/event-stream", **what})
                has_head = True
            case "split":
                split = what
            case "reset" | "refuse" | "close":
                yield Leave(is_reset=kind != "close")
            case "delay_ms" | "stall_ms":
                yield Stand(what / 1000)
            case "eol" | "nospace" | "multiline":
                teller.dress[kind] = what
            case _:
                if not has_head:
                    has_head = True
                    if kind != "raw" or not what.startswith(("HTTP/", "SSH-")):
                        yield Head(200, {"content-type": "text/event-stream"})
                for wire in teller.tell(step):
                    yield from _pieces(wire, split)


def filled(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(name, value)
    return text


def _unrolled(steps: list[Step]) -> Iterator[Step]:
    for step in steps:
        if "repeat" in step:
            for _ in range(step["repeat"]["times"]):
                yield from _unrolled(step["repeat"]["steps"])
        else:
            yield step


def _pieces(wire: bytes, split: str | None) -> Iterator[bytes]:
    if split is None:
        yield wire
        return
    kind, _, number = split.partition(":")
    chance = random.Random(int(number))
    at = 0
    while at < len(wire):
        size = chance.randint(1, 9) if kind == "random" else int(number)
        yield wire[at : at + size]
        at += size


class _Teller:
    """What both dialects do alike."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.dress: dict[str, Any] = {}

    def event(self, event: Any, name: str | None = None) -> bytes:
        eol, colon = self.dress.get("eol", "\n"), ":" if self.dress.get("nospace") else ": "
        text = event if isinstance(event, str) else json.dumps(event, indent=1 if self.dress.get("multiline") else None)
        lines = [f"event{colon}{name}"] if name else []
        lines += [f"data{colon}{line}" for line in text.split("\n")]
        return "".join(line + eol for line in [*lines, ""]).encode("utf-8", "surrogatepass")

    def arguments(self, call: Step) -> str:
        given = call.get("args", "")
        return filled(given if isinstance(given, str) else json.dumps(given), self.names)

    def head(self, call: Step, key: str = "id") -> Step:
        """The id and the name of a call, as far as it has them."""
        own = {key: call["id"]} if "id" in call else {}
        return own | ({"name": filled(call["name"], self.names)} if call.get("name") is not None else {})

    def tell(self, step: Step) -> Iterator[bytes]:
        ((kind, what), *_) = step.items()
        match kind:
            case "raw" | "body":
                yield filled(what, self.names).encode("utf-8", "surrogatepass")
            case "raw_b64":
                yield base64.b64decode(what)
            case "text" | "big_text_mb":
                yield from self.text(what if kind == "text" else "z" * (what << 20))
            case "endless_text":
                while True:
                    yield from self.text("lorem ipsum " * 80)
            case _ if kind.startswith("tool"):
                yield from self.tool(kind, what)
            case "interleave" | "indices" | "same_index":
                calls = step["calls"] if kind == "indices" else what
                places = what if kind == "indices" else [0] * len(calls) if kind == "same_index" else range(len(calls))
                yield from self.several(list(zip(places, calls, strict=True)), is_mixed=kind == "interleave")
            case _:
                yield from self.own(step)

    def tool(self, kind: str, what: Any) -> Iterator[bytes]:  # Any: a call, or a piece of its arguments
        match kind:
            case "tool" | "tool_raw":
                yield from self.open(what)
                yield from self.grow(self.arguments(what))
                yield from self.close()
            case "tool_big":
                yield from self.open({**what, "id": "big"})
                yield from self.grow('{"path": ' + json.dumps(what["path"]) + ', "content": "')
                for _ in range(what["mb"] * 16):
                    yield from self.grow("y" * 65_536)
                yield from self.grow('"}')
                yield from self.close()
            case "tool_open":
                yield from self.open(what)
            case "tool_args":
                yield from self.grow(filled(what, self.names))
            case _:
                yield from self.close()

    def several(self, placed: list[tuple[int, Step]], *, is_mixed: bool) -> Iterator[bytes]:
        if not is_mixed:
            for place, call in placed:
                yield from self.open(call, place)
                yield from self.grow(self.arguments(call), place)
                yield from self.close()
            return
        for place, call in placed:
            yield from self.open(call, place)
        texts = [(place, self.arguments(call)) for place, call in placed]
        for at in range(0, max(len(text) for _, text in texts), 5):
            for place, text in texts:
                if piece := text[at : at + 5]:
                    yield from self.grow(piece, place)
        for place, _ in placed:
            yield from self.close(place)

    def text(self, text: str) -> Iterator[bytes]: ...

    def open(self, call: Step, place: int | None = None) -> Iterator[bytes]: ...

    def grow(self, arguments: str, place: int | None = None) -> Iterator[bytes]: ...

    def close(self, place: int | None = None) -> Iterator[bytes]: ...

    def own(self, step: Step) -> Iterator[bytes]: ...


class _OpenAi(_Teller):
    """Chat Completions."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__(names)
        self._place = -1

    def _delta(self, delta: Step, finish: str | None = None) -> bytes:
        return self.event({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def text(self, text: str) -> Iterator[bytes]:
        yield self._delta({"content": text})

    def open(self, call: Step, place: int | None = None) -> Iterator[bytes]:
        self._place = self._place + 1 if place is None else place
        head = self.head(call)
        function = {"arguments": "", **({"name": head.pop("name")} if "name" in head else {})}
        yield self._delta({"tool_calls": [{"index": self._place, "type": "function", **head, "function": function}]})

    def grow(self, arguments: str, place: int | None = None) -> Iterator[bytes]:
        index = self._place if place is None else place
        yield self._delta({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]})

    def close(self, place: int | None = None) -> Iterator[bytes]:
        del place
        yield from ()

    def own(self, step: Step) -> Iterator[bytes]:
        match step:
            case {"split_name": call}:
                name = filled(call["name"], self.names)
                yield from self.open({**call, "name": name[:3]})
                yield self._delta({"tool_calls": [{"index": self._place, "function": {"name": name[3:]}}]})
                yield from self.grow(self.arguments(call))
            case {"repeat_name": call}:
                yield from self.open(call)
                text, head = self.arguments(call), self.head(call)
                for at in range(0, len(text), 4):
                    function = {"name": head["name"], "arguments": text[at : at + 4]}
                    piece = {"index": self._place, "id": call.get("id"), "function": function}
                    yield self._delta({"tool_calls": [piece]})
            case {"usage": usage}:
                counted = usage and {"prompt_tokens": usage["in"], "completion_tokens": usage["out"]}
                yield self.event({"id": "c", "choices": [], "usage": counted})
            case {"finish": finish}:
                yield self._delta({}, STOPS["openai"][finish])
            case {"end": _}:
                yield self.event("[DONE]")
            case {"stream_error": error}:
                yield self.event({"error": error})
            case {"empty_choices": _}:
                yield self.event({"id": "c", "choices": []})
            case {"null_content": _}:
                yield self._delta({"role": "assistant", "content": None, "tool_calls": None})
            case _:
                raise ValueError(f"no such step: {step}")


class _Anthropic(_Teller):
    """Messages."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__(names)
        self._next, self._open, self._is_text, self._has_begun = 0, -1, False, False
        self._usage: Step | None = {"in": 1, "out": 1}

    def _typed(self, kind: str, **fields: Any) -> bytes:
        return self.event({"type": kind, **fields}, kind)

    def _begin(self) -> Iterator[bytes]:
        if not self._has_begun:
            self._has_begun = True
            message = {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 1}}
            yield self._typed("message_start", message=message)

    def _start(self, block: Step, place: int | None) -> Iterator[bytes]:
        yield from self._begin()
        if place is None:
            yield from self.close()
        self._open = self._next if place is None else place
        self._next = max(self._next, self._open + 1)
        yield self._typed("content_block_start", index=self._open, content_block=block)

    def text(self, text: str) -> Iterator[bytes]:
        if self._open < 0 or not self._is_text:
            yield from self._start({"type": "text", "text": ""}, None)
        self._is_text = True
        yield self._typed("content_block_delta", index=self._open, delta={"type": "text_delta", "text": text})

    def open(self, call: Step, place: int | None = None) -> Iterator[bytes]:
        yield from self._start({"type": "tool_use", "input": {}, **self.head(call)}, place)
        self._is_text = False

    def grow(self, arguments: str, place: int | None = None) -> Iterator[bytes]:
        index = self._open if place is None else place
        delta = {"type": "input_json_delta", "partial_json": arguments}
        yield self._typed("content_block_delta", index=index, delta=delta)

    def close(self, place: int | None = None) -> Iterator[bytes]:
        index = self._open if place is None else place
        if index >= 0:
            yield self._typed("content_block_stop", index=index)
        self._open = -1

    def own(self, step: Step) -> Iterator[bytes]:
        match step:
            case {"split_name": call} | {"repeat_name": call}:
                # Names come whole here, and once.
                yield from self.tell({"tool": call})
            case {"usage": usage}:
                self._usage = usage
            case {"finish": finish}:
                yield from self._begin()
                yield from self.close()
                delta = {"stop_reason": STOPS["anthropic"][finish], "stop_sequence": None}
                usage = self._usage and {"output_tokens": self._usage["out"]}
                yield self._typed("message_delta", delta=delta, usage=usage)
            case {"end": _}:
                yield from self._begin()
                yield self._typed("message_stop")
            case {"stream_error": error}:
                yield self._typed("error", error=error)
            case {"empty_choices": _} | {"null_content": _}:
                yield self._typed("ping")
            case _:
                raise ValueError(f"no such step: {step}")
