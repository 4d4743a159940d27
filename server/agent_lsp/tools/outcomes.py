"""What all tools tell alike: asks, refusals, the user's words, and texts cut to what a model bears."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from agent_lsp.domain.approvals import Decision
from agent_lsp.domain.condensing import APPROVED_WITH_WORDS, REJECTED
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.turns import After, Outcome

OUTPUT_LIMIT = 30_000
"""Characters of one result that reach the model."""


def tool_ask(tool: str, place: Place, **fields: Any) -> Json:  # Any: JSON, each tool has fields of its own
    """Make the JSON that the user is shown. Flags that are off, and fields without a value, are left out."""
    body: Json = {"tool": tool, "path": place.path} | place_flags((place,))
    return body | {name: value for name, value in fields.items() if value is not None}


def place_flags(places: Iterable[Place]) -> Json:
    """Say what any of the places makes an ask special by."""
    flags: Json = {}
    for place in places:
        if place.standing is Standing.OUTSIDE:
            flags["isOutsideWorkspace"] = True
        if place.is_protected or place.standing is Standing.PROTECTED:
            flags["isProtected"] = True
    return flags


def usable(place: Place) -> Place:
    """Refuse, before anybody is asked, a place that nothing can be done with."""
    if place.problem:
        raise FileProblem(place.problem)
    return place


def declined(decision: Decision) -> Outcome:
    """Tell the model of a no. Policy's leaves the calls behind it alone; the user's ends the message."""
    if decision.by == "policy":
        return Outcome(f"Not allowed, nothing was done: {decision.text}", is_error=True, is_shown=True)
    said = f" They say:\n{decision.text}" if decision.text else ""
    text = f"{REJECTED}{said}"
    return Outcome(text, decision.images, is_error=True, after=After.REJECTED)


def with_words(outcome: Outcome, decision: Decision) -> Outcome:
    """Add what the user said when they approved."""
    if decision.by == "policy" or not (decision.text or decision.images):
        return outcome
    text = f"{outcome.text}\n\n{APPROVED_WITH_WORDS}\n{decision.text}"
    return replace(outcome, text=text, images=outcome.images + decision.images)


def capped(text: str, limit: int = OUTPUT_LIMIT, advice: str = "Ask for less at once to see it.") -> str:
    """Cut the middle out of a text that is too long, and say how much and how to get it."""
    if len(text) <= limit:
        return text
    marker = f"\n\n[{{:,}} of {len(text):,} characters are left out here. {advice}]\n\n"
    kept = max(0, limit - len(marker) - 10)
    head = kept * 2 // 3
    tail = kept - head
    return text[:head] + marker.format(len(text) - kept) + text[len(text) - tail :]
