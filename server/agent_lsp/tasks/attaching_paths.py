"""Files and folders that the user's words point to: inside the workspace their word is a yes, outside it is not.

Words may have been pasted, and a file outside is read only where the policy lets it be read unasked; else the model
is told where it is, and has to ask.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import Listing, Place, Standing
from agent_lsp.domain.mentions import PathMention, Spelling
from agent_lsp.domain.requests import ContextReference
from agent_lsp.domain.turns import Outcome
from agent_lsp.tasks.attaching import Attachment
from agent_lsp.tools.numbered_lines import MOST_LINES
from agent_lsp.tools.reading import Lines

FOLDER_ENTRIES = 200


class Files(Protocol):
    def roots(self) -> Sequence[Path]: ...

    def locate(self, path: str, use: Literal["read", "write"]) -> Place: ...

    async def list_folder(self, place: Place, *, is_recursive: bool, limit: int) -> Listing: ...


class Shown(Protocol):
    async def outcome(self, place: Place, lines: Lines) -> Outcome: ...


class AttachedPaths:
    """`may_read` tells whether the policy lets a place that was pointed to be read unasked."""

    def __init__(self, files: Files, shown: Shown, may_read: Callable[[Place], bool]) -> None:
        self._files = files
        self._shown = shown
        self._may_read = may_read

    async def mentioned(self, mention: PathMention) -> Attachment | None:
        for spelling in mention.spellings:
            for place in self._places(spelling.path):
                try:
                    return await self._attached(place, spelling)
                except FileMissing:
                    continue
                except FileProblem as problem:
                    return Attachment(problem=str(problem))
        if not mention.is_sure:
            return None
        return Attachment(problem="there is nothing of this name; check the path.")

    async def referred(self, reference: ContextReference) -> Attachment:
        place = self._files.locate(reference.uri, "read")
        try:
            return await self._attached(place, Spelling("", reference.start_line, reference.end_line))
        except FileProblem as problem:
            return Attachment(problem=str(problem))

    def _places(self, path: str) -> Iterator[Place]:
        """Where a path may lead: from a root first, also where it begins with a slash or with the root's own name."""
        relative = path.lstrip("/") or "."
        if not path.startswith("~"):
            yield self._files.locate(f"./{relative}", "read")  # Else a colon in it would make it an address.
        name, _, rest = relative.partition("/")
        for root in self._files.roots():
            if root.name == name:
                yield self._files.locate(f"{root}/{rest}", "read")
        yield self._files.locate(path, "read")

    async def _attached(self, place: Place, lines: Spelling) -> Attachment:
        if refusal := self._refusal(place):
            return Attachment(problem=refusal)
        if place.absolute.is_dir():
            return await self._folder(place)
        first, last = lines.first or 1, lines.last
        limit = MOST_LINES if last is None else last - first + 1
        outcome = await self._shown.outcome(place, Lines(first, limit))
        return Attachment(outcome.text, outcome.images, path=place.path)

    def _refusal(self, place: Place) -> str:
        """Say why a place is not read, if it is not; FileMissing where there is nothing anyhow."""
        if place.problem:
            raise FileMissing(place.problem)
        if place.standing in (Standing.IGNORED, Standing.OUTSIDE) and not os.path.lexists(place.absolute):
            raise FileMissing(f"There is no file {place.path}.")
        match place.standing:
            case Standing.IGNORED:
                return "the user's ignore file keeps it from the agent, so it was not attached."
            case _ if self._may_read(place):
                return ""
            case Standing.OUTSIDE:
                return f"{place.path} lies outside the workspace, so it was not attached; read_file asks for it."
            case _:
                return (
                    f"{place.path} belongs to the agent's own records, so it was not attached; read_file asks for it."
                )

    async def _folder(self, place: Place) -> Attachment:
        listing = await self._files.list_folder(place, is_recursive=True, limit=FOLDER_ENTRIES)
        more = [f"({listing.left_out} more; list_files shows them)"] if listing.left_out else []
        path = f"{place.path.rstrip('/')}/" if place.path != "." else "./"
        return Attachment("\n".join([*listing.entries, *more]) or "(empty)", path=path)
