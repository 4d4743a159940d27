"""How a model's window is shared out between what a task is told and what it may say. Pure."""

import sys
from dataclasses import dataclass

from agent_lsp.agent.gauge import Gauge
from agent_lsp.domain.model import ModelFacts

_CAUTION = 0.97
"""How much of the window is used: estimates may be off by a little."""

UNLIMITED = sys.maxsize
_LONGEST_TAIL_TOKENS = 20_000
_LONGEST_SUMMARY_TOKENS = 6_000
_LONGEST_WORDS_TOKENS = 10_000


@dataclass(frozen=True, slots=True)
class Room:
    """In bytes. `fixed` is what no request goes without: the system prompt, the tools, the task's words."""

    fixed: int
    limit: int
    """The most that a request may have."""
    threshold: int
    """From here on, room is made."""
    longest_tail: int = UNLIMITED
    longest_summary: int = UNLIMITED
    longest_words: int = UNLIMITED

    @property
    def free(self) -> int:
        """What the history may have beside the task's words."""
        return max(0, self.limit - self.fixed)

    @property
    def span(self) -> int:
        """What of that is used before room is made."""
        return max(0, self.threshold - self.fixed)

    # All that is left after room was made takes less than nine tenths of the span: else it would be made again at once.

    @property
    def tail(self) -> int:
        """The newest steps, which stay whole."""
        return min(self.span // 4, self.longest_tail)

    @property
    def newest_step(self) -> int:
        """The newest of them, which the model has not even looked at."""
        return self.span // 2

    @property
    def summary(self) -> int:
        return min(self.span // 6, self.longest_summary)

    @property
    def words(self) -> int:
        """The user's words that are quoted, beside the newest ones."""
        return min(self.span // 10, self.longest_words)

    @property
    def results(self) -> int:
        """The results of one step."""
        return self.free // 4 if self.limit < UNLIMITED else UNLIMITED

    @property
    def surroundings(self) -> int:
        """What the model is told of the editor and the workspace at once."""
        return self.free // 6 if self.limit < UNLIMITED else UNLIMITED


def room_of(gauge: Gauge, facts: ModelFacts, fixed: int, condense_at_percent: int) -> Room:
    """Share out a model's window. Where neither its size is known nor anything was refused, there is no end to it."""
    limits = [gauge.size(facts.name, longest_prompt(facts))] if facts.window else []
    if refused := gauge.most(facts.name):
        limits.append(refused)
    if not limits:
        return Room(fixed, UNLIMITED, UNLIMITED)
    limit = min(limits)
    free = max(0, limit - fixed)
    threshold = limit - free // 6
    if condense_at_percent and facts.window:
        wanted = gauge.size(facts.name, facts.window * condense_at_percent / 100)
        # Below a third, more would be spent on making room than on the work.
        threshold = min(max(min(threshold, wanted), fixed + free // 3), limit)
    return Room(
        fixed,
        limit,
        threshold,
        gauge.size(facts.name, _LONGEST_TAIL_TOKENS),
        gauge.size(facts.name, _LONGEST_SUMMARY_TOKENS),
        gauge.size(facts.name, _LONGEST_WORDS_TOKENS),
    )


def longest_prompt(facts: ModelFacts) -> int:
    """What is left of the window beside the longest answer, in tokens; 0 where the window is not known."""
    answer = facts.max_output or facts.window // 8
    return int((facts.window - min(answer, facts.window // 2)) * _CAUTION)
