"""Checkpoints of one workspace joined with its editor: taking them, and taking back what the agent did since.

Only files that the agent changed are touched. What the user did to them since stays, or the file is left alone.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.checkpoints import (
    Alterations,
    Altered,
    Checkpoint,
    CheckpointDifference,
    FileDifference,
    FileKind,
    FileState,
    Reason,
    Restoration,
    RestoredFile,
    UnrestoredFile,
)
from agent_lsp.domain.documents import Documents, OpenDocument
from agent_lsp.domain.errors import BadParams, FileProblem, VersionConflict
from agent_lsp.domain.files import Applied, EditOutcome, FileEdit, NotApplied, Place, Selection, Standing, Unproven
from agent_lsp.storage.checkpoints import Checkpoints
from agent_lsp.storage.checkpoints_walk import is_left_out
from agent_lsp.workspace.diffs import compare, unified
from agent_lsp.workspace.disk_states import StateChange, change_states, read_state, remove_emptied, undo_states
from agent_lsp.workspace.files import WorkspaceFiles
from agent_lsp.workspace.leftovers import Leftovers
from agent_lsp.workspace.obstacles import obstacles
from agent_lsp.workspace.opened import document_at, is_opened_by_link, path_of_uri
from agent_lsp.workspace.reading import MOST_BYTES, text_of_document
from agent_lsp.workspace.reverting import Collision, Reverted, is_same, revert
from agent_lsp.workspace.texts import decode


@dataclass(frozen=True, slots=True)
class _Step:
    """What a restore is to do to one file."""

    path: Path
    before: FileState | None
    after: FileState | None
    is_merged: bool
    document: OpenDocument | None

    @property
    def change(self) -> StateChange:
        return StateChange(self.path, self.before, self.after)

    @property
    def permitting(self) -> StateChange | None:
        """What of an open document's file no editor changes: its permissions."""
        if not (self.document and self.before and self.after and self.path.is_file()):
            return None
        before, after = (FileState(b"", permissions=each.permissions) for each in (self.before, self.after))
        return StateChange(self.path, before, after) if before != after else None


@dataclass(frozen=True, slots=True)
class _Plan:
    steps: tuple[_Step, ...]
    conflicts: tuple[UnrestoredFile, ...]
    gone: tuple[Path, ...]
    """Files that there are to be no more, those that are gone already among them."""


_NEVER_KEPT = "no checkpoint keeps it, and the agent changed or deleted it"


class KeptWorkspace:
    """The files of one workspace, kept and restored."""

    def __init__(self, store: Checkpoints, files: WorkspaceFiles, documents: Documents, leftovers: Leftovers) -> None:
        self._store = store
        self._files = files
        self._documents = documents
        self._leftovers = leftovers

    async def take(self, task_id: str, reason: Reason) -> Checkpoint:
        return await self._store.take(task_id, reason, self._unsaved())

    async def note_changes(self, task_id: str, reason: Reason, changes: Alterations) -> None:
        await self._store.note_changes(task_id, reason, changes)

    async def note_intent(self, task_id: str, changes: Alterations) -> None:
        await self._store.note_intent(task_id, changes)

    async def note_changes_since(self, task_id: str, checkpoint: Checkpoint) -> None:
        await self._store.note_changes_since(task_id, checkpoint)

    async def checkpoints(self, task_id: str) -> tuple[Checkpoint, ...]:
        return await self._store.checkpoints(task_id)

    async def difference(self, task_id: str, checkpoint_id: str, to: str | None) -> CheckpointDifference:
        """How the files differ between two checkpoints, or from one to now."""
        known = {checkpoint.id: checkpoint for checkpoint in await self._store.checkpoints(task_id)}
        if missing := next((name for name in (checkpoint_id, to) if name and name not in known), None):
            raise BadParams(f"The task has no checkpoint {missing!r}: agent/checkpoints tells those there are.")
        newer = known[to] if to else await self.take(task_id, Reason.DIFF)
        difference = await self._store.compare_shown(known[checkpoint_id], newer)
        changes = await asyncio.to_thread(self._differences, difference.altered)
        return CheckpointDifference(changes, tuple(map(self._shown, difference.left_out)))

    async def planned(self, task_id: str, checkpoint_id: str) -> Restoration:
        """What a restore would do now."""
        return self._told(await self._plan(task_id, checkpoint_id), is_done=False)

    async def restore(self, task_id: str, checkpoint_id: str) -> Restoration:
        """Take back what the agent did since a checkpoint: in all files but those in conflict, or in none."""
        plan = await self._plan(task_id, checkpoint_id)
        empty = await self._store.empty_folders(task_id, checkpoint_id)
        undo = await self.take(task_id, Reason.RESTORE)
        await self._make(plan.steps)
        await asyncio.to_thread(self._remove_emptied, plan, empty)
        changes = {step.path: Altered(step.before, step.after) for step in plan.steps}
        if changes:
            await self.note_changes(task_id, Reason.RESTORE, changes)
        return self._told(plan, is_done=True, undo=undo.id)

    async def forget(self, task_id: str) -> None:
        await self._store.forget(task_id)

    async def close(self) -> None:
        await self._store.close()

    async def _plan(self, task_id: str, checkpoint_id: str) -> _Plan:
        histories, lost = dict[Path, list[Altered]](), set[Path]()
        for difference in await self._store.changes_since(task_id, checkpoint_id):
            lost.update(difference.lost)
            for path, altered in difference.altered.items():
                histories.setdefault(path, []).append(altered)
        plan = await asyncio.to_thread(self._planned_steps, histories)
        missing = [self._conflict(path, _NEVER_KEPT) for path in lost if not is_left_out(path)]
        return replace(plan, conflicts=tuple(sorted((*plan.conflicts, *missing), key=lambda conflict: conflict.path)))

    def _planned_steps(self, histories: Mapping[Path, Sequence[Altered]]) -> _Plan:
        steps, conflicts, gone = list[_Step](), list[UnrestoredFile](), list[Path]()
        for path, alterations in sorted(histories.items()):
            match self._step(path, alterations):
                case _Step() as step:
                    if step.after is None:
                        gone.append(path)
                    if not _is_idle(step):
                        steps.append(step)
                case Collision(reason):
                    conflicts.append(self._conflict(path, reason))
        found = obstacles([step.change for step in steps])
        conflicts += [self._conflict(path, reason) for path, reason in found.items()]
        possible = (step for step in steps if step.path not in found)
        return _Plan(tuple(possible), tuple(conflicts), tuple(gone))

    def _conflict(self, path: Path, reason: str) -> UnrestoredFile:
        return UnrestoredFile(path.as_uri(), self._shown(path), f"Left as it is: {reason}.")

    def _step(self, path: Path, alterations: Sequence[Altered]) -> _Step | Collision:
        try:
            on_disk = read_state(path, MOST_BYTES)
        except FileProblem as problem:
            return Collision(self._files.by_root(str(problem)).rstrip("."))
        document = self._document(path, on_disk)
        current = _state_of(document, on_disk) if document else on_disk
        if document and not document.is_dirty and not _has_text_of(on_disk, document.text):
            return _behind_the_editor(path, on_disk, alterations, document)
        reverted = revert(current, alterations)
        if isinstance(reverted, Collision):
            return reverted
        if document and reverted.state and _text(reverted.state) is None:
            return Collision("it is open in your editor and was no text then; close it there first")
        if document and reverted.state is None and not self._can_delete(document):
            return Collision("it is open in your editor, which cannot delete it; close it there first")
        return _Step(path, current, reverted.state, reverted.is_merged, document)

    async def _make(self, steps: Sequence[_Step]) -> None:
        """Change the disk first and then the editor, since the disk can be brought back without a trace."""
        permitting = [change for step in steps if (change := step.permitting)]
        # What is to be read-only is so at the end: the editor saves it before.
        late = [change for change in permitting if change.after and change.after.is_read_only]
        on_disk = [step.change for step in steps if step.document is None]
        on_disk += [change for change in permitting if change not in late]
        with self._files.told_by_root():
            await asyncio.to_thread(change_states, on_disk, self._leftovers)
        edits = [_edit(step, self._files.locate(str(step.path), "write")) for step in steps if step.document]
        if not edits:
            return
        outcome = await self._files.apply(await self._files.propose(edits), Selection())
        if not isinstance(outcome, Applied):
            await asyncio.to_thread(undo_states, on_disk, self._leftovers)
            raise VersionConflict(_not_restored(outcome))
        # What the user had not saved stays unsaved: whether it is good enough for the disk is theirs to say.
        documents = [step.document for step in steps if step.document and step.after]
        if saved := [document.uri for document in documents if not document.is_dirty]:
            await self._documents.save(saved)
        await asyncio.to_thread(change_states, late, self._leftovers)

    def _remove_emptied(self, plan: _Plan, kept: AbstractSet[Path]) -> None:
        """Take away the folders that the agent made for its files; those that were empty before stay."""
        roots = self._files.roots()
        inside = [path for path in plan.gone if any(path.is_relative_to(root) for root in roots)]
        remove_emptied(inside, {*kept, *roots})

    def _unsaved(self) -> dict[Path, str]:
        dirty = [document for document in self._documents.open_documents() if document.is_dirty]
        paths = ((path_of_uri(document.uri), document.text) for document in dirty)
        return {Path(os.path.realpath(path)): text for path, text in paths if path}

    def _can_delete(self, document: OpenDocument) -> bool:
        return self._documents.can_delete() and not is_opened_by_link(document.uri)

    def _document(self, path: Path, on_disk: FileState | None) -> OpenDocument | None:
        if on_disk and on_disk.is_link:
            return None
        return document_at(self._documents, self._place(path))

    def _place(self, path: Path) -> Place:
        return Place(self._shown(path), path, path.as_uri(), Standing.INSIDE)

    def _shown(self, path: Path) -> str:
        root = next((root for root in self._files.roots() if path.is_relative_to(root)), None)
        return str(path.relative_to(root)) if root else str(path)

    def _differences(self, altered: Alterations) -> tuple[FileDifference, ...]:
        return tuple(self._difference(path, change) for path, change in altered.items())

    def _difference(self, path: Path, change: Altered) -> FileDifference:
        kind, shown = _kind(change.before, change.after), self._shown(path)
        before, after = _text(change.before), _text(change.after)
        if before is None or after is None:
            return FileDifference(path.as_uri(), shown, kind)
        return FileDifference(path.as_uri(), shown, kind, unified(kind, shown, None, compare(shown, before, after)))

    def _told(self, plan: _Plan, *, is_done: bool, undo: str | None = None) -> Restoration:
        files = tuple(
            RestoredFile(step.path.as_uri(), self._shown(step.path), _kind(step.before, step.after), step.is_merged)
            for step in plan.steps
        )
        return Restoration(is_done, files, plan.conflicts, undo)


def _behind_the_editor(
    path: Path, on_disk: FileState | None, alterations: Sequence[Altered], document: OpenDocument
) -> _Step | Collision:
    """Bring the disk back to what the editor still shows; anything else would change the file behind its back."""
    reverted = revert(on_disk, alterations)
    if isinstance(reverted, Reverted) and _has_text_of(reverted.state, document.text):
        return _Step(path, on_disk, reverted.state, reverted.is_merged, None)
    return Collision("your editor shows another text than the disk has; reload it there first")


def _not_restored(outcome: EditOutcome) -> str:
    match outcome:
        case NotApplied(reason):
            return f"Nothing was restored: {reason} Try it again."
        case Unproven(path, reason):
            return f"Nothing was restored, but perhaps {path} in your editor, which is to be looked at: {reason}"
        case _:
            return "Nothing was restored: you typed meanwhile. Try it again."


def _edit(step: _Step, place: Place) -> FileEdit:
    before = text_of_document(step.document) if step.document else None
    return FileEdit(place, before, None if step.after is None else _text(step.after))


def _is_idle(step: _Step) -> bool:
    if step.before is None or step.after is None:
        return is_same(step.before, step.after)
    return step.before == step.after


def _kind(before: FileState | None, after: FileState | None) -> FileKind:
    if before is None:
        return "create"
    return "delete" if after is None else "edit"


def _state_of(document: OpenDocument, on_disk: FileState | None) -> FileState:
    """What the editor shows, in the file's own encoding where that can hold it."""
    decoded = decode(on_disk.content) if on_disk else None
    content = document.text.encode("utf-8", "surrogatepass")
    if decoded and decoded.text == document.text and on_disk:
        content = on_disk.content
    return FileState(content, permissions=on_disk.permissions if on_disk else FileState(b"").permissions)


def _has_text_of(state: FileState | None, text: str) -> bool:
    return state is not None and _text(state) == text


def _text(state: FileState | None) -> str | None:
    """The text of a state; empty where there is no file, None where it is no text."""
    if state is None:
        return ""
    decoded = None if state.is_link else decode(state.content)
    return decoded.text if decoded else None
