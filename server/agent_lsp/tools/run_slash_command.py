"""run_slash_command: have the words of a command that the user or the project wrote down."""

from pydantic import BaseModel, Field

from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.outcomes import declined, with_words
from agent_lsp.tools.ports import Gate, TextCommands

_MOST_LISTED = 30


class RunSlashCommand:
    name = "run_slash_command"

    class Arguments(BaseModel):
        command: str = Field(min_length=1)
        args: str = ""

    def __init__(self, gate: Gate, commands: TextCommands) -> None:
        self._gate = gate
        self._commands = commands

    @property
    def is_useless(self) -> bool:
        """Whether nobody wrote a command: the tool would be paid for on every request."""
        return all(command.source == "built-in" for command in self._commands.all())

    @property
    def description(self) -> str:
        listed = [f"- {command.name}: {command.description}" for command in self._commands.all()[:_MOST_LISTED]]
        return "Get instructions kept for recurring work, if it is just that. Commands:\n" + "\n".join(listed)

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        name = arguments.command.strip().removeprefix("/")
        expansion = self._commands.expanded(f"/{name} {arguments.args}")
        if expansion is None:
            names = ", ".join(command.name for command in self._commands.all())
            return Outcome(f"There is no command {name[:80]!r}. Commands: {names}.", is_error=True, is_mistake=True)
        body = {"tool": "runSlashCommand", "command": name} | ({"args": arguments.args} if arguments.args else {})
        decision = await self._gate.decide(Action(call_id, Deed.READ, body))
        return with_words(Outcome(expansion.text), decision) if decision.is_approved else declined(decision)
