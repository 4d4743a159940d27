"""What could be done where no model can be used: which servers run here, and how each is set up."""

import shlex
from collections.abc import Mapping

from agent_lsp.providers.probing import FoundServer, found_servers


async def local_advice(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Look for model servers on this machine, and tell of each the command that sets it up, a sentence each."""
    return tuple(_sentence(found) for found in await found_servers(environment) if found.models)


def _sentence(found: FoundServer) -> str:
    words = ("agent-lsp", "configure", "--type", found.type.name, "--model", found.models[0].name)
    count = f"{len(found.models)} model{'s' if len(found.models) > 1 else ''}"
    return f"{found.type.title} runs here with {count}: `{shlex.join(words)}` sets it up."
