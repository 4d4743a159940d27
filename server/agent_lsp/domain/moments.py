"""What time it is and what new things are called: of the real world, or as a recording that is played has it.

Whoever plays a recording enters its moments, for itself and all that it starts; two plays then come to the same bytes.
"""

import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from uuid import NAMESPACE_OID, uuid4, uuid5


@dataclass(frozen=True, slots=True)
class Moments:
    """`is_played`: nothing waits for time to pass, and nothing is merged or ordered by it."""

    now_ms: Callable[[], int]
    fresh_id: Callable[[], str]
    jitter: Callable[[], float]
    """A number in 0..1."""
    is_played: bool = False


def _real_now_ms() -> int:
    return time.time_ns() // 1_000_000


REAL = Moments(_real_now_ms, lambda: str(uuid4()), random.random)
_CURRENT: ContextVar[Moments] = ContextVar("moments", default=REAL)


def played_moments(started_ms: int) -> Moments:
    """Make the moments of a recording: it is always when that began, and ids follow from it, one after another."""
    numbers = count(1)
    return Moments(lambda: started_ms, lambda: str(uuid5(NAMESPACE_OID, f"{started_ms} {next(numbers)}")), float, True)


@contextmanager
def entered(moments: Moments) -> Generator[None]:
    token = _CURRENT.set(moments)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def now_ms() -> int:
    return _CURRENT.get().now_ms()


def fresh_id() -> str:
    return _CURRENT.get().fresh_id()


def jitter() -> float:
    return _CURRENT.get().jitter()


def is_played() -> bool:
    return _CURRENT.get().is_played


def time_of_day() -> datetime:
    """The time as people tell it here; of a recording, as the world has it: its machine may be elsewhere."""
    seconds = now_ms() / 1000
    return datetime.fromtimestamp(seconds, UTC) if is_played() else datetime.fromtimestamp(seconds).astimezone()
