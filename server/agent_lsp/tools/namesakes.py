"""Where else files of a name lie, for a model that looked for one in the wrong folder."""

from pathlib import Path, PurePosixPath

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.tools.ports import Files

_MOST_LOOKED_AT = 50_000
_MOST_NAMED = 3


async def with_namesakes(missing: FileMissing, path: str, files: Files) -> FileMissing:
    """The same, and where in the workspace files of this name are; of a large one, in its upper folders."""
    roots = files.roots()
    found = [each for root in roots for each in await _namesakes(path, root, files, is_first=root == roots[0])]
    return FileMissing(f"{missing} Of this name there is {', '.join(found[:_MOST_NAMED])}.") if found else missing


async def _namesakes(path: str, root: Path, files: Files, *, is_first: bool) -> list[str]:
    name = PurePosixPath(path).name.casefold()
    try:
        listing = await files.list_folder(files.locate(str(root), "read"), is_recursive=True, limit=_MOST_LOOKED_AT)
    except FileProblem:
        return []
    found = (entry for entry in listing.entries if PurePosixPath(entry).name.casefold() == name)
    # A relative path begins at the first folder.
    return [entry if is_first else f"{root}/{entry}" for entry in found if not entry.endswith("/")]
