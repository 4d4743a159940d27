"""search_files: where a pattern occurs."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from pydantic import AliasChoices, BaseModel, Field

from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.files import Hit, SearchHits
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.outcomes import declined, tool_ask, usable, with_words
from agent_lsp.tools.parameters import FolderPath
from agent_lsp.tools.ports import Files, Gate

_MATCHES = 300


class SearchFiles:
    name = "search_files"
    description = (
        "Search files with a regular expression (Rust syntax, line by line), recursively. Shows `line: match` with one "
        "line around each. Use it to find code before you read whole files; escape what is meant literally."
    )

    class Arguments(BaseModel):
        path: FolderPath
        regex: str = Field(min_length=1, validation_alias=AliasChoices("regex", "pattern", "query"))
        file_pattern: str = Field(default="", description="Glob, such as *.py")

    def __init__(self, files: Files, gate: Gate) -> None:
        self._files = files
        self._gate = gate

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        place = usable(self._files.locate(arguments.path, "read"))
        pattern = arguments.file_pattern or None
        body = tool_ask("searchFiles", place, regex=arguments.regex, filePattern=pattern)
        decision = await self._gate.decide(Action(call_id, Deed.READ, body, places=(place,)))
        if not decision.is_approved:
            return declined(decision)
        found = await self._files.search(place, arguments.regex, pattern, _MATCHES)
        return with_words(Outcome(_shown(found)), decision)


def _shown(found: SearchHits) -> str:
    if not found.hits:
        return "No matches."
    files = groupby(found.hits, key=lambda hit: hit.path)
    blocks = ["\n".join([path, *_lines(list(hits))]) for path, hits in files]
    more = " (there are more: narrow the pattern, the path or file_pattern)" if found.is_cut else ""
    return "\n\n".join([f"{found.matches} matching lines{more}", *blocks])


def _lines(hits: Sequence[Hit]) -> Iterator[str]:
    """Show the hits of one file as one run of lines where they touch, `--` between runs."""
    lines: dict[int, tuple[str, bool]] = {}
    for hit in hits:
        for number, text, is_match in hit.lines:
            lines[number] = text, is_match or lines.get(number, ("", False))[1]
    previous = None
    for number, (text, is_match) in sorted(lines.items()):
        if previous is not None and number > previous + 1:
            yield "--"
        yield f"{number}{':' if is_match else '-'} {text}"
        previous = number
