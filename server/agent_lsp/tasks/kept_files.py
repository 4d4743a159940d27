"""A task's files, each edit of which is noted as the agent's doing: only that is ever taken back."""

import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Applied, EditOutcome, FileEdit, Proposal, Selection, Unproven
from agent_lsp.tasks.ports import Desk
from agent_lsp.workspace.applying import unbroken
from agent_lsp.workspace.files import WorkspaceFiles
from agent_lsp.workspace.rebasing import choose


class KeptFiles(WorkspaceFiles):
    """Files of the workspace. Edits are noted at a task's desk, where one is given."""

    desk: Desk | None = None
    on_applied: Callable[[Sequence[FileEdit]], None] | None = None
    """Told the edits that were made."""

    async def apply(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        return await unbroken(self._apply_and_note(proposal, selection))

    async def _apply_and_note(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        outcome = await self._apply(proposal, selection)
        if self.on_applied and isinstance(outcome, Applied):
            self.on_applied(outcome.edits)
        return outcome

    async def _apply(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        if self.desk is None:
            return await super().apply(proposal, selection)
        permissions = _permissions([edit.place.absolute for edit in proposal.edits])
        if chosen := _chosen(proposal, selection):
            await self.desk.changing(chosen, permissions)
        outcome = await super().apply(proposal, selection)
        # What an editor does not show may have been made, or may still be: then the intent stands.
        if chosen and not isinstance(outcome, Unproven):
            made = outcome.edits if isinstance(outcome, Applied) else ()
            await self.desk.changed(made, permissions)
        return outcome


def _chosen(proposal: Proposal, selection: Selection) -> tuple[FileEdit, ...]:
    try:
        wishes = choose(proposal, selection)
    except FileProblem:  # Nothing will be made of it.
        return ()
    return tuple(wish.edit for wish in wishes if not wish.is_dropped)


def _permissions(paths: list[Path]) -> dict[Path, int]:
    found = dict[Path, int]()
    for path in paths:
        try:
            found[path] = stat.S_IMODE(path.lstat().st_mode)
        except OSError:  # A file that is still to be made.
            continue
    return found
