"""A model that is made when it is first asked: what it takes to make it may have to be waited for."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from agent_lsp.domain.errors import ModelFault, NotConfigured
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest
from agent_lsp.providers.recording import Streaming


class LateModel:
    """`make` runs in a thread; what it cannot do is a fault of the request that wanted the model."""

    def __init__(self, facts: ModelFacts, origin: str, make: Callable[[], Streaming]) -> None:
        self._facts = facts
        self.origin = origin
        self._make = make
        self._making = asyncio.Lock()
        self._made: Streaming | None = None

    @property
    def facts(self) -> ModelFacts:
        return self._made.facts if self._made else self._facts

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        model = await self._model()
        async with aclosing(model.stream(request)) as batches:
            async for events in batches:
                yield events

    async def aclose(self) -> None:
        if self._made:
            await self._made.aclose()

    async def _model(self) -> Streaming:
        async with self._making:
            if self._made is None:
                try:
                    self._made = await asyncio.to_thread(self._make)
                except NotConfigured as problem:
                    raise ModelFault(str(problem), is_passing=False) from problem
            return self._made
