"""Ignore files: gitignore's rules for paths, one file's lines or several files' on top of each other."""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from agent_lsp.workspace.ignore_classes import Classes
from agent_lsp.workspace.ignore_patterns import in_linear_time

AGENT_IGNORE = ".agentignore"
"""What the agent neither reads nor writes: at the top of a root, and in any folder below it."""
GIT_IGNORE = ".gitignore"

MOST_BYTES = 1_000_000

_FOLDER = "ps_d"
"""The library's name for the slash that ends a folder."""
_ANY_FOLDER = f"(?P<{_FOLDER}>/)"
_Pattern = tuple[re.Pattern[str], bool]
"""What a line matches, and whether that is ignored or taken back."""


class IgnoreRules:
    """The lines of one ignore file, for paths relative to its folder."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = [line for line in lines if line.strip() and not line.startswith("#")]
        self._patterns: tuple[_Pattern, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self._lines)

    def decide(self, path: str) -> bool | None:
        """What the last line that matches says, the parents left aside; a folder's path ends with `/`."""
        return next((is_ignored for regex, is_ignored in self._from_last() if _names_itself(regex, path)), None)

    def matches(self, path: str) -> bool:
        """Whether any line matches a path, or a folder that it lies in."""
        return any(regex.search(path) for regex, _ in self._from_last())

    def is_ignored(self, parts: Sequence[str], *, is_folder: bool) -> bool:
        """Whether a path is ignored. As git has it, nothing under an ignored folder can be taken back."""
        if not self._lines:
            return False
        path = ""
        for part in parts[:-1]:
            path += f"{part}/"
            if self.decide(path):
                return True
        return bool(parts) and bool(self.decide(path + parts[-1] + ("/" if is_folder else "")))

    def _from_last(self) -> tuple[_Pattern, ...]:
        if self._patterns is None:
            self._patterns = tuple(reversed(_compiled(self._lines))) if self._lines else ()
        return self._patterns


class IgnoreFile:
    """An ignore file on disk, read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._signature: tuple[int, ...] | None = None
        self._rules = IgnoreRules(())

    def rules(self) -> IgnoreRules:
        try:
            status = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._signature, self._rules = None, IgnoreRules(())
            return self._rules
        except OSError:
            return _EVERYTHING
        signature = (status.st_ino, status.st_mtime_ns, status.st_size)
        if signature != self._signature:
            self._signature, self._rules = signature, read_rules(self._path, when_unreadable=_EVERYTHING)
        return self._rules


@dataclass(frozen=True, slots=True)
class IgnoreStack:
    """The ignore files that hold for a folder, the outermost first, each with the folder's path below its own."""

    layers: tuple[tuple[IgnoreRules, str], ...] = ()

    def entered(self, name: str, rules: IgnoreRules) -> "IgnoreStack":
        """The stack of a folder in this one, whose own file has these rules."""
        layers = tuple((outer, f"{path}{name}/") for outer, path in self.layers)
        return IgnoreStack((*layers, (rules, ""))) if rules else IgnoreStack(layers)

    def is_ignored(self, name: str, *, is_folder: bool) -> bool:
        """Whether an entry of the folder is ignored; the innermost file that says anything decides."""
        ending = "/" if is_folder else ""
        for rules, path in reversed(self.layers):
            verdict = rules.decide(f"{path}{name}{ending}")
            if verdict is not None:
                return verdict
        return False


def read_rules(path: Path, *, when_unreadable: IgnoreRules) -> IgnoreRules:
    """Read an ignore file; one that is not there has no rules."""
    try:
        # A pipe must not be waited for.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123  by its descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return when_unreadable
            content = file.read(MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return IgnoreRules(())
    except OSError:
        return when_unreadable
    return IgnoreRules(content.decode("utf-8-sig", "replace").splitlines())


def agent_rules(folder: str) -> IgnoreRules:
    """What a folder's own ignore file keeps from the agent."""
    return read_rules(Path(folder, AGENT_IGNORE), when_unreadable=_EVERYTHING)


NO_RULES = IgnoreRules(())
_EVERYTHING = IgnoreRules(("*",))
"""What is to be kept from the agent cannot be known: it is kept from everything."""


def _compiled(lines: Sequence[str]) -> list[_Pattern]:
    """The lines as patterns, in order. The library reads them; which of them decides it does not know as git does."""
    from pathspec import GitIgnoreSpec

    classes = Classes()
    lines = [classes.taken_out(line) for line in lines if line.strip() not in ("/", "!/")]
    try:
        spec = GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        spec = GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])
    patterns = list[_Pattern]()
    for pattern in spec.patterns:
        regex = cast("re.Pattern[str] | None", pattern.regex)  # The library leaves open of what.
        if regex and pattern.include is not None:
            patterns.append((re.compile(in_linear_time(classes.put_back(regex.pattern))), pattern.include))
    return patterns


def _names_itself(regex: re.Pattern[str], path: str) -> bool:
    """Whether a pattern matches the path, and not just a folder that it lies in: that is asked about by itself."""
    if regex.pattern == _ANY_FOLDER:
        return path.endswith("/")
    match = regex.search(path)
    if not match or _FOLDER not in regex.groupindex:
        return bool(match)
    return match.end(_FOLDER) in (-1, len(path))


def _is_pattern(line: str) -> bool:
    """Git passes over lines that are no pattern, and so do we."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
