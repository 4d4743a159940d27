"""What an approved edit comes to on files as they stand now: the user's choice taken in, moved bases merged. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Change, Conflict, FileEdit, FileText, NotApplied, Proposal, Selection
from agent_lsp.workspace.diffs import compare, plain_diff, select_hunks
from agent_lsp.workspace.merge import merge
from agent_lsp.workspace.opened import path_of_uri
from agent_lsp.workspace.proposing import difference_of, kind_of
from agent_lsp.workspace.texts import with_endings_of


@dataclass(frozen=True, slots=True)
class Wish:
    """One file's edit with the user's choice in it. A dropped one leaves its file alone."""

    edit: FileEdit
    is_dropped: bool = False


@dataclass(frozen=True, slots=True)
class Rebased:
    """A wish on top of the file's current text. `has_moved`: its hunks are not those that were approved."""

    edit: FileEdit
    has_moved: bool = False
    note: str = ""

    @property
    def is_idle(self) -> bool:
        """Whether the file already is as it should become."""
        return (
            kind_of(self.edit) == "edit" and self.edit.before is not None and self.edit.before.text == self.edit.after
        )


MERGED = "The user changed other lines meanwhile; both changes are in the file."


def choose(proposal: Proposal, selection: Selection) -> tuple[Wish, ...]:
    """Take the user's choice into the edits; raises FileProblem for a text of theirs that belongs to none."""
    pairs = list(zip(proposal.edits, proposal.changes, strict=True))
    texts = {path_of_uri(uri): text for uri, text in selection.edited.items()}
    paths = {path for edit, change in pairs for path in _paths(edit, change)}
    if strange := next((uri for uri in selection.edited if path_of_uri(uri) not in paths), None):
        raise FileProblem(f"The user's own text is for {strange}, which is not part of this change.")
    return tuple(_chosen(edit, change, selection, _text_for(_paths(edit, change), texts)) for edit, change in pairs)


def user_diffs(proposal: Proposal, wishes: tuple[Wish, ...]) -> Mapping[str, str]:
    """Say by path how what the user chose differs from what was proposed."""
    diffs = dict[str, str]()
    for edit, wish in zip(proposal.edits, wishes, strict=True):
        if wish.is_dropped or wish.edit.after != edit.after:
            chosen = _text_before(edit) if wish.is_dropped else wish.edit.after or ""
            diffs[edit.place.path] = plain_diff(edit.place.path, edit.after or "", chosen)
    return diffs


def rebase(edit: FileEdit, current: FileText | None) -> Rebased | Conflict | NotApplied:
    """Put an edit on top of the file's current text; None: there is no file."""
    path = edit.place.path
    if edit.before is None:
        return Rebased(edit) if current is None else Conflict(path, current.text)
    if current is None:
        return NotApplied(f"{path} was deleted or moved meanwhile.")
    if current.text == edit.before.text:
        return Rebased(replace(edit, before=current))
    if edit.after is None:
        return Conflict(path, current.text)
    return _merged(edit, edit.before.text, current, edit.after)


def _merged(edit: FileEdit, base: str, current: FileText, after: str) -> Rebased | Conflict:
    merged = merge(base, current.text, after)
    if not merged.is_clean:
        return Conflict(edit.place.path, current.text, merged.collisions[0].our_line)
    rebased = replace(edit, before=current, after=merged.text)
    has_moved = difference_of(rebased).hunk_ids != compare(edit.place.path, base, after).hunk_ids
    # Where the user has made the very same change, nothing is left to be asked.
    return Rebased(rebased, has_moved and merged.text != current.text, MERGED)


def _paths(edit: FileEdit, change: Change) -> tuple[Path | None, ...]:
    """The ways to name an edit's file: editors write the same address differently."""
    return path_of_uri(change.uri), edit.place.absolute, *((edit.move_to.absolute,) if edit.move_to else ())


def _text_for(paths: Iterable[Path | None], texts: Mapping[Path | None, str]) -> str | None:
    return next((texts[path] for path in paths if path in texts), None)


def _chosen(edit: FileEdit, change: Change, selection: Selection, text: str | None) -> Wish:
    if text is not None and edit.after is not None:
        return Wish(replace(edit, after=with_endings_of(_text_before(edit), text)))
    rejected = selection.rejected_hunks.intersection(hunk.id for hunk in change.hunks)
    if not rejected:
        return Wish(edit)
    if len(rejected) == len(change.hunks) and edit.move_to is None:
        return Wish(edit, is_dropped=True)
    return Wish(replace(edit, after=select_hunks(difference_of(edit), rejected)))


def _text_before(edit: FileEdit) -> str:
    return edit.before.text if edit.before else ""
