"""What happens inside a turn. Everything that a task shows, keeps or sends is folded from these."""

from dataclasses import dataclass

from agent_lsp.domain.condensing import Condensed, ResultsLeftOut
from agent_lsp.domain.history import HistoryItem
from agent_lsp.domain.messages import Progress, Say
from agent_lsp.domain.status import Todo, Usage


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A request goes out."""


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The answer is whole, or was cut off (`cancel_reason`), or failed (`error`)."""

    usage: Usage | None
    cancel_reason: str | None = None
    error: str | None = None
    has_begun: bool = True
    """There was an answer, if only its beginning: then the request is paid for."""
    is_estimated: bool = False
    """The service did not say what was used, or not all of it."""


@dataclass(frozen=True, slots=True)
class TextGrew:
    text: str


@dataclass(frozen=True, slots=True)
class ThoughtGrew:
    text: str


@dataclass(frozen=True, slots=True)
class CallGrowing:
    """The model writes a call: the next piece of its arguments. The call may yet come to nothing."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Kept:
    """An item of the history is whole: words, a reply, or the result of a call."""

    item: HistoryItem
    takes: str | None = None
    """The id of the queued words that these are: they wait no more."""


@dataclass(frozen=True, slots=True)
class Said:
    """A whole message that informs."""

    say: Say
    text: str = ""
    images: tuple[str, ...] = ()
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class RetryDelayed:
    """A request failed and is tried again in `seconds`; said anew as they count down."""

    attempt: int
    seconds: int
    reason: str


@dataclass(frozen=True, slots=True)
class TodosChanged:
    todos: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class CallsRunning:
    """How many tool calls of this step are still to be settled; 0 when none are."""

    count: int


Event = (
    StepStarted
    | StepEnded
    | TextGrew
    | ThoughtGrew
    | CallGrowing
    | Kept
    | Condensed
    | ResultsLeftOut
    | Said
    | RetryDelayed
    | TodosChanged
    | CallsRunning
)
