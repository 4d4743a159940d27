"""The editor's settings out of the three places where clients put them. What they mean is not known here."""

from collections.abc import Mapping
from typing import cast

from agent_lsp.domain.encoding import Json

SECTION = "agent"
TOKEN_OPTION = "agentToken"  # noqa: S105  The name of an option, not a secret.


def settings_in(raw: object) -> Json:
    """The agent's settings in what a client sent: in a section of their own, or bare."""
    if not isinstance(raw, dict):
        return {}
    settings = cast("Json", raw)
    section: object = settings.get(SECTION)
    found = cast("Json", section) if isinstance(section, dict) else settings
    return {key: value for key, value in found.items() if key != TOKEN_OPTION and value is not None}


def joined(options: Mapping[str, object], section: Mapping[str, object]) -> Json:
    """What the client holds now over what it began with, key by key."""
    return {**options, **section}
