"""The garden's gate: all that tools may do with files, put together from the modules that do it."""

import asyncio
import os
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.documents import Documents
from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import (
    EditOutcome,
    FileEdit,
    FileText,
    Hit,
    Listing,
    NotApplied,
    Place,
    Proposal,
    SearchHits,
    Selection,
    Standing,
    Unproven,
)
from agent_lsp.workspace.applying import Applying, ClosedFiles
from agent_lsp.workspace.globs import Glob
from agent_lsp.workspace.leftovers import Leftovers
from agent_lsp.workspace.listing import list_entries, printable
from agent_lsp.workspace.places import Places, Use
from agent_lsp.workspace.reading import Reading
from agent_lsp.workspace.saving import EditedDocuments
from agent_lsp.workspace.search import Question, Searching
from agent_lsp.workspace.search_engines import find_engines
from agent_lsp.workspace.search_matches import FileHit
from agent_lsp.workspace.walking import Walk


@dataclass(frozen=True, slots=True)
class OwnFolders:
    """Folders of the program itself."""

    notes: Path | None = None
    """Where passing files are noted while they exist: `Leftovers.sweep` removes what a kill has left of them."""
    private: tuple[Path, ...] = ()
    """Where keys and tasks lie. No listing and no search comes by, unless it is of such a folder."""


_NOTHING_OWN = OwnFolders()


class WorkspaceFiles:
    """Files of the workspace, open documents first."""

    def __init__(
        self,
        roots: Sequence[Path],
        documents: Documents,
        *,
        closed_files: Callable[[], ClosedFiles] = lambda: "auto",
        own: OwnFolders = _NOTHING_OWN,
        home: Path | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._places = Places(roots, home=home or Path.home())
        self._private = tuple(map(Path, map(os.path.realpath, own.private)))
        self._reading = Reading(self._places, documents)
        self._edited = EditedDocuments(documents)
        self._applying = Applying(self._places, documents, self._edited, Leftovers(own.notes), closed_files)
        self._searching = Searching(documents, find_engines(environment, self.roots()))

    def roots(self) -> Sequence[Path]:
        return tuple(root.path for root in self._places.roots)

    def locate(self, path: str, use: Use) -> Place:
        return self._places.locate(path, use)

    async def read(self, place: Place) -> FileText:
        with self.told_by_root():
            return await self._reading.read(place)

    async def read_bytes(self, place: Place, limit: int) -> bytes:
        with self.told_by_root():
            return await self._reading.read_bytes(place, limit)

    async def list_folder(self, place: Place, *, is_recursive: bool, limit: int) -> Listing:
        self._places.locate_again(place, "read")
        if not place.absolute.is_dir():
            raise _no_folder(place)
        walk = Walk(self._places, place.absolute, self._private)
        entries, left_out = await asyncio.to_thread(list_entries, walk, is_recursive=is_recursive, limit=limit)
        return Listing(entries, left_out)

    async def search(self, place: Place, regex: str, file_pattern: str | None, limit: int) -> SearchHits:
        self._places.locate_again(place, "read")
        if place.absolute.is_dir():
            question = Question(place.absolute, regex, Glob(file_pattern), limit)
        elif place.absolute.is_file():
            question = Question(place.absolute.parent, regex, Glob(None), limit, only=place.absolute.name)
        else:
            raise _no_folder(place)
        matches = await self._searching.search(question, Walk(self._places, question.folder, self._private))
        found = await asyncio.to_thread(_undiverted, question.folder, matches.hits)
        hits = tuple(Hit(self._shown(question.folder / hit.name), hit.lines) for hit in found)
        return SearchHits(hits, matches.count, matches.is_cut)

    async def propose(self, edits: Sequence[FileEdit]) -> Proposal:
        return await self._applying.propose(edits)

    async def apply(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        outcome = await self._applying.apply(proposal, selection)
        if isinstance(outcome, NotApplied | Unproven):
            return replace(outcome, reason=self.by_root(outcome.reason))
        return outcome

    async def save_edited(self) -> Sequence[Place]:
        return await self._edited.save()

    async def until_saved(self, places: Sequence[Place]) -> None:
        await self._edited.until_saved(places)

    @contextmanager
    def told_by_root(self) -> Generator[None]:
        """Name files in what went wrong as they are named everywhere else."""
        try:
            yield
        except FileProblem as problem:
            raise type(problem)(self.by_root(str(problem))) from problem

    def by_root(self, sentence: str) -> str:
        for root in self.roots():
            # Only where a path begins: a root may be called like a part of another path.
            sentence = re.sub(rf"(?<![^\s'\"(]){re.escape(str(root))}/", "", sentence)
        return sentence

    def _shown(self, path: Path) -> str:
        root = self._places.root_of(path)
        return printable(str(path.relative_to(root.path) if root else path))


def _undiverted(folder: Path, hits: Sequence[FileHit]) -> list[FileHit]:
    """Those in files that no link leads to: one that came behind the walk may have let the engine read any file."""
    return [hit for hit in hits if os.path.realpath(folder / hit.name) == str(folder / hit.name)]


def _no_folder(place: Place) -> FileProblem:
    if place.standing is not Standing.OUTSIDE and place.absolute.is_file():
        return FileProblem(f"{place.path} is a file, not a folder; read it, or list the folder it is in.")
    return FileMissing(f"There is no folder {place.path}.")
