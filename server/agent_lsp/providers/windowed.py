"""A model of a server on the user's own machine, whose window is asked for when the model is used."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest
from agent_lsp.providers.fetching import fetched
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.transport import Endpoint
from agent_lsp.providers.windows import WindowSource
from agent_lsp.settings.model import Profile

ASK_SECONDS = 2.0
MOST_BYTES = 8_000_000


class WindowedModel:
    """Asks before the first request, and once more behind its answer: by then the server has loaded the model."""

    def __init__(self, model: Streaming, profile: Profile, sources: Sequence[WindowSource]) -> None:
        self._model = model
        self._profile = profile
        self._sources = sources
        self._window: int | None = None
        self._times = 0

    @property
    def facts(self) -> ModelFacts:
        facts = self._model.facts
        if self._window is None:
            return facts
        return replace(facts, window=self._window, max_output=min(facts.max_output, self._window // 4))

    @property
    def origin(self) -> str:
        return self._model.origin

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        if self._times == 0:
            await self._ask()
        async with aclosing(self._model.stream(request)) as batches:
            async for events in batches:
                yield events
        if self._times == 1:
            await self._ask()

    async def aclose(self) -> None:
        await self._model.aclose()

    async def _ask(self) -> None:
        """Learn what the server says; where it says nothing, what was known stands."""
        self._times += 1
        try:
            async with asyncio.timeout(ASK_SECONDS):
                for source in self._sources:
                    if window := await self._asked(source):
                        self._window = window
                        return
        except (TimeoutError, ModelFault):
            return

    async def _asked(self, source: WindowSource) -> int | None:
        profile = self._profile
        url, key = source.url(profile.base_url or ""), profile.api_key or ""
        headers = {"authorization": f"Bearer {key}", "accept": "application/json", **profile.headers}
        body = json.dumps({"model": profile.model}).encode() if source.is_posted else None
        status, content = await fetched(Endpoint(url, "", key, profile.headers), headers, body, most=MOST_BYTES)
        try:
            return source.read(content, profile.model) if status == 200 else None
        except ValueError:
            return None
