"""A standing yes of the user's: how far it reaches, how long it holds, and what clients are shown of it."""

from dataclasses import dataclass, field
from enum import StrEnum

from agent_lsp.domain.encoding import KEEP


class Scope(StrEnum):
    """How long, and where, a standing yes holds."""

    TASK = "task"
    PROJECT = "project"
    USER = "user"


class Grant(StrEnum):
    """What a standing yes lets through; the words of its rule are read accordingly."""

    COMMAND = "command"
    """Commands that begin with the rule's words."""
    EXACT_COMMAND = "exactCommand"
    """The command that is spelled exactly like the rule."""
    READ = "read"
    """Reading, listing and searching of the rule's path and what lies below it."""
    EDIT = "edit"
    """Changing and creating files there."""
    DELETE = "delete"


COMMAND_GRANTS = (Grant.COMMAND, Grant.EXACT_COMMAND)
"""Grants whose rule is not a path."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a yes would become if it were remembered, as the user is shown it before."""

    kind: Grant
    rule: str
    text: str
    """The rule for a person, to follow "always allow"."""


@dataclass(frozen=True, slots=True)
class Remember:
    """The user's wish that an answer holds for good; without a rule, as it was offered."""

    scope: Scope
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Permission:
    """A standing yes. One of a project holds for what happens within `root`, one of a task as long as that lives."""

    id: str
    scope: Scope
    kind: Grant
    rule: str
    created: int = 0
    root: str | None = None
    task_id: str | None = None


@dataclass(frozen=True, slots=True)
class PermissionWish:
    """A permission that the user words without an ask. A path may be relative to its project."""

    scope: Scope
    kind: Grant
    rule: str
    root: str | None = None
    task_id: str | None = None


@dataclass(frozen=True, slots=True)
class PermissionList:
    permissions: tuple[Permission, ...] = field(default=(), metadata=KEEP)
    problems: tuple[str, ...] = ()
    """Why some of what is kept allows nothing; sentences."""
