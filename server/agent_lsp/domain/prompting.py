"""What a model is told of its surroundings, as facts; `agent/prompt.py` puts them into words."""

from dataclasses import dataclass, field

from agent_lsp.domain.documents import Terminal
from agent_lsp.domain.status import PermissionMode


@dataclass(frozen=True, slots=True)
class RuleText:
    """A file of instructions that the project holds ready for agents."""

    path: str
    text: str
    note: str = ""
    """What was changed in reading it, for the user and the model; empty if nothing was."""
    is_users: bool = False
    """It is the user's own, for all projects."""


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What stays the same from step to step: vendors keep a prompt that does not change."""

    roots: tuple[str, ...]
    system: str
    """The operating system, as a name."""
    mode: str = "code"
    rules: tuple[RuleText, ...] = ()
    """In order of their rank."""
    role: str = ""
    """What the mode makes of the model, in words."""
    tools: frozenset[str] = frozenset()
    """The names of those that are offered: of others nothing is said."""
    language: str = ""
    """In which the user wants to be spoken to; empty for the one they write."""


@dataclass(frozen=True, slots=True)
class FileTree:
    """The files below a root, folders with `/` behind them."""

    root: str
    entries: tuple[str, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class GitState:
    """What is checked out, and how many files differ from it; None where they could not be counted in time."""

    branch: str
    """Empty where a commit is checked out by itself."""
    commit: str
    """Abbreviated; empty where nothing was committed yet."""
    under_way: str = ""
    """What the user is in the middle of: a merge, a rebase."""
    changed: int | None = None
    untracked: int | None = None
    conflicts: int | None = None


@dataclass(frozen=True, slots=True)
class EnvironmentFacts:
    """What may change from step to step. Facts that differ only in their time are equal."""

    time: str = field(default="", compare=False)
    active: str = ""
    """The path of the document that the user is in."""
    cursor: str = ""
    """Where in it the user is, or what they have selected, in words."""
    visible: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    mode: str = "code"
    role: str = ""
    """What the mode makes of the model, where that is not what the prompt says."""
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    changed_by_user: tuple[str, ...] = ()
    """Files that the model has seen and the user has changed since: told once, whenever there are any."""
    changed_by_commands: tuple[str, ...] = ()
    changed_by_tasks: tuple[str, ...] = ()
    """The same, where commands of the agent's own ran meanwhile, which may well have done it."""
    commands: str = ""
    """What commands in the background have come to: told once, like the files."""
    trees: tuple[FileTree, ...] = ()
    terminals: tuple[Terminal, ...] = ()
    git: GitState | None = None
    cost: str = field(default="", compare=False)
    """What the task has cost so far, as it is shown."""
    new_rules: tuple[RuleText, ...] = ()
    """Rules that hold from now on: of a folder that is new to the model, or changed since. Told once."""
    gone_rules: tuple[str, ...] = ()
