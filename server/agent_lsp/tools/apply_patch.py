"""apply_patch: add, delete, move and change several files by one patch, all or none."""

from pydantic import AliasChoices, BaseModel, Field

from agent_lsp.domain.errors import FileMissing
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.editing import Edit, Editing, Original, Revise
from agent_lsp.tools.matching.hunks import apply_hunks
from agent_lsp.tools.matching.patches import AddedFile, DeletedFile, FilePatch, UpdatedFile, parse_patch
from agent_lsp.tools.matching.revision import Refusal, Revision


class ApplyPatch:
    name = "apply_patch"
    description = (
        "Add, delete, move and change several files at once: all of it is done or nothing. The patch:\n"
        "*** Begin Patch\n*** Add File: new.py\n+each line with a plus\n*** Update File: old.py\n"
        "*** Move to: only/to/rename.py\n@@ def greet(name):\n     kept line\n-line to go\n+new line\n"
        "*** Delete File: gone.py\n*** End Patch\n"
        "A hunk is @@ and whole lines: kept ones begin with a blank, others with - or +. Copy what is kept or goes "
        "exactly, about three kept lines around each change. If they are not unique, name behind @@ a line above "
        "them. *** End of File below a hunk: these are the last lines. Hunks go from top to bottom."
    )

    class Arguments(BaseModel):
        patch: str = Field(min_length=1, validation_alias=AliasChoices("patch", "input", "diff", "patch_text"))

    def __init__(self, editing: Editing) -> None:
        self._editing = editing

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        edits = [_edit(file) for file in parse_patch(arguments.patch)]
        return await self._editing.make(call_id, edits)


def _edit(file: FilePatch) -> Edit:
    move_to = file.move_to if isinstance(file, UpdatedFile) else None
    return Edit(file.path, "appliedDiff", _revise(file), move_to)


def _revise(file: FilePatch) -> Revise:
    def revise(original: Original) -> Revision:
        if isinstance(file, AddedFile):
            return _added(file, original)
        if original.text is None:
            raise FileMissing(f"{original.path} does not exist.")
        if isinstance(file, DeletedFile):
            return Revision(None)
        return _updated(file, original.text, original)

    return revise


def _updated(file: UpdatedFile, text: str, original: Original) -> Revision:
    try:
        return apply_hunks(text, file.sections, may_quote=original.may_quote)
    except Refusal as refusal:
        raise Refusal(f"{original.path} was not changed:\n{refusal}") from None


def _added(file: AddedFile, original: Original) -> Revision:
    if original.text:
        raise Refusal(f"{original.path} exists already: *** Update File: changes it.")
    return Revision(file.text)
