"""A task's files, each edit of which is noted as the agent's doing: only that is ever taken back."""

import stat
from pathlib import Path

from agent_lsp.domain.files import Applied, EditOutcome, Proposal, Selection
from agent_lsp.tasks.ports import Desk
from agent_lsp.workspace.applying import unbroken
from agent_lsp.workspace.files import WorkspaceFiles


class KeptFiles(WorkspaceFiles):
    """Files of the workspace. Edits are noted at a task's desk, where one is given."""

    desk: Desk | None = None

    async def apply(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        return await unbroken(self._apply_and_note(proposal, selection))

    async def _apply_and_note(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        permissions = _permissions([edit.place.absolute for edit in proposal.edits])
        outcome = await super().apply(proposal, selection)
        if self.desk and isinstance(outcome, Applied) and outcome.edits:
            await self.desk.changed(outcome.edits, permissions)
        return outcome


def _permissions(paths: list[Path]) -> dict[Path, int]:
    found = dict[Path, int]()
    for path in paths:
        try:
            found[path] = stat.S_IMODE(path.lstat().st_mode)
        except OSError:  # A file that is still to be made.
            continue
    return found
