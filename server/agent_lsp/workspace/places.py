"""Where paths lead: outside, protected, ignored or inside. What is approved there is decided elsewhere."""

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Place, Standing
from agent_lsp.workspace.ignore import AGENT_IGNORE, NO_RULES, IgnoreFile, IgnoreRules, IgnoreStack, agent_rules
from agent_lsp.workspace.paths import normalized, read_spelling, resolve
from agent_lsp.workspace.protected import is_protected

Use = Literal["read", "write"]


def judge_path(path: str, *, roots: Sequence[Path], home: Path, ignore_lines: Sequence[str], use: Use) -> Standing:
    """Judge a path by the links that exist and by ignore lines that hold for every root."""
    rules = IgnoreRules(ignore_lines)
    return Places(roots, home=home, rules_of=lambda _: rules).locate(path, use).standing


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of the workspace, links followed."""

    path: Path
    parts: tuple[str, ...]
    rules: Callable[[], IgnoreRules]
    inner_rules: Callable[[str], IgnoreRules] = agent_rules
    """Those of a folder in it, which come on top of the root's."""

    def is_ignored(self, parts: Sequence[str], *, is_folder: bool) -> bool:
        """Whether a path in it is kept from the agent. Nothing below an ignored folder can be taken back."""
        stack, folder = IgnoreStack().entered("", self.rules()), str(self.path)
        for part in parts[:-1]:
            if stack.is_ignored(part, is_folder=True):
                return True
            folder = f"{folder}/{part}"
            stack = stack.entered(part, self.inner_rules(folder))
        return bool(parts) and stack.is_ignored(parts[-1], is_folder=is_folder)


class Places:
    """Finds places below the roots. It keeps nothing but the ignore files: each question is answered from the disk."""

    def __init__(
        self, roots: Sequence[Path], *, home: Path, rules_of: Callable[[Path], IgnoreRules] | None = None
    ) -> None:
        self._home = home
        self.roots = tuple(_root(path, rules_of) for path in roots)

    def locate(self, path: str, use: Use) -> Place:
        """Resolve a path. Never fails: what leads nowhere is outside, and says why."""
        try:
            spelling = read_spelling(path, self._home)
            given, resolved = self._looked_up(spelling.path)
        except FileProblem as problem:
            return Place(path, Path("/"), "", Standing.OUTSIDE, problem=str(problem))
        return self._judged(given, resolved, use, is_from_home=spelling.is_from_home)

    def locate_again(self, place: Place, use: Use) -> Place:
        """Resolve a place anew when it is used; raises FileProblem if it leads elsewhere, or is no longer free."""
        if place.problem:
            raise FileProblem(place.problem)
        now = self.locate(str(place.absolute), use)
        if now.problem or now.absolute != place.absolute:
            raise FileProblem(f"{place.path} leads elsewhere than when it was judged; look at it again.")
        if Standing.IGNORED in (now.standing, place.standing):
            raise FileProblem(f"{place.path} is kept from you by {AGENT_IGNORE}; do without it.")
        is_known = now.standing in (place.standing, Standing.INSIDE) or place.is_protected
        if use == "write" and not is_known:
            raise FileProblem(f"{place.path} is {now.standing.value} by now; look at it again.")
        return now

    def root_of(self, path: Path) -> Root | None:
        """The innermost root that a resolved path lies in."""
        within = self._roots_with(path.parts[1:])
        return max(within, key=lambda root: len(root.parts), default=None)

    def _looked_up(self, path: str) -> tuple[str, str]:
        """A path as given, made absolute, and as resolved. A relative one means the first root that has it."""
        if path.startswith("/"):
            return path, resolve(path)
        if not self.roots:
            raise FileProblem("No folder is open; give an absolute path.")
        found = [(f"{root.path}/{path}", resolve(f"{root.path}/{path}")) for root in self.roots]
        return next((pair for pair in found if os.path.lexists(pair[1])), found[0])

    def _judged(self, given: str, resolved: str, use: Use, *, is_from_home: bool) -> Place:
        absolute = Path(resolved)
        root = self.root_of(absolute)
        forms = {tuple(normalized(given)), absolute.parts[1:]}
        is_guarded = use == "write" and (
            any(is_protected(self._below_root(parts)) for parts in forms) or self._holds_ignore_lines(absolute)
        )
        if root is None or is_from_home:
            standing = Standing.OUTSIDE
        elif is_guarded:
            standing = Standing.PROTECTED
        elif any(self._is_ignored(parts, is_folder=absolute.is_dir()) for parts in forms):
            standing = Standing.IGNORED
        elif use == "write" and _has_other_names(absolute):
            problem = f"{resolved} has other names (hard links), which a safe write would cut off; use a command."
            return Place(resolved, absolute, absolute.as_uri(), Standing.OUTSIDE, root.path, problem=problem)
        else:
            standing = Standing.INSIDE
        path = str(absolute.relative_to(root.path)) if root and standing is not Standing.OUTSIDE else resolved
        return Place(path, absolute, absolute.as_uri(), standing, root and root.path, is_guarded)

    def _holds_ignore_lines(self, path: Path) -> bool:
        """Whether a root's ignore file is a link to this one: whoever changes it changes what is kept back."""
        links = (root.path / AGENT_IGNORE for root in self.roots)
        return any(link.is_symlink() and os.path.realpath(link) == str(path) for link in links)

    def _roots_with(self, parts: tuple[str, ...]) -> list[Root]:
        return [root for root in self.roots if parts[: len(root.parts)] == root.parts]

    def _below_root(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """The part of a path that the workspace answers for: where its outermost root lies is the user's own choice."""
        depth = min((len(root.parts) for root in self._roots_with(parts)), default=0)
        return parts[depth:]

    def _is_ignored(self, parts: tuple[str, ...], *, is_folder: bool) -> bool:
        within = self._roots_with(parts)
        return any(root.is_ignored(parts[len(root.parts) :], is_folder=is_folder) for root in within)


def _has_other_names(path: Path) -> bool:
    """Whether a file has other names: who writes to one writes to all."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def _root(path: Path, rules_of: Callable[[Path], IgnoreRules] | None) -> Root:
    real = Path(os.path.realpath(path))
    if rules_of:
        return Root(real, real.parts[1:], lambda: rules_of(real), lambda _: NO_RULES)
    return Root(real, real.parts[1:], IgnoreFile(real / AGENT_IGNORE).rules)
