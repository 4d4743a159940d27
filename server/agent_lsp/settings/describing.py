"""The settings as a bug report tells them: nothing in it is secret."""

from agent_lsp.settings.sources import SettingsRead


def described(read: SettingsRead) -> tuple[str, ...]:
    settings = read.settings
    profiles = [f"{name} ({profile.type}, {profile.model})" for name, profile in settings.providers.items()]
    return (
        f"profiles: {', '.join(profiles) or 'none'}; current: {settings.current_provider or 'none'}",
        f"mode: {settings.mode}; permission mode: {settings.permission_mode.value}",
        *(f"remark: {remark}" for remark in read.remarks),
    )
