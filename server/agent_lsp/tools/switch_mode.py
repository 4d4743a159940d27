"""switch_mode: go on in another mode, with its tools, where the user lets it."""

from pydantic import BaseModel, Field

from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.outcomes import declined, with_words
from agent_lsp.tools.ports import Gate, Modes


class SwitchMode:
    name = "switch_mode"

    class Arguments(BaseModel):
        mode_slug: str = Field(min_length=1)
        reason: str = ""

    def __init__(self, gate: Gate, modes: Modes) -> None:
        self._gate = gate
        self._modes = modes

    @property
    def description(self) -> str:
        modes = "\n".join(f"- {mode.slug}: {' '.join(mode.when_to_use.split())}" for mode in self._modes.all())
        return f"Go on in another mode, if the work calls for it; the user decides. Modes:\n{modes}"

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        slug = arguments.mode_slug.strip()
        if slug == self._modes.current().slug:
            return Outcome(f"You work in {slug} mode already.")
        if all(mode.slug != slug for mode in self._modes.all()):
            names = ", ".join(mode.slug for mode in self._modes.all())
            return Outcome(f"There is no mode {slug[:80]!r}. Modes: {names}.", is_error=True, is_mistake=True)
        body = {"tool": "switchMode", "mode": slug} | ({"reason": arguments.reason} if arguments.reason else {})
        decision = await self._gate.decide(Action(call_id, Deed.SWITCH_MODE, body))
        if not decision.is_approved:
            return declined(decision)
        self._modes.switch(slug)
        return with_words(Outcome(f"You work in {slug} mode from here on."), decision)
