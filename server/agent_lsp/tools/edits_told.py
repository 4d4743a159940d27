"""What the model, and in short the user, is told of an edit: done, changed by the user on the way, or not made."""

from collections.abc import Sequence

from agent_lsp.domain.approvals import Decision
from agent_lsp.domain.condensing import CHANGED_BY_USER
from agent_lsp.domain.files import Applied, Change, Conflict, NotApplied, Proposal, Unproven
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.matching.revision import Malformed, Refusal, Revision
from agent_lsp.tools.numbered_lines import numbered

_LINES_ABOVE = 100
Failure = Conflict | NotApplied | Unproven
"""An edit that was approved, and is not made."""

NOT_WRITTEN = "not written"

_DONE = {"create": "created", "edit": "changed", "delete": "deleted", "rename": "moved"}


def told(applied: Applied, proposal: Proposal, revisions: Sequence[Revision], decision: Decision) -> Outcome:
    """Tell how the files stand, the user's part in it, and what could not be done."""
    summary = ", ".join(filter(None, (revision.summary for revision in revisions)))
    paths = {file.path for file in applied.files}
    parts = [_done(change, summary, applied) for change in proposal.changes if change.path in paths]
    parts += [f"{file.path}: {file.note}" for file in applied.files if file.note]
    if count := len(decision.selection.rejected_hunks):
        total = sum(len(change.hunks) for change in proposal.changes)
        parts.append(f"The user rejected {count} of {total} hunks; they are not in the file.")
    for path, diff in applied.user_diffs.items():
        parts.append(f"{CHANGED_BY_USER} From what you proposed, {path} differs by:\n{diff}")
    faults = [fault for revision in revisions for fault in revision.faults]
    if faults:
        parts.append("\n".join(["NOT applied, write these again:", *faults]))
    return Outcome("\n".join(parts), is_error=bool(faults), is_shown=bool(faults))


def refused(refusal: Refusal) -> Outcome:
    """Tell why there is nothing to ask about."""
    return Outcome(str(refusal), is_error=True, is_mistake=isinstance(refusal, Malformed), is_shown=True)


def failed(outcome: Failure) -> Outcome:
    """Tell why nothing, or nothing for certain, was written. The user is told `in_short`."""
    match outcome:
        case Conflict(path, text, line):
            fault = f"The user changed the same lines of {path} meanwhile; nothing was written. It now reads:"
            # Of a long file not all can be shown: from a little above the place on.
            start = max(1, min(line, text.count("\n")) - _LINES_ABOVE)
            return Outcome(f"{fault}\n{numbered(text, start)}", is_error=True, is_shown=True)
        case NotApplied(reason):
            return Outcome(f"Nothing was written: {reason}", is_error=True, is_shown=True)
        case Unproven(path, reason):
            fault = f"The editor took the edit of {path}, but the file does not show it ({reason})."
            return Outcome(f"{fault} Read the file before you go on.", is_error=True, is_shown=True)


def in_short(failure: Failure) -> str:
    """Tell the user in a sentence or two what became of the edit that they approved."""
    match failure:
        case Conflict(path):
            return f"You changed the same lines of {path} meanwhile. Nothing was written, and the agent is told."
        case NotApplied(reason):
            return f"Nothing was written: {reason}"
        case Unproven(path):
            return f"The editor took the edit of {path}, but the file does not show it. The agent is told to look."


def not_made(failure: Failure) -> str:
    """Say in two or three words, for the row of an edit, that it was not made."""
    match failure:
        case Conflict():
            return f"conflict, {NOT_WRITTEN}"
        case NotApplied():
            return NOT_WRITTEN
        case Unproven():
            return "not certain"


def _done(change: Change, summary: str, applied: Applied) -> str:
    to = f" to {change.new_path}" if change.new_path else ""
    if change.path in applied.user_diffs:
        # What was to be counted is not what was done; the user's part in it is told below.
        is_made = any(edit.place.path == change.path for edit in applied.edits)
        return f"{change.path} {_DONE[change.kind]}{to}." if is_made else f"{change.path} stays as it was."
    extent = ", ".join(filter(None, [summary, f"+{change.added} -{change.removed} lines"]))
    return f"{change.path} {_DONE[change.kind]}{to} ({extent})."
