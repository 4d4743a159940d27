"""read_command_output: what was cut out of a command's output, by pages or by search."""

from pydantic import BaseModel, Field

from agent_lsp.domain.commands import MatchingLines, Page
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.commands import Artifacts

_PAGE = 28_000
WAIT = "[nothing new since you read this; to wait for more, run `sleep`]"


class ReadCommandOutput:
    name = "read_command_output"
    description = "Read output of execute_command that was cut or comes from the background. Search rather than page."

    class Arguments(BaseModel):
        artifact_id: str = Field(description="As the result named it: cmd-1")
        search: str | None = Field(default=None, description="Regular expression; only matching lines are shown")
        offset: int = Field(default=0, ge=0, description="First byte")
        limit: int = Field(default=_PAGE, ge=1, description="Most bytes")

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts
        self._last: tuple[ReadCommandOutput.Arguments, str] | None = None
        """What was read last, and what stood there: a command in the background may have said more since."""

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        del call_id  # Nothing is asked: the output is the task's own.
        text = await self._read(arguments)
        before, self._last = self._last, (arguments, text)
        return Outcome(f"{text}\n{WAIT}") if self._last == before else Outcome(text, has_news=True)

    async def _read(self, arguments: Arguments) -> str:
        if arguments.search:
            found = await self._artifacts.search(arguments.artifact_id, arguments.search)
            return _describe_lines(found)
        page = await self._artifacts.page(arguments.artifact_id, arguments.offset, arguments.limit)
        return _describe_page(page)


def _describe_lines(found: MatchingLines) -> str:
    if not found.lines:
        return "No line matches." if not found.is_cut else "The first match is too long to be shown."
    more = "\n[there are more matches: narrow the search]" if found.is_cut else ""
    return "\n".join(found.lines) + more


def _describe_page(page: Page) -> str:
    if page.offset >= page.total_bytes:
        return f"[the output has {page.total_bytes} bytes; nothing is at offset {page.offset}]"
    end = page.total_bytes if page.next_offset is None else page.next_offset
    more = "" if page.next_offset is None else f"; go on at offset {page.next_offset}"
    return f"[bytes {page.offset} to {end} of {page.total_bytes}{more}]\n{page.text}"
