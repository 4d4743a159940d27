"""What a task's turns ask of it: what the model is told, what the user wants meanwhile, and when to stop."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from agent_lsp.domain.events import Kept
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Say
from agent_lsp.domain.requests import QueuedWords
from agent_lsp.domain.status import Todo
from agent_lsp.domain.turns import LimitReached, PauseEnd
from agent_lsp.settings.model import LimitSettings
from agent_lsp.tasks.condensing import Condensing
from agent_lsp.tasks.pausing import Pausing
from agent_lsp.tasks.status_board import Described


@dataclass(frozen=True, slots=True)
class TaskSurroundings:
    task: Described
    condensing: Condensing
    limits: Callable[[], LimitSettings]
    hear: Callable[[QueuedWords], Kept]
    """Shows words of the user's, and gives them as the model hears them."""
    pausing: Pausing = field(default_factory=Pausing)

    def system_prompt(self) -> str:
        return self.task.kit.briefing.system_prompt()

    async def environment(self) -> Words | None:
        return await self.task.kit.briefing.environment()

    def limit_reached(self, tokens_in: int, /) -> LimitReached | None:
        limits, spending = self.limits(), self.task.spending
        if told := spending.news_of_cap(limits):
            self.task.stream.say(Say.INFO, told)
        return spending.limit_reached(limits, self.task.kit.coming(tokens_in))

    def take_steering(self) -> Iterator[Kept]:
        return map(self.hear, self.task.queue.steering())

    async def pause(self, seconds: float) -> PauseEnd:
        return await self.pausing.pause(seconds)

    def todos(self) -> tuple[Todo, ...]:
        return self.task.recorder.todos

    def take_wish(self) -> str | None:
        return self.condensing.take()
