"""Which values are secret here: what is said in the settings, and what stands in the environment."""

from collections.abc import Mapping

from agent_lsp.providers import key_ring
from agent_lsp.providers.build import REFERENCE
from agent_lsp.providers.definitions import key_variables
from agent_lsp.settings.model import Settings

_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET")


def secret_values(environment: Mapping[str, str], settings: Settings | None = None) -> set[str]:
    """Collect what must never be written: keys of the settings, and what the environment calls a key or token."""
    named = {value for name, value in environment.items() if name.upper().endswith(_ENDINGS)}
    named |= {environment.get(name, "") for name in key_variables()}
    profiles = settings.providers.values() if settings else ()
    given = {value for profile in profiles for value in (profile.api_key or "", *profile.headers.values())}
    literal = {value for value in given if not value.startswith((REFERENCE, key_ring.REFERENCE))}
    return named | literal | {environment.get(value.removeprefix(REFERENCE), "") for value in given}
