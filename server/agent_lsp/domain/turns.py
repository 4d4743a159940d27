"""How a turn ends, and how a call of it did."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal


@dataclass(frozen=True, slots=True)
class Completed:
    result: str


@dataclass(frozen=True, slots=True)
class RequestFailed:
    message: str
    attempts: int
    status: int | None = None
    hint: str | None = None
    is_overflow: bool = False
    """The request was longer than the model takes."""
    window: int | None = None
    """What the model takes, in tokens, where the service said so as it refused more."""


@dataclass(frozen=True, slots=True)
class MistakeLimit:
    guidance: str


@dataclass(frozen=True, slots=True)
class LimitReached:
    type: Literal["requests", "cost"]
    count: float
    limit: float


Ending = Completed | RequestFailed | MistakeLimit | LimitReached


class PauseEnd(Enum):
    """How a wait ended before a request that failed is tried again."""

    OVER = auto()
    SKIPPED = auto()
    """The user wants the next attempt at once."""
    GIVEN_UP = auto()
    """The user wants no other attempt."""


class After(Enum):
    """What a tool's outcome means for the calls behind it."""

    GO_ON = auto()
    REJECTED = auto()
    """The user said no: the rest of this message is not run."""
    COMPLETED = auto()
    """The task is done: the turn rests."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool made of a call: what the model reads, and what follows from it."""

    text: str
    images: tuple[str, ...] = ()
    is_error: bool = False
    is_mistake: bool = False
    """The model called wrongly (bad arguments, no such tool); several in a row stop the turn."""
    is_shown: bool = False
    """The user has seen already why it failed."""
    has_news: bool = False
    """The same call may well be made again: it looks at what goes on by itself, and that has gone on."""
    after: After = After.GO_ON
    completion: str | None = None
    """The result that attempt_completion puts before the user."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a turn stops to ask; 0 is no limit. Caps on requests and money are the task's to count."""

    consecutive_mistakes: int = 3
