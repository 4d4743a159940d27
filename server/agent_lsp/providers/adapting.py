"""A model of which nobody knows beforehand how it calls tools: many servers offer many models.

Tools are sent by the service's own means. A service that refuses them is sent none from then on: the model is told of
them in words. And a model that writes a call into its text, though it could make one, has made it.
"""

import re
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.model import (
    CallBegan,
    CallEnded,
    CallGrew,
    ModelEvent,
    ModelFacts,
    ModelRequest,
    Stopped,
    TextDelta,
)
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.xml_model import Reading, XmlModel

_TOOLS = r"(?:tools?|tool[ _-](?:use|calls?|calling|choice)|function[ _-]?calls?|function[ _-]?calling|functions)"
_REFUSED = re.compile(
    rf"(?:does not|doesn't|do not|don't|cannot|can't) (?:support|accept|allow)[^.]{{0,40}}\b{_TOOLS}\b"
    rf"|\b{_TOOLS}\b[`'\"]?(?: \w+)? (?:is|are) not (?:\w+ )?(?:supported|enabled|available|allowed|permitted)"
    rf"|no endpoints found that support {_TOOLS}"
    rf"|(?:unsupported|unknown|unrecognized|extra)[^.]{{0,40}}[`'\"]{_TOOLS}[`'\"]"
    r"|requires? --(?:jinja|enable-auto-tool-choice)"
    r"|tools? param requires",
    re.IGNORECASE,
)
SWITCHED = (
    "The service takes no tools for this model, so the model is told of them in words from now on "
    '(a profile with "toolFormat": "xml" does so from the start).'
)


def refuses_tools(fault: ModelFault) -> bool:
    """Whether a service said that this model cannot be sent tools; each has words of its own for it."""
    is_answered = fault.status is None or 400 <= fault.status < 600
    return is_answered and fault.status not in (401, 402, 403, 429) and _REFUSED.search(str(fault)) is not None


class AdaptingModel:
    """What was learnt of the service holds for as long as this model is used."""

    def __init__(self, model: Streaming) -> None:
        self._model = model
        self._xml: XmlModel | None = None

    @property
    def facts(self) -> ModelFacts:
        return self._model.facts

    @property
    def origin(self) -> str:
        return self._model.origin

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        answer = self._xml.stream(request) if self._xml else self._listened(request)
        async with aclosing(answer) as batches:
            async for events in batches:
                yield events

    async def aclose(self) -> None:
        await self._model.aclose()

    async def _listened(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        found = FoundCalls(request)
        try:
            async with aclosing(self._model.stream(request)) as batches:
                async for events in batches:
                    if heard := found.take(events):
                        yield heard
        except ModelFault as fault:
            if not request.tools or not refuses_tools(fault):
                raise
            self._xml = XmlModel(self._model)
            # Passing, since the next attempt goes another way: that the user sees this, and waits a second, is meant.
            raise ModelFault(SWITCHED, is_passing=True, status=fault.status) from fault


class FoundCalls:
    """One answer. A call in its text counts only where the answer makes none by the service's own means."""

    def __init__(self, request: ModelRequest) -> None:
        self._reading = Reading(request.tools, is_strict=True)
        self._written: dict[int, WrittenCall] = {}

    def take(self, events: Sequence[ModelEvent]) -> list[ModelEvent]:
        return [heard for event in self._reading.take(events) for heard in self._settled(event)]

    def _settled(self, event: ModelEvent) -> Iterable[ModelEvent]:
        match event:
            case CallBegan(key, _, name) if key not in self._reading.native_keys:
                self._written[key] = WrittenCall(name, [event])
                return ()
            case CallGrew(key) | CallEnded(key) if key in self._written:
                self._written[key].events.append(event)
                return ()
            case Stopped():
                return (*self._said_or_made(), event)
            case _:
                return (event,)

    def _said_or_made(self) -> Iterator[ModelEvent]:
        for call in self._written.values():
            if self._reading.native_keys:
                yield TextDelta(call.text())
            else:
                yield from call.events


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call that stands in an answer's text."""

    name: str
    events: list[ModelEvent]

    def text(self) -> str:
        arguments = "".join(event.arguments for event in self.events if isinstance(event, CallGrew))
        return f"\n\n{self.name} {arguments}"
