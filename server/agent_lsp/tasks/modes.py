"""The modes as the hall knows them: which there are, which one tasks to come have, and which profile comes with one."""

from collections.abc import Callable

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.modes import ModeList, ModeRow
from agent_lsp.domain.slash import CommandList, SlashCommand
from agent_lsp.domain.status import PermissionMode
from agent_lsp.tasks.ports import KnownModes

CONDENSE = "condense"
_HINT = "[what to keep]"


def check_mode(modes: KnownModes, slug: str) -> str:
    """Give the mode back if there is one of this name; else BadParams names those there are."""
    if modes.find(slug) is None:
        names = ", ".join(mode.slug for mode in modes.all())
        raise BadParams(f"There is no mode {slug[:80]!r}; the modes are: {names}.")
    return slug


def listed_modes(
    modes: KnownModes,
    current: str,
    permission_mode: PermissionMode,
    profile: Callable[[str], str | None],
    problems: tuple[str, ...],
) -> ModeList:
    rows = (
        ModeRow(mode.slug, mode.name, mode.description, mode.source, mode.slug == current, profile(mode.slug))
        for mode in modes.all()
    )
    return ModeList(tuple(rows), problems, permission_mode)


def listed_commands(modes: KnownModes, texts: tuple[SlashCommand, ...], problems: tuple[str, ...]) -> CommandList:
    """List all that a `/` can stand before; of two with one name, what the server does first is there alone."""
    doing = [
        SlashCommand(CONDENSE, "Put a summary in the place of the older part of the task", "action", "built-in", _HINT)
    ]
    setting = [SlashCommand(mode.slug, mode.description, "mode", mode.source) for mode in modes.all()]
    permission = [SlashCommand(mode.value, _PERMISSIONS[mode], "permissionMode") for mode in PermissionMode]
    known = {command.name: command for command in (*texts, *doing, *setting, *permission)}
    return CommandList(tuple(known.values()), problems)


_PERMISSIONS = {
    PermissionMode.PLAN: "Reads only; nothing is changed or run",
    PermissionMode.DEFAULT: "Asks before every change and every command",
    PermissionMode.ACCEPT_EDITS: "Edits in the workspace without asking",
    PermissionMode.BYPASS_PERMISSIONS: "Does nearly everything without asking",
}
