"""Standing permissions: what one covers, and which one a yes to an action could become. Pure.

Whether an action that is covered may be done is `policy.py`'s to say: denials and what always asks come first.
"""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from agent_lsp.approvals.command_rules import judge_command
from agent_lsp.domain.approvals import Action, Deed, Judgement, Verdict
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.permissions import COMMAND_GRANTS, Grant, Offer, Permission, Scope

_ANY_COMMAND = ("*",)
_PLAIN_WORD = re.compile(r"[\w@%+=:,./-]+")
_SUBCOMMAND = re.compile(r"[A-Za-z][\w:.-]*")
_WITH_SUBCOMMANDS = frozenset(
    (
        *("git", "make", "just", "npm", "pnpm", "yarn", "bun", "deno", "pip", "uv", "poetry", "cargo", "go"),
        *("dotnet", "mvn", "gradle", "bundle", "mix", "composer"),
    )
)
"""Programs whose second word says what they do. Only these are offered by their first words."""
_WITH_TWO_SUBCOMMANDS = frozenset(
    {("npm", "run"), ("npm", "run-script"), ("pnpm", "run"), ("yarn", "run"), ("bun", "run"), ("deno", "task")}
    | {("go", "tool"), ("git", "stash"), ("git", "remote")}
)
_REACHING = frozenset(
    ("install", "i", "add", "get", "update", "upgrade", "run", "exec", "x", "dlx", "tool", "create", "init", "publish")
)
"""Subcommands that fetch or run whatever is named behind them: a yes to one name is none to the next."""
_LONGEST_RULE = 4_000


@dataclass(frozen=True, slots=True)
class Standings:
    """The permissions that hold for one action, by what they let through."""

    prefixes: tuple[tuple[str, ...], ...]
    exact: frozenset[str]


@dataclass(frozen=True, slots=True)
class Asker:
    """Where a permission is wished for, and when (in ms)."""

    now: int = 0
    root: str | None = None
    task_id: str | None = None


def permission(offered: Offer, scope: Scope, asker: Asker) -> Permission:
    """Make an offer a permission. The same one made twice has the same id."""
    root = asker.root if scope is Scope.PROJECT else None
    task_id = asker.task_id if scope is Scope.TASK else None
    if scope is Scope.PROJECT and root is None:
        raise BadParams("No folder is open, so there is no project to remember it for: choose the task or the user.")
    name = "\0".join((scope, root or "", task_id or "", offered.kind, offered.rule))
    id_ = sha256(name.encode(errors="surrogatepass")).hexdigest()[:12]
    return Permission(id_, scope, offered.kind, offered.rule, asker.now, root, task_id)


def standing_for_command(action: Action, permissions: Sequence[Permission]) -> Standings:
    holding = [each for each in permissions if _holds_for(each, action.places)]
    return Standings(
        tuple(tuple(each.rule.split()) for each in holding if each.kind is Grant.COMMAND),
        frozenset(each.rule for each in holding if each.kind is Grant.EXACT_COMMAND),
    )


def is_exact_command_clear(command: str, folders: Sequence[str]) -> bool:
    """Whether nothing in a command always asks, so that allowing its exact text is enough."""
    return judge_command(command, [_ANY_COMMAND], (), folders).verdict is Verdict.APPROVE


def is_place_covered(place: Place, kind: Grant | None, permissions: Sequence[Permission]) -> bool:
    """Whether some permission names this place. None covers what is protected."""
    if kind is None or place.is_protected or place.standing is Standing.PROTECTED:
        return False
    return any(each.kind is kind and _holds_for(each, (place,)) and _names(each.rule, place) for each in permissions)


def grant_of(action: Action) -> Grant | None:
    """What kind of permission could cover an action on files; None for one that always asks, such as a move."""
    match action.deed:
        case Deed.READ:
            return Grant.READ
        case Deed.WRITE if action.proposal is not None:
            kinds = {change.kind for change in action.proposal.changes}
            if kinds <= {"create", "edit"}:
                return Grant.EDIT
            return Grant.DELETE if kinds == {"delete"} else None
        case _:
            return None


def candidates(action: Action, judgement: Judgement) -> Iterator[Offer]:
    """What could be offered, the most useful first; each as narrow as what the user sees of the action."""
    if action.command is not None:
        yield from _command_candidates(action.command, judgement)
    elif (kind := grant_of(action)) and (path := _common_place(action.places)):
        yield offer(kind, str(path))


def offer(kind: Grant, rule: str) -> Offer:
    """Put a rule into words; BadParams for one that is none."""
    rule = _sound_rule(kind, rule)
    match kind:
        case Grant.COMMAND:
            return Offer(kind, rule, f"commands that begin with `{rule}`")
        case Grant.EXACT_COMMAND:
            return Offer(kind, rule, "exactly this command")
        case Grant.READ:
            return Offer(kind, rule, f"reading `{rule}` and what is below it")
        case Grant.EDIT:
            return Offer(kind, rule, f"edits and new files at `{rule}` and below it")
        case Grant.DELETE:
            return Offer(kind, rule, f"deletions at `{rule}` and below it")


def worded(action: Action, rule: str) -> Offer:
    """Take the rule that the user put into words for this action; BadParams for one that reaches too far."""
    if action.command is not None:
        return offer(Grant.COMMAND, rule)
    kind, root = grant_of(action), next((place.root for place in action.places), None)
    if kind is None or not rule.strip():
        raise BadParams("This answer cannot be remembered: it holds this once.")
    path = Path(os.path.normpath((root or Path("/")) / rule.strip()))
    if not all(_may_be_named(place, path) for place in action.places):
        raise BadParams("That rule reaches further than the folder it is about: name a place within it.")
    return offer(kind, str(path))


def _sound_rule(kind: Grant, rule: str) -> str:
    if not rule.strip() or len(rule) > _LONGEST_RULE or "\0" in rule:
        raise BadParams("A rule needs words: the first ones of a command, or a path.")
    if kind is Grant.COMMAND:
        rule = " ".join(rule.split())
        if rule.split()[0] == "*":
            raise BadParams("A rule names a command: `*` would let everything run.")
    if kind not in COMMAND_GRANTS:
        rule = os.path.normpath(rule)
        if not rule.startswith("/") or rule.strip("/") == "":
            raise BadParams("A rule for files names a folder or a file, by its whole path.")
    return rule


def _holds_for(each: Permission, places: Sequence[Place]) -> bool:
    """A path is the same everywhere; a command of a project is allowed where it runs within that."""
    if each.root is None or each.kind not in COMMAND_GRANTS:
        return True
    return bool(places) and all(place.absolute.is_relative_to(each.root) for place in places)


def _names(rule: str, place: Place) -> bool:
    return place.absolute.is_relative_to(rule)


def _may_be_named(place: Place, path: Path) -> bool:
    """Inside, a rule may be as wide as the root; outside, it names the very place."""
    if place.standing is Standing.OUTSIDE or place.root is None:
        return path == place.absolute
    return path.is_relative_to(place.root)


def _common_place(places: Sequence[Place]) -> Path | None:
    """The folder that some places have in common, short of a whole root; one that has no such folder stands alone."""
    roots = {place.root for place in places if place.standing is Standing.INSIDE}
    if len(places) == 1 and places[0].standing is Standing.OUTSIDE:
        return places[0].absolute
    if len(roots) != 1 or any(place.standing is not Standing.INSIDE for place in places):
        return None
    folder = Path(os.path.commonpath([place.absolute.parent for place in places]))
    if folder not in roots and not any(root and root.is_relative_to(folder) for root in roots):
        return folder
    return places[0].absolute if len(places) == 1 else None


def _command_candidates(command: str, judgement: Judgement) -> Iterator[Offer]:
    if not command.strip() or len(command) > _LONGEST_RULE:
        return
    words = _words(_asking_part(judgement))
    if first := _first_words(words):
        yield offer(Grant.COMMAND, " ".join(first))
    yield offer(Grant.EXACT_COMMAND, command)
    if words and all(map(_PLAIN_WORD.fullmatch, words)):
        yield offer(Grant.COMMAND, " ".join(words))


def _asking_part(judgement: Judgement) -> str:
    """The one part that is asked about, be it with what it runs; nothing where there are several."""
    first, *others = [part.text for part in judgement.segments if part.verdict is Verdict.ASK] or [""]
    return first if all(first.endswith(other) for other in others) else ""


def _first_words(words: Sequence[str]) -> Sequence[str]:
    """The words that say what a program with subcommands does; none for any other program."""
    if len(words) < 2 or words[0] not in _WITH_SUBCOMMANDS or not _SUBCOMMAND.fullmatch(words[1]):
        return ()
    length = 3 if (words[0], words[1]) in _WITH_TWO_SUBCOMMANDS else 2
    if len(words) < length or not _SUBCOMMAND.fullmatch(words[length - 1]):
        return ()
    return () if words[0] != "git" and words[length - 1] in _REACHING else words[:length]


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()
