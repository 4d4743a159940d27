"""Keeps what a turn tells its model within the model's window: by leaving out old results, by a summary, by cutting.

Each only when it is needed, and then much at once: what a service has cached of the prompt ends where it was changed.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from agent_lsp.agent.abridging import abridged
from agent_lsp.agent.ask import CAPPED, Heard, ask
from agent_lsp.agent.clipping import FittingTools, fitted
from agent_lsp.agent.measuring import Measured
from agent_lsp.agent.ports import Emit, Ports
from agent_lsp.agent.room import Room, longest_prompt, room_of
from agent_lsp.agent.shortening import (
    condensed_head,
    has_steps,
    newest_users_words,
    places_to_leave_out,
    tail_start,
    truncated_head,
)
from agent_lsp.agent.sizes import size_of_frame, size_of_item, size_of_items, size_of_text
from agent_lsp.agent.summary import WANTED, NoSummary, Summary, summarise
from agent_lsp.domain.condensing import Condensed, HistoryChange, ResultsLeftOut, shorter
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.events import Said
from agent_lsp.domain.history import HistoryItem, Words
from agent_lsp.domain.messages import Say
from agent_lsp.domain.model import ToolSpec
from agent_lsp.domain.status import ContextUse
from agent_lsp.domain.turns import LimitReached, RequestFailed

NOTHING_TO_CONDENSE = "There is nothing to condense yet: the task has hardly begun."
TOO_LONG_TO_SUMMARISE = "What came before is too long even to be summarised."
NOT_SHORTER = "The summary would have made nothing shorter."
LARGER_WINDOW = (
    "Choose a model with a larger window, or shorten the rules (AGENTS.md and the like) where they are long."
)
SMALLER_PARTS = (
    "Go back to before it and send it in smaller parts, or as a file; or choose a model with a larger window."
)
SUMMARY_ATTEMPTS = 3
"""Each asks for a summary of less than half as much: what a service refuses as too long, it refuses for nothing."""
ENOUGH = 0.6
"""Leaving out old results is enough where less than this of the span is in use then; else a summary does more."""


class Context:
    """One turn's. The history is the task's own list, which changes by what is emitted and by nothing else."""

    def __init__(self, history: Sequence[HistoryItem], ports: Ports, emit: Emit) -> None:
        self._history = history
        self._ports = ports
        self._emit = emit
        self._counted = self._size = 0
        """The size of the first so many items: no step looks at all of them again."""
        self._framed: tuple[str, tuple[ToolSpec, ...], int] = ("", (), 0)
        self._has_failed = False
        """No summary could be had: it is not asked for again before there is no other way."""
        self._recall()

    async def make_room(self) -> RequestFailed | None:
        """Have room for the next step, as far as the settings and the user want it; a failure where there is none."""
        wish = self._ports.surroundings.take_wish()
        if wish is not None:
            await self.condense(wish)
        room = self._room()
        if self._whole() <= room.threshold or self._leave_out_results(room):
            return None
        if failed := self._too_long():
            return failed
        if self._ports.condense_at_percent and wish is None and not self._has_failed:
            await self._condense(room, "")
        is_due = not self._ports.condense_at_percent or self._whole() > room.limit
        if is_due and self._whole() > room.threshold:
            self._truncate(room)
        return self._too_long()

    async def condense(self, instructions: str) -> None:
        """Condense because the user wants it, however much room there is."""
        if not await self._condense(self._room(), instructions) and not self._has_failed:
            self._emit(Said(Say.CONDENSE_CONTEXT_ERROR, NOTHING_TO_CONDENSE))

    async def ask(self) -> Heard | RequestFailed:
        """Ask the model. What it refuses as too long is made shorter, twice at most: once with care, once by force."""
        for shorten in (self._make_shorter, self._cut_down):
            heard = await self._ask_once()
            if not isinstance(heard, RequestFailed) or not heard.is_overflow:
                return heard
            self._refused(self._whole(), heard.window)
            before = self._whole()
            if failed := await shorten():
                # The service's own words say what it takes; ours, what helps.
                return self._given_up(replace(heard, hint=failed.hint))
            if self._whole() >= before:
                return self._given_up(heard)
            if self.limit_reached():
                return self._given_up(replace(heard, hint=CAPPED))
        heard = await self._ask_once()
        return self._given_up(heard) if isinstance(heard, RequestFailed) else heard

    def limit_reached(self) -> LimitReached | None:
        """Whether the next request would pass a cap of the user's."""
        tokens = self._ports.gauge.tokens(self._ports.model.facts.name, self._whole())
        return self._ports.surroundings.limit_reached(tokens)

    def _given_up(self, failed: RequestFailed) -> RequestFailed:
        """Forget what was refused: when the user has it tried again, it is sent, whatever was thought of it before."""
        self._ports.gauge.forgive(self._ports.model.facts.name)
        return failed

    def tools(self) -> FittingTools:
        """The tools of the next step."""
        return FittingTools(self._ports.tools, self._room().results)

    def fitted(self, words: Words) -> Words:
        """What the model is told of its surroundings, as far as there is room for it."""
        return fitted(words, self._room().surroundings)

    async def _make_shorter(self) -> RequestFailed | None:
        return await self.make_room()

    async def _cut_down(self) -> RequestFailed | None:
        room = self._room()
        self._truncate(replace(room, threshold=room.fixed + room.free // 2))
        return self._too_long()

    def _leave_out_results(self, room: Room) -> bool:
        """Leave out old results, if that alone makes room for long."""
        start = self._tail_start(room)
        places = places_to_leave_out(self._history[:start])
        change = ResultsLeftOut(places, ContextUse())
        size = self._size_after(change)
        if not places or size > room.fixed + room.span * ENOUGH:
            return False
        self._change(replace(change, context=self._use(size)), lambda row: self._say_left_out(row, results=len(places)))
        return True

    async def _condense(self, room: Room, instructions: str) -> bool:
        start = self._tail_start(room)
        if not has_steps(self._history[:start]):
            return False
        answer = await self._summary(start, room, instructions)
        if isinstance(answer, NoSummary):
            self._fail(answer.reason)
            return False
        head = condensed_head(self._history, start, answer.text, self._ports.surroundings.todos(), room)
        change = Condensed(head, len(self._history) - start, ContextUse())
        size = self._size_after(change)
        if size >= self._whole():
            self._fail(NOT_SHORTER)
            return False
        self._change(replace(change, context=self._use(size)), lambda row: self._say_condensed(row, answer))
        self._has_failed = False
        return True

    async def _summary(self, start: int, room: Room, instructions: str) -> Summary | NoSummary:
        """Have everything summarised but the newest steps; where that is too long, without its longest parts."""
        most, answer = sys.maxsize, NoSummary(TOO_LONG_TO_SUMMARISE)
        for _ in range(SUMMARY_ATTEMPTS):
            limit = self._room().limit - self._frame() - size_of_text(WANTED) - size_of_text(instructions)
            part = abridged(self._history[:start], min(most, limit))
            if part is None:
                return NoSummary(TOO_LONG_TO_SUMMARISE)
            answer = await summarise(part, instructions, room.summary, self._ports, self._emit)
            if not isinstance(answer, NoSummary) or not answer.is_overflow:
                return answer
            size = size_of_items(part)
            self._refused(self._frame() + size, answer.window)
            most = size * 2 // 5
        return answer

    def _truncate(self, room: Room) -> None:
        """Keep the task, an earlier summary and the newest steps: half of the room, or as little as it takes."""
        half = room.span // 2
        starts = (tail_start(self._history, half, half), len(self._history))
        ways = [way for start in starts if (way := self._truncated(start, room))]
        if not ways:
            return
        way = next((way for way in ways if self._size_after(way) <= room.threshold), ways[-1])
        removed = len(self._history) - way.kept - len(way.head)
        change = replace(way, context=self._use(self._size_after(way)))
        self._change(change, lambda row: self._say_left_out(row, messages=removed))
        self._has_failed = False

    def _truncated(self, start: int, room: Room) -> Condensed | None:
        part = self._history[:start]
        if not has_steps(part):
            return None
        head = truncated_head(self._history, start, self._ports.surroundings.todos(), room)
        return Condensed(head, len(self._history) - start, ContextUse())

    def _tail_start(self, room: Room) -> int:
        """From where on the history stays as it is. Of a short one not all does, where the user wants it condensed."""
        whole = size_of_items(self._history)
        return tail_start(self._history, min(room.tail, whole // 4), min(room.newest_step, whole // 2))

    def _size_after(self, change: HistoryChange) -> int:
        return self._frame() + size_of_items(shorter(self._history, change))

    def _too_long(self) -> RequestFailed | None:
        """Say so where the user's own words alone are too much; nothing else is ever too much for long."""
        facts, gauge, newest = self._ports.model.facts, self._ports.gauge, newest_users_words(self._history[1:])
        fixed, most = self._room().fixed, gauge.size(facts.name, longest_prompt(facts))
        if not facts.window or fixed + (size_of_item(newest) if newest else 0) <= most:
            return None
        if self._frame() > most:
            told = (
                f"The window of {facts.name}, {facts.window:,} tokens, is too small for instructions, tools and rules."
            )
            return RequestFailed(told, 0, hint=LARGER_WINDOW)
        words = newest if newest and fixed <= most else self._history[0]
        tokens = gauge.tokens(facts.name, size_of_item(words))
        told = f"it takes some {tokens:,} tokens, and {facts.name} takes {facts.window:,} in all"
        return RequestFailed(f"Your message is too long: {told}.", 0, hint=SMALLER_PARTS)

    # Telling it.

    def _change(self, change: HistoryChange, say: Callable[[Json], None]) -> None:
        before = self._use(self._whole())
        self._emit(change)
        self._counted = self._size = 0
        say({"prevContextTokens": before.tokens, "newContextTokens": change.context.tokens})

    def _say_condensed(self, row: Json, summary: Summary) -> None:
        told: Json = {"summary": summary.text, "cost": summary.usage.cost} | row
        self._emit(Said(Say.CONDENSE_CONTEXT, json.dumps(told, ensure_ascii=False)))

    def _say_left_out(self, row: Json, *, messages: int = 0, results: int = 0) -> None:
        told: Json = {"messagesRemoved": messages, "resultsRemoved": results} | row
        self._emit(Said(Say.SLIDING_WINDOW_TRUNCATION, json.dumps(told)))

    def _fail(self, reason: str) -> None:
        self._has_failed = True
        self._emit(Said(Say.CONDENSE_CONTEXT_ERROR, reason))

    # Measuring it.

    def _room(self) -> Room:
        task = size_of_item(self._history[0]) if self._history else 0
        facts, percent = self._ports.model.facts, self._ports.condense_at_percent
        return room_of(self._ports.gauge, facts, self._frame() + task, percent)

    def _frame(self) -> int:
        system, specs = self._ports.surroundings.system_prompt(), self._ports.tools.specs()
        if self._framed[:2] != (system, specs):
            self._framed = (system, specs, size_of_frame(system, specs))
        return self._framed[2]

    def _whole(self) -> int:
        """The size of the next request."""
        new = self._history[self._counted :]
        self._size += size_of_items(new)
        self._counted += len(new)
        return self._frame() + self._size

    def _use(self, size: int) -> ContextUse:
        facts = self._ports.model.facts
        return ContextUse.of(self._ports.gauge.tokens(facts.name, size), facts.window)

    def _recall(self) -> None:
        """Take what is known of a task that was brought back for a measure, until the service counts anew."""
        gauge, model = self._ports.gauge, self._ports.model.facts.name
        if not gauge.knows(model):
            gauge.counted(model, self._whole(), self._ports.context_tokens)

    def _refused(self, size: int, window: int | None) -> None:
        self._ports.gauge.refused(self._ports.model.facts.name, size, window)

    async def _ask_once(self) -> Heard | RequestFailed:
        return await ask(self._history, self._ports, Measured(self._whole(), self._ports, self._emit))
