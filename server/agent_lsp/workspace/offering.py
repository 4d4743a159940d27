"""Which paths are offered to the user while they write a mention."""

from typing import Literal, Protocol

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Listing, Place, Standing

MOST_PATHS = 200
"""Of a folder; whoever wants another one types on."""


class Files(Protocol):
    def locate(self, path: str, use: Literal["read", "write"]) -> Place: ...

    async def list_folder(self, place: Place, *, is_recursive: bool, limit: int) -> Listing: ...


async def offered_paths(files: Files, folder: str) -> tuple[str, ...]:
    """List a folder of the workspace; folders end with a slash. Nothing of one that is not to be read."""
    try:
        place = files.locate(folder or ".", "read")
        if place.standing is not Standing.INSIDE:
            return ()
        listing = await files.list_folder(place, is_recursive=False, limit=MOST_PATHS)
    except FileProblem:
        return ()
    return tuple(f"{folder.rstrip('/')}/{entry}" if folder else entry for entry in listing.entries)
