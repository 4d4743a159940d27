"""A workspace with an agent and a user in it, for tests of restores."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent_lsp.domain.checkpoints import Altered, FileState, Reason
from agent_lsp.domain.documents import ApplyAnswer, ApplyResult, DocumentEdit, OpenDocument
from agent_lsp.storage.checkpoints import Checkpoints, Site
from agent_lsp.tasks.restoring import KeptWorkspace
from agent_lsp.workspace.files import OwnFolders, WorkspaceFiles
from agent_lsp.workspace.leftovers import Leftovers
from agent_lsp.workspace.opened import path_of_uri

GIT = Path(shutil.which("git") or "/usr/bin/git")
TASK = "t1"


@dataclass
class Editor:
    """Documents that take edits, or refuse them."""

    documents: dict[str, OpenDocument] = field(default_factory=dict)
    refuses: bool = False
    deletes: bool = True

    def get(self, uri: str) -> OpenDocument | None:
        return self.documents.get(uri)

    def open_documents(self) -> Sequence[OpenDocument]:
        return tuple(self.documents.values())

    def can_apply(self) -> bool:
        return True

    def can_save_closed(self) -> bool:
        return False

    def can_delete(self) -> bool:
        return self.deletes

    async def apply(self, edits: Sequence[DocumentEdit]) -> ApplyAnswer:
        if self.refuses:
            return ApplyAnswer(ApplyResult.REFUSED, "no")
        for edit in edits:
            if edit.kind == "delete":
                del self.documents[edit.uri]
                (path_of_uri(edit.uri) or Path()).unlink()
            else:
                self.documents[edit.uri] = OpenDocument(edit.uri, (edit.version or 0) + 1, edit.after, is_dirty=True)
        return ApplyAnswer(ApplyResult.APPLIED)

    async def save(self, uris: Sequence[str]) -> Sequence[str]:
        return ()

    async def until_saved(self, uris: Sequence[str]) -> None: ...

    def show(self, path: Path, text: str, *, is_dirty: bool = True) -> None:
        self.documents[path.as_uri()] = OpenDocument(path.as_uri(), 1, text, is_dirty)

    def save_all(self) -> None:
        for document in self.documents.values():
            (path_of_uri(document.uri) or Path()).write_text(document.text)
            self.documents[document.uri] = replace(document, is_dirty=False)

    def text(self, path: Path) -> str:
        return self.documents[path.as_uri()].text


@dataclass
class Desk:
    root: Path
    editor: Editor
    kept: KeptWorkspace

    @staticmethod
    def at(folder: Path) -> "Desk":
        root, state, editor = folder / "project", folder / "state", Editor()
        for each in (root, state):
            each.mkdir(exist_ok=True)
        Leftovers(state / "notes").sweep()
        files = WorkspaceFiles((root,), editor, own=OwnFolders(state / "notes"), home=folder / "home")
        store = Checkpoints(Site((root,), state, GIT))
        return Desk(root, editor, KeptWorkspace(store, files, editor, Leftovers(state / "notes")))

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    async def take(self) -> str:
        return (await self.kept.take(TASK, Reason.CHANGE)).id

    async def edit(self, path: Path, text: str | None) -> None:
        """Let the agent change one file."""
        before = state_of(path)
        if text is None:
            os.unlink(path)  # noqa: PTH108  # In a test, where nobody waits.
        else:
            self.write(str(path.relative_to(self.root)), text)
        await self.kept.note_changes(TASK, Reason.CHANGE, {path: Altered(before, state_of(path))})

    def tree(self) -> dict[str, FileState]:
        paths = [Path(folder, name) for folder, folders, files in os.walk(self.root) for name in (*folders, *files)]
        return {str(path.relative_to(self.root)): state for path in paths if (state := state_of(path))}


def state_of(path: Path) -> FileState | None:
    if path.is_symlink():
        return FileState(os.readlink(os.fsencode(path)), is_link=True)  # noqa: PTH115  # Its bytes.
    if not path.is_file():
        return None
    return FileState(path.read_bytes(), permissions=path.stat().st_mode & 0o7777)
