"""Where the user is received: the asks that wait and what they are shown of tasks, for one client and its hall."""

import logging
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from agent_lsp.domain.documents import DocumentEdit, OpenDocument
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.requests import TaskList
from agent_lsp.lsp.client import Client, path_of
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.editor import Editor
from agent_lsp.lsp.plain.bell import Spawn
from agent_lsp.lsp.plain.diffs import ShownDiffs
from agent_lsp.lsp.plain.listener import PlainListener
from agent_lsp.lsp.plain.marks import HunkMarks
from agent_lsp.lsp.plain.prompts import REGISTRATION, Prompts, is_prompt
from agent_lsp.lsp.plain.task_page import task_in, task_page
from agent_lsp.lsp.plain.transcripts import Transcripts
from agent_lsp.lsp.plain.viewer import Viewer, write_whole
from agent_lsp.lsp.plain.ways import BY_HELIX_KEYS, BY_NAME
from agent_lsp.lsp.ports import Hall
from agent_lsp.lsp.waiting import Asks

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The client, its documents, and how they are edited. The editor is not that of the tools: neither waits."""

    client: Client
    mirror: Mirror
    editor: Editor


class Parlour:
    """Built when the hall is open. Clients that know the agent are shown only what they ask for."""

    def __init__(self, server: LanguageServer, hall: Hall, surroundings: Surroundings, spawn: Spawn) -> None:
        client, mirror, editor = surroundings.client, surroundings.mirror, surroundings.editor
        self._server = server
        self._hall = hall
        self._client = client
        self._spawn = spawn
        self.asks = Asks(hall)
        self.asks.shown = lambda uri: document.text if (document := mirror.get(uri)) else None
        hall.listen(self.asks)
        self._viewer = Viewer(server, spawn, shows_documents=client.shows_documents)
        self._mirror = mirror
        self._editor = editor
        self._is_registered = False
        mirror.on_document.append(self._document_seen)
        self.diffs = ShownDiffs(hall, self.asks, mirror, self._viewer)
        self.transcripts = Transcripts(hall, self.asks, mirror, editor, spawn)
        hall.listen(self.transcripts)
        self.prompts = Prompts(hall, self.asks, mirror, editor, spawn)
        if client.refreshes_contents:
            self.asks.on_change.append(self._refresh_previews)

    def receive_plain(self) -> PlainListener:
        """Show a client without a plugin all that happens."""
        ways = BY_HELIX_KEYS if self._client.is_helix else BY_NAME
        self.transcripts.ways = self.diffs.ways = ways
        HunkMarks(self._server, self.asks, self._mirror)
        if self._client.refreshes_lenses:
            self.asks.on_change.append(lambda _task_id: self._spawn(self._refresh_lenses()))
        listener = PlainListener(
            self._server, self._hall, self.asks, self._spawn, has_progress=self._client.has_progress
        )
        listener.ways = ways
        self._hall.listen(listener)
        self._mirror.on_document.append(listener.remind)
        return listener

    def close(self) -> None:
        self.transcripts.close()

    def _document_seen(self, uri: str) -> None:
        """Have completion for prompt documents alone, where the client takes that, from the first of them on."""
        if is_prompt(uri) and self._client.registers_completion and not self._is_registered:
            self._is_registered = True
            self._spawn(self._register_completion())

    async def _register_completion(self) -> None:
        try:
            await self._server.client_register_capability_async(REGISTRATION)
        except JsonRpcException as error:
            logger.info("Completion was not registered: %s", error)

    def show_diff(self, task_id: str | None) -> Path:
        waiting = self.asks.find(None, task_id)
        if waiting is None:
            raise BadParams("Nothing waits to be decided, so there is no diff to show.")
        return self.diffs.show(waiting)

    def show_tasks(self, listed: TaskList) -> None:
        path, text = self._tasks_page(), self._hall.redacted(task_page(listed))
        uri = self._mirror.uri_of(path)
        document = self._mirror.get(uri) if uri else None
        if document and self._editor.can_apply():
            self._spawn(self._renew(document, text))
        else:
            write_whole(path, text)
        self._viewer.show(path)

    async def _renew(self, document: OpenDocument, text: str) -> None:
        if document.text != text:
            await self._editor.apply([DocumentEdit(document.uri, "edit", document.text, text, document.version)])

    def _tasks_page(self) -> Path:
        return self._hall.shown_folder / "tasks.md"

    async def show_transcript(self, task_id: str) -> Path:
        path = await self.transcripts.open(task_id)
        self._viewer.show(path)
        return path

    async def show_prompt(self, words: str) -> Path:
        path = await self.prompts.open(words)
        self._viewer.show(path)
        return path

    def task_shown_in(self, uri: str) -> str | None:
        """The task that a document of ours is about."""
        path = path_of(uri)
        return path and (self.transcripts.task_of(path) or self.diffs.task_of(path))

    def task_listed_at(self, uri: str, line: int) -> str | None:
        """The task that a line of the list of tasks is about."""
        if path_of(uri) != self._tasks_page():
            return None
        return task_in(self._mirror.text_between(uri, (line, 0), (line + 1, 0)))

    def _refresh_previews(self, task_id: str) -> None:
        """Have previews read again: what was decided of a proposal is part of what will be applied."""
        waiting = self.asks.of_task(task_id)
        for change in waiting.changes if waiting and waiting.decisions else ():
            self._spawn(self._refresh(change.preview_uri))

    async def _refresh_lenses(self) -> None:
        try:
            await self._server.workspace_code_lens_refresh_async(None)
        except JsonRpcException as error:
            logger.info("Lenses were not refreshed: %s", error)

    async def _refresh(self, uri: str) -> None:
        params = types.TextDocumentContentRefreshParams(uri=uri)
        try:
            await self._server.workspace_text_document_content_refresh_async(params)
        except JsonRpcException as error:
            logger.info("A preview was not refreshed: %s", error)
