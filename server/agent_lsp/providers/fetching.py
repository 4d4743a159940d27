"""Getting one small answer from a service: what it says of itself, not what its models say."""

import asyncio
from collections.abc import Mapping

from agent_lsp.providers import faults
from agent_lsp.providers.direct import opened
from agent_lsp.providers.http import translated_faults
from agent_lsp.providers.transport import Endpoint


async def fetched(
    endpoint: Endpoint, headers: Mapping[str, str], body: bytes | None = None, *, most: int
) -> tuple[int, bytes]:
    """Get what is there, or post the body: the status, and the content if it is not of more bytes than `most`."""
    client = await asyncio.to_thread(opened, endpoint, headers)
    content = bytearray()
    async with client:
        with translated_faults(endpoint):
            async with client.stream("POST" if body else "GET", endpoint.url, content=body) as response:
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > most:
                        raise faults.unreadable(f"an answer of more than {most} bytes")
    return response.status_code, bytes(content)
