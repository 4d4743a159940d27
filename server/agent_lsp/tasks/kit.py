"""What a task works with: its model, its tools and the commands they started, and what the model is told at first."""

from typing import TypeVar

from agent_lsp.agent.ports import Model, Ports, Surroundings
from agent_lsp.domain.errors import NotConfigured
from agent_lsp.domain.turns import Limits
from agent_lsp.tasks.checkpointing import Checkpointing, KeptTools
from agent_lsp.tasks.ports import Briefing, Equipment, GrowingCall, Workbench

T = TypeVar("T")


class Kit:
    """Complete once the task is equipped. The model is asked for anew at each turn: settings may have changed."""

    def __init__(self, equipment: Equipment, profile: str) -> None:
        self.profile = profile
        self._equipment = equipment
        self._model = self._known_model()
        self._workbench: Workbench | None = None
        self._briefing: Briefing | None = None

    @property
    def model_name(self) -> str:
        return self._model.facts.name if self._model else ""

    @property
    def window(self) -> int:
        """Tokens that fit into one request; 0 if unknown."""
        return self._model.facts.window if self._model else 0

    @property
    def briefing(self) -> Briefing:
        return _need(self._briefing)

    def equip(self, workbench: Workbench, briefing: Briefing) -> None:
        self._workbench, self._briefing = workbench, briefing

    def ports(self, surroundings: Surroundings, checkpointing: Checkpointing) -> Ports:
        """Put together what one turn needs; NotConfigured where there is no usable model."""
        equipped = self._equipment.model(self.profile or None)
        self.profile, self._model = equipped.profile, equipped.model
        limits = Limits(self._equipment.limits().consecutive_mistakes)
        return Ports(equipped.model, KeptTools(_need(self._workbench).tools, checkpointing), surroundings, limits)

    def growing(self, call_id: str, name: str) -> GrowingCall | None:
        return self._workbench.growing(call_id, name) if self._workbench else None

    def background_count(self) -> int:
        return self._workbench.background_count() if self._workbench else 0

    async def stop_commands(self) -> None:
        if self._workbench:
            await self._workbench.stop_commands()

    def _known_model(self) -> Model | None:
        try:
            return self._equipment.model(self.profile or None).model
        except NotConfigured:
            return None  # The task can be looked at, and says what is missing when it is to go on.


def _need(thing: T | None) -> T:
    if thing is None:
        raise RuntimeError("a task is equipped before it starts to work")
    return thing
