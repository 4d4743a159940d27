"""The modes there are: built in, the user's, the project's. A project can make one stricter, never freer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.modes import Mode, ToolGroup
from agent_lsp.extensions.builtin_modes import BUILT_IN
from agent_lsp.extensions.live_files import Clean, Found, LiveFiles, Spot
from agent_lsp.extensions.mode_files import SUFFIXES, read_modes

USER_FOLDER = "modes"
PROJECT_FOLDER = ".agent-lsp/modes"
FAMILY_FILE = ".roomodes"


@dataclass(frozen=True, slots=True)
class _Known:
    modes: dict[str, Mode]
    problems: tuple[str, ...]


class Modes:
    """Asks the files anew each time: what a user writes there holds from the next step on."""

    def __init__(self, home: Path, roots: Sequence[Path], clean: Clean) -> None:
        self._home = home
        self._roots = tuple(roots)
        self._files = LiveFiles(self._spots, SUFFIXES, clean, _known)

    def tell_of_readings(self, tell: Callable[[], None]) -> None:
        self._files.on_read = tell

    def set_roots(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(roots)

    def all(self) -> tuple[Mode, ...]:
        return tuple(self._files.current().modes.values())

    def find(self, slug: str) -> Mode | None:
        return self._files.current().modes.get(slug)

    def problems(self) -> tuple[str, ...]:
        """Tell what in which file is ignored, and why."""
        return self._files.current().problems

    def _spots(self) -> list[Spot]:
        """The user's first: a project's mode is held against what the user has by its name."""
        spots = [Spot(self._home / USER_FOLDER, "user")]
        for root in self._roots:
            spots.append(Spot(root / PROJECT_FOLDER, "project", root))
            spots.append(Spot(root / FAMILY_FILE, "project", root))
        return spots


@dataclass(frozen=True, slots=True)
class TaskModes:
    """The modes as one task has them."""

    modes: Modes
    slug: Callable[[], str]
    switch: Callable[[str], None]

    def current(self) -> Mode:
        return self.modes.find(self.slug()) or without_definition(self.slug())

    def all(self) -> tuple[Mode, ...]:
        return self.modes.all()


def without_definition(slug: str) -> Mode:
    """What is left of a mode that no file describes any more: nothing is changed until the user chooses another."""
    role = f"The mode {slug} is not described anywhere any more. You may only read; ask the user to choose a mode."
    return Mode(slug, slug, role, groups=frozenset({ToolGroup.READ}))


def _known(found: Found) -> _Known:
    modes = {mode.slug: mode for mode in BUILT_IN}
    problems = [*found.problems]
    of_projects: set[str] = set()
    for file in found.files:
        read = read_modes(file)
        problems += read.problems
        for mode in read.modes:
            if mode.slug in of_projects:
                problems.append(f"{file.path}: the mode `{mode.slug}` is ignored: the project has one of this name.")
                continue
            before = modes.get(mode.slug)
            if mode.source == "project":
                of_projects.add(mode.slug)
                modes[mode.slug] = _no_freer(mode, before) if before else mode
            else:
                modes[mode.slug] = mode
    return _Known(modes, tuple(problems))


def _no_freer(mode: Mode, before: Mode) -> Mode:
    """A project's mode by a name that the user knows: in its words, with the tools and files that both have."""
    return replace(mode, groups=mode.groups & before.groups, edit_scopes=(*before.edit_scopes, *mode.edit_scopes))
