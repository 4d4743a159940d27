"""What the hall needs from other rooms beyond their types. Structural: whoever has these methods will do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from agent_lsp.agent.ports import Model, Tools
from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.approvals import Action, Decision
from agent_lsp.domain.checkpoints import Alterations, Checkpoint, Reason
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.events import Event
from agent_lsp.domain.files import FileEdit
from agent_lsp.domain.history import HistoryItem, Words
from agent_lsp.domain.messages import Ask
from agent_lsp.domain.modes import Mode
from agent_lsp.domain.requests import ContextReference, TaskList, TaskSummary
from agent_lsp.domain.slash import Expansion
from agent_lsp.domain.status import PermissionMode
from agent_lsp.settings.model import LimitSettings
from agent_lsp.storage.records import Record
from agent_lsp.tasks.permissions import StandingPermissions


class Ledger(Protocol):
    """A task's journal. `append` returns once the record outlives a kill of this process."""

    def append(self, record: Record) -> None: ...

    async def sync(self) -> None:
        """Return once all that was appended outlives a power cut."""
        ...

    def close(self) -> None: ...


class OutputRow(Protocol):
    """The `command_output` message of one command."""

    def grow(self, text: str) -> None: ...

    async def operation(self) -> Literal["continue", "abort"]: ...

    def end(self) -> None: ...


class Desk(Protocol):
    """Where a task's tools ask and show: its gate and its screen."""

    async def decide(self, action: Action) -> Decision: ...

    def fail(self, reason: str, /) -> None:
        """Show beside what was decided last, in two or three words, that it came to nothing."""
        ...

    async def ask(self, ask: Ask, body: Json, call_id: str) -> Decision: ...

    def emit(self, event: Event) -> None: ...

    async def changing(self, edits: Sequence[FileEdit], permissions: Mapping[Path, int]) -> None:
        """Note the edits that are to be made now; `changed` follows, with none where none was made."""
        ...

    async def changed(self, edits: Sequence[FileEdit], permissions: Mapping[Path, int]) -> None:
        """Note the edits that were made, each on top of the text and the permissions it found."""
        ...

    def output_row(self) -> OutputRow: ...

    def set_mode(self, mode: str) -> None:
        """Work in another mode from the next step on."""
        ...


class Checkpoints(Protocol):
    """Keeps how the files of a task's workspace stood, and what the agent did to them."""

    async def take(self, task_id: str, reason: Reason) -> Checkpoint: ...

    async def note_changes(self, task_id: str, reason: Reason, changes: Alterations) -> None: ...

    async def note_intent(self, task_id: str, changes: Alterations) -> None:
        """Note what is about to be changed; `note_changes` follows, with nothing where it came to nothing."""
        ...

    async def note_changes_since(self, task_id: str, checkpoint: Checkpoint) -> None:
        """Note all that changed on the disk since a checkpoint as the agent's doing: a command's."""
        ...


class GrowingCall(Protocol):
    """A call that the model still writes, as far as a user can follow it."""

    @property
    def action(self) -> Action | None:
        """What is going to be decided about; None until that is known."""
        ...

    def feed(self, arguments: str) -> str:
        """Take the next piece of the arguments; what of it is to be seen. Nothing before the action is known."""
        ...


class Workbench(Protocol):
    """One task's tools and the commands they started."""

    @property
    def tools(self) -> Tools: ...

    def growing(self, call_id: str, name: str) -> GrowingCall | None:
        """Follow a call while it is written; None for one that is not shown before it runs."""
        ...

    def background_count(self) -> int: ...

    async def stop_commands(self) -> None:
        """Return once every command of this task, with all its descendants, is gone."""
        ...


class Index(Protocol):
    """The list of tasks, which can be made anew from their journals."""

    def upsert(self, summary: TaskSummary, client_request_id: str | None = None) -> None: ...

    def find_request(self, client_request_id: str) -> str | None: ...

    def list(self, *, cursor: str | None, limit: int, query: str | None) -> TaskList: ...

    def rename(self, task_id: str, title: str) -> None: ...

    def delete(self, task_id: str) -> None:
        """Forget a task and remove its folder."""
        ...

    def close(self) -> None: ...


class Briefing(Protocol):
    """What one task's model is told of its surroundings."""

    def system_prompt(self) -> str: ...

    async def environment(self) -> Words | None: ...

    def hear(self, text: str) -> None:
        """Note words of the user's that are not in the history, such as those beside an answer."""
        ...

    def forget(self, *, is_all: bool) -> None:
        """Take it that the model has been told nothing of late, or nothing at all: a rewind hid it."""
        ...


@dataclass(frozen=True, slots=True)
class Equipment:
    """What the architect hands a task; each is asked anew at use, so that changed settings hold at once."""

    model: Callable[[str | None], "EquippedModel"]
    rules: Callable[[PermissionMode], Rules]
    limits: Callable[[], LimitSettings]
    checkpoints: Checkpoints | None = None
    permissions: StandingPermissions | None = None
    mode_profile: Callable[[str], str | None] = lambda _mode: None
    """The profile that the settings have for a mode."""
    expanded: Callable[[str], Expansion | None] = lambda _words: None
    """What words that begin with a command stand for."""
    condense_at_percent: Callable[[], int] = lambda: 80
    """How full a model's window may be before a task is condensed; 0 is never."""


class KnownModes(Protocol):
    """The modes there are, asked anew at use."""

    def all(self) -> tuple[Mode, ...]: ...

    def find(self, slug: str) -> Mode | None: ...


@dataclass(frozen=True, slots=True)
class EquippedModel:
    """A model and the name of the profile it was made from."""

    profile: str
    model: Model


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What a task's workbench and briefing are made from."""

    task_id: str
    folder: Path
    profile: str
    mode: Callable[[], str]
    permission_mode: Callable[[], PermissionMode]
    context: tuple[ContextReference, ...] = ()
    history: Callable[[], Sequence[HistoryItem]] = tuple
    cost: Callable[[], float | None] = lambda: None
    """What it has cost so far, where that is known."""
    last_ts: int = 0
    """Its newest message, where it was brought back."""
    profile_now: Callable[[], str] = str
    """The profile that is chosen by now."""
    window: Callable[[], int] = int
    """How many tokens its model takes at once; 0 where that is not known."""


class Architect(Protocol):
    """Who knows every room: makes for a task what it works with, from the settings and roots of the moment."""

    def equipment(self) -> Equipment: ...

    def equip(self, facts: TaskFacts, desk: Desk) -> tuple[Workbench, Briefing]: ...

    def roots(self) -> tuple[Path, ...]: ...

    def permission_mode(self) -> PermissionMode: ...

    def default_mode(self) -> str: ...

    @property
    def modes(self) -> KnownModes: ...
