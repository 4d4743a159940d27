"""The mirror: every open document as the client has synchronised it. Takes what the client sends, sends nothing."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.domain.documents import OpenDocument
from agent_lsp.lsp.client import Encoding, path_of
from agent_lsp.lsp.positions import index_in_line, split_lines

Place = tuple[int, int]
"""A line, and a column in the units of the agreed encoding."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of text put in the place of a range; without a range, of the whole document."""

    text: str
    start: Place | None = None
    end: Place | None = None


class MirroredText:
    """One text, kept as lines, so that a keystroke costs its line and not the document."""

    def __init__(self, text: str, encoding: Encoding) -> None:
        self._encoding: Encoding = encoding
        self._lines = split_lines(text)
        self._text: str | None = text

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    def between(self, start: Place, end: Place) -> str:
        (first, begin), (last, finish) = sorted((self._locate(start), self._locate(end)))
        if first == last:
            return self._lines[first][begin:finish]
        return "".join((self._lines[first][begin:], *self._lines[first + 1 : last], self._lines[last][:finish]))

    def edit(self, edit: Edit) -> None:
        if edit.start is None or edit.end is None:
            self._lines, self._text = split_lines(edit.text), edit.text
            return
        first, start = self._locate(edit.start)
        last, end = self._locate(edit.end)
        if (last, end) < (first, start):
            first, start, last, end = last, end, first, start
        self._splice(first, start, last, end, edit.text)

    def _splice(self, first: int, start: int, last: int, end: int, text: str) -> None:
        middle = self._lines[first][:start] + text + self._lines[last][end:]
        # A line feed put behind a carriage return makes one ending of the two: the neighbours are split anew as well.
        before = self._lines[first - 1] if first else ""
        after = self._lines[last + 1] if last + 1 < len(self._lines) else None
        lines = split_lines(before + middle + (after or ""))
        is_within = last + 2 < len(self._lines)
        if is_within and lines[-1] == "":
            lines.pop()
        self._lines[max(first - 1, 0) : last + 2] = lines
        self._text = None

    def _locate(self, place: Place) -> tuple[int, int]:
        line, units = place
        if line < 0:
            return 0, 0
        if line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        return line, index_in_line(self._lines[line], units, self._encoding)


DISORDER_SECONDS = 0.2
"""So long a change waits for those before it."""

MAX_TAKEN = 200
"""Changes behind a gap; what was missing has come by then, or there is nothing of its number."""


@dataclass(slots=True)
class _Gap:
    """Where changes were taken though those before them had not come: the text there, and what was taken since."""

    version: int
    text: str
    taken: dict[int, Sequence[Edit]] = field(default_factory=dict[int, Sequence[Edit]])


class _Open:
    """An open document; `is_dirty` is what is known from changes and saves, `early` what came before its turn."""

    __slots__ = ("early", "gap", "is_dirty", "is_saved", "mirrored", "timer", "version")

    def __init__(self, mirrored: MirroredText, version: int) -> None:
        self.mirrored = mirrored
        self.version = version
        self.is_dirty = False
        self.is_saved = False
        """Whether it was saved since it was opened."""
        self.early: dict[int, Sequence[Edit]] = {}
        self.gap: _Gap | None = None
        self.timer: asyncio.TimerHandle | None = None


class Mirror:
    """All open documents. Whoever waits for something to become true of them is woken by what the client sends."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        """Settled by `initialize`, before the first document opens."""
        self.may_disorder = False
        """The client may send changes in another order than it made them; settled by `initialize`, too."""
        self._documents: dict[str, _Open] = {}
        self.on_document: list[Callable[[str], None]] = []
        """Told the uri of each document that is opened, saved or closed."""
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    def get(self, uri: str) -> OpenDocument | None:
        document = self._documents.get(uri)
        return document and OpenDocument(uri, document.version, document.mirrored.text, document.is_dirty)

    def version(self, uri: str) -> int | None:
        document = self._documents.get(uri)
        return document and document.version

    def uri_of(self, path: Path) -> str | None:
        """The uri by which the client has opened a file, however it spells it; None where it has not."""
        usual = path.as_uri()
        if usual in self._documents:
            return usual
        return next((uri for uri in self._documents if path_of(uri) == path), None)

    def uris(self) -> Sequence[str]:
        return tuple(self._documents)

    def text_between(self, uri: str, start: Place, end: Place) -> str:
        """A part of a document; empty where it is not open."""
        document = self._documents.get(uri)
        return document.mirrored.between(start, end) if document else ""

    def all(self) -> Sequence[OpenDocument]:
        return [document for uri in self._documents if (document := self.get(uri))]

    def open(self, uri: str, version: int, text: str) -> None:
        self._documents[uri] = _Open(MirroredText(text, self.encoding), version)
        self._wake()
        self._tell(uri)

    def change(self, uri: str, version: int, edits: Sequence[Edit]) -> None:
        """Take a change. Of a document that was never opened there is nothing to change."""
        document = self._documents.get(uri)
        if document is None:
            return
        if self.may_disorder and version > document.version + 1:
            self._keep_early(document, version, edits)
            return
        if (gap := document.gap) and gap.version < version < document.version and version not in gap.taken:
            self._take_late(document, gap, version, edits)
            return
        self._take(document, version, edits)
        while (following := document.version + 1) in document.early:
            self._take(document, following, document.early.pop(following))

    def _keep_early(self, document: _Open, version: int, edits: Sequence[Edit]) -> None:
        """Keep a change for a moment: those before it may be on their way, or there may be none with their numbers."""
        document.early[version] = edits
        if document.timer is None:
            document.timer = asyncio.get_running_loop().call_later(DISORDER_SECONDS, self._take_early, document)

    def _take_early(self, document: _Open) -> None:
        document.timer = None
        if document.early and document.gap is None:
            document.gap = _Gap(document.version, document.mirrored.text)
        for version in sorted(document.early):
            self._take(document, version, document.early.pop(version))
        self._wake()

    def _take_late(self, document: _Open, gap: _Gap, version: int, edits: Sequence[Edit]) -> None:
        """Put a change in its place after all: those behind it were made to a text that has it."""
        gap.taken[version] = edits
        document.mirrored = MirroredText(gap.text, self.encoding)
        for each in sorted(gap.taken):
            for edit in gap.taken[each]:
                document.mirrored.edit(edit)
        self._wake()

    def _take(self, document: _Open, version: int, edits: Sequence[Edit]) -> None:
        document.version, document.is_dirty = version, True
        if document.gap:
            document.gap.taken[version] = edits
            if len(document.gap.taken) > MAX_TAKEN:
                document.gap = None
        for edit in edits:
            document.mirrored.edit(edit)
            # Between two edits too: the user may have typed on before the client told of ours.
            self._wake()

    def save(self, uri: str) -> None:
        if document := self._documents.get(uri):
            document.is_dirty, document.is_saved = False, True
            self._wake()
            self._tell(uri)

    def mark_unsaved(self, uri: str) -> None:
        """Count a document as unsaved from its opening on."""
        if (document := self._documents.get(uri)) and not document.is_saved:
            document.is_dirty = True

    def close(self, uri: str) -> None:
        if self._documents.pop(uri, None):
            self._wake()
            self._tell(uri)

    def is_behind(self, uri: str) -> bool:
        """Whether changes of a document wait for those before them."""
        document = self._documents.get(uri)
        return document is not None and bool(document.early)

    def is_dirty(self, uri: str) -> bool:
        document = self._documents.get(uri)
        return document is not None and document.is_dirty

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return once the condition holds; it is asked now and after each thing the client sends."""
        if condition():
            return
        waiting = (condition, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            await waiting[1]
        finally:
            self._waiting.remove(waiting)

    def _tell(self, uri: str) -> None:
        for tell in self.on_document:
            tell(uri)

    def _wake(self) -> None:
        for condition, future in self._waiting:
            if not future.done() and condition():
                future.set_result(None)
