"""What a tool is about to do, and what was decided about it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.files import Place, Proposal, Selection
from agent_lsp.domain.messages import Ask, Say


class Deed(StrEnum):
    """The kinds of action that policy tells apart."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    SAVE = "save"
    SWITCH_MODE = "switch_mode"


class Verdict(StrEnum):
    APPROVE = "auto_approve"
    ASK = "ask"
    DENY = "auto_deny"


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a command and what policy says of it."""

    text: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """Something a tool wants to do.

    `body` is the JSON that the user sees (a ToolAsk or a command); policy looks only at the other fields.
    """

    call_id: str
    deed: Deed
    body: Json
    ask: Ask = Ask.TOOL
    say: Say = Say.TOOL
    places: tuple[Place, ...] = ()
    command: str | None = None
    proposal: Proposal | None = None
    is_sandboxed: bool = False
    """The command will run confined: it writes to the workspace at most, and reaches no network."""
    refusal: str = ""
    """What the sandbox refused a command that is now to run outside it; a sentence."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Policy's verdict on an action, with the reason that the user or the model is shown."""

    verdict: Verdict
    reason: str = ""
    segments: tuple[Segment, ...] = ()
    is_protected: bool = False
    """No standing yes reaches it, whatever its place looks like."""
    may_hide_denied: bool = False
    """A denied command may hide in it: a person has to read it before anybody says yes."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of an action: the user's answer or policy's."""

    is_approved: bool
    by: Literal["user", "policy", "timeout"]
    text: str = ""
    """The user's words, or policy's reason for a denial."""
    images: tuple[str, ...] = ()
    selection: Selection = field(default_factory=Selection)
