"""Making approved edits: bases checked again, then all files changed or none, through the editor or on the disk."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from agent_lsp.domain.documents import ApplyAnswer, ApplyResult, Documents
from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import (
    Applied,
    AppliedFile,
    Conflict,
    EditOutcome,
    FileEdit,
    FileText,
    Moved,
    NotApplied,
    Place,
    Proposal,
    Selection,
    Unproven,
)
from agent_lsp.workspace.disk import make_folders, remove_folders, size_of
from agent_lsp.workspace.disk_changes import DiskChange, changes_of, make_all, undo_all
from agent_lsp.workspace.leftovers import Leftovers
from agent_lsp.workspace.opened import document_at, is_opened_by_link
from agent_lsp.workspace.places import Places
from agent_lsp.workspace.proposing import kind_of
from agent_lsp.workspace.proposing import propose as propose_edits
from agent_lsp.workspace.reading import LARGE_BYTES, refuse_unholdable, text_of_document, text_on_disk
from agent_lsp.workspace.rebasing import Rebased, Wish, choose, rebase, user_diffs
from agent_lsp.workspace.saving import EditedDocuments
from agent_lsp.workspace.steps import Step, remove_empty, reversal, weigh
from agent_lsp.workspace.texts import has_even_endings

T = TypeVar("T")

ClosedFiles = Literal["auto", "editor", "disk"]


class _Overtaken:
    """The editor refused an edit whose document the user had changed by then; nothing was written."""


_MOST_TRIES = 50
"""Who types fast on a slow machine overtakes many; each is one way there and back, and a typist pauses."""


class Applying:
    """Makes one approved proposal at a time."""

    def __init__(
        self,
        places: Places,
        documents: Documents,
        edited: EditedDocuments,
        leftovers: Leftovers,
        closed_files: Callable[[], ClosedFiles],
    ) -> None:
        self._places = places
        self._documents = documents
        self._edited = edited
        self._leftovers = leftovers
        self._closed_files = closed_files
        self._one_at_a_time = asyncio.Lock()

    async def propose(self, edits: Sequence[FileEdit]) -> Proposal:
        uris = {edit.place: self._uri_of(edit.place) for edit in edits}
        return await asyncio.to_thread(_proposed, edits, uris)

    async def apply(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        async with self._one_at_a_time:
            return await unbroken(self._apply(proposal, selection))

    async def _apply(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        try:
            wishes, diffs = await asyncio.to_thread(_chosen, proposal, selection)
            edits = [wish.edit for wish in wishes if not wish.is_dropped]
            for _ in range(_MOST_TRIES):
                outcome = await self._try(edits, diffs)
                if not isinstance(outcome, _Overtaken):
                    return outcome
        except FileProblem as problem:
            return NotApplied(str(problem))
        return NotApplied("The document changed again and again meanwhile; read it again.")

    async def _try(self, edits: Sequence[FileEdit], diffs: Mapping[str, str]) -> "EditOutcome | _Overtaken":
        """Put the edits on top of the files as they stand now, and make them."""
        steps = list[Step]()
        for edit in edits:
            rebased = await self._rebased(edit)
            if not isinstance(rebased, Rebased):
                return rebased
            steps.append(Step(rebased, self._uri_of(edit.place)))
        if any(step.rebased.has_moved for step in steps):
            return Moved(await self.propose([step.edit for step in steps]), diffs)
        failure = await self._make([step for step in steps if not step.rebased.is_idle])
        made = tuple(step.edit for step in steps if not step.rebased.is_idle)
        return failure or Applied(self._applied_files(steps), diffs, made)

    async def _rebased(self, edit: FileEdit) -> Rebased | Conflict | NotApplied:
        current = await self._current(edit.place)
        if edit.move_to and await self._current(edit.move_to):
            return NotApplied(f"{edit.move_to.path} exists already.")
        return await asyncio.to_thread(rebase, edit, current)

    async def _current(self, place: Place) -> FileText | None:
        self._places.locate_again(place, "write")
        if document := document_at(self._documents, place):
            return text_of_document(document)
        try:
            if size_of(place.absolute) > LARGE_BYTES:
                return await asyncio.to_thread(text_on_disk, place)
            return text_on_disk(place)
        except FileMissing:
            return None

    async def _make(self, steps: Sequence[Step]) -> "NotApplied | Unproven | _Overtaken | None":
        """Change the disk first and then the editor, since the disk can be brought back without a trace."""
        in_editor = [step for step in steps if self._goes_to_editor(step)]
        if in_editor and not self._documents.can_apply():
            return NotApplied(
                f"{in_editor[0].edit.place.path} is open in an editor that takes no edits; close it there."
            )
        if linked := next((step for step in in_editor if step.takes_away and is_opened_by_link(step.uri)), None):
            return NotApplied(f"{linked.edit.place.path} is open in the editor by a link to it; close it there.")
        on_disk = [step.edit for step in steps if step not in in_editor]
        self._refuse_opened(on_disk)
        folders = await asyncio.to_thread(_make_folders, [step.edit for step in steps])
        try:
            changes = await asyncio.to_thread(_change_disk, on_disk, self._leftovers)
        except FileProblem:
            await asyncio.to_thread(remove_folders, folders)
            raise
        answer = await self._send(in_editor)
        if answer.result is ApplyResult.APPLIED:
            return None
        is_overtaken = answer.result is ApplyResult.REFUSED and self._is_overtaken(in_editor)
        answer = await self._take_back(in_editor, answer)
        if answer.result is ApplyResult.UNPROVEN:
            # The edit may still come: what it leaves unsaved is known then.
            self._remember(in_editor)
        stuck = await asyncio.to_thread(undo_all, changes, self._leftovers)
        await asyncio.to_thread(remove_folders, folders)
        if is_overtaken and not stuck:
            return _Overtaken()
        return _failure(in_editor, answer, stuck)

    def _is_overtaken(self, steps: Sequence[Step]) -> bool:
        """Whether the user typed before the edit arrived: then it may fit on top of that."""
        return any(step.is_open and self._has_new_version(step) for step in steps)

    def _has_new_version(self, step: Step) -> bool:
        document, before = self._documents.get(step.uri), step.edit.before
        return bool(document and before and document.version != before.base.version)

    def _refuse_opened(self, on_disk: Sequence[FileEdit]) -> None:
        """Write no file behind a document that was opened while the edit was worked out."""
        closed = [edit.place for edit in on_disk if edit.before is None or not edit.before.is_open]
        if opened := next((place for place in closed if document_at(self._documents, place)), None):
            raise FileProblem(f"{opened.path} was opened in the editor meanwhile; read it again.")

    def _goes_to_editor(self, step: Step) -> bool:
        if step.is_open:
            return True
        if not self._edits_closed() or kind_of(step.edit) not in ("create", "edit"):
            return False
        # An editor reads a closed file in its own way: other encodings become mojibake, mixed endings are evened out.
        before = step.edit.before
        return before is None or (before.encoding == "utf-8" and has_even_endings(before.text))

    def _edits_closed(self) -> bool:
        match self._closed_files():
            case "disk":
                return False
            case "editor":
                return self._documents.can_apply()
            case "auto":
                return self._documents.can_apply() and self._documents.can_save_closed()

    async def _send(self, steps: Sequence[Step]) -> ApplyAnswer:
        if not steps:
            return ApplyAnswer(ApplyResult.APPLIED)
        answer = await self._documents.apply([step.document_edit for step in steps])
        if answer.result is ApplyResult.APPLIED:
            await self._settle(steps)
        weighed = weigh(answer, steps, await self._texts_of(steps))
        if weighed.result is ApplyResult.APPLIED and answer.result is not ApplyResult.APPLIED:
            await self._settle(steps)
        return weighed

    async def _texts_of(self, steps: Sequence[Step]) -> list[str | None]:
        """How the files read where they are to stand; what cannot be read does not show that anything was done."""
        return [await self._text_at(step.target, step.text_before) for step in steps]

    async def _text_at(self, place: Place, unknown: str | None) -> str | None:
        try:
            current = await self._current(place)
        except FileProblem:
            return unknown
        return current.text if current else None

    async def _settle(self, steps: Sequence[Step]) -> None:
        """A file that was closed is saved at once, the others when the disk is needed."""
        self._remember(steps)
        if closed := [step.uri for step in steps if not step.is_open]:
            await self._documents.save(closed)

    def _remember(self, steps: Sequence[Step]) -> None:
        for step in steps:
            moved = step.edit.move_to
            self._edited.remember(moved.uri if moved else step.uri, moved or step.edit.place)

    async def _take_back(self, steps: Sequence[Step], answer: ApplyAnswer) -> ApplyAnswer:
        """Undo what was made of an edit that was not made as a whole, the last first; how the edit stands then."""
        if answer.result is ApplyResult.REFUSED:
            return answer
        pairs = list(zip(steps, await self._texts_of(steps), strict=True))
        # A document may be unproven because the editor denied what it had done.
        edits = [edit for step, text in reversed(pairs) if (edit := reversal(step, text, self._documents))]
        if edits:
            await self._documents.apply(edits)
        closed = [step.uri for step in steps if step.edit.before and not step.is_open]
        if saved := [edit.uri for edit in edits if edit.uri in closed]:
            await self._documents.save(saved)
        await asyncio.to_thread(remove_empty, [step.edit.place.absolute for step in steps if step.edit.before is None])
        is_undone = answer.is_denied and await self._are_as_before(steps)
        return replace(answer, result=ApplyResult.REFUSED) if is_undone else answer

    async def _are_as_before(self, steps: Sequence[Step]) -> bool:
        moves = [step.edit.move_to for step in steps if step.edit.move_to]
        left = [await self._text_at(place, "") for place in moves]
        texts = [await self._text_at(step.edit.place, "") for step in steps]
        return texts == [step.text_before for step in steps] and left == [None] * len(moves)

    def _applied_files(self, steps: Sequence[Step]) -> tuple[AppliedFile, ...]:
        files = list[AppliedFile]()
        for step in steps:
            edit = step.edit
            if edit.move_to:
                files += [self._applied(edit.place, None), self._applied(edit.move_to, edit.after)]
            else:
                files.append(self._applied(edit.place, edit.after, step.rebased.note))
        return tuple(files)

    def _applied(self, place: Place, text: str | None, note: str = "") -> AppliedFile:
        is_open = text is not None and document_at(self._documents, place) is not None
        return AppliedFile(place.path, text, is_open, note)

    def _uri_of(self, place: Place) -> str:
        document = document_at(self._documents, place)
        return document.uri if document else place.uri


def _proposed(edits: Sequence[FileEdit], uris: dict[Place, str]) -> Proposal:
    for edit in edits:
        if edit.before and edit.after:
            refuse_unholdable(edit.place, edit.before, edit.after)
    return propose_edits(edits, uris)


def _chosen(proposal: Proposal, selection: Selection) -> tuple[tuple[Wish, ...], Mapping[str, str]]:
    wishes = choose(proposal, selection)
    return wishes, user_diffs(proposal, wishes)


def _make_folders(edits: Sequence[FileEdit]) -> tuple[Path, ...]:
    """Make the folders that new files lack."""
    made = list[Path]()
    targets = [edit.move_to or edit.place for edit in edits if edit.move_to or edit.before is None]
    for place in targets:
        try:
            made += make_folders(place.absolute.parent)
        except FileProblem:
            remove_folders(tuple(made))
            raise
    return tuple(made)


def _change_disk(edits: Sequence[FileEdit], leftovers: Leftovers) -> tuple[DiskChange, ...]:
    changes = tuple(change for edit in edits for change in changes_of(edit))
    make_all(changes, leftovers)
    return changes


def _failure(steps: Sequence[Step], answer: ApplyAnswer, stuck: Sequence[Path]) -> NotApplied | Unproven:
    reason = answer.reason or "The editor refused the edit."
    if stuck:
        reason += f" These files are changed on disk and could not be brought back: {', '.join(map(str, stuck))}."
    if answer.result is ApplyResult.REFUSED:
        return NotApplied(reason)
    unproven = next((step for step in steps if step.uri in answer.unproven_uris), steps[0])
    return Unproven(unproven.edit.place.path, reason)


async def unbroken(work: Coroutine[None, None, T]) -> T:
    """Finish what must not be left half done; a cancel that comes meanwhile is passed on afterwards."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            # The wait is bounded: the editor has its time-outs, and the disk ends.
            with suppress(asyncio.CancelledError):
                await asyncio.wait((task,))
        raise
