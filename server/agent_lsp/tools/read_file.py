"""read_file: the text of a file with line numbers, a picture for models that see, the text of a Word document."""

from pydantic import BaseModel, Field

from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.errors import FileMissing
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.namesakes import with_namesakes
from agent_lsp.tools.numbered_lines import MOST_LINES
from agent_lsp.tools.outcomes import declined, tool_ask, usable, with_words
from agent_lsp.tools.parameters import FilePath
from agent_lsp.tools.ports import Files, Gate
from agent_lsp.tools.reading import Lines, Shown


class ReadFile:
    name = "read_file"
    description = (
        "Read a file as `N | text` lines, 2,000 from offset on; a first line in brackets tells what is left out. "
        "Shows unsaved text of open editors, pictures and .docx text. Read before you edit, "
        "and again after the user changed the file."
    )

    class Arguments(BaseModel):
        path: FilePath
        offset: int = Field(default=1, description="First line, from 1")
        limit: int = Field(default=MOST_LINES, ge=1, description="Most lines")

    def __init__(self, files: Files, gate: Gate, shown: Shown | None = None) -> None:
        self._files = files
        self._gate = gate
        self._shown = shown or Shown(files)

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        place = usable(self._files.locate(arguments.path, "read"))
        start_line = arguments.offset if arguments.offset > 1 else None
        body = tool_ask("readFile", place, startLine=start_line)
        decision = await self._gate.decide(Action(call_id, Deed.READ, body, places=(place,)))
        if not decision.is_approved:
            return declined(decision)
        lines = Lines(arguments.offset, arguments.limit)
        try:
            return with_words(await self._shown.outcome(place, lines), decision)
        except FileMissing as missing:
            raise await with_namesakes(missing, arguments.path, self._files) from missing
