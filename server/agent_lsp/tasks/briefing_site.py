"""Where tasks work, as far as their briefings need to know; puts a task's briefing together from that."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from agent_lsp.approvals.policy import Rules as PolicyRules
from agent_lsp.approvals.policy import judge
from agent_lsp.domain.approvals import Action, Deed, Verdict
from agent_lsp.domain.diagnostics import LanguageServers
from agent_lsp.domain.documents import Documents, EditorContext
from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.status import PermissionMode
from agent_lsp.tasks.attaching import Attaching, Attachment
from agent_lsp.tasks.attaching_paths import AttachedPaths
from agent_lsp.tasks.attaching_world import Fetch, editor_problems, world
from agent_lsp.tasks.briefing import Sources, TaskBriefing
from agent_lsp.tasks.kept_files import KeptFiles
from agent_lsp.tasks.ports import Desk, TaskFacts
from agent_lsp.tasks.seen_files import SeenFiles, TasksEdits
from agent_lsp.tasks.told_rules import ToldRules
from agent_lsp.tools.reading import Shown
from agent_lsp.workspace.git_reading import GitReading
from agent_lsp.workspace.rules import RuleReading, room_for_rules


class Commands(Protocol):
    """What a task's commands do beside their results."""

    def background_report(self) -> str | None: ...

    def take_activity(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Site:
    """The same for all tasks of a server; each is asked anew at use."""

    home: Path
    documents: Documents
    language_servers: LanguageServers | None
    git: Callable[[], Path | None]
    """Finds the program, where there is one."""
    editor: Callable[[], EditorContext]
    language: Callable[[], str]
    fetch: Fetch
    rules: Callable[[PermissionMode], PolicyRules]
    sees_images: Callable[[str], bool]
    """Whether the model of a profile does."""
    role: Callable[[str], str] = lambda _mode: ""
    """What a mode makes of the model, in words."""
    edits: TasksEdits = field(default_factory=TasksEdits)


@dataclass(frozen=True, slots=True)
class Eyes:
    """What a task's model sees of files, and what it has seen: for its tools and for its briefing alike."""

    seen: SeenFiles
    shown: Shown
    files: KeptFiles = field(repr=False)


def open_eyes(facts: TaskFacts, site: Site, files: KeptFiles, commands: Commands) -> Eyes:
    seen = SeenFiles(site.documents, commands.take_activity, site.edits)
    files.on_applied = seen.edited
    shown = Shown(files, sees_images=lambda: site.sees_images(facts.profile_now()), note=seen.saw)
    return Eyes(seen, shown, files)


def brief(
    facts: TaskFacts, site: Site, eyes: Eyes, commands: Commands, desk: Desk, tools: Callable[[], Iterable[str]]
) -> TaskBriefing:
    files, roots = eyes.files, eyes.files.roots()
    program = site.git() if roots else None

    def is_kept_back(path: Path) -> bool:
        return files.locate(str(path), "read").standing is Standing.IGNORED

    git = GitReading(program, roots[0], is_kept_back) if program else None
    rules = RuleReading(roots, site.home, is_kept_back, lambda: room_for_rules(facts.window()))

    def may_read(place: Place) -> bool:
        action = Action("", Deed.READ, {}, places=(place,))
        judged = judge(action, site.rules(facts.permission_mode()))
        # Within the workspace the user's word is the yes, but words may be a project's: our own folders are not theirs.
        is_their_word = place.standing is not Standing.OUTSIDE and not judged.is_protected
        return is_their_word or judged.verdict is Verdict.APPROVE

    async def problems() -> Attachment:
        return await editor_problems(site.language_servers, site.documents, lambda uri: files.locate(uri, "read"))

    pointed_to = world(git, site.fetch, lambda: site.editor().terminals, problems)
    sources = Sources(
        files=files,
        rules=ToldRules(rules),
        seen=eyes.seen,
        attaching=Attaching(AttachedPaths(files, eyes.shown, may_read), pointed_to),
        editor=lambda: _told(site.editor()),
        commands=commands.background_report,
        tools=tools,
        role=site.role,
        language=site.language,
        git=git,
        say=desk.emit,
    )
    return TaskBriefing(facts, sources)


def _told(context: EditorContext) -> EditorContext:
    """The editor without what its terminals have written, which is told only where the user points to it."""
    return replace(context, terminals=tuple(replace(terminal, output="") for terminal in context.terminals))
