"""Which values are secret here: what is said in the settings, and what stands in the environment."""

from collections.abc import Mapping

from agent_lsp.domain.secret_names import names_a_secret
from agent_lsp.providers import key_ring
from agent_lsp.providers.build import REFERENCE
from agent_lsp.providers.definitions import key_variables
from agent_lsp.providers.secrets import secrets_in_address
from agent_lsp.settings.model import Settings

_SHORTEST_OF_ENVIRONMENT = 8
"""What is shorter ("enabled", "true") would riddle all texts with marks."""


def secret_values(environment: Mapping[str, str], settings: Settings | None = None) -> set[str]:
    """Collect what must never be written: keys of the settings, and what the environment calls a key or token."""
    named = {value for name, value in environment.items() if names_a_secret(name) and _may_be_one(value)}
    named |= {environment.get(name, "") for name in key_variables()}
    profiles = settings.providers.values() if settings else ()
    given = {value for profile in profiles for value in (profile.api_key or "", *profile.headers.values())}
    literal = {value for value in given if not value.startswith((REFERENCE, key_ring.REFERENCE))}
    referred = {environment.get(value.removeprefix(REFERENCE), "") for value in given}
    addresses = [profile.base_url for profile in profiles if profile.base_url]
    in_addresses = {part for address in addresses for part in secrets_in_address(_resolved(address, environment))}
    return named | literal | referred | in_addresses


def _resolved(address: str, environment: Mapping[str, str]) -> str:
    return environment.get(address.removeprefix(REFERENCE), "") if address.startswith(REFERENCE) else address


def _may_be_one(value: str) -> bool:
    """A path (of a socket, of a file with the secret in it) is none."""
    return len(value) >= _SHORTEST_OF_ENVIRONMENT and not value.startswith("/")
