"""The loop: ask the model, settle the calls it makes, and repeat until it rests."""

from collections.abc import Sequence

from agent_lsp.agent.ask import Heard
from agent_lsp.agent.context import Context
from agent_lsp.agent.mistakes import Mistakes
from agent_lsp.agent.nudges import CUT_OFF, nudge
from agent_lsp.agent.ports import Emit, Ports
from agent_lsp.agent.settle import settle
from agent_lsp.domain.events import Kept, Said
from agent_lsp.domain.history import HistoryItem, Words
from agent_lsp.domain.messages import Say
from agent_lsp.domain.model import StopReason
from agent_lsp.domain.turns import Ending, RequestFailed


async def run_turn(history: Sequence[HistoryItem], ports: Ports, emit: Emit) -> Ending:
    """Work until the task is done or someone has to decide. `emit` extends `history`; nobody else does."""
    mistakes = Mistakes(ports.limits.consecutive_mistakes)
    context = Context(history, ports, emit)
    while True:
        # Making room may take a request of its own.
        if ending := context.limit_reached() or await context.make_room():
            return ending
        await _tell_what_is_new(ports, context, emit)
        if ending := context.limit_reached():
            return ending
        heard = await context.ask()
        if isinstance(heard, RequestFailed):
            return heard
        emit(Kept(heard.reply))
        if heard.reply.calls:
            if ending := await settle(heard.reply.calls, context.tools(), mistakes, emit):
                return ending
        else:
            _nudge(heard, ports, mistakes, emit)
        if stuck := mistakes.limit_reached():
            return stuck


async def _tell_what_is_new(ports: Ports, context: Context, emit: Emit) -> None:
    for kept in ports.surroundings.take_steering():
        emit(kept)
    if environment := await ports.surroundings.environment():
        emit(Kept(context.fitted(environment)))


def _nudge(heard: Heard, ports: Ports, mistakes: Mistakes, emit: Emit) -> None:
    if mistakes.count_silence():
        emit(Said(Say.ERROR, "The model answered without using a tool; it was told to go on with one."))
    tools = [tool.name for tool in ports.tools.specs()]
    emit(Kept(Words((CUT_OFF if heard.stop is StopReason.LENGTH else nudge(heard.reply.text, tools),))))
