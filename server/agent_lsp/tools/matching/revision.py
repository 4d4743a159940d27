"""What becomes of a text, or why nothing does."""

from dataclasses import dataclass
from typing import ClassVar

from agent_lsp.domain.errors import AgentError


@dataclass(frozen=True, slots=True)
class Revision:
    """A new text, a line that says what was done, and what of the call could not be done."""

    after: str | None
    """None where the file is to go."""
    summary: str = ""
    faults: tuple[str, ...] = ()


class Refusal(AgentError):
    """The edit cannot be made; the text tells the model why, and what to write instead."""

    kind = "Refusal"
    is_mistake: ClassVar[bool] = False


class Malformed(Refusal):
    """The call breaks the grammar of its tool."""

    is_mistake = True
