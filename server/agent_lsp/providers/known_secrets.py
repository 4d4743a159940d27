"""Which values are secret here: what is said in the settings, and what stands in the environment."""

from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

from agent_lsp.domain.secret_names import names_a_secret
from agent_lsp.providers import key_ring
from agent_lsp.providers.build import REFERENCE
from agent_lsp.providers.definitions import key_variables
from agent_lsp.settings.model import Settings

_SHORTEST_OF_QUERY = 12
"""Shorter ones are versions and the like."""
_SHORTEST_OF_ENVIRONMENT = 8
"""What is shorter ("enabled", "true") would riddle all texts with marks."""


def secret_values(environment: Mapping[str, str], settings: Settings | None = None) -> set[str]:
    """Collect what must never be written: keys of the settings, and what the environment calls a key or token."""
    named = {value for name, value in environment.items() if names_a_secret(name) and _may_be_one(value)}
    named |= {environment.get(name, "") for name in key_variables()}
    profiles = settings.providers.values() if settings else ()
    given = {value for profile in profiles for value in (profile.api_key or "", *profile.headers.values())}
    given |= {part for profile in profiles if profile.base_url for part in _of_address(profile.base_url)}
    literal = {value for value in given if not value.startswith((REFERENCE, key_ring.REFERENCE))}
    return named | literal | {environment.get(value.removeprefix(REFERENCE), "") for value in given}


def _may_be_one(value: str) -> bool:
    """A path (of a socket, of a file with the secret in it) is none."""
    return len(value) >= _SHORTEST_OF_ENVIRONMENT and not value.startswith("/")


def _of_address(url: str) -> Iterator[str]:
    """The password and the values of the query that an address may hold, as they are written and as they are meant."""
    try:
        parts = urlsplit(url)
        password = parts.password or ""
    except ValueError:
        return
    yield from (password, unquote(password))
    yield from (value for _, value in parse_qsl(parts.query) if len(value) >= _SHORTEST_OF_QUERY)
