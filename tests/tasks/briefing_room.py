"""A task's briefing over a real folder and an editor of the test's: what its model is told, request by request."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.documents import EditorContext, OpenDocument
from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.events import Event, Said
from agent_lsp.domain.history import HistoryItem, Words
from agent_lsp.domain.requests import ContextReference
from agent_lsp.domain.status import PermissionMode
from agent_lsp.settings.model import AutoApprove
from agent_lsp.tasks.briefing import TaskBriefing
from agent_lsp.tasks.briefing_site import Eyes, Site, brief, open_eyes
from agent_lsp.tasks.kept_files import KeptFiles
from agent_lsp.tasks.ports import TaskFacts
from agent_lsp.workspace.opened import NoDocuments


@dataclass
class Editor(NoDocuments):
    texts: dict[str, tuple[int, str]] = field(default_factory=dict)

    def get(self, uri: str) -> OpenDocument | None:
        return OpenDocument(uri, *self.texts[uri], is_dirty=True) if uri in self.texts else None

    def open_documents(self) -> Sequence[OpenDocument]:
        return [document for uri in self.texts if (document := self.get(uri))]


@dataclass
class Quiet:
    """Commands of a task, which do what the test says."""

    report: str | None = None
    has_run: bool = False

    def background_report(self) -> str | None:
        told, self.report = self.report, None
        return told

    def take_activity(self) -> bool:
        return self.has_run


@dataclass
class Room:
    """A workspace in a folder, with all that a briefing looks at."""

    root: Path
    home: Path
    context: tuple[ContextReference, ...] = ()
    git: Path | None = None
    auto_approve: AutoApprove = field(default_factory=AutoApprove)
    sees_images: bool = True
    window: int = 0
    mode: str = "code"
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    cost: float | None = None
    language: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    editor_context: EditorContext = field(default_factory=EditorContext)
    editor: Editor = field(default_factory=Editor)
    commands: Quiet = field(default_factory=Quiet)
    history: list[HistoryItem] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    tools: set[str] = field(default_factory=lambda: {"read_file", "write_to_file", "attempt_completion"})

    def __post_init__(self) -> None:
        self.root.mkdir(exist_ok=True)
        self.home.mkdir(exist_ok=True)
        site = Site(
            home=self.home,
            documents=self.editor,
            language_servers=None,
            git=lambda: self.git,
            editor=lambda: self.editor_context,
            language=lambda: self.language,
            fetch=self._fetch,
            rules=lambda mode: Rules(mode, self.auto_approve, own_folders=(self.root / "own",)),
            sees_images=lambda _profile: self.sees_images,
            role=lambda mode: f"You work in {mode}.",
        )
        self.files = KeptFiles((self.root,), self.editor, home=self.home)
        self.eyes: Eyes = open_eyes(self._facts(), site, self.files, self.commands)
        self.site = site
        self.briefing = self.new_briefing()

    def new_briefing(self) -> TaskBriefing:
        """As after a restart of the server: what was told before is not known."""
        return brief(self._facts(), self.site, self.eyes, self.commands, self, lambda: self.tools)  # pyright: ignore[reportArgumentType] - of the desk, only the screen is used

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def user_says(self, text: str) -> None:
        self.history.append(Words((text,), by="user"))

    async def told(self) -> Words | None:
        """What goes out with the next request; it is in the history from then on."""
        async with asyncio.timeout(20):
            words = await self.briefing.environment()
        if words:
            self.history.append(words)
        return words

    async def attached(self, text: str) -> tuple[str, ...]:
        """What is attached to these words of the user's."""
        self.user_says(text)
        words = await self.told()
        return tuple(text for text in words.texts if text.startswith("<attached")) if words else ()

    async def news(self) -> list[str]:
        """The lines of the environment that is told now, without the time."""
        words = await self.told()
        lines = words.texts[-1].splitlines()[1:-1] if words else []
        return [line for line in lines if not line.startswith("Time: ")]

    def emit(self, event: Event) -> None:
        assert isinstance(event, Said)
        self.said.append(event.text)

    async def _fetch(self, url: str) -> str:
        if url not in self.pages:
            raise AgentError("the server answers 404.")
        return self.pages[url]

    def _facts(self) -> TaskFacts:
        return TaskFacts(
            "1",
            self.home / "task",
            "p",
            lambda: self.mode,
            lambda: self.permission_mode,
            self.context,
            history=lambda: self.history,
            cost=lambda: self.cost,
            window=lambda: self.window,
        )


def room(folder: Path, **fields) -> Room:
    return Room(folder / "w", folder / "home", **fields)


def with_active(uri: str, **fields) -> EditorContext:
    return replace(EditorContext(active_uri=uri), **fields)
