"""What stays of a history that is made shorter, and what stands for the rest. Pure.

It is parted between steps only, so that each call keeps its result.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard

from agent_lsp.agent.clipping import ANSWERED, clipped
from agent_lsp.agent.room import Room
from agent_lsp.agent.sizes import IMAGE_BYTES, size_of_item
from agent_lsp.agent.touched import touched
from agent_lsp.domain.condensing import REJECTED, left_out
from agent_lsp.domain.history import HistoryItem, Reply, Result, Words
from agent_lsp.domain.status import Todo

_CONDENSED = "[To make room, what came before was condensed. This summary stands for it:]"
_TRUNCATED = "[To make room, the oldest steps were left out.]"
_CUT_AGAIN = "[To make room, the oldest steps were left out. This summary stands for the first of them:]"
_CAUTION = "Files may have changed since: read a file again before you rely on what is not told here."
_QUOTED = "The user's own words follow; what was done about them stands above."
_LEAST_GAIN_BYTES = 400
"""What is shorter stays: it says more than its absence would save."""
_MARKS = {"completed": "x", "in_progress": "-"}


def tail_start(history: Sequence[HistoryItem], tail: int, newest_step: int) -> int:
    """Find where the steps begin that stay whole: the newest one if it is no larger than that, and those that fit."""
    start, size, has_newest = len(history), 0, False
    for place in reversed(range(len(history))):
        size += size_of_item(history[place])
        if size > (tail if has_newest else newest_step):
            break
        if not isinstance(history[place], Result):
            start = place
        has_newest |= isinstance(history[place], Reply)
    return start


def has_steps(history: Sequence[HistoryItem]) -> bool:
    """Whether there is anything that a summary could stand for."""
    return any(isinstance(item, Reply) for item in history)


def places_to_leave_out(history: Sequence[HistoryItem]) -> tuple[int, ...]:
    """Find the results that take much room. What the user answered stays."""
    answers = {c.id for item in history if isinstance(item, Reply) for c in item.calls if c.name == ANSWERED}
    return tuple(
        place
        for place, item in enumerate(history)
        if isinstance(item, Result) and not _is_users_own(item, answers) and _gain(item) >= _LEAST_GAIN_BYTES
    )


def condensed_head(
    history: Sequence[HistoryItem], start: int, summary: str, todos: Sequence[Todo], room: Room
) -> tuple[Words | int, ...]:
    """What stands for a history up to `start`, of which the model wrote a summary."""
    return _head(history, start, f"{_CONDENSED}\n\n{summary}", todos, room)


def truncated_head(
    history: Sequence[HistoryItem], start: int, todos: Sequence[Todo], room: Room
) -> tuple[Words | int, ...]:
    """What stands for a history up to `start` that nobody has summarised; an earlier summary is kept."""
    earlier = _earlier_summary(history[:start])
    told = f"{_CUT_AGAIN}\n\n{clipped(earlier, room.summary)}" if earlier else _TRUNCATED
    return _head(history, start, told, todos, room)


def newest_users_words(history: Sequence[HistoryItem]) -> Words | None:
    return next((item for item in reversed(history) if _is_users(item)), None)


def _head(
    history: Sequence[HistoryItem], start: int, told: str, todos: Sequence[Todo], room: Room
) -> tuple[Words | int, ...]:
    is_last_said = newest_users_words(history[start:]) is None
    history = history[:start]
    task = (_kept(history, 0, room),) if history and _is_task(history[0]) else ()
    places = _newest_said(history) if is_last_said else []
    quoted = [_kept(history, place, room) for place in _quoted(history, room, places)]
    facts = [*_todo_lines(todos), *touched(history).lines(), _CAUTION, *([_QUOTED] if quoted else [])]
    return (*task, Words((told, "\n".join(facts)), by="summary"), *quoted)


def _quoted(history: Sequence[HistoryItem], room: Room, newest: Sequence[int]) -> list[int]:
    """The places of the user's words after the task's: the newest, and those before that there is room for."""
    places, size = [*newest], 0
    for place in reversed(range(1, newest[0] if newest else len(history))):
        if not _is_users(item := history[place]):
            continue
        size += size_of_item(item)
        if size > room.words:
            break
        places.insert(0, place)
    return places


def _newest_said(history: Sequence[HistoryItem]) -> list[int]:
    return [place for place in range(1, len(history)) if _is_users(history[place])][-1:]


def _kept(history: Sequence[HistoryItem], place: int, room: Room) -> Words | int:
    """Words as they are, but for pictures that there is no room for."""
    item = history[place]
    if not isinstance(item, Words) or len(item.images) * IMAGE_BYTES <= room.words:
        return place
    note = f"[{len(item.images)} image(s) were left out to make room.]"
    return replace(item, texts=(*item.texts, note), images=())


def _todo_lines(todos: Sequence[Todo]) -> Iterator[str]:
    if todos:
        yield "To-dos:"
    for todo in todos:
        yield f"- [{_MARKS.get(todo.status, ' ')}] {todo.content}"


def _earlier_summary(history: Sequence[HistoryItem]) -> str:
    summaries = [item for item in history if isinstance(item, Words) and item.by == "summary"]
    return summaries[-1].texts[0].partition("\n\n")[2] if summaries else ""


def _is_users_own(result: Result, answers: Collection[str]) -> bool:
    return result.call_id in answers or result.text.startswith(REJECTED)


def _gain(result: Result) -> int:
    return size_of_item(result) - size_of_item(left_out(result))


def _is_task(item: HistoryItem) -> bool:
    return isinstance(item, Words) and item.by != "summary"


def _is_users(item: HistoryItem) -> TypeGuard[Words]:
    return isinstance(item, Words) and item.by == "user"
