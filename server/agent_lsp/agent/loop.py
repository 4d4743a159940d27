"""The loop: ask the model, settle the calls it makes, and repeat until it rests."""

from collections.abc import Sequence

from agent_lsp.agent.ask import ask
from agent_lsp.agent.mistakes import Mistakes
from agent_lsp.agent.ports import Emit, Ports
from agent_lsp.agent.settle import settle
from agent_lsp.domain.events import Kept, Said
from agent_lsp.domain.history import HistoryItem, Words
from agent_lsp.domain.messages import Say
from agent_lsp.domain.model import StopReason
from agent_lsp.domain.turns import Ending, RequestFailed

NO_CALL = (
    "You called no tool. Go on with a tool call; if the task is done, call attempt_completion, "
    "and if you need something from the user, call ask_followup_question."
)
CUT_OFF = "Your answer was cut off at the output limit. Go on with a tool call, in smaller pieces."


async def run_turn(history: Sequence[HistoryItem], ports: Ports, emit: Emit) -> Ending:
    """Work until the task is done or someone has to decide. `emit` extends `history`; nobody else does."""
    mistakes = Mistakes(ports.limits.consecutive_mistakes)
    while True:
        if limit := ports.surroundings.limit_reached():
            return limit
        await _tell_what_is_new(ports, emit)
        heard = await ask(history, ports, emit)
        if isinstance(heard, RequestFailed):
            return heard
        emit(Kept(heard.reply))
        if heard.reply.calls:
            if ending := await settle(heard.reply.calls, ports.tools, mistakes, emit):
                return ending
        else:
            _nudge(heard.stop, mistakes, emit)
        if stuck := mistakes.limit_reached():
            return stuck


async def _tell_what_is_new(ports: Ports, emit: Emit) -> None:
    for kept in ports.surroundings.take_steering():
        emit(kept)
    if environment := await ports.surroundings.environment():
        emit(Kept(environment))


def _nudge(stop: StopReason, mistakes: Mistakes, emit: Emit) -> None:
    if mistakes.count_silence():
        emit(Said(Say.ERROR, "The model answered without using a tool; it was told to go on with one."))
    emit(Kept(Words((CUT_OFF if stop is StopReason.LENGTH else NO_CALL,))))
