"""How a history is made shorter: the events of that, applied alike in memory and when a journal is read. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_lsp.domain.history import HistoryItem, Result, Words
from agent_lsp.domain.status import ContextUse

APPROVED_WITH_WORDS = "The user approved this and says:"
"""What stands in a result before words of the user's: those stay when the result is left out."""
REJECTED = "The user rejected this; nothing was done."
"""What a result begins with that holds nothing but the user's no, and their words."""


@dataclass(frozen=True, slots=True)
class Condensed:
    """The history begins anew: with this head, in place of all but its newest `kept` items.

    A number in the head is the place of an item that stays: the task's words are not written down again and again.
    """

    head: tuple[Words | int, ...]
    kept: int
    context: ContextUse
    """How full the window is after it, as an estimate."""


@dataclass(frozen=True, slots=True)
class ResultsLeftOut:
    """The texts of old results are left out: of those at these places of the history."""

    places: tuple[int, ...]
    context: ContextUse


HistoryChange = Condensed | ResultsLeftOut


def shorter(history: Sequence[HistoryItem], change: HistoryChange) -> list[HistoryItem]:
    """Make the history that a change leaves. Places that a damaged journal has lost are passed over."""
    match change:
        case Condensed(head, kept):
            head_items = (history[part] if isinstance(part, int) else part for part in head if _is_there(part, history))
            return [*head_items, *history[max(0, len(history) - kept) :]]
        case ResultsLeftOut(places):
            named = set(places)
            return [
                left_out(item) if place in named and isinstance(item, Result) else item
                for place, item in enumerate(history)
            ]


def left_out(result: Result) -> Result:
    """A result without its text and images; the call still has its result, and the user's words are still heard."""
    _, said, words = result.text.rpartition(APPROVED_WITH_WORDS)
    images = f" and {len(result.images)} image(s)" if result.images else ""
    text = f"[Left out to make room: {len(result.text):,} characters{images}. Call the tool again if you need them.]"
    return replace(result, text=f"{text}\n\n{said}{words}" if said else text, images=())


def _is_there(part: Words | int, history: Sequence[HistoryItem]) -> bool:
    return not isinstance(part, int) or 0 <= part < len(history)
