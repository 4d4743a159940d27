"""Open documents and edits of them, between the editor (the front door) and the workspace."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document as the client has synchronised it, unsaved text included."""

    uri: str
    version: int
    text: str
    is_dirty: bool
    """The client has not saved it since it last changed."""


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """One file's part of an edit, whole texts; the front door makes minimal text edits of it.

    `version` is the document's version that `before` belongs to, or None where the file is not open.
    """

    uri: str
    kind: Literal["create", "edit", "delete", "rename"]
    before: str
    after: str
    version: int | None
    new_uri: str | None = None


class ApplyResult(Enum):
    APPLIED = auto()
    """And proven: the mirror of every open document equals what was meant. Of other files it is the client's word."""
    REFUSED = auto()
    """The client said no, cannot, or the version had moved on; nothing changed."""
    UNPROVEN = auto()
    """The client said yes, and the document does not show it."""


@dataclass(frozen=True, slots=True)
class ApplyAnswer:
    result: ApplyResult
    reason: str = ""
    unproven_uris: tuple[str, ...] = ()
    is_denied: bool = False
    """The client said no, although something changed: nothing more is to come."""


class Documents(Protocol):
    """The editor as the rooms below see it. Without an editor: no documents, and nothing can be applied."""

    def get(self, uri: str) -> OpenDocument | None: ...

    def open_documents(self) -> Sequence[OpenDocument]: ...

    def can_apply(self) -> bool:
        """Whether the client takes `workspace/applyEdit`."""
        ...

    def can_save_closed(self) -> bool:
        """Whether a file that is not open can go through the editor and be saved at once."""
        ...

    def can_delete(self) -> bool:
        """Whether the client deletes files, those that are open in it included."""
        ...

    async def apply(self, edits: Sequence[DocumentEdit]) -> ApplyAnswer:
        """Send one `workspace/applyEdit` for all edits, and wait (bounded) for the proof."""
        ...

    async def save(self, uris: Sequence[str]) -> Sequence[str]:
        """Have the documents saved by the client; the uris that were not (all, where the client cannot)."""
        ...

    async def until_saved(self, uris: Sequence[str]) -> None:
        """Return once the client has saved all of these documents, however long the user takes."""
        ...


@dataclass(frozen=True, slots=True)
class Terminal:
    """A terminal of the user's, and the newest command in it, as far as the client knows."""

    name: str
    cwd: str = ""
    command: str = ""
    is_running: bool = False
    exit_code: int | None = None
    output: str = field(default="", compare=False)
    """The newest of what the command has written; it is not told unless the user points to it."""


@dataclass(frozen=True, slots=True)
class EditorContext:
    """What the user has before them, as far as the client tells."""

    active_uri: str | None = None
    visible_uris: tuple[str, ...] = ()
    open_uris: tuple[str, ...] = ()
    cursor_line: int | None = None
    """Where the user is in the active document, counted from 1."""
    selected_lines: tuple[int, int] | None = None
    """The first and last line of it that they have selected something of."""
    terminals: tuple[Terminal, ...] = ()
