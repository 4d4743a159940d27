"""Models that write their calls as text: any model behind any API, its requests and answers turned on the way."""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing

from agent_lsp.domain.model import (
    CallBegan,
    CallEnded,
    CallGrew,
    ModelEvent,
    ModelFacts,
    ModelRequest,
    Stopped,
    TextDelta,
    ThoughtDelta,
    ToolSpec,
    UsageKnown,
)
from agent_lsp.providers.answer import Answer, CallIds
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.xml_calls import CallReader
from agent_lsp.providers.xml_history import PlainHistory


class XmlModel:
    """Tells the model of its tools in words, and reads its calls out of what it says."""

    def __init__(self, model: Streaming) -> None:
        self._model = model
        self._plain = PlainHistory()

    @property
    def facts(self) -> ModelFacts:
        return self._model.facts

    @property
    def origin(self) -> str:
        return self._model.origin

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        reading = Reading(request.tools)
        async with aclosing(self._model.stream(self._plain.request(request))) as batches:
            async for events in batches:
                if read := reading.take(events):
                    yield read

    async def aclose(self) -> None:
        await self._model.aclose()


class Reading:
    """One answer in which calls are looked for. Calls of the API itself, should there be any, stay what they are."""

    def __init__(self, tools: Sequence[ToolSpec], *, is_strict: bool = False) -> None:
        # Whoever made the answer has counted its cost; ids are ours to make, and never twice the same.
        self._answer = Answer(CallIds(()), lambda usage: usage)
        self._reader = CallReader(tools, self._answer, is_strict=is_strict)
        self._native: dict[int, int] = {}

    @property
    def native_keys(self) -> Collection[int]:
        """The calls that were made by the service's own means."""
        return self._native.values()

    def take(self, events: Sequence[ModelEvent]) -> list[ModelEvent]:
        read: list[ModelEvent] = []
        for event in events:
            if not isinstance(event, TextDelta | UsageKnown):
                self._reader.pause()
            match event:
                case TextDelta(text):
                    self._reader.feed(text)
                case ThoughtDelta(text):
                    self._answer.thought(text)
                case CallBegan(key, id_, name):
                    self._native[key] = self._answer.begin_call(id_, name)
                case CallGrew(key, arguments):
                    self._answer.grow_call(self._native[key], arguments)
                case CallEnded(key):
                    self._answer.end_call(self._native[key])
                case Stopped(reason):
                    self._reader.end()
                    self._answer.stop(reason)
                case _:
                    read += [*self._answer.take(), event]
        return [*read, *self._answer.take()]
