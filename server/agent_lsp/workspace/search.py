"""Searching: which files are looked into, with the text of open documents in place of what is on disk."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agent_lsp.domain.documents import Documents, OpenDocument
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import FileProblem
from agent_lsp.workspace.disk import read_file
from agent_lsp.workspace.globs import Glob
from agent_lsp.workspace.opened import path_of_uri
from agent_lsp.workspace.paths import resolve
from agent_lsp.workspace.reading import MOST_BYTES
from agent_lsp.workspace.search_engines import Engine, RegexFault, run_engine
from agent_lsp.workspace.search_matches import Matches
from agent_lsp.workspace.texts import decode
from agent_lsp.workspace.walking import Walk

MOST_SECONDS = 20.0
BATCH_FILES = 1_000
"""Files named to one run of an engine; their names stay far below what a command line holds."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for: in the files below a folder, or in one file (`only`) of it."""

    folder: Path
    regex: str
    glob: Glob
    limit: int
    only: str | None = None


class Searching:
    """Answers one question after another; it keeps nothing of them."""

    def __init__(self, documents: Documents, engines: Sequence[Engine], *, seconds: float = MOST_SECONDS) -> None:
        self._documents = documents
        self._engines = engines
        self._seconds = seconds

    async def search(self, question: Question, walk: Walk) -> Matches:
        """Search; raises FileProblem for a pattern that no engine can read, or when time is up and nothing found."""
        matches = Matches(question.limit)
        try:
            async with asyncio.timeout(self._seconds):
                await self._search(question, walk, matches)
        except TimeoutError as error:
            if not matches.hits:
                message = (
                    f"The search took more than {self._seconds:g} s; search a smaller folder or a simpler pattern."
                )
                raise FileProblem(message) from error
            matches.is_cut = True
        return matches

    async def _search(self, question: Question, walk: Walk, matches: Matches) -> None:
        for position, engine in enumerate(self._engines):
            try:
                await self._search_with(engine, question, walk, matches)
            except RegexFault as fault:
                if position == len(self._engines) - 1:
                    raise FileProblem(f"The pattern cannot be read: {fault}. Correct it.") from fault
            else:
                return

    async def _search_with(self, engine: Engine, question: Question, walk: Walk, matches: Matches) -> None:
        texts = await asyncio.to_thread(_differing_texts, self._documents.open_documents(), question.folder)
        names = _names(question, walk, texts)
        # The first run, though there be no file, tells whether the pattern can be read.
        batch = await asyncio.to_thread(_next_batch, names)
        while True:
            for part in _parts(batch, texts):
                await _look_into(engine, question, part, texts, matches)
                if matches.is_cut:
                    return
            batch = await asyncio.to_thread(_next_batch, names)
            if not batch:
                return


async def _look_into(
    engine: Engine, question: Question, names: Sequence[str], texts: Mapping[str, str], matches: Matches
) -> None:
    """Let the engine look into some files, or into one text that stands in for a file."""
    text = texts.get(names[0]) if len(names) == 1 else None
    arguments = ["-"] if text is not None or not names else [f"./{name}" for name in names]
    command = engine.arguments(question.regex, question.limit + 1, arguments)
    content = (text or "").encode("utf-8", "surrogatepass") if arguments == ["-"] else None
    name = names[0] if text is not None else None

    def take(event: Json) -> bool:
        matches.take(event, name)
        return not matches.is_cut

    await run_engine(command, question.folder, content, take)


def _names(question: Question, walk: Walk, texts: Mapping[str, str]) -> Iterator[str]:
    """The files to look into, relative to the folder, in the order of their paths; documents without a file last."""
    if question.only is not None:
        yield question.only
        return
    seen = set[str]()
    for entry in walk.files():
        if question.glob.takes(entry.path):
            seen.add(entry.path)
            yield entry.path
    yield from (name for name in sorted(texts) if name not in seen and _is_new(question, walk, name))


def _is_new(question: Question, walk: Walk, name: str) -> bool:
    """Whether a document has no file yet, and would be looked into if it had."""
    return question.glob.takes(name) and not (question.folder / name).exists() and walk.shows(name)


def _next_batch(names: Iterator[str]) -> list[str]:
    return list(islice(names, BATCH_FILES))


def _parts(batch: Sequence[str], texts: Mapping[str, str]) -> Iterator[list[str]]:
    """Cut a batch so that each name whose text is not the disk's stands alone; an empty batch is one empty part."""
    part = list[str]()
    for name in batch:
        if name not in texts:
            part.append(name)
            continue
        if part:
            yield part
        yield [name]
        part = []
    if part or not batch:
        yield part


def _differing_texts(documents: Sequence[OpenDocument], folder: Path) -> Mapping[str, str]:
    """The texts, by path relative to the folder, of the open documents that differ from the disk."""
    texts = dict[str, str]()
    for document in documents:
        path = path_of_uri(document.uri)
        if path is None:
            continue
        real = _resolved(path)
        if real and real.is_relative_to(folder) and (document.is_dirty or _text_on_disk(real) != document.text):
            texts[str(real.relative_to(folder))] = document.text
    return texts


def _resolved(path: Path) -> Path | None:
    try:
        return Path(resolve(str(path)))
    except FileProblem:
        return None


def _text_on_disk(path: Path) -> str | None:
    try:
        decoded = decode(read_file(path, MOST_BYTES).content)
    except FileProblem:
        return None
    return decoded.text if decoded else None
