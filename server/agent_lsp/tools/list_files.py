"""list_files: what is in a folder."""

from pydantic import BaseModel, Field

from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.files import Listing
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.outcomes import declined, tool_ask, usable, with_words
from agent_lsp.tools.parameters import FolderPath
from agent_lsp.tools.ports import Files, Gate

_ENTRIES = 1000


class ListFiles:
    name = "list_files"
    description = "List a folder; folders end in /. What .gitignore names is left out. Not a check that an edit worked."

    class Arguments(BaseModel):
        path: FolderPath
        recursive: bool = Field(default=False, description="All levels, not only the first")

    def __init__(self, files: Files, gate: Gate) -> None:
        self._files = files
        self._gate = gate

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        place = usable(self._files.locate(arguments.path, "read"))
        word = "listFilesRecursive" if arguments.recursive else "listFilesTopLevel"
        decision = await self._gate.decide(Action(call_id, Deed.READ, tool_ask(word, place), places=(place,)))
        if not decision.is_approved:
            return declined(decision)
        listing = await self._files.list_folder(place, is_recursive=arguments.recursive, limit=_ENTRIES)
        return with_words(Outcome(_shown(listing)), decision)


def _shown(listing: Listing) -> str:
    if not listing.entries:
        return "(the folder is empty, or all in it is ignored)"
    lines = "\n".join(listing.entries)
    if not listing.left_out:
        return lines
    total = len(listing.entries) + listing.left_out
    cut = f"[{len(listing.entries):,} of {total:,} entries; list a folder below for the rest]"
    return f"{cut}\n{lines}"
