"""edit_file: replace a passage of a file by another."""

from pydantic import AliasChoices, BaseModel, Field

from agent_lsp.domain.errors import FileMissing
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.editing import Edit, Editing, Original
from agent_lsp.tools.matching.cleaning import written_over
from agent_lsp.tools.matching.passages import Passage, replace_passage
from agent_lsp.tools.matching.revision import Refusal, Revision
from agent_lsp.tools.parameters import FilePath


class EditFile:
    name = "edit_file"
    description = (
        "Replace one passage of a file, or every place of it. old_string is copied exactly from the file, without "
        "line numbers, and must occur exactly expected_replacements times: take in neighbouring lines to make it "
        "unique. An empty old_string creates a new file."
    )

    class Arguments(BaseModel):
        path: FilePath
        old_string: str = Field(validation_alias=AliasChoices("old_string", "old_str", "old_text"))
        new_string: str = Field(validation_alias=AliasChoices("new_string", "new_str", "new_text"))
        expected_replacements: int = Field(default=1, ge=1)

    def __init__(self, editing: Editing) -> None:
        self._editing = editing

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        passage = Passage(arguments.old_string, arguments.new_string, arguments.expected_replacements)

        def revise(original: Original) -> Revision:
            return _revision(original, passage)

        return await self._editing.make(call_id, [Edit(arguments.path, "appliedDiff", revise)])


def _revision(original: Original, passage: Passage) -> Revision:
    if not passage.old:
        if original.text:
            raise Refusal(f"{original.path} has text already: an empty old_string only creates a file.")
        return Revision(written_over(original.text or "", passage.new))
    if original.text is None:
        raise FileMissing(f"{original.path} does not exist. An empty old_string would create it.")
    return replace_passage(original.text, passage, may_quote=original.may_quote)
