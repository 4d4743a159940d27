"""What tools need from other rooms. Structural: whoever has these methods will do."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from agent_lsp.domain.approvals import Action, Decision
from agent_lsp.domain.diagnostics import DiagnosticsNews
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.events import Event
from agent_lsp.domain.files import (
    EditOutcome,
    FileEdit,
    FileText,
    Listing,
    Place,
    Proposal,
    SearchHits,
    Selection,
)
from agent_lsp.domain.messages import Ask
from agent_lsp.domain.modes import Mode
from agent_lsp.domain.slash import Expansion, SlashCommand


class Files(Protocol):
    """Files of the workspace, open buffers first. What cannot be done raises FileProblem, one sentence."""

    def roots(self) -> Sequence[Path]: ...

    def locate(self, path: str, use: Literal["read", "write"]) -> Place:
        """Resolve a path of the model's. Never fails: what leads nowhere good is outside."""
        ...

    async def read(self, place: Place) -> FileText:
        """Read the open buffer, else the disk. Raises FileMissing where there is no such file."""
        ...

    async def read_bytes(self, place: Place, limit: int) -> bytes:
        """Read a file as it is; one of more than `limit` bytes is refused."""
        ...

    async def list_folder(self, place: Place, *, is_recursive: bool, limit: int) -> Listing: ...

    async def search(self, place: Place, regex: str, file_pattern: str | None, limit: int) -> SearchHits: ...

    async def propose(self, edits: Sequence[FileEdit]) -> Proposal:
        """Work out what the user is to be shown. Nothing is touched."""
        ...

    async def apply(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        """Check the bases again, merge what moved, and make all the changes or none."""
        ...

    async def save_edited(self) -> Sequence[Place]:
        """Have the agent's edited, unsaved documents saved by the client; those that still are not."""
        ...

    async def until_saved(self, places: Sequence[Place]) -> None: ...


class Watched(Protocol):
    """Files before an edit, and what was found in them."""

    async def news(self, edits: Sequence[FileEdit]) -> DiagnosticsNews:
        """Tell what is found in them after the edits, and was not before. Never fails, and takes a bounded time."""
        ...


class Diagnostics(Protocol):
    """What the user's language servers find in files."""

    async def watch(self, proposal: Proposal) -> Watched:
        """Note what is found in the files before they are edited. Never fails, and takes a bounded time."""
        ...


class Gate(Protocol):
    """Decides about actions: policy first, then the user. A decision is journaled before it is returned."""

    async def decide(self, action: Action) -> Decision: ...


class EditGate(Gate, Protocol):
    """A gate that tells the user when what they approved could not be done after all."""

    def fail(self, reason: str, /) -> None:
        """Show beside what was decided last, in two or three words, that it came to nothing."""
        ...


class Asker(Protocol):
    """Puts a question that only the user can answer; their words are the decision's text."""

    async def ask(self, ask: Ask, body: Json, call_id: str) -> Decision: ...


class Modes(Protocol):
    """The modes there are, and the task's own."""

    def current(self) -> Mode: ...

    def all(self) -> Sequence[Mode]: ...

    def switch(self, slug: str, /) -> None:
        """Work in another mode, one of those there are, from the next step on."""
        ...


class TextCommands(Protocol):
    """The commands that stand for a text."""

    def all(self) -> Sequence[SlashCommand]: ...

    def expanded(self, text: str, /) -> Expansion | None:
        """What words that begin with a command stand for; None for all others."""
        ...


class OutputRow(Protocol):
    """The `command_output` message of one command."""

    def grow(self, text: str) -> None: ...

    async def operation(self) -> Literal["continue", "abort"]:
        """Wait for the user to let the command go on in the background, or to abort it."""
        ...

    def end(self) -> None: ...


class Screen(Protocol):
    """Where tools show what they do."""

    def emit(self, event: Event) -> None: ...

    def output_row(self) -> OutputRow: ...
