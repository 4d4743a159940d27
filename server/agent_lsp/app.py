"""The architect: the one place that knows every room, and hands each what it needs of the others."""

import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agent_lsp import __version__
from agent_lsp.approvals.policy import Rules
from agent_lsp.domain.diagnostics import LanguageServers
from agent_lsp.domain.documents import Documents, EditorContext
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError, NotConfigured
from agent_lsp.domain.modes import ModeList
from agent_lsp.domain.moments import REAL, Moments, entered, played_moments
from agent_lsp.domain.requests import ProfileList
from agent_lsp.domain.slash import CommandList
from agent_lsp.domain.status import PermissionMode
from agent_lsp.domain.trust import Trust
from agent_lsp.extensions.additions import Additions
from agent_lsp.extensions.modes import Modes, TaskModes
from agent_lsp.providers.known_secrets import secret_values
from agent_lsp.providers.models import Models
from agent_lsp.providers.pages import Pages
from agent_lsp.providers.recorded_answers import AnswerNotes, RecordedStory, recorded_story
from agent_lsp.providers.replay import recording_started, replay_settings
from agent_lsp.providers.secrets import Secrets
from agent_lsp.settings.describing import described
from agent_lsp.settings.live import LiveSettings
from agent_lsp.settings.model import LimitSettings, Settings
from agent_lsp.settings.trusting import FolderTrusting
from agent_lsp.storage.entries import EntryFile
from agent_lsp.storage.git import find_git
from agent_lsp.storage.index import TaskIndex
from agent_lsp.storage.permissions import PermissionStore
from agent_lsp.storage.places import home_folder, state_folder, tasks_folder
from agent_lsp.storage.trust import TrustStore, trust_file
from agent_lsp.tasks.briefing_site import Site, brief, open_eyes
from agent_lsp.tasks.keeping import Keeping, Surroundings, Unkept
from agent_lsp.tasks.kept_files import KeptFiles
from agent_lsp.tasks.modes import listed_commands, listed_modes
from agent_lsp.tasks.permissions import HallPermissions, StandingPermissions
from agent_lsp.tasks.ports import Briefing, Desk, Equipment, EquippedModel, TaskFacts, Workbench
from agent_lsp.tasks.restoring import KeptWorkspace
from agent_lsp.tasks.task_checkpoints import TaskCheckpoints
from agent_lsp.tasks.tasks import Tasks
from agent_lsp.tools.bench import Means, bench
from agent_lsp.tools.execute_command import ExecuteCommand
from agent_lsp.workspace.commands import Commands
from agent_lsp.workspace.commands_artifacts import Artifacts
from agent_lsp.workspace.diagnosing import Diagnosing
from agent_lsp.workspace.files import OwnFolders
from agent_lsp.workspace.leftovers import Leftovers
from agent_lsp.workspace.offering import offered_paths
from agent_lsp.workspace.opened import NoDocuments
from agent_lsp.workspace.rule_files import without_hidden
from agent_lsp.workspace.sandbox import Confinement, Sandbox, Wanted
from agent_lsp.workspace.sandbox_places import Own

if TYPE_CHECKING:
    from agent_lsp.headless.options import RunOptions
    from agent_lsp.lsp.ports import EditorSide


@dataclass(frozen=True, slots=True)
class Start:
    """What a server or a run begins with, beside the settings in files."""

    documents: Documents
    environment: Mapping[str, str]
    roots: tuple[Path, ...] = ()
    command_line: Json | None = None
    record_to: Path | None = None
    trusts_folders: bool = False
    """The roots may loosen the user's settings this once."""
    language_servers: LanguageServers | None = None


class Hall(Tasks):
    """The tasks, with the settings and roots of whoever stands at the door."""

    def __init__(self, start: Start) -> None:
        self._house = House(start)
        state = self._house.state
        super().__init__(tasks_folder(state), TaskIndex(state), self._house, self._house.redacted)
        self._checkpoints = TaskCheckpoints(self, self._house.kept_workspace)
        self._house.settings.on_read.append(self.follow_settings)

    def configure(self, raw: Json) -> tuple[str, ...]:
        """Take the editor's settings, whole; give back sentences about what was ignored."""
        self._house.settings.configure(raw)
        return self.remarks()

    def remarks(self) -> tuple[str, ...]:
        """Tell what of the settings, and of what was remembered, was ignored, and why."""
        house = self._house
        kept = (*house.permissions.listed().problems, *house.trust.listed().problems)
        return (*house.settings.read.remarks, *kept, *house.additions.problems(house.settings.read.settings))

    def watch_settings(self, tell: Callable[[], None]) -> None:
        """Have this called whenever settings were read again."""
        self._house.settings.on_read.append(tell)
        self._house.additions.on_read.append(tell)

    def set_roots(self, roots: tuple[Path, ...]) -> None:
        self._house.set_roots(roots)

    def set_profile(self, task_id: str | None, profile: str) -> None:
        self._house.models.check(profile)
        super().set_profile(task_id, profile)

    def profiles(self, task_id: str | None) -> ProfileList:
        """List the profiles there are, and which one a task has, or tasks to come will have."""
        return self._house.models.listed(self.profile(task_id))

    async def advice(self) -> tuple[str, ...]:
        """Tell what could be done where no model can be used; looks what runs on this machine."""
        return await self._house.models.advice()

    @property
    def trust(self) -> FolderTrusting:
        return self._house.trust

    @property
    def permissions(self) -> HallPermissions:
        return HallPermissions(self._house.permissions, self.permissions_of_tasks)

    def editor_context(self, context: EditorContext) -> None:
        self._house.context = context

    @property
    def modes(self) -> tuple[str, ...]:
        return tuple(mode.slug for mode in self._house.modes.all())

    def list_modes(self, task_id: str | None) -> ModeList:
        """List the modes there are, and how a task works, or tasks to come will."""
        modes, mode, permission_mode = self._house.modes, self.mode(task_id), self.permission_mode(task_id)
        return listed_modes(modes, mode, permission_mode, self._house.mode_profile, modes.problems())

    def list_commands(self) -> CommandList:
        """List what a user can write with a `/` in front."""
        commands = self._house.additions.commands
        return listed_commands(self._house.modes, commands.all(), commands.problems())

    @property
    def shown_folder(self) -> Path:
        """Where files lie that are made for the user to look at."""
        return self._house.state / "shown"

    def redacted(self, text: str) -> str:
        return self._house.redacted(text)

    async def paths_in(self, folder: str) -> tuple[str, ...]:
        """List a folder of the workspace, for the user to choose from; folders end with a slash."""
        return await self._house.paths_in(folder)

    @property
    def checkpoints(self) -> TaskCheckpoints:
        return self._checkpoints

    async def delete(self, task_id: str) -> None:
        await super().delete(task_id)
        await self._house.keeping.forget(task_id)

    def debug_report(self) -> str:
        """Describe this server for a bug report; nothing in it is secret."""
        return self._house.redacted(self._house.report() + self.report())

    async def close(self) -> None:
        self._house.keeping.give_up()
        await super().close()
        await self._house.close()


class House:
    """Makes what tasks work with, from the settings, roots and models of the moment."""

    def __init__(self, start: Start) -> None:
        self.state = state_folder(start.environment)
        self.context = EditorContext()
        self._start = start
        self._home = home_folder(start.environment)
        self._roots = start.roots
        trusted = trust_file(self.state)
        decisions = TrustStore(EntryFile(trusted))
        self.settings = LiveSettings(self._home, start.roots, start.command_line, self._trusts(decisions), trusted)
        self.trust = FolderTrusting(self.settings, decisions)
        self.permissions = StandingPermissions(PermissionStore(self._home, self.state), lambda: self._roots)
        self.models = Models(self.settings, start.environment, start.record_to, self._learn)
        self.additions = Additions(self._home, start.roots, without_hidden)
        self._learned: set[str] = set()
        self._secrets = Secrets(secret_values(start.environment, self._settings))
        self.settings.on_read.append(self._take_secrets)
        self._commands = Commands(start.environment, self.roots, self.redacted)
        self._confinement = Confinement(start.environment)
        self._notes = self.state / "notes"
        Leftovers(self._notes).sweep()
        self.keeping = Keeping(
            Surroundings(self.state, start.environment, start.documents, Leftovers(self._notes), Path.home())
        )
        self._unkept_said: Unkept | None = None
        self._site = Site(
            home=self._home,
            documents=start.documents,
            language_servers=start.language_servers,
            git=lambda: find_git(start.environment, self._roots),
            editor=lambda: self.context,
            language=lambda: self._settings.language,
            fetch=Pages(lambda: self._settings.fetch_private_addresses).fetch,
            rules=self._rules,
            sees_images=self._sees_images,
            role=self.additions.role,
        )

    @property
    def _settings(self) -> Settings:
        return self.settings.current()

    @property
    def modes(self) -> Modes:
        return self.additions.modes

    def set_roots(self, roots: tuple[Path, ...]) -> None:
        self._roots = roots
        self.additions.set_roots(roots)
        self.settings.set_roots(roots)

    def redacted(self, text: str) -> str:
        return self._secrets.removed_from(text)

    async def paths_in(self, folder: str) -> tuple[str, ...]:
        return await offered_paths(self._files(), folder)

    def report(self) -> str:
        lines = [
            f"agent-lsp {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"state: {self.state}",
            f"roots: {', '.join(map(str, self._roots)) or 'none'}",
            *described(self.settings.read),
        ]
        return "\n".join(lines) + "\n"

    async def close(self) -> None:
        await self._commands.aclose()
        await self.permissions.close()
        await self.keeping.close()
        await self.models.aclose()

    # The Architect of the tasks.

    def equipment(self) -> Equipment:
        return Equipment(
            self._model,
            self._rules,
            self._limits,
            self._checkpoints(),
            self.permissions,
            self.mode_profile,
            self.additions.expanded,
            condense_at_percent=lambda: self._settings.condense.at_percent,
        )

    def kept_workspace(self) -> KeptWorkspace | Unkept:
        """Whoever keeps the files of the roots of now."""
        return self.keeping.workspace(self._roots, self._files)

    def _checkpoints(self) -> KeptWorkspace | Unkept | None:
        """Keep the files, or say why not: once, not for every task."""
        kept = self.kept_workspace()
        if isinstance(kept, Unkept):
            if not self._roots or kept == self._unkept_said:
                return None
            self._unkept_said = kept
        return kept

    def equip(self, facts: TaskFacts, desk: Desk) -> tuple[Workbench, Briefing]:
        files = self._files()
        files.desk = desk
        artifacts = Artifacts(facts.folder / "artifacts")
        own = Own(Path.home(), (self.state, self._home), facts.folder / "tmp")
        sandbox = Sandbox(self._commands, self._confinement, own, self._sandbox_wanted)
        execute = ExecuteCommand(
            sandbox, artifacts, files, desk, desk, limit_seconds=lambda: self._settings.limits.command_seconds
        )
        modes = TaskModes(self.modes, facts.mode, desk.set_mode)
        eyes = open_eyes(facts, self._site, files, execute)
        fuzzy, diagnosing = (lambda: self._settings.fuzzy_threshold), self._diagnosing()
        means = Means(files, desk, modes, self.additions.commands, execute, artifacts, diagnosing, eyes.shown, fuzzy)
        workbench = bench(means)
        tools = workbench.tools
        return workbench, brief(facts, self._site, eyes, execute, desk, lambda: (one.name for one in tools.specs()))

    def roots(self) -> tuple[Path, ...]:
        return self._roots

    def permission_mode(self) -> PermissionMode:
        return self._settings.permission_mode

    def default_mode(self) -> str:
        return self.additions.default_mode(self._settings)

    def mode_profile(self, mode: str) -> str | None:
        return self._settings.mode_profiles.get(mode)

    def _files(self) -> KeptFiles:
        return KeptFiles(
            self._roots,
            self._start.documents,
            closed_files=lambda: self._settings.closed_files,
            own=OwnFolders(self._notes, (self._home, self.state)),
            environment=self._start.environment,
        )

    def _diagnosing(self) -> Diagnosing | None:
        servers = self._start.language_servers
        return Diagnosing(servers, self._start.documents) if servers else None

    def _trusts(self, decisions: TrustStore) -> Callable[[str, str], bool]:
        if self._start.trusts_folders:
            return lambda _root, _digest: True
        return lambda root, digest: decisions.decision(root, digest) is Trust.TRUSTED

    def _take_secrets(self) -> None:
        self._secrets = Secrets(secret_values(self._start.environment, self.settings.read.settings) | self._learned)

    def _learn(self, key: str) -> None:
        self._learned.add(key)
        self._take_secrets()

    def _model(self, name: str | None) -> EquippedModel:
        return EquippedModel(*self.models.model(name))

    def _sees_images(self, profile_name: str) -> bool:
        try:
            return self._model(profile_name or None).model.facts.sees_images
        except NotConfigured:
            return True  # The task can be looked at, and will say what is missing when it is to go on.

    def _rules(self, mode: PermissionMode) -> Rules:
        rules = Rules.from_settings(self._settings, mode)
        own = tuple(Path(os.path.realpath(folder)) for folder in (self._home, self.state))
        workspace = tuple(dict.fromkeys(map(str, (*self._roots, *self.permissions.projects()))))
        remembered = self.permissions.listed().permissions
        return replace(rules, remembered=remembered, own_folders=own, workspace=workspace)

    def _sandbox_wanted(self) -> Wanted:
        return Wanted(self._settings.sandbox, self._roots)

    def _limits(self) -> LimitSettings:
        return self._settings.limits


def open_server_hall(editor: "EditorSide", record: Path | None = None, replay: Path | None = None) -> Hall:
    """Open the hall for a client with documents of its own; its settings and roots follow."""
    played = replay_settings(replay) if replay else None
    return _noting(Hall(Start(editor, dict(os.environ), (), played, record, language_servers=editor)), record)


def moments_of(replay: Path | None) -> Moments:
    """The time and the ids that a recording is played with; those of the world where none is."""
    return played_moments(recording_started(replay)) if replay else REAL


def _noting(hall: Hall, record: Path | None) -> Hall:
    if record:
        hall.listen(AnswerNotes(record, hall.redacted))
    return hall


async def run_headless(options: "RunOptions") -> int:
    """Run one task in a terminal or a script; the exit code."""
    from agent_lsp.headless.run import run_task

    start = Start(
        NoDocuments(),
        dict(os.environ),
        (options.cwd,),
        options.settings(),
        options.record,
        trusts_folders=options.trusts_folder,
    )
    try:
        story = recorded_story(options.replay) if options.replay else RecordedStory()
        if options.replay:
            options = options.as_recorded(story.words, story.mode)
        hall = Hall(start)
    except (AgentError, OSError) as error:
        sys.stderr.write(f"agent-lsp: {error}\n")
        return 1
    for remark in hall.remarks():
        sys.stderr.write(f"agent-lsp: {remark}\n")
    with entered(moments_of(options.replay)):
        return await run_task(_noting(hall, options.record), options, story.answers)
