"""When the user wants a task condensed: before its next step where it works, at once where it rests."""

from collections.abc import Sequence

from agent_lsp.agent.context import Context
from agent_lsp.agent.ports import Emit, Ports
from agent_lsp.agent.shortening import has_steps
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.history import HistoryItem
from agent_lsp.domain.messages import Ask
from agent_lsp.tasks import endings


class Condensing:
    """The wish that waits, and what a task that rested asks again once it is fulfilled."""

    def __init__(self) -> None:
        self._wish: str | None = None
        self._returning: Ask | None = None

    @property
    def is_at_rest(self) -> bool:
        """Whether the turn that runs does nothing else."""
        return self._returning is not None

    def wish(self, instructions: str) -> None:
        """Have it done before the next step; of several wishes the last one counts."""
        self._wish = instructions

    def wish_at_rest(self, instructions: str, asked: Ask, history: Sequence[HistoryItem]) -> None:
        """Have it done by a turn of its own. BadParams where there is nothing to condense."""
        if not has_steps(history):
            raise BadParams("There is nothing to condense yet: the model has not said anything in this task.")
        self._wish, self._returning = instructions, endings.resting_question(asked)

    def take(self) -> str | None:
        wish, self._wish = self._wish, None
        return wish

    def returning_question(self) -> Ask:
        """Tell what to ask after the turn, and that it is over."""
        returning, self._returning = self._returning or Ask.RESUME_TASK, None
        return returning

    async def run(self, history: Sequence[HistoryItem], ports: Ports, emit: Emit) -> None:
        """Do nothing but condense."""
        await Context(history, ports, emit).condense(self.take() or "")
