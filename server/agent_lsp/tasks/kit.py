"""What a task works with: its model, its tools and the commands they started, and what the model is told at first."""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TypeVar

from agent_lsp.agent.gauge import Gauge
from agent_lsp.agent.ports import Model, Ports, Surroundings
from agent_lsp.domain.errors import NotConfigured
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest
from agent_lsp.domain.status import ContextUse
from agent_lsp.domain.turns import Limits
from agent_lsp.tasks.checkpointing import Checkpointing, KeptTools
from agent_lsp.tasks.ports import Briefing, Equipment, EquippedModel, GrowingCall, Workbench
from agent_lsp.tasks.spending import Coming

T = TypeVar("T")


class Kit:
    """Complete once the task is equipped. The model is asked for anew at each turn: settings may have changed."""

    def __init__(self, equipment: Equipment, profile: str, *, has_chosen_profile: bool = False) -> None:
        self.profile = profile
        self._has_chosen_profile = has_chosen_profile
        self._equipment = equipment
        self._model = self._known_model()
        self._asked: ChosenModel | None = None
        self._workbench: Workbench | None = None
        self._briefing: Briefing | None = None
        self._gauge = Gauge()

    @property
    def model_name(self) -> str:
        return self._model.facts.name if self._model else ""

    @property
    def asked_model(self) -> str:
        """The model that the newest request went to, whichever is chosen by now."""
        return self._asked.asked_name if self._asked else self.model_name

    def coming(self, tokens_in: int) -> Coming | None:
        """Describe the next request, if there is a model that it could go to."""
        facts = self._model.facts if self._model else None
        return Coming(tokens_in, facts, self._gauge.knows(facts.name)) if facts else None

    @property
    def window(self) -> int:
        """Tokens that fit into one request; 0 if unknown."""
        return self._model.facts.window if self._model else 0

    @property
    def briefing(self) -> Briefing:
        return _need(self._briefing)

    def equip(self, workbench: Workbench, briefing: Briefing) -> None:
        self._workbench, self._briefing = workbench, briefing

    def choose(self, profile: str) -> None:
        """Work with another profile from the next request on; NotConfigured where it cannot be used."""
        self._take(self._equipment.model(profile))
        self._has_chosen_profile = True

    def follow_mode(self, before: str, mode: str) -> str | None:
        """Work with the profile that a mode has, unless the user chose one; why that cannot be."""
        wanted = self._equipment.mode_profile(mode)
        if self._has_chosen_profile or (wanted is None and self._equipment.mode_profile(before) is None):
            return None
        try:
            self._take(self._equipment.model(wanted))
        except NotConfigured as problem:
            return f"The profile of the mode {mode} cannot be used. {problem}"
        return None

    def ports(self, surroundings: Surroundings, checkpointing: Checkpointing, context: ContextUse) -> Ports:
        """Put together what one turn needs; NotConfigured where there is no usable model."""
        self._take(self._equipment.model(self.profile or None))
        limits = Limits(self._equipment.limits().consecutive_mistakes)
        self._asked = ChosenModel(lambda: _need(self._model))
        tools = KeptTools(_need(self._workbench).tools, checkpointing)
        percent = self._equipment.condense_at_percent()
        return Ports(self._asked, tools, surroundings, limits, self._gauge, context.tokens, percent)

    def growing(self, call_id: str, name: str) -> GrowingCall | None:
        return self._workbench.growing(call_id, name) if self._workbench else None

    def background_count(self) -> int:
        return self._workbench.background_count() if self._workbench else 0

    async def stop_commands(self) -> None:
        if self._workbench:
            await self._workbench.stop_commands()

    def _take(self, equipped: EquippedModel) -> None:
        self.profile, self._model = equipped.profile, equipped.model

    def _known_model(self) -> Model | None:
        try:
            return self._equipment.model(self.profile or None).model
        except NotConfigured:
            return None  # The task can be looked at, and says what is missing when it is to go on.


class ChosenModel:
    """A turn's model: whichever is chosen when a request is sent. Its facts are those of the next one to be asked."""

    def __init__(self, chosen: Callable[[], Model]) -> None:
        self._chosen = chosen
        self._asked = chosen()
        self.asked_name = self._asked.facts.name

    @property
    def facts(self) -> ModelFacts:
        return self._chosen().facts

    @property
    def origin(self) -> str:
        return self._asked.origin

    def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        self._asked = self._chosen()
        self.asked_name = self._asked.facts.name
        return self._asked.stream(request)


def _need(thing: T | None) -> T:
    if thing is None:
        raise RuntimeError("a task is equipped before it starts to work")
    return thing
