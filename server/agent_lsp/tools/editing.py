"""The one way in which tools change a file: read, work out, propose, ask, apply, tell the model what became of it."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from agent_lsp.domain.approvals import Action, Decision, Deed
from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.errors import FileMissing
from agent_lsp.domain.events import Said
from agent_lsp.domain.files import (
    Applied,
    Conflict,
    FileEdit,
    FileText,
    Moved,
    NotApplied,
    Place,
    Proposal,
    Standing,
    Unproven,
)
from agent_lsp.domain.messages import Say
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.matching.revision import Refusal, Revision
from agent_lsp.tools.numbered_lines import numbered
from agent_lsp.tools.outcomes import declined, tool_ask, usable, with_words
from agent_lsp.tools.ports import Files, Gate, Screen


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
    """What a tool wants: `tool` is the family's word for a change of a file that exists."""

    call_id: str
    path: str
    tool: str
    revise: Revise


class Editing:
    """Takes edits through from the call to the result."""

    def __init__(self, files: Files, gate: Gate, screen: Screen) -> None:
        self._files = files
        self._gate = gate
        self._screen = screen

    async def make(self, edit: Edit) -> Outcome:
        place = usable(self._files.locate(edit.path, "write"))
        if place.standing is Standing.IGNORED:
            return await self._settle_ignored(edit, place)
        before = await self._read(place)
        revision = await self._revise(edit, place, before)
        proposal = self._files.propose([FileEdit(place, before, revision.after)])
        tool = edit.tool if before else "newFileCreated"
        return await self._ask_and_apply(edit.call_id, tool, place, proposal, revision)

    async def _settle_ignored(self, edit: Edit, place: Place) -> Outcome:
        """Let the gate refuse, which tells the user too. Whatever it says, an ignored file is not read."""
        body = tool_ask(edit.tool, place)
        decision = await self._gate.decide(Action(edit.call_id, Deed.WRITE, body, places=(place,)))
        if not decision.is_approved:
            return declined(decision)
        return Outcome(f"{place.path} is ignored by the workspace and is not edited.", is_error=True)

    async def _read(self, place: Place) -> FileText | None:
        try:
            return await self._files.read(place)
        except FileMissing:
            return None

    async def _revise(self, edit: Edit, place: Place, before: FileText | None) -> Revision:
        may_quote = place.standing is not Standing.OUTSIDE
        original = Original(place.path, before.text if before else None, may_quote)
        try:
            return await asyncio.to_thread(_changing, edit.revise, original)
        except Refusal as refusal:
            self._screen.emit(Said(Say.DIFF_ERROR, str(refusal)))
            raise

    async def _ask_and_apply(
        self, call_id: str, tool: str, place: Place, proposal: Proposal, revision: Revision
    ) -> Outcome:
        """Ask until the answer is about what would be written: a change that moved meanwhile is asked about anew."""
        user_diffs: dict[str, str] = {}
        while True:
            decision = await self._gate.decide(_action(call_id, tool, place, proposal))
            if not decision.is_approved or _is_all_rejected(proposal, decision):
                return declined(replace(decision, is_approved=False))
            outcome = await self._files.apply(proposal, decision.selection)
            match outcome:
                case Moved():
                    proposal = outcome.proposal
                    user_diffs |= outcome.user_diffs
                case Applied():
                    outcome = replace(outcome, user_diffs=user_diffs | dict(outcome.user_diffs))
                    return with_words(self._told_applied(outcome, proposal, revision, decision), decision)
                case _:
                    return with_words(_failure(outcome), decision)

    def _told_applied(self, applied: Applied, proposal: Proposal, revision: Revision, decision: Decision) -> Outcome:
        parts = [_done(proposal, revision), *(f"{file.path}: {file.note}" for file in applied.files if file.note)]
        if count := len(decision.selection.rejected_hunks):
            parts.append(f"The user rejected {count} of {_hunk_count(proposal)} hunks; they are not in the file.")
        for path, diff in applied.user_diffs.items():
            self._screen.emit(
                Said(Say.USER_FEEDBACK_DIFF, json.dumps({"path": path, "diff": diff}, ensure_ascii=False))
            )
            parts.append(f"The user changed your proposal. From what you proposed, {path} differs by:\n{diff}")
        if revision.faults:
            faults = "\n".join(revision.faults)
            self._screen.emit(Said(Say.DIFF_ERROR, faults))
            parts.append(f"NOT applied, write these again:\n{faults}")
        return Outcome("\n".join(parts), is_error=bool(revision.faults))


def _changing(revise: Revise, original: Original) -> Revision:
    """Work out an edit that changes something."""
    revision = revise(original)
    if revision.after == original.text:
        raise Refusal(f"{original.path} already reads like this; nothing was changed.")
    return revision


def _action(call_id: str, tool: str, place: Place, proposal: Proposal) -> Action:
    changes: list[Json] = [to_wire(replace(change, before=None, after=None)) for change in proposal.changes]
    body = tool_ask(tool, place, changes=changes)
    return Action(call_id, Deed.WRITE, body, places=(place,), proposal=proposal)


def _is_all_rejected(proposal: Proposal, decision: Decision) -> bool:
    """Whether a yes leaves nothing: every hunk taken out, and no text of the user's instead."""
    hunks = {hunk.id for change in proposal.changes for hunk in change.hunks}
    selection = decision.selection
    return bool(hunks) and hunks <= selection.rejected_hunks and not selection.edited


def _failure(outcome: Conflict | NotApplied | Unproven) -> Outcome:
    match outcome:
        case Conflict(path, text):
            fault = f"The user changed the same lines of {path} meanwhile; nothing was written. It now reads:"
            return Outcome(f"{fault}\n{numbered(text)}", is_error=True)
        case NotApplied(reason):
            return Outcome(f"Nothing was written: {reason}", is_error=True)
        case Unproven(path, reason):
            fault = f"The editor took the edit of {path}, but the file does not show it ({reason})."
            return Outcome(f"{fault} Read the file before you go on.", is_error=True)


def _hunk_count(proposal: Proposal) -> int:
    return sum(len(change.hunks) for change in proposal.changes)


def _done(proposal: Proposal, revision: Revision) -> str:
    change = proposal.changes[0]
    done = "created" if change.kind == "create" else "changed"
    extent = ", ".join(filter(None, [revision.summary, f"+{change.added} -{change.removed} lines"]))
    return f"{change.path} {done} ({extent})."
