"""Which rules a task's model was told, and which are new to it: of folders it comes to, or changed since."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.prompting import RuleText

MOST_FOLDERS = 100
"""Whose rules are looked at again at the user's words; those that the model came to last."""


class Rules(Protocol):
    """The files of rules as they are now; reading them waits for the disk."""

    def standing(self, mode: str) -> Sequence[RuleText]: ...

    def nearby(self, file: Path, mode: str) -> Sequence[RuleText]: ...


@dataclass(frozen=True, slots=True)
class RuleNews:
    new: tuple[RuleText, ...] = ()
    gone: tuple[str, ...] = ()


class ToldRules:
    """One task's. What stands in the system prompt stays there; what differs from it is told behind."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._told: dict[str, str] = {}
        """The texts that the model has, by path."""
        self._later: set[str] = set()
        """The paths of those that it was told behind the system prompt."""
        self._coming: dict[Path, None] = {}
        self._folders: dict[tuple[Path, str], Path] = {}
        """A file for each folder and kind of file that the model came to."""
        self._is_due = False

    def standing(self, mode: str) -> tuple[RuleText, ...]:
        """Read the rules for a system prompt; the model has them from now on."""
        rules = tuple(self._rules.standing(mode))
        kept = {path: text for path, text in self._told.items() if path in self._later}
        self._told = kept | {rule.path: rule.text for rule in rules}
        return rules

    def touch(self, place: Place) -> None:
        """Note that the model sees or edits a file."""
        key = (place.absolute.parent, place.absolute.suffix)
        if place.standing is not Standing.OUTSIDE and key not in self._folders:
            self._coming[place.absolute] = None

    def look_again(self) -> None:
        """Have the next news tell what has changed of all rules."""
        self._is_due = True

    def forget(self) -> None:
        """Take it that the model has only what its system prompt says."""
        self._is_due = self._is_due or bool(self._later)
        for path in self._later:
            self._told.pop(path, None)
        self._later.clear()
        self._coming = dict.fromkeys(self._folders.values())
        self._folders.clear()

    async def news(self, mode: str) -> RuleNews:
        """Tell what is new since the model was last told."""
        if not (self._coming or self._is_due):
            return RuleNews()
        files, is_due = list(self._coming), self._is_due
        known = list(self._folders.values())[-MOST_FOLDERS:] if is_due else []
        found = await asyncio.to_thread(self._read, [*known, *files], mode, with_standing=is_due)
        self._coming, self._is_due = {}, False
        self._folders |= {(file.parent, file.suffix): file for file in files}
        new = tuple(rule for rule in found if not self._has(rule))
        present = {rule.path for rule in found}
        gone = tuple(path for path in self._told if path not in present) if is_due else ()
        self._tell(new, gone)
        return RuleNews(new, gone)

    def _read(self, files: Iterable[Path], mode: str, *, with_standing: bool) -> list[RuleText]:
        standing = self._rules.standing(mode) if with_standing else ()
        nearby = [rule for file in files for rule in self._rules.nearby(file, mode)]
        return list({rule.path: rule for rule in (*standing, *nearby)}.values())

    def _has(self, rule: RuleText) -> bool:
        """Whether the model has the rule's text already, be it under another name."""
        if rule.path in self._told:
            return self._told[rule.path] == rule.text
        return rule.text.strip() in {text.strip() for text in self._told.values()}

    def _tell(self, new: Iterable[RuleText], gone: Iterable[str]) -> None:
        for path in gone:
            del self._told[path]
            self._later.discard(path)
        for rule in new:
            self._told[rule.path] = rule.text
            self._later.add(rule.path)
