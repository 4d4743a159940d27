"""What requests take: estimated before one is sent, learnt from its answer, and estimated where that does not say it.

No I/O. How many tokens so many bytes are, the gauge knows.
"""

from collections.abc import Sequence
from dataclasses import replace

from agent_lsp.agent.ports import Emit, Ports
from agent_lsp.agent.sizes import size_of_frame, size_of_items, size_of_text
from agent_lsp.domain.events import CallGrowing, Event, StepEnded, StepStarted, TextGrew, ThoughtGrew
from agent_lsp.domain.history import HistoryItem
from agent_lsp.domain.status import Usage


def size_of_request(history: Sequence[HistoryItem], ports: Ports) -> int:
    """In bytes."""
    return size_of_frame(ports.surroundings.system_prompt(), ports.tools.specs()) + size_of_items(history)


def expected_tokens(history: Sequence[HistoryItem], ports: Ports) -> int:
    return ports.gauge.tokens(ports.model.facts.name, size_of_request(history, ports))


class Measured:
    """Passes on the events of a request of so many bytes, and has each of its attempts counted, as far as it is paid.

    A service that does not say what was used, or is cut off before it does, has used something all the same: else no
    cap on money would hold.
    """

    def __init__(self, size: int, ports: Ports, emit: Emit) -> None:
        self._size = size
        self._gauge = ports.gauge
        self._facts = ports.model.facts
        self._emit = emit
        self._said = 0

    def __call__(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._said = 0
            case TextGrew(text) | ThoughtGrew(text):
                self._said += size_of_text(text)
            case CallGrowing(name=name, arguments=arguments):
                self._said += size_of_text(arguments) or size_of_text(name)
            case StepEnded():
                event = self._ended(event)
            case _:
                pass
        self._emit(event)

    def _ended(self, ended: StepEnded) -> StepEnded:
        usage = self._usage(ended)
        if usage == ended.usage:
            self._learn(ended)
            return ended
        return replace(ended, usage=usage, is_estimated=True)

    def _usage(self, ended: StepEnded) -> Usage | None:
        """What was used; an estimate stands for each figure that was not told."""
        told = ended.usage or Usage(cost=None)
        if ended.usage is None and not ended.has_begun:
            return None
        said = self._gauge.tokens(self._facts.name, self._said)
        tokens_in = told.tokens_in or self._gauge.tokens(self._facts.name, self._size)
        # What a service told before it was cut off is the beginning of what it would have told.
        tokens_out = max(told.tokens_out, said) if ended.cancel_reason else told.tokens_out or said
        if (tokens_in, tokens_out) == (told.tokens_in, told.tokens_out):
            return ended.usage
        usage = replace(told, tokens_in=tokens_in, tokens_out=tokens_out)
        return replace(usage, cost=self._facts.tariff.cost(usage)) if self._facts.tariff else usage

    def _learn(self, ended: StepEnded) -> None:
        if ended.usage and not ended.cancel_reason:
            self._gauge.counted(self._facts.name, self._size, ended.usage.tokens_in)
