"""Transcripts as files that are kept current: by edits where one is open in the editor, else on the disk.

One exists from when its user first wants to see it. A burst of messages becomes one edit.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.documents import ApplyResult, DocumentEdit, OpenDocument
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.domain.messages import Message
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice, Notice, StatusNotice
from agent_lsp.lsp.client import path_of
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.editor import Editor
from agent_lsp.lsp.plain.bell import Spawn
from agent_lsp.lsp.plain.transcript import Transcript
from agent_lsp.lsp.plain.viewer import write_whole
from agent_lsp.lsp.plain.ways import BY_NAME
from agent_lsp.lsp.ports import Hall
from agent_lsp.lsp.waiting import Asks
from agent_lsp.workspace.merge import merge

logger = logging.getLogger(__name__)

MESSAGES_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Pauses:
    """Between two changes of a transcript: an editor draws each of them."""

    open_seconds: float = 0.15
    closed_seconds: float = 1.0


class _Kept:
    """A transcript and its file; `written` is what the file, or the open document, was last made to be."""

    def __init__(self, transcript: Transcript, path: Path) -> None:
        self.transcript = transcript
        self.path = path
        self.pages = 0
        self.written = ""
        self.backlog: list[Notice] | None = []
        """What came while its history was read; None once it is."""
        self.is_open = False
        self.is_due = False
        self.is_syncing = False
        self.is_watched = False
        """Its document has to change before it can be brought up to date."""
        self.timer: asyncio.TimerHandle | None = None

    def earlier(self) -> str | None:
        return str(self._page(self.pages)) if self.pages else None

    def move_overflow(self) -> None:
        while text := self.transcript.overflow():
            before = f"Earlier: {earlier}\n" if (earlier := self.earlier()) else ""
            self.pages += 1
            write_whole(self._page(self.pages), f"{text}{before}")

    def _page(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.stem}.{number}.md")


class Transcripts:
    """Listens to all tasks, and works for those whose transcript was wanted."""

    def __init__(self, hall: Hall, asks: Asks, mirror: Mirror, editor: Editor, spawn: Spawn) -> None:
        self._hall = hall
        self._asks = asks
        self._mirror = mirror
        self._editor = editor
        self._spawn = spawn
        self.pauses = Pauses()
        self.ways = BY_NAME
        self._kept: dict[str, _Kept] = {}
        asks.on_change.append(self._want_sync)
        mirror.on_document.append(self._take_document)

    def notice(self, notice: Notice) -> None:
        task_id = notice.status.task_id if isinstance(notice, StatusNotice) else notice.task_id
        kept = self._kept.get(task_id)
        if kept is None:
            return
        if kept.backlog is not None:
            kept.backlog.append(notice)
            return
        _take(kept.transcript, notice)
        self._want_sync(task_id)

    def is_congested(self) -> bool:
        return False

    async def open(self, task_id: str) -> Path:
        """Give the file of a task's transcript, current."""
        if task_id not in self._kept:
            await self._begin(task_id)
        kept = self._kept[task_id]
        if self._mirror.uri_of(kept.path) is None:
            self._write(kept)
        return kept.path

    def task_of(self, path: Path) -> str | None:
        """The task whose transcript a file is."""
        return next((task_id for task_id, kept in self._kept.items() if kept.path == path), None)

    def close(self) -> None:
        """Leave the files that no editor has open as they are to be read later."""
        for kept in self._kept.values():
            if kept.timer:
                kept.timer.cancel()
            if kept.backlog is None and self._mirror.uri_of(kept.path) is None:
                self._write_at_end(kept)

    def _write_at_end(self, kept: _Kept) -> None:
        try:
            self._write(kept)
        except StorageProblem as problem:
            logger.warning("%s", problem)

    async def _begin(self, task_id: str) -> None:
        kept = _Kept(Transcript(task_id, self._hall.redacted, self.ways), self._hall.shown_folder / f"{task_id}.md")
        snapshot = self._hall.snapshot(task_id, instance_id=None, since=None, limit=1, before=None)
        messages = self._history(task_id)
        self._kept[task_id] = kept
        if snapshot.status:
            kept.transcript.take_status(snapshot.status)
        try:
            await _read_history(kept, messages)
        except BaseException:
            # Whoever wants to see it next begins anew.
            del self._kept[task_id]
            raise

    def _history(self, task_id: str) -> list[Message]:
        pages: list[tuple[Message, ...]] = []
        before = None
        while True:
            page = self._hall.snapshot(task_id, instance_id=None, since=None, limit=1_000, before=before)
            pages.append(page.messages)
            if not page.has_more:
                return [message for messages in reversed(pages) for message in messages]
            before = page.messages[0].ts

    # Keeping current

    def _take_document(self, uri: str) -> None:
        path = path_of(uri)
        for task_id, kept in self._kept.items():
            if kept.path != path:
                continue
            document = self._mirror.get(uri)
            if document is None:
                # What the editor has saved of it, if anything, is not known.
                kept.is_open, kept.written = False, ""
            elif not kept.is_open:
                kept.is_open, kept.written = True, document.text
            self._want_sync(task_id)

    def _want_sync(self, task_id: str) -> None:
        kept = self._kept.get(task_id)
        if kept is None or kept.is_due or kept.backlog is not None:
            return
        kept.is_due = True
        if not kept.is_syncing:
            self._sync_later(kept)

    def _sync_later(self, kept: _Kept) -> None:
        is_open = self._mirror.uri_of(kept.path) is not None
        seconds = self.pauses.open_seconds if is_open else self.pauses.closed_seconds
        kept.is_syncing = True
        kept.timer = asyncio.get_running_loop().call_later(seconds, lambda: self._spawn(self._sync(kept)))

    async def _sync(self, kept: _Kept) -> None:
        kept.is_due = False
        try:
            kept.move_overflow()
            uri = self._mirror.uri_of(kept.path)
            document = self._mirror.get(uri) if uri else None
            if document and self._editor.can_apply():
                await self._edit(kept, document)
            else:
                # An editor that takes no edits has to look at the file again by itself.
                self._write(kept)
        finally:
            kept.is_syncing = False
            if kept.is_due:
                self._sync_later(kept)

    async def _edit(self, kept: _Kept, document: OpenDocument) -> None:
        text = self._text(kept)
        merged = merge(kept.written, document.text, text)
        # Where the user writes into the very lines that change, they are left alone until those are as they were.
        if not merged.is_clean:
            self._try_later(kept, document)
            return
        if merged.text == document.text:
            return
        edit = DocumentEdit(document.uri, "edit", document.text, merged.text, document.version)
        answer = await self._editor.apply([edit])
        if answer.result is not ApplyResult.APPLIED:
            self._try_later(kept, document, (merged.text, text))
        elif kept.is_open:  # It may have been closed meanwhile, unsaved.
            kept.written = text

    def _try_later(self, kept: _Kept, document: OpenDocument, sent: tuple[str, str] | None = None) -> None:
        if not kept.is_watched:
            kept.is_watched = True
            self._spawn(self._try_once_it_changes(kept, document, sent))

    async def _try_once_it_changes(self, kept: _Kept, document: OpenDocument, sent: tuple[str, str] | None) -> None:
        """Wait until a document changes. `sent`: what an edit was to make of it, and the page that it has then."""
        await self._mirror.until(lambda: self._mirror.version(document.uri) != document.version)
        kept.is_watched = False
        changed = self._mirror.get(document.uri)
        if sent and changed and changed.text == sent[0]:
            # An editor that was slower than it is waited for has made the edit after all.
            kept.written = sent[1]
        self._want_sync(kept.transcript.task_id)

    def _write(self, kept: _Kept) -> None:
        kept.move_overflow()
        text = self._text(kept)
        if text != kept.written or not kept.path.exists():
            write_whole(kept.path, text)
            kept.written = text

    def _text(self, kept: _Kept) -> str:
        return kept.transcript.text(self._asks.of_task(kept.transcript.task_id), kept.earlier())


def _take(transcript: Transcript, notice: Notice) -> None:
    match notice:
        case MessageNotice():
            transcript.take(notice.message)
        case DeltaNotice():
            transcript.grow(notice.ts, notice.append)
        case StatusNotice():
            transcript.take_status(notice.status)
        case DeletionNotice():
            transcript.delete(notice.message.ts)


async def _read_history(kept: _Kept, messages: Sequence[Message]) -> None:
    for index, message in enumerate(messages):
        kept.transcript.take(message)
        kept.move_overflow()
        if index % MESSAGES_AT_ONCE == 0:
            await asyncio.sleep(0)
    for notice in kept.backlog or ():
        _take(kept.transcript, notice)
    kept.backlog = None
