"""The files of one root with a fake editor, and short ways to change them."""

from collections.abc import Mapping
from pathlib import Path

from workspace_editor import FakeEditor

from agent_lsp.domain.files import EditOutcome, FileEdit, Proposal, Selection
from agent_lsp.workspace.applying import ClosedFiles
from agent_lsp.workspace.files import WorkspaceFiles

ALL = Selection()
TEN = "".join(f"line {number}\n" for number in range(1, 11))


class Garden:
    """The files of one root, and short ways to change them."""

    def __init__(self, root: Path, editor: FakeEditor, closed_files: ClosedFiles = "auto") -> None:
        self.root = root
        self.editor = editor
        self.files = WorkspaceFiles([root], editor, closed_files=lambda: closed_files, environment={})

    async def edit(self, name: str, after: str | None, *, move_to: str | None = None) -> FileEdit:
        """An edit of a file as it stands, unless there is none."""
        place = self.files.locate(name, "write")
        is_there = place.absolute.exists() or self.editor.get(place.uri)
        before = await self.files.read(place) if is_there else None
        return FileEdit(place, before, after, self.files.locate(move_to, "write") if move_to else None)

    async def propose(self, texts: Mapping[str, str | None]) -> Proposal:
        return await self.files.propose([await self.edit(name, after) for name, after in texts.items()])

    async def make(self, texts: Mapping[str, str | None], selection: Selection = ALL) -> EditOutcome:
        return await self.files.apply(await self.propose(texts), selection)

    def tree(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.root)): path.read_bytes().decode("latin-1")
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }
