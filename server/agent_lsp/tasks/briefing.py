"""What one task's model is told of its surroundings: gathered here, put into words in `agent/`."""

import asyncio
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Literal, Protocol
from weakref import WeakSet

from agent_lsp.agent.environment import environment_text
from agent_lsp.agent.prompt import system_prompt
from agent_lsp.agent.touched import touched
from agent_lsp.domain.documents import EditorContext
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.events import Event, Said
from agent_lsp.domain.files import Listing, Place, Standing
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Say
from agent_lsp.domain.moments import time_of_day
from agent_lsp.domain.prompting import EnvironmentFacts, FileTree, GitState, PromptFacts
from agent_lsp.tasks.attaching import Attaching
from agent_lsp.tasks.ports import TaskFacts
from agent_lsp.tasks.seen_files import MOST_EACH_STEP, MOST_SEEN, FileNews, SeenFiles
from agent_lsp.tasks.told_rules import RuleNews, ToldRules
from agent_lsp.workspace.rules import room_for_rules

TREE_ENTRIES = 200


class Files(Protocol):
    """The files of the workspace, as far as they are told of without being asked for."""

    def roots(self) -> Sequence[Path]: ...

    def locate(self, path: str, use: Literal["read", "write"]) -> Place: ...

    async def list_folder(self, place: Place, *, is_recursive: bool, limit: int) -> Listing: ...


class Git(Protocol):
    """The user's repository. `state` waits for git; `signature` is cheap and changes with what is checked out."""

    def signature(self) -> object: ...

    def state(self) -> GitState | None: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a briefing has its facts from; each is asked anew at use."""

    files: Files
    rules: ToldRules
    seen: SeenFiles
    attaching: Attaching
    editor: Callable[[], EditorContext]
    commands: Callable[[], str | None]
    """What there is to tell of commands in the background."""
    tools: Callable[[], Iterable[str]]
    role: Callable[[str], str] = lambda _mode: ""
    """What a mode makes of the model, in words."""
    language: Callable[[], str] = lambda: ""
    git: Git | None = None
    say: Callable[[Event], None] = lambda _event: None


@dataclass(frozen=True, slots=True)
class _Told:
    """A prompt, with what it speaks of."""

    tools: frozenset[str]
    role: str
    text: str
    rule_room: int
    """How many characters of rules it has, at most."""


class TaskBriefing:
    """Tells the model everything with its first request, and then only what changed."""

    def __init__(self, facts: TaskFacts, sources: Sources) -> None:
        self._facts = facts
        self._sources = sources
        self._system: _Told | None = None
        self._told: EnvironmentFacts | None = None
        self._git: tuple[object, GitState | None] | None = None
        self._is_after_words = True
        self._heard: WeakSet[Words] = WeakSet()
        """The user's words in the history that were seen to."""
        sources.attaching.refer(facts.context)
        sources.seen.on_seen = sources.rules.touch
        if facts.last_ts:
            before = touched(facts.history())
            paths = (*before.read, *before.changed)
            sources.seen.recall((sources.files.locate(path, "read") for path in paths), facts.last_ts)
        self.system_prompt()

    def system_prompt(self) -> str:
        """What holds as long as the tools and the room for rules do: a prompt that stays the same costs a tenth.

        A mode that has the same tools as the one before is told at the end instead.
        """
        tools, rule_room = frozenset(self._sources.tools()), room_for_rules(self._facts.window())
        if self._system is None or (self._system.tools, self._system.rule_room) != (tools, rule_room):
            mode = self._facts.mode()
            self._system = _Told(tools, self._sources.role(mode), self._prompt(mode, tools), rule_room)
        return self._system.text

    def hear(self, text: str) -> None:
        """Note words of the user's that are not in the history, such as those beside an answer."""
        self._sources.attaching.hear(text)
        self._sources.rules.look_again()
        self._is_after_words = True

    async def environment(self) -> Words | None:
        """Describe what is new since the last request; everything at first."""
        sources, is_first = self._sources, self._told is None
        said = self._new_words()
        for text in (text for words in said for text in words.texts):
            self.hear(text)
        if self._told and self._told.mode != self._facts.mode():
            sources.rules.look_again()
        attached = await sources.attaching.fetched()
        trees = await self._trees() if is_first else ()
        git = await self._git_state()
        rules = await sources.rules.news(self._facts.mode())
        news = await sources.seen.news(MOST_SEEN if self._is_after_words else MOST_EACH_STEP)
        # From here on nothing waits: a turn that was cancelled before has told nothing.
        now = self._gathered(trees, git, rules, news)
        text = environment_text(now, self._told)
        self._told, self._is_after_words = now, False
        self._heard.update(said)
        sources.attaching.clear()
        for problem in attached.problems:
            sources.say(Said(Say.INFO, problem))
        texts = (*attached.texts, *([text] if text else []))
        return Words(texts, attached.images) if texts or attached.images else None

    def forget(self, *, is_all: bool) -> None:
        """Tell everything again with the next request; the tree of files only where nothing is left of it."""
        self._told = None if is_all else EnvironmentFacts()
        self._sources.rules.forget()
        if is_all:
            self._sources.attaching.refer(self._facts.context)

    def _new_words(self) -> Sequence[Words]:
        """What the user has said since the newest reply and was not seen to yet, also before a restart."""
        since = takewhile(lambda item: isinstance(item, Words), reversed(self._facts.history()))
        new = [item for item in since if isinstance(item, Words) and item.by == "user" and item not in self._heard]
        return new[::-1]

    def _prompt(self, mode: str, tools: frozenset[str]) -> str:
        sources = self._sources
        facts = PromptFacts(
            roots=tuple(str(root) for root in sources.files.roots()),
            system=platform.system(),
            mode=mode,
            rules=sources.rules.standing(mode),
            role=sources.role(mode),
            tools=tools,
            language=sources.language(),
        )
        return system_prompt(facts)

    def _new_role(self) -> str:
        """What the mode makes of the model, where the prompt says something else."""
        role = self._sources.role(self._facts.mode())
        return role if self._system is None or role != self._system.role else ""

    def _gathered(
        self, trees: tuple[FileTree, ...], git: GitState | None, rules: RuleNews, news: FileNews
    ) -> EnvironmentFacts:
        context, cost = self._sources.editor(), self._facts.cost()
        return EnvironmentFacts(
            time=time_of_day().isoformat(timespec="minutes"),
            active=self._shown(context.active_uri) if context.active_uri else "",
            cursor=self._cursor(context),
            visible=self._all_shown(context.visible_uris),
            open=self._all_shown(context.open_uris),
            mode=self._facts.mode(),
            role=self._new_role(),
            permission_mode=self._facts.permission_mode(),
            changed_by_user=news.by_user,
            changed_by_commands=news.by_commands,
            changed_by_tasks=news.by_tasks,
            commands=self._sources.commands() or "",
            trees=trees,
            terminals=context.terminals,
            git=git,
            cost=f"${cost:.2f}" if cost else "",
            new_rules=rules.new,
            gone_rules=rules.gone,
        )

    def _cursor(self, context: EditorContext) -> str:
        """Where the user is, as of their newest words: a cursor that wanders meanwhile is no news."""
        if not self._is_after_words and self._told:
            return self._told.cursor
        match context:
            case EditorContext(selected_lines=(first, last)):
                return f"lines {first}-{last} selected" if last > first else f"line {first}, something in it selected"
            case EditorContext(cursor_line=int(line)):
                return f"line {line}"
            case _:
                return ""

    async def _git_state(self) -> GitState | None:
        """Ask git at the user's words and after something was committed, staged or checked out; else not."""
        if self._sources.git is None:
            return None
        signature = self._sources.git.signature()
        if self._git is None or self._is_after_words or self._git[0] != signature:
            self._git = (signature, await asyncio.to_thread(self._sources.git.state))
        return self._git[1]

    async def _trees(self) -> tuple[FileTree, ...]:
        return tuple([tree for root in self._sources.files.roots() if (tree := await self._tree(root))])

    async def _tree(self, root: Path) -> FileTree | None:
        place = self._sources.files.locate(str(root), "read")
        try:
            listing = await self._sources.files.list_folder(place, is_recursive=True, limit=TREE_ENTRIES)
        except FileProblem:
            return None
        return FileTree(str(root), listing.entries, listing.left_out)

    def _all_shown(self, uris: Sequence[str]) -> tuple[str, ...]:
        return tuple(shown for uri in uris if (shown := self._shown(uri)))

    def _shown(self, uri: str) -> str:
        place = self._sources.files.locate(uri, "read")
        return place.path if place.standing in (Standing.INSIDE, Standing.PROTECTED) else ""
