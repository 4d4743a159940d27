"""What one task's model is told of its surroundings: gathered here, put into words by `agent/prompt.py`."""

import platform
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from agent_lsp.agent.prompt import environment_text, system_prompt
from agent_lsp.domain.documents import EditorContext
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import FileText, Listing, Place, Standing
from agent_lsp.domain.history import Words
from agent_lsp.domain.prompting import EnvironmentFacts, FileTree, PromptFacts, RuleText
from agent_lsp.domain.requests import ContextReference
from agent_lsp.tasks.ports import TaskFacts

TREE_ENTRIES = 200
ATTACHED_CHARACTERS = 30_000


class Files(Protocol):
    """The files of the workspace, as far as they are told of without being asked for."""

    def roots(self) -> Sequence[Path]: ...

    def locate(self, path: str, use: Literal["read", "write"]) -> Place: ...

    async def read(self, place: Place) -> FileText: ...

    async def list_folder(self, place: Place, *, is_recursive: bool, limit: int) -> Listing: ...


class TaskBriefing:
    """Tells the model everything with its first request, and then only what changed."""

    def __init__(
        self,
        facts: TaskFacts,
        files: Files,
        rules: tuple[RuleText, ...],
        editor: Callable[[], EditorContext],
        commands: Callable[[], str | None],
    ) -> None:
        self._facts = facts
        self._files = files
        self._editor = editor
        self._commands = commands
        roots = tuple(str(root) for root in files.roots())
        # Read once: a prompt that stays the same is cached by the service, and costs a tenth.
        self._system = system_prompt(PromptFacts(roots, platform.system(), facts.mode(), rules))
        self._told: EnvironmentFacts | None = None

    def system_prompt(self) -> str:
        return self._system

    async def environment(self) -> Words | None:
        """Describe what is new since the last request; everything at first."""
        is_first = self._told is None
        now = self._gathered(await self._trees() if is_first else ())
        text = environment_text(now, self._told)
        attached = [await self._attached(reference) for reference in self._facts.context] if is_first else []
        self._told = now  # Only now: a turn that was cancelled meanwhile has told nothing.
        told = (*attached, *([text] if text else []))
        return Words(told) if told else None

    def forget(self, *, is_all: bool) -> None:
        """Tell everything again with the next request; files and attachments only where nothing is left of them."""
        self._told = None if is_all else EnvironmentFacts()

    def _gathered(self, trees: tuple[FileTree, ...]) -> EnvironmentFacts:
        context = self._editor()
        return EnvironmentFacts(
            time=datetime.now().astimezone().isoformat(timespec="minutes"),
            active=self._shown(context.active_uri) if context.active_uri else "",
            visible=self._all_shown(context.visible_uris),
            open=self._all_shown(context.open_uris),
            mode=self._facts.mode(),
            permission_mode=self._facts.permission_mode(),
            commands=self._commands() or "",
            trees=trees,
        )

    async def _trees(self) -> tuple[FileTree, ...]:
        return tuple([tree for root in self._files.roots() if (tree := await self._tree(root))])

    async def _tree(self, root: Path) -> FileTree | None:
        place = self._files.locate(str(root), "read")
        try:
            listing = await self._files.list_folder(place, is_recursive=True, limit=TREE_ENTRIES)
        except FileProblem:
            return None
        return FileTree(str(root), listing.entries, listing.left_out)

    async def _attached(self, reference: ContextReference) -> str:
        """Give the text that the user attached; what must not be read is only named."""
        place = self._files.locate(reference.uri, "read")
        if place.standing not in (Standing.INSIDE, Standing.PROTECTED):
            return f"The user points to {place.path}."
        try:
            text = (await self._files.read(place)).text
        except FileProblem as problem:
            return f"The user points to {place.path}: {problem}"
        start, lines = reference.start_line or 1, text.split("\n")
        end = reference.end_line or len(lines)
        passage = "\n".join(lines[start - 1 : end])[:ATTACHED_CHARACTERS]
        return f'<attached path="{place.path}" lines="{start}-{min(end, len(lines))}">\n{passage}\n</attached>'

    def _all_shown(self, uris: Sequence[str]) -> tuple[str, ...]:
        return tuple(shown for uri in uris if (shown := self._shown(uri)))

    def _shown(self, uri: str) -> str:
        place = self._files.locate(uri, "read")
        return place.path if place.standing in (Standing.INSIDE, Standing.PROTECTED) else ""
