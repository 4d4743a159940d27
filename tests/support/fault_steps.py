"""How a service misbehaves, step by step: a case's steps as the bytes of each dialect and what happens between them."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from support.fault_chat import ChatTeller
from support.fault_messages import MessagesTeller
from support.fault_responses import ResponsesTeller
from support.fault_teller import Step, Teller, filled

Dialect = Literal["openai", "anthropic", "openai-responses"]

TELLERS: dict[str, type[Teller]] = {
    "openai": ChatTeller,
    "anthropic": MessagesTeller,
    "openai-responses": ResponsesTeller,
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
    teller = TELLERS[dialect](names)
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
