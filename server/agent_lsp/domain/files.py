"""Files as tools and the user see them: places, texts with their base, changes and hunks, and how an edit ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal

from agent_lsp.domain.encoding import KEEP


class Standing(StrEnum):
    """Where a path leads; when several hold, the first one."""

    OUTSIDE = "outside"
    PROTECTED = "protected"
    IGNORED = "ignored"
    INSIDE = "inside"


@dataclass(frozen=True, slots=True)
class Place:
    """A path, resolved: links followed, judged for one use. `path` is as shown: relative to its root, with `/`."""

    path: str
    absolute: Path
    uri: str
    standing: Standing
    root: Path | None = None
    is_protected: bool = False
    """Matches the protected set, also where the standing is outside: no standing yes covers a write to it."""
    problem: str = ""
    """Why nothing can be read or written there, whatever is approved; one sentence."""


@dataclass(frozen=True, slots=True)
class Base:
    """What a text was when it was read. Open documents have a version, any file has the hash of its text or bytes."""

    version: int | None
    digest: str


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file or an open buffer, with its line endings as they are."""

    text: str
    base: Base
    is_open: bool
    encoding: str = "utf-8"
    """A codec's name; a byte-order mark shows in it (`utf-8-sig`, `utf-16`)."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What a tool wants of one file: no `before` for one to be created, no `after` for one to be deleted."""

    place: Place
    before: FileText | None
    after: str | None
    move_to: Place | None = None


@dataclass(frozen=True, slots=True)
class Hunk:
    """One run of changed lines. Its id is stable while the base text stands."""

    id: str
    header: str
    start_line: int
    """The first line, counted from 1, in the text as it was."""
    lines: tuple[str, ...]
    """As in a unified diff: each begins with a blank, `-` or `+`."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file's change as the user is asked about it."""

    uri: str
    path: str
    kind: Literal["create", "edit", "delete", "rename"]
    diff: str
    added: int
    removed: int
    preview_uri: str
    version: int | None = field(default=None, metadata=KEEP)
    hunks: tuple[Hunk, ...] = field(default=(), metadata=KEEP)
    new_path: str | None = None
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """The changes of one tool call, shown and not yet made: all of them or none."""

    edits: tuple[FileEdit, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user made of a proposal: hunks taken out, or whole texts rewritten (by uri)."""

    rejected_hunks: frozenset[str] = frozenset()
    edited: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class AppliedFile:
    """How a file stands after the edit; `text` is None where it is gone."""

    path: str
    text: str | None
    is_open: bool
    note: str = ""
    """What the model and the user should know, e.g. that the user's own typing was merged."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The edit was made, and seen to be made. `user_diffs` says, by path, how it differs from the proposal.

    Files whose change the user took out whole are not among `files`.
    """

    files: tuple[AppliedFile, ...]
    user_diffs: Mapping[str, str] = field(default_factory=dict[str, str])
    edits: tuple[FileEdit, ...] = field(default=(), compare=False)
    """As they were made: each on top of the text that it found."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The user typed meanwhile, the change was merged and looks different now: ask again. Nothing was written.

    `user_diffs` says, by path, what the user's selection had made of the first proposal; the new one holds it already.
    """

    proposal: Proposal
    user_diffs: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Conflict:
    """The user changed the same lines: nothing was written. `text` is the file's current text."""

    path: str
    text: str
    line: int = 1
    """About where in it, counted from 1."""


@dataclass(frozen=True, slots=True)
class NotApplied:
    """The edit was refused or failed and nothing was left half done; `reason` is one sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unproven:
    """The client says it applied the edit, and the document does not show it."""

    path: str
    reason: str


EditOutcome = Applied | Moved | Conflict | NotApplied | Unproven


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries relative to the listed folder, `/` behind folders; the first levels are complete before the depths."""

    entries: tuple[str, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching line with its neighbours; `lines` are (number, text, is_match)."""

    path: str
    lines: tuple[tuple[int, str, bool], ...]


@dataclass(frozen=True, slots=True)
class SearchHits:
    hits: tuple[Hit, ...]
    matches: int
    is_cut: bool
