"""How a task works and with what: its mode, its profile and its permission mode, as the user chooses them."""

from typing import Protocol

from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.messages import Say
from agent_lsp.domain.slash import Expansion
from agent_lsp.domain.status import PermissionMode
from agent_lsp.storage.records import ModeChanged, PermissionModeChanged, ProfileChanged
from agent_lsp.tasks.kit import Kit
from agent_lsp.tasks.ports import Ledger
from agent_lsp.tasks.spending import Spending
from agent_lsp.tasks.stream import MessageStream

_STRICTEST_FIRST = tuple(PermissionMode)


class Chooser(Protocol):
    """The task that all this is chosen for."""

    mode: str
    permission_mode: PermissionMode

    @property
    def kit(self) -> Kit: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def spending(self) -> Spending: ...

    @property
    def stream(self) -> MessageStream: ...


def choose_mode(task: Chooser, mode: str) -> None:
    """Work in another mode from the next step on, with the profile that comes with it."""
    before, task.mode = task.mode, mode
    task.ledger.append(ModeChanged(mode))
    follow_mode(task, before)


def choose_profile(task: Chooser, profile: str) -> None:
    """Ask another model from the next request on; NotConfigured where it cannot be used."""
    task.kit.choose(profile)
    task.ledger.append(ProfileChanged(task.kit.profile))
    task.spending.see_window(task.kit.window)


def choose_permission_mode(task: Chooser, mode: PermissionMode) -> None:
    task.permission_mode = mode
    task.ledger.append(PermissionModeChanged(mode))


def follow_settings(task: Chooser, before: PermissionMode, now: PermissionMode) -> bool:
    """Be as strict as the settings have become, unless the user had let the task be freer than these; whether it is."""
    is_own = _STRICTEST_FIRST.index(task.permission_mode) > _STRICTEST_FIRST.index(before)
    stricter = min(task.permission_mode, now, key=_STRICTEST_FIRST.index)
    if is_own or stricter is task.permission_mode:
        return False
    choose_permission_mode(task, stricter)
    return True


def follow_mode(task: Chooser, before: str) -> None:
    """Take the profile that the task's mode brings along, after another mode."""
    profile = task.kit.profile
    if problem := task.kit.follow_mode(before, task.mode):
        task.stream.say(Say.ERROR, problem)
    if task.kit.profile != profile:
        task.ledger.append(ProfileChanged(task.kit.profile, is_chosen=False))
        task.spending.see_window(task.kit.window)


def take_on(task: Chooser, expansion: Expansion) -> None:
    """Work as the file of a command wants it; what of that cannot be is said, and the rest is done."""
    if expansion.mode and expansion.mode != task.mode:
        choose_mode(task, expansion.mode)
    if expansion.profile and expansion.profile != task.kit.profile:
        try:
            choose_profile(task, expansion.profile)
        except AgentError as problem:
            task.stream.say(Say.ERROR, f"The command's profile cannot be used. {problem}")
