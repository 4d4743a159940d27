"""One step's question to the model: the request, its retries, and the answer as it grows."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from agent_lsp.agent.measuring import expected_tokens
from agent_lsp.agent.ports import Emit, Model, Ports, Surroundings
from agent_lsp.agent.reply import ReplyFold
from agent_lsp.agent.retry import GiveUp, Wait, after_fault
from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.events import Kept, RetryDelayed, StepEnded, StepStarted
from agent_lsp.domain.history import HistoryItem, Reply
from agent_lsp.domain.model import ModelRequest, StopReason
from agent_lsp.domain.moments import jitter
from agent_lsp.domain.turns import PauseEnd, RequestFailed

CAPPED = "One more request would pass a limit of yours: trying again asks whether it may."


@dataclass(frozen=True, slots=True)
class Heard:
    """A whole answer."""

    reply: Reply
    stop: StopReason


async def ask(history: Sequence[HistoryItem], ports: Ports, emit: Emit) -> Heard | RequestFailed:
    """Ask the model, and again where a fault may pass; what a failed attempt streamed stays visible.

    The wait before another attempt is the user's to cut short, and no attempt passes a cap of theirs.
    """
    request = ModelRequest(ports.surroundings.system_prompt(), ports.tools.specs(), history)
    attempt = 0
    while True:
        attempt += 1
        try:
            return await _ask_once(request, ports.model, emit)
        except ModelFault as fault:
            match after_fault(fault, attempt, jitter=jitter()):
                case GiveUp(hint):
                    return _failed(fault, attempt, hint or fault.hint)
                case Wait(seconds):
                    if await _count_down(seconds, attempt, str(fault), ports.surroundings, emit) is PauseEnd.GIVEN_UP:
                        return _failed(fault, attempt, fault.hint)
            if ports.surroundings.limit_reached(expected_tokens(history, ports)):
                return _failed(fault, attempt, CAPPED)


def _failed(fault: ModelFault, attempts: int, hint: str | None) -> RequestFailed:
    if isinstance(fault, ContextOverflow):
        return RequestFailed(str(fault), attempts, fault.status, hint, is_overflow=True, window=fault.window)
    return RequestFailed(str(fault), attempts, fault.status, hint)


async def _ask_once(request: ModelRequest, model: Model, emit: Emit) -> Heard:
    emit(StepStarted())
    fold, has_begun = ReplyFold(), False
    try:
        async with aclosing(model.stream(request)) as batches:
            async for events in batches:
                has_begun = True
                for event in fold.take(events):
                    emit(event)
        heard = _whole(fold, model.origin)
    except ModelFault as fault:
        has_begun |= bool(fault.has_begun)
        emit(StepEnded(fold.usage, cancel_reason="streaming_failed", error=str(fault), has_begun=has_begun))
        raise
    except Exception:
        emit(StepEnded(fold.usage, cancel_reason="streaming_failed", error="The answer could not be taken in."))
        raise
    except asyncio.CancelledError:
        emit(StepEnded(fold.usage, cancel_reason="user_cancelled"))
        if (spoken := fold.spoken(model.origin)).parts:
            emit(Kept(spoken))
        raise
    emit(StepEnded(fold.usage))
    return heard


def _whole(fold: ReplyFold, origin: str) -> Heard:
    reply = fold.reply(origin)
    if fold.stop is StopReason.REFUSAL:
        # Whatever it called before it was stopped is not to be run.
        raise ModelFault("The model declined to answer.", is_passing=False, hint="Put the request in other words.")
    # Who has thought up to the limit does so again: it is told to be brief instead.
    is_cut_off = fold.stop is StopReason.LENGTH and bool(reply.parts)
    if not (reply.calls or reply.text.strip() or is_cut_off):
        raise ModelFault("The model's answer was empty.", is_passing=True)
    return Heard(reply, fold.stop or StopReason.END)


async def _count_down(seconds: float, attempt: int, reason: str, surroundings: Surroundings, emit: Emit) -> PauseEnd:
    remaining, end = seconds, PauseEnd.OVER
    try:
        while remaining > 0 and end is PauseEnd.OVER:
            emit(RetryDelayed(attempt, math.ceil(remaining), reason))
            pause = min(1.0, remaining)
            end = await surroundings.pause(pause)
            remaining -= pause
    finally:
        emit(RetryDelayed(attempt, 0, reason))
    return end
