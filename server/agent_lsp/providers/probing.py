"""Asking services what they are: which models they have, whether a local one runs here, whether a model answers.

Nothing here is asked by itself; the user runs what asks.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.history import Words
from agent_lsp.domain.model import ModelRequest
from agent_lsp.providers import faults
from agent_lsp.providers.definitions import TYPES, ProviderType
from agent_lsp.providers.fetching import fetched
from agent_lsp.providers.listing import ListedModel, listed_models
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.secrets import Secrets
from agent_lsp.providers.transport import Endpoint, is_loopback
from agent_lsp.settings.model import Profile

LIST_SECONDS = 15.0
HERE_SECONDS = 1.0
"""A server on this machine that takes longer to list its models is not offered."""
LARGEST_LIST = 8_000_000

_SYSTEM = "This is a test of the connection."
_QUESTION = "Answer with the one word OK."


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that runs on this machine."""

    type: ProviderType
    base_url: str
    models: tuple[ListedModel, ...]


async def models_of(
    provider: ProviderType, profile: Profile, *, seconds: float = LIST_SECONDS
) -> tuple[ListedModel, ...]:
    """Ask a service for its models; none where it has no list. The profile is completed, its references resolved.

    Raises ModelFault where the service does not answer as one of its type does.
    """
    if provider.model_list is None or not profile.base_url:
        return ()
    url, key = provider.model_list.url(profile.base_url), profile.api_key or ""
    endpoint = Endpoint(url, "", key, profile.headers)
    headers = {**provider.model_list.signing(key), "accept": "application/json", **profile.headers}
    try:
        async with asyncio.timeout(seconds):
            return await _listed(endpoint, headers)
    except TimeoutError as error:
        raise faults.stalled(seconds, has_begun=False) from error
    except ModelFault as fault:
        # Services quote what they were sent.
        fault.args = (Secrets([key, *profile.headers.values()]).removed_from(str(fault)),)
        raise


async def found_servers(
    environment: Mapping[str, str], types: Iterable[ProviderType] = TYPES
) -> tuple[FoundServer, ...]:
    """Look for model servers on this machine, where they listen by custom. Nothing else is asked."""
    looked_for = [(known, known.address(environment) or "") for known in types if known.is_looked_for]
    here = [(known, address) for known, address in looked_for if is_loopback(address)]
    found = await asyncio.gather(*(_found(known, address) for known, address in here))
    return tuple(server for server in found if server)


async def seconds_to_answer(model: Streaming) -> float:
    """Have a model answer one small question; how long that took. ModelFault or NotConfigured where it does not."""
    start = time.monotonic()
    async for _ in model.stream(ModelRequest(_SYSTEM, (), [Words((_QUESTION,))])):
        pass
    return time.monotonic() - start


async def _found(provider: ProviderType, address: str) -> FoundServer | None:
    profile = provider.completed(Profile(type=provider.name, base_url=address), {})
    try:
        models = await models_of(provider, profile, seconds=HERE_SECONDS)
    except ModelFault:
        return None
    return FoundServer(provider, address, models)


async def _listed(endpoint: Endpoint, headers: Mapping[str, str]) -> tuple[ListedModel, ...]:
    status, content = await fetched(endpoint, headers, most=LARGEST_LIST)
    if status != 200:
        raise faults.refused(status, {}, content)
    try:
        return listed_models(content)
    except ValueError as error:
        raise faults.unreadable(f"something else than its models: {error}") from error
