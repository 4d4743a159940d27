"""The policy: what an action may do under the user's rules. Pure; the gate asks the user where this says so."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent_lsp.approvals.command_rules import Prefixes, as_prefixes, is_clear, judge_command
from agent_lsp.approvals.permissions import (
    Asker,
    candidates,
    grant_of,
    is_exact_command_clear,
    is_place_covered,
    permission,
    standing_for_command,
    worded,
)
from agent_lsp.approvals.shell.characters import unseen_character
from agent_lsp.domain.approvals import Action, Deed, Judgement, Segment, Verdict
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.permissions import Offer, Permission, Remember, Scope
from agent_lsp.domain.status import PermissionMode
from agent_lsp.settings.model import AutoApprove, Settings

_PLAN = "This task is in plan mode: nothing is changed or run. Finish the plan, and the user will leave plan mode."
_NO_SANDBOX = "The settings require a sandbox for commands, and there is none here: no command runs."
_ONLY_SANDBOX = "The settings require a sandbox for commands: this one cannot run outside it."
_STRICTNESS = {Verdict.APPROVE: 0, Verdict.ASK: 1, Verdict.DENY: 2}
_APPROVED = Judgement(Verdict.APPROVE)
_ASKED = Judgement(Verdict.ASK)


@dataclass(frozen=True, slots=True)
class Rules:
    """The user's standing decisions, ready for use."""

    permission_mode: PermissionMode = PermissionMode.DEFAULT
    auto_approve: AutoApprove = field(default_factory=AutoApprove)
    allowed_commands: Prefixes = ()
    denied_commands: Prefixes = ()
    writable_folders: tuple[Path, ...] = ()
    """Resolved folders outside the workspace."""
    requires_sandbox: bool = False
    """Commands may only run inside a sandbox."""
    remembered: tuple[Permission, ...] = ()
    """Answers that hold for good."""
    own_folders: tuple[Path, ...] = ()
    """Resolved folders with the user's settings, keys and permissions. A workspace may lie around them."""
    workspace: tuple[str, ...] = ()
    """Its folders, as they are called and as they are resolved."""

    @staticmethod
    def from_settings(settings: Settings, permission_mode: PermissionMode | None = None) -> "Rules":
        """Take the rules from the settings; a task's own permission mode wins over theirs."""
        folders = (Path(folder).expanduser() for folder in settings.auto_approve.write_outside_workspace)
        return Rules(
            permission_mode or settings.permission_mode,
            settings.auto_approve,
            as_prefixes(settings.allowed_commands),
            as_prefixes(settings.denied_commands),
            tuple(Path(os.path.realpath(folder)) for folder in folders if folder.is_absolute()),
            requires_sandbox=settings.sandbox == "require",
        )


def judge(action: Action, rules: Rules) -> Judgement:
    """Judge an action by its deed, its places and its command; of several judgements the strictest counts."""
    match action.deed:
        case Deed.READ:
            return _strictest(action, _judge_read, rules, _read_inside(rules))
        case Deed.WRITE:
            return _strictest(action, _judge_write, rules, _ASKED)
        case Deed.EXECUTE:
            return _judge_execute(action, rules)
        case Deed.SWITCH_MODE:
            return _APPROVED if rules.auto_approve.mode_switch or _is_bypassed(rules) else _ASKED
        case Deed.SAVE:
            return _ASKED


def offered(action: Action, judgement: Judgement, rules: Rules) -> Offer | None:
    """Tell what a yes to this action could become for good: the narrowest that would let it through."""
    if judgement.verdict is not Verdict.ASK:
        return None
    return next((each for each in candidates(action, judgement) if _is_enough(each, action, rules)), None)


def remembered(action: Action, rules: Rules, wish: Remember, asker: Asker) -> Permission:
    """Make a yes to this action a permission, as it was offered or as the user worded it; else BadParams."""
    offer = worded(action, wish.rule) if wish.rule is not None else offered(action, judge(action, rules), rules)
    if offer is None or not _is_enough(offer, action, rules):
        raise BadParams("This answer cannot be remembered so: such an action always asks. Answer without `remember`.")
    return permission(offer, wish.scope, asker)


def _is_enough(offer: Offer, action: Action, rules: Rules) -> bool:
    more = permission(offer, Scope.USER, Asker())
    return judge(action, replace(rules, remembered=(*rules.remembered, more))).verdict is Verdict.APPROVE


def _strictest(
    action: Action, judge_place: Callable[[Place, Rules], Judgement], rules: Rules, nowhere: Judgement
) -> Judgement:
    grant = grant_of(action)

    def judged(place: Place) -> Judgement:
        found = judge_place(place, rules)
        if found.verdict is not Verdict.DENY and any(place.absolute.is_relative_to(own) for own in rules.own_folders):
            reason = f"`{place.absolute}` belongs to the agent's own settings and records."
            return Judgement(Verdict.ASK, reason, is_protected=True)
        is_covered = found.verdict is Verdict.ASK and is_place_covered(place, grant, rules.remembered)
        return _APPROVED if is_covered else found

    return max(map(judged, action.places), key=lambda found: _STRICTNESS[found.verdict], default=nowhere)


def _judge_read(place: Place, rules: Rules) -> Judgement:
    if place.problem:
        return Judgement(Verdict.DENY, place.problem)
    match place.standing:
        case Standing.IGNORED:
            return _ignored(place)
        case Standing.OUTSIDE:
            return _read_outside(place, rules)
        case Standing.INSIDE | Standing.PROTECTED:
            return _read_inside(rules)


def _read_inside(rules: Rules) -> Judgement:
    return _APPROVED if rules.auto_approve.read or _is_bypassed(rules) else _ASKED


def _read_outside(place: Place, rules: Rules) -> Judgement:
    is_standing_yes = rules.auto_approve.read and rules.auto_approve.read_outside_workspace
    return _APPROVED if is_standing_yes or _is_bypassed(rules) else _outside(place)


def _judge_write(place: Place, rules: Rules) -> Judgement:
    if place.problem:
        return Judgement(Verdict.DENY, place.problem)
    if place.standing is Standing.IGNORED:
        return _ignored(place)
    if rules.permission_mode is PermissionMode.PLAN:
        return Judgement(Verdict.DENY, _PLAN)
    match place.standing:
        case Standing.PROTECTED:
            return Judgement(Verdict.ASK, f"`{place.path}` is protected: other programs act on what it says.")
        case Standing.OUTSIDE:
            return _APPROVED if _is_writing_allowed(rules) and _is_named(place, rules) else _outside(place)
        case Standing.INSIDE:
            return _APPROVED if _is_writing_allowed(rules) else _ASKED


def _is_writing_allowed(rules: Rules) -> bool:
    return rules.auto_approve.write or rules.permission_mode in (
        PermissionMode.ACCEPT_EDITS,
        PermissionMode.BYPASS_PERMISSIONS,
    )


def _is_named(place: Place, rules: Rules) -> bool:
    """Whether a place lies in a folder with a standing yes, which what is protected never has."""
    return not place.is_protected and any(place.absolute.is_relative_to(folder) for folder in rules.writable_folders)


def _judge_execute(action: Action, rules: Rules) -> Judgement:
    if rules.permission_mode is PermissionMode.PLAN:
        return Judgement(Verdict.DENY, _PLAN)
    if rules.requires_sandbox and not action.is_sandboxed:
        return Judgement(Verdict.DENY, _ONLY_SANDBOX if action.refusal else _NO_SANDBOX)
    if action.command is None:
        return _ASKED
    found = _judge_by_mode(action, action.command, rules)
    may_hide_denied = bool(rules.denied_commands) and found.verdict is Verdict.ASK and not is_clear(action.command)
    return replace(_judge_where(action, rules, found), may_hide_denied=may_hide_denied)


def _judge_where(action: Action, rules: Rules, found: Judgement) -> Judgement:
    """Judge where a command runs, which can only make things stricter."""
    if action.refusal and found.verdict is not Verdict.DENY and not _is_bypassed(rules):
        # What the sandbox stopped is for the user to see, whatever rule would let the command run.
        return Judgement(Verdict.ASK, f"{action.refusal} Run it again outside the sandbox?", found.segments)
    strange = next((place for place in action.places if place.standing is not Standing.INSIDE), None)
    if strange is not None and found.verdict is Verdict.APPROVE:
        return Judgement(Verdict.ASK, f"It runs in `{strange.path}`, which is {strange.standing}.", found.segments)
    return found


def _judge_by_mode(action: Action, command: str, rules: Rules) -> Judgement:
    if _is_bypassed(rules):
        return _judge_bypassed(command, rules)
    found = judge_command(command, rules.allowed_commands, rules.denied_commands, rules.workspace)
    if found.verdict is Verdict.ASK or not rules.auto_approve.execute:
        return _judge_remembered(action, command, rules, found)
    return found


def _judge_remembered(action: Action, command: str, rules: Rules, found: Judgement) -> Judgement:
    """Judge anew with what is remembered, which lifts no denial: `found` is what the settings alone make of it."""
    standing = standing_for_command(action, rules.remembered)
    if found.verdict is Verdict.DENY:
        return found
    if command in standing.exact and is_exact_command_clear(command, rules.workspace):
        return Judgement(Verdict.APPROVE, "", tuple(replace(s, verdict=Verdict.APPROVE) for s in found.segments))
    allowed = rules.allowed_commands if rules.auto_approve.execute else ()
    if standing.prefixes:
        return judge_command(command, (*allowed, *standing.prefixes), (), rules.workspace)
    if rules.auto_approve.execute:
        return found
    reason = found.reason if unseen_character(command) else ""
    return Judgement(Verdict.ASK, reason, tuple(_at_most_asked(segment) for segment in found.segments))


def _judge_bypassed(command: str, rules: Rules) -> Judgement:
    """All runs but what is denied; what may hide something denied asks."""
    found = judge_command(command, rules.allowed_commands, rules.denied_commands, rules.workspace)
    if found.verdict is Verdict.DENY:
        return replace(found, segments=(Segment(command, Verdict.DENY),))
    if rules.denied_commands and not is_clear(command):
        return Judgement(Verdict.ASK, "Asked, since a denied command may hide in it.", (Segment(command, Verdict.ASK),))
    return Judgement(Verdict.APPROVE, "", (Segment(command, Verdict.APPROVE),))


def _at_most_asked(segment: Segment) -> Segment:
    return segment if segment.verdict is Verdict.DENY else Segment(segment.text, Verdict.ASK)


def _is_bypassed(rules: Rules) -> bool:
    return rules.permission_mode is PermissionMode.BYPASS_PERMISSIONS


def _ignored(place: Place) -> Judgement:
    return Judgement(Verdict.DENY, f"`{place.path}` is excluded by the user's ignore file; work without it.")


def _outside(place: Place) -> Judgement:
    return Judgement(Verdict.ASK, f"`{place.absolute}` lies outside the workspace.")
