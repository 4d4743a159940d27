"""A history made as short as a model takes it to summarise it: what says least goes first, whole steps last. Pure."""

import json
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import cast

from agent_lsp.agent.shortening import places_to_leave_out
from agent_lsp.agent.sizes import size_of_item, size_of_items, size_of_text
from agent_lsp.domain.condensing import ResultsLeftOut, shorter
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.history import Call, HistoryItem, Part, Reply, Result, Spoken, Words
from agent_lsp.domain.status import ContextUse

_LONG_BYTES = 1_000
"""Arguments and prose of more than this are made short."""
_HEAD, _TAIL = 400, 150
"""Characters that stay of long prose."""
_GAP = "[Steps are left out here: all of them were too much to be told at once.]"

_Step = list[HistoryItem]
"""Words, or a reply with its results."""


def abridged(history: Sequence[HistoryItem], most: int) -> Sequence[HistoryItem] | None:
    """Give a history of so many bytes at most; None where the task's own words are more."""
    for shorten in (list[HistoryItem], _without_results, _with_short_calls, _with_short_prose):
        history = shorten(history)
        if size_of_items(history) <= most:
            return history
    return _without_middle(_steps_of(history), most)


def _without_results(history: Sequence[HistoryItem]) -> list[HistoryItem]:
    return shorter(history, ResultsLeftOut(places_to_leave_out(history), ContextUse()))


def _with_short_calls(history: Sequence[HistoryItem]) -> list[HistoryItem]:
    return [_with_parts(item, _short_call) if isinstance(item, Reply) else item for item in history]


def _with_short_prose(history: Sequence[HistoryItem]) -> list[HistoryItem]:
    """What the user said stays."""
    return [_short_said(item) for item in history]


def _short_said(item: HistoryItem) -> HistoryItem:
    match item:
        case Reply():
            return _with_parts(item, _short_spoken)
        case Words(texts, by="program") if any(_is_long(text) for text in texts):
            return replace(item, texts=tuple(map(_short, texts)))
        case _:
            return item


def _with_parts(reply: Reply, shorten: Callable[[Part], Part]) -> Reply:
    parts = tuple(map(shorten, reply.parts))
    return replace(reply, parts=parts) if parts != reply.parts else reply


def _short_spoken(part: Part) -> Part:
    return replace(part, text=_short(part.text)) if isinstance(part, Spoken) and _is_long(part.text) else part


def _short_call(part: Part) -> Part:
    """A call whose long texts are named only; what is no JSON is none any more."""
    if not isinstance(part, Call) or not _is_long(part.arguments):
        return part
    try:
        read: object = json.loads(part.arguments)
    except (ValueError, RecursionError):
        return replace(part, arguments="{}")
    values = cast("Json", read) if isinstance(read, dict) else {}  # The keys of JSON are strings.
    return replace(part, arguments=json.dumps({name: _short_value(value) for name, value in values.items()}))


def _short_value(value: object) -> object:
    text = value if isinstance(value, str) else json.dumps(value)
    return value if len(text) <= _LONG_BYTES // 4 else f"[{len(text):,} characters]"


def _short(text: str) -> str:
    left_out = len(text) - _HEAD - _TAIL
    return f"{text[:_HEAD]} [… {left_out:,} characters …] {text[-_TAIL:]}" if _is_long(text) and left_out > 0 else text


def _is_long(text: str) -> bool:
    return size_of_text(text) > _LONG_BYTES


def _without_middle(steps: Sequence[_Step], most: int) -> Sequence[HistoryItem] | None:
    """Leave out steps between the first and the newest ones; what the user said stays where there is room for it."""
    gap = Words((_GAP,))
    for stays in (_is_said, _is_summary):
        kept = {place for place, step in enumerate(steps) if place == 0 or stays(step[0])}
        left = most - size_of_item(gap) - sum(size_of_items(steps[place]) for place in kept)
        if left >= 0:
            return _joined(steps, kept | _taken(steps, kept, left), gap)
    return None


def _taken(steps: Sequence[_Step], kept: set[int], left: int) -> set[int]:
    """Choose further steps that there is room for: of the half of it the newest ones, then the first."""
    newest = _fitting(reversed(range(len(steps))), steps, kept, left // 2)
    left -= sum(size_of_items(steps[place]) for place in newest)
    return newest | _fitting(range(len(steps)), steps, kept | newest, left)


def _fitting(places: Iterable[int], steps: Sequence[_Step], kept: Container[int], left: int) -> set[int]:
    taken = set[int]()
    for place in places:
        if place in kept:
            continue
        left -= size_of_items(steps[place])
        if left < 0:
            break
        taken.add(place)
    return taken


def _joined(steps: Sequence[_Step], kept: Container[int], gap: Words) -> list[HistoryItem]:
    first = next((place for place in range(len(steps)) if place not in kept), len(steps))
    parts = [[gap] if place == first else step for place, step in enumerate(steps) if place in kept or place == first]
    return [item for part in parts for item in part]


def _steps_of(history: Sequence[HistoryItem]) -> list[_Step]:
    steps = list[_Step]()
    for item in history:
        if isinstance(item, Result) and steps:
            steps[-1].append(item)
        else:
            steps.append([item])
    return steps


def _is_said(item: HistoryItem) -> bool:
    return isinstance(item, Words) and item.by != "program"


def _is_summary(item: HistoryItem) -> bool:
    return isinstance(item, Words) and item.by == "summary"
