"""apply_diff: change places of a file by blocks of search and replacement."""

from collections.abc import Callable

from pydantic import AliasChoices, BaseModel, Field

from agent_lsp.domain.errors import FileMissing
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.editing import Edit, Editing, Original
from agent_lsp.tools.matching.revision import Revision
from agent_lsp.tools.matching.search_replace import Reading, apply_blocks
from agent_lsp.tools.parameters import FilePath


class ApplyDiff:
    name = "apply_diff"
    description = (
        "Change an existing file: one or more blocks, all matched against the file as it is now. Preferred for most "
        "edits. Read the file first and copy SEARCH exactly, in whole lines with their indentation; a few lines, "
        "enough to be unique, will do. Each block:\n"
        "<<<<<<< SEARCH\n:start_line:12\n-------\nold lines\n=======\nnew lines\n>>>>>>> REPLACE\n"
        ":start_line: (and -------) may be left out where the text is unique. An empty SEARCH with :start_line:N "
        "inserts before line N. A line of the file that looks like a marker gets a backslash in front. "
        "Blocks that do not match are reported; the others are applied, so send only the failed ones again."
    )

    class Arguments(BaseModel):
        path: FilePath
        diff: str = Field(min_length=1, validation_alias=AliasChoices("diff", "content"))

    def __init__(self, editing: Editing, fuzzy_threshold: Callable[[], float] = lambda: 1.0) -> None:
        self._editing = editing
        self._fuzzy_threshold = fuzzy_threshold

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        fuzzy_threshold = self._fuzzy_threshold()  # Not in the thread that works out the edit: settings may be read.

        def revise(original: Original) -> Revision:
            if original.text is None:
                raise FileMissing(f"{original.path} does not exist. Use write_to_file to create it.")
            reading = Reading(fuzzy_threshold, may_quote=original.may_quote)
            return apply_blocks(original.text, arguments.diff, reading)

        return await self._editing.make(call_id, [Edit(arguments.path, "appliedDiff", revise)])
