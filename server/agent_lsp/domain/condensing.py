"""How a history is made shorter: the events of that, applied alike in memory and when a journal is read. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_lsp.domain.history import HistoryItem, Result, Words
from agent_lsp.domain.status import ContextUse

APPROVED_WITH_WORDS = "The user approved this and says:"
"""What stands in a result before words of the user's: those stay when the result is left out."""
REJECTED = "The user rejected this; nothing was done."
"""What a result begins with that holds nothing but the user's no, and their words."""
CHANGED_BY_USER = "The user changed your proposal."
"""What a line of a result begins with that goes on with how they did."""
_USERS_PART = re.compile(
    rf"^(?:The user rejected \d+ of \d+ hunks; they are not in the file\.|{re.escape(CHANGED_BY_USER)})", re.MULTILINE
)
_DONE = "What the call did stays done; read again what you need."


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
    """A result without its text and images. The call still has its result, and what the user said of it is still heard.

    It sends nobody to make the call again: an edit or a command would be done twice.
    """
    _, said, words = result.text.rpartition(APPROVED_WITH_WORDS)
    images = f" and {len(result.images)} image(s)" if result.images else ""
    text = f"[Left out to make room: {len(result.text):,} characters{images}. {_DONE}]"
    text = "\n".join([text, *dict.fromkeys(_USERS_PART.findall(result.text))])
    return replace(result, text=f"{text}\n\n{said}{words}" if said else text, images=())


def _is_there(part: Words | int, history: Sequence[HistoryItem]) -> bool:
    return not isinstance(part, int) or 0 <= part < len(history)
