"""A model behind a vendor's API: joins what writes requests, what carries them and what reads answers."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Sequence
from contextlib import AsyncExitStack, aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest
from agent_lsp.providers import faults
from agent_lsp.providers.answer import Answer, CallIds, Price
from agent_lsp.providers.concessions import Concessions
from agent_lsp.providers.decoder import Decoder, Reader
from agent_lsp.providers.encoding import BodyWriter
from agent_lsp.providers.secrets import Secrets
from agent_lsp.providers.transport import Incoming, Transport

T = TypeVar("T")

_AFTER_END_SECONDS = 0.5
"""How long the few bytes behind an answer's end mark are waited for, so that the connection can be used again."""


@dataclass(frozen=True, slots=True)
class Listening:
    """How a vendor's answers are read: `ignored` names events that say nothing new."""

    reader: Callable[[Answer], Reader]
    ignored: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a service may be silent, in seconds."""

    first_byte: float
    between_bytes: float

    @property
    def keep_alives(self) -> float:
        """How long it may say nothing but that it is there: some do so while a model thinks, and for long."""
        return 3 * self.first_byte


@dataclass(frozen=True, slots=True, eq=False)
class ServiceModel:
    """Speaks one API over one transport. Keeps its connection and the bytes of histories between requests."""

    facts: ModelFacts
    origin: str
    bodies: BodyWriter
    listening: Listening
    transport: Transport
    patience: Patience
    price: Price
    secrets: Secrets
    concessions: Concessions = field(default_factory=Concessions)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        """Ask; a fault is raised, and never tried again here but for what the service can be conceded."""
        try:
            async with aclosing(self._stream(request)) as batches:
                async for events in batches:
                    yield events
        except ModelFault as fault:
            # Services quote what they were sent; the key must not reach a screen or a log.
            fault.args = (self.secrets.removed_from(str(fault)),)
            raise

    async def aclose(self) -> None:
        await self.transport.aclose()

    async def _stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        body = self.bodies.body(request)
        answer = Answer(CallIds(body.call_ids), self.price)
        decoder = Decoder(self.listening.reader(answer), answer, self.listening.ignored)
        async with AsyncExitStack() as stack:
            incoming = await self._accepted(body.bytes, stack)
            batches = await stack.enter_async_context(aclosing(self._decoded(incoming.pieces, decoder)))
            with _begun():
                async for events in batches:
                    yield events

    async def _accepted(self, body: bytes, stack: AsyncExitStack) -> Incoming:
        """Send a request, and once more without each thing in it that the service refuses and can do without."""
        while True:
            sent = self.concessions.applied(body)
            posted = stack.enter_async_context(self.transport.post(sent))
            incoming = await _within(self.patience.first_byte, posted, has_begun=False)
            try:
                await self._expect_events(incoming)
            except ModelFault as refusal:
                if not self.concessions.make(refusal, body, sent):
                    raise
                await stack.aclose()
            else:
                return incoming

    async def _decoded(self, pieces: AsyncIterator[bytes], decoder: Decoder) -> AsyncGenerator[Sequence[ModelEvent]]:
        seconds, has_begun, clock = self.patience.first_byte, False, asyncio.get_running_loop().time
        heard = clock()
        try:
            while (piece := await _within(seconds, anext(pieces, None), has_begun=has_begun)) is not None:
                if events := decoder.feed(piece):
                    yield events
                    heard = clock()
                elif clock() - heard > self.patience.keep_alives:
                    raise faults.only_keep_alives(self.patience.keep_alives)
                if decoder.has_ended:
                    await _drain(pieces)
                    return
                seconds, has_begun = self.patience.between_bytes, True
            decoder.end()
        except ModelFault as fault:
            # What breaks behind the finish mark breaks nothing: the answer is whole.
            if not (fault.is_passing and _is_whole_after_all(decoder)):
                if told := decoder.take():
                    yield told
                raise
        yield decoder.take()

    async def _expect_events(self, incoming: Incoming) -> None:
        content_type = incoming.headers.get("content-type", "")
        if incoming.status != 200:
            raise faults.refused(incoming.status, incoming.headers, await self._body_of(incoming))
        if "html" in content_type:
            raise faults.not_a_stream(content_type, await self._body_of(incoming))

    async def _body_of(self, incoming: Incoming) -> bytes:
        """Read what an error says, as far as it makes sense to."""
        body = bytearray()
        with suppress(ModelFault):
            while len(body) < faults.LONGEST_BODY_BYTES:
                piece = await _within(self.patience.between_bytes, anext(incoming.pieces, None), has_begun=True)
                if piece is None:
                    break
                body += piece
        return bytes(body[: faults.LONGEST_BODY_BYTES])


@contextmanager
def _begun() -> Generator[None]:
    """Mark what goes wrong from here on as an answer that had begun, unless the service gave up by itself."""
    try:
        yield
    except ModelFault as fault:
        if fault.has_begun is None:
            fault.has_begun = True
        raise


async def _within(seconds: float, awaitable: Awaitable[T], *, has_begun: bool) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await awaitable
    except TimeoutError as error:
        raise faults.stalled(seconds, has_begun=has_begun) from error


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError, ModelFault):
        async with asyncio.timeout(_AFTER_END_SECONDS):
            async for _ in pieces:
                pass


def _is_whole_after_all(decoder: Decoder) -> bool:
    try:
        decoder.end()
    except ModelFault:
        return False
    return True
