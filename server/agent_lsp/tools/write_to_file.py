"""write_to_file: create a file, or replace all of its text."""

from pydantic import AliasChoices, BaseModel, Field

from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.editing import Edit, Editing, Original
from agent_lsp.tools.matching.cleaning import cleaned_content, written_over
from agent_lsp.tools.matching.left_out import refuse_left_out
from agent_lsp.tools.matching.revision import Revision
from agent_lsp.tools.parameters import FilePath


class WriteToFile:
    name = "write_to_file"
    description = (
        "Create a file (missing folders too), or replace all of an existing one. content is the whole file, plain: "
        "no fence, no line numbers, nothing left out. To change part of a file use apply_diff or edit_file."
    )

    class Arguments(BaseModel):
        path: FilePath
        content: str = Field(validation_alias=AliasChoices("content", "contents", "file_text"))

    def __init__(self, editing: Editing) -> None:
        self._editing = editing

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        def revise(original: Original) -> Revision:
            before = original.text or ""
            content = cleaned_content(arguments.content, original.path)
            refuse_left_out(before, content)
            return Revision(written_over(before, content))

        return await self._editing.make(call_id, [Edit(arguments.path, "editedExistingFile", revise)])
