"""The one way in which tools change files: read, work out, propose, ask, apply. The model is told by `edits_told`."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agent_lsp.domain.approvals import Action, Decision, Deed
from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.errors import AgentError, FileMissing
from agent_lsp.domain.events import Said
from agent_lsp.domain.files import Applied, EditOutcome, FileEdit, FileText, Moved, Place, Proposal, Selection, Standing
from agent_lsp.domain.messages import Say
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.diagnostics_told import UNKNOWN, with_diagnostics
from agent_lsp.tools.edits_told import NOT_WRITTEN, Failure, failed, in_short, not_made, refused, told
from agent_lsp.tools.matching.revision import Refusal, Revision
from agent_lsp.tools.namesakes import with_namesakes
from agent_lsp.tools.outcomes import declined, place_flags, tool_ask, usable, with_words
from agent_lsp.tools.ports import Diagnostics, EditGate, Files, Screen


@dataclass(frozen=True, slots=True)
class Original:
    """What there is before an edit: no text where there is no file."""

    path: str
    text: str | None
    may_quote: bool
    """Whether a refusal may show the text: not that of a place the user has not opened to the model."""


Revise = Callable[[Original], Revision]
"""Works out an edit, or raises Refusal. Runs in a thread: pure, and as long as it takes."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What a tool wants of one file: `tool` is the family's word for a change of one that exists."""

    path: str
    tool: str
    revise: Revise
    move_to: str | None = None


@dataclass(frozen=True, slots=True)
class _Target:
    """An edit with the places that it is about."""

    edit: Edit
    place: Place
    move_to: Place | None

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.place, self.move_to) if self.move_to else (self.place,)


@dataclass(frozen=True, slots=True)
class _WorkedOut:
    """A target with its file as it is and as it is to become."""

    target: _Target
    before: FileText | None
    revision: Revision

    @property
    def file_edit(self) -> FileEdit:
        return FileEdit(self.target.place, self.before, self.revision.after, self.target.move_to)


@dataclass(frozen=True, slots=True)
class _Draft:
    """All that one call wants, worked out."""

    call_id: str
    body: Json
    """The user's question, but for the changes: they may come to be others."""
    places: tuple[Place, ...]
    revisions: tuple[Revision, ...]

    def action(self, proposal: Proposal) -> Action:
        changes: list[Json] = [to_wire(replace(change, before=None, after=None)) for change in proposal.changes]
        return Action(self.call_id, Deed.WRITE, self.body | {"changes": changes}, places=self.places, proposal=proposal)


class Editing:
    """Takes edits through from the call to the result."""

    def __init__(
        self,
        files: Files,
        gate: EditGate,
        screen: Screen,
        diagnostics: Diagnostics | None = None,
        refusal: Callable[[Sequence[str]], str | None] = lambda _paths: None,
    ) -> None:
        self._files = files
        self._gate = gate
        self._screen = screen
        self._diagnostics = diagnostics
        self._refusal = refusal
        """Why the mode does not edit one of these files."""

    async def make(self, call_id: str, edits: Sequence[Edit]) -> Outcome:
        """Make all the edits of one call, or none of them."""
        targets = [self._target(edit) for edit in edits]
        if refusal := self._refusal([place.path for target in targets for place in target.places]):
            return Outcome(f"{refusal} Nothing was changed.", is_error=True, is_mistake=True)
        if ignored := next((target for target in targets if _is_ignored(target)), None):
            return await self._settle_ignored(call_id, ignored)
        try:
            worked_out = await self._work_out_all(targets)
        except Refusal as refusal:
            self._screen.emit(Said(Say.DIFF_ERROR, str(refusal)))
            return refused(refusal)
        proposal = await self._files.propose([each.file_edit for each in worked_out])
        places = tuple(place for target in targets for place in target.places)
        revisions = tuple(each.revision for each in worked_out)
        return await self._ask_and_apply(_Draft(call_id, _body(worked_out, places), places, revisions), proposal)

    def _target(self, edit: Edit) -> _Target:
        place = usable(self._files.locate(edit.path, "write"))
        move_to = usable(self._files.locate(edit.move_to, "write")) if edit.move_to else None
        is_moved = move_to is not None and move_to.path != place.path
        return _Target(edit, place, move_to if is_moved else None)

    async def _settle_ignored(self, call_id: str, target: _Target) -> Outcome:
        """Let the gate refuse, which tells the user too. Whatever it says, an ignored file is not read."""
        place = next(place for place in target.places if place.standing is Standing.IGNORED)
        body = tool_ask(target.edit.tool, place)
        decision = await self._gate.decide(Action(call_id, Deed.WRITE, body, places=(place,)))
        if not decision.is_approved:
            return declined(decision)
        return Outcome(f"{place.path} is ignored by the workspace and is not edited.", is_error=True)

    async def _work_out_all(self, targets: Sequence[_Target]) -> list[_WorkedOut]:
        """Work out all edits. Of several, the faults are told together."""
        worked_out: list[_WorkedOut] = []
        faults: list[AgentError] = []
        for target in targets:
            try:
                worked_out.append(await self._work_out(target))
            except AgentError as fault:
                faults.append(fault)
        if faults:
            raise faults[0] if len(targets) == 1 else _joined(faults)
        return worked_out

    async def _work_out(self, target: _Target) -> _WorkedOut:
        if target.move_to and await self._read(target.move_to):
            raise Refusal(f"{target.move_to.path} exists already: nothing is moved there.")
        before = await self._read(target.place)
        try:
            return _WorkedOut(target, before, await asyncio.to_thread(_changing, target, before))
        except FileMissing as missing:
            raise await with_namesakes(missing, target.edit.path, self._files) from missing

    async def _read(self, place: Place) -> FileText | None:
        try:
            return await self._files.read(place)
        except FileMissing:
            return None

    async def _ask_and_apply(self, draft: _Draft, proposal: Proposal) -> Outcome:
        """Ask until the answer is about what would be written: a change that moved meanwhile is asked about anew."""
        user_diffs: dict[str, str] = {}
        earlier: Decision | None = None
        while True:
            decision = _joined_words(earlier, await self._gate.decide(draft.action(proposal)))
            if not decision.is_approved or _is_all_rejected(proposal, decision):
                return declined(replace(decision, is_approved=False))
            watched = await self._diagnostics.watch(proposal) if self._diagnostics else None
            outcome = await self._applied(proposal, decision.selection)
            match outcome:
                case Moved():
                    proposal, earlier = outcome.proposal, decision
                    user_diffs = _joined_diffs(user_diffs, outcome.user_diffs)
                case Applied():
                    outcome = replace(outcome, user_diffs=_joined_diffs(user_diffs, outcome.user_diffs))
                    self._show(outcome, draft.revisions)
                    done = told(outcome, proposal, draft.revisions, decision)
                    news = await watched.news(outcome.edits) if watched else UNKNOWN
                    return with_words(with_diagnostics(done, news), decision)
                case _:
                    self._show_failure(outcome)
                    return with_words(await asyncio.to_thread(failed, outcome), decision)

    async def _applied(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        try:
            return await self._files.apply(proposal, selection)
        except AgentError:
            self._gate.fail(NOT_WRITTEN)
            raise

    def _show_failure(self, failure: Failure) -> None:
        """Have the row of the edit say that it was not made: an approved one is taken to be."""
        self._gate.fail(not_made(failure))
        self._screen.emit(Said(Say.ERROR, in_short(failure)))

    def _show(self, applied: Applied, revisions: Sequence[Revision]) -> None:
        for path, diff in applied.user_diffs.items():
            text = json.dumps({"path": path, "diff": diff}, ensure_ascii=False)
            self._screen.emit(Said(Say.USER_FEEDBACK_DIFF, text))
        if faults := "\n".join(fault for revision in revisions for fault in revision.faults):
            self._screen.emit(Said(Say.DIFF_ERROR, faults))


def _is_ignored(target: _Target) -> bool:
    return any(place.standing is Standing.IGNORED for place in target.places)


def _changing(target: _Target, before: FileText | None) -> Revision:
    """Work out an edit that changes something."""
    path = target.place.path
    text = before.text if before else None
    revision = target.edit.revise(Original(path, text, may_quote=target.place.standing is not Standing.OUTSIDE))
    if revision.after == text and not target.move_to:
        raise Refusal(f"{path} already reads like this; nothing was changed.")
    return revision


def _joined_words(earlier: Decision | None, later: Decision) -> Decision:
    """Keep what the user said of a change that moved then: they will not say it again."""
    if earlier is None or earlier.by == "policy" or not (earlier.text or earlier.images):
        return later
    text = "\n".join(filter(None, (earlier.text, later.text)))
    return replace(later, by="user", text=text, images=earlier.images + later.images)


def _joined_diffs(earlier: Mapping[str, str], later: Mapping[str, str]) -> dict[str, str]:
    paths = [*earlier, *(path for path in later if path not in earlier)]
    return {path: earlier.get(path, "") + later.get(path, "") for path in paths}


def _joined(faults: Sequence[AgentError]) -> Refusal:
    return Refusal("Nothing was changed, in no file:\n" + "\n".join(map(str, faults)))


def _body(worked_out: Sequence[_WorkedOut], places: Sequence[Place]) -> Json:
    """Put the user's question: about one file by its name and kind of change, about several by their names."""
    if len(worked_out) > 1:
        return {"tool": "appliedDiff", "paths": [each.target.place.path for each in worked_out]} | place_flags(places)
    target = worked_out[0].target
    new_path = target.move_to.path if target.move_to else None
    return tool_ask(_family_word(worked_out[0]), target.place, newPath=new_path) | place_flags(places)


def _family_word(worked_out: _WorkedOut) -> str:
    target, before, after = worked_out.target, worked_out.before, worked_out.revision.after
    if before is None:
        return "newFileCreated"
    if after is None:
        return "deletedFile"
    is_only_moved = target.move_to is not None and after == before.text
    return "renamedFile" if is_only_moved else target.edit.tool


def _is_all_rejected(proposal: Proposal, decision: Decision) -> bool:
    """Whether a yes leaves nothing: every hunk taken out, and no text of the user's instead."""
    selection = decision.selection
    return not selection.edited and all(
        change.hunks and change.kind != "rename" and {hunk.id for hunk in change.hunks} <= selection.rejected_hunks
        for change in proposal.changes
    )
