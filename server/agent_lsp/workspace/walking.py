"""Walking folders: what a listing and a search get to see. Ignore files are obeyed and links are not followed."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.workspace.ignore import GIT_IGNORE, NO_RULES, IgnoreRules, IgnoreStack, agent_rules, read_rules
from agent_lsp.workspace.places import Places


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder under way. `path` is relative to where the walk began: empty, or with `/` at its end."""

    absolute: str
    path: str
    git: IgnoreStack
    agent: IgnoreStack


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a folder. `folder` is there where the walk may go on into it."""

    name: str
    path: str
    folder: Folder | None = None
    is_link: bool = False
    is_file: bool = False
    """It holds text or bytes: no pipe, no socket and no device, which may be waited for without an end."""


class Walk:
    """One walk; ignore files are read as it comes by them. It goes by private folders, unless it begins in one."""

    def __init__(self, places: Places, start: Path, private: Iterable[Path] = ()) -> None:
        self._private = frozenset(map(str, private))
        root = places.root_of(start)
        outermost = min((root.path for root in places.roots if start.is_relative_to(root.path)), default=None)
        git = self._git_stack(start, root.path if root else start)
        self.start = Folder(str(start), "", git, _agent_stack(outermost, start))

    def entries(self, folder: Folder) -> list[Entry]:
        """What a folder shows, sorted by name; nothing where it cannot be read."""
        try:
            with os.scandir(folder.absolute) as scan:
                found = sorted(scan, key=lambda entry: entry.name)
        except OSError:
            return []
        return [
            self._entry(folder, entry)
            for entry in found
            if not self._is_skipped(folder, entry.name, is_folder=entry.is_dir(follow_symlinks=False))
        ]

    def _entry(self, folder: Folder, entry: os.DirEntry[str]) -> Entry:
        name, is_folder = entry.name, entry.is_dir(follow_symlinks=False)
        inner = self._inner(folder, name) if is_folder else None
        return Entry(name, folder.path + name, inner, entry.is_symlink(), entry.is_file(follow_symlinks=False))

    def files(self) -> Iterator[Entry]:
        """All files in the order of their paths, folder by folder."""
        pending = self.entries(self.start)[::-1]
        while pending:
            entry = pending.pop()
            if entry.folder:
                pending.extend(self.entries(entry.folder)[::-1])
            elif entry.is_file:
                yield entry

    def shows(self, path: str) -> bool:
        """Whether a walk would come by this path, if it were there."""
        folder, (*parts, name) = self.start, path.split("/")
        for part in parts:
            if self._is_skipped(folder, part, is_folder=True):
                return False
            folder = self._inner(folder, part)
        return not self._is_skipped(folder, name, is_folder=False)

    def _is_skipped(self, folder: Folder, name: str, *, is_folder: bool) -> bool:
        """Whether an entry is kept out of sight: by an ignore file, as git's own folder, or as one of ours."""
        return (
            name == ".git"
            or folder.git.is_ignored(name, is_folder=is_folder)
            or folder.agent.is_ignored(name, is_folder=is_folder)
            or f"{folder.absolute.rstrip('/')}/{name}" in self._private
        )

    def _inner(self, folder: Folder, name: str) -> Folder:
        absolute = f"{folder.absolute}/{name}"
        return Folder(
            absolute,
            f"{folder.path}{name}/",
            folder.git.entered(name, _git_rules(absolute)),
            folder.agent.entered(name, agent_rules(absolute)),
        )

    def _git_stack(self, start: Path, root: Path) -> IgnoreStack:
        """Gather what holds at the start: the files from the top of its repository down, or from its root."""
        top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
        stack = IgnoreStack().entered("", _git_rules(str(top)))
        at = top
        for name in start.relative_to(top).parts:
            at /= name
            # Whoever names an ignored folder wants to see what is in it.
            outer = IgnoreStack() if stack.is_ignored(name, is_folder=True) else stack
            stack = outer.entered(name, _git_rules(str(at)))
        return stack


def _agent_stack(root: Path | None, start: Path) -> IgnoreStack:
    """Gather what holds at the start: the files from its root down. Outside of all roots none holds."""
    if root is None:
        return IgnoreStack()
    stack, at = IgnoreStack().entered("", agent_rules(str(root))), root
    for name in start.relative_to(root).parts:
        at /= name
        stack = stack.entered(name, agent_rules(str(at)))
    return stack


def _git_rules(folder: str) -> IgnoreRules:
    return read_rules(Path(folder) / GIT_IGNORE, when_unreadable=NO_RULES)
