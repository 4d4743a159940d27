"""What both transports share of httpx2: its time-outs, its answers and its errors, in our words."""

from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agent_lsp.providers import faults
from agent_lsp.providers.transport import CONNECT_SECONDS, SEND_SECONDS, Endpoint, Incoming

if TYPE_CHECKING:
    import httpx2


def timeouts() -> "httpx2.Timeout":
    """Bound connecting and sending; how long an answer may take is watched by whoever reads it."""
    import httpx2

    return httpx2.Timeout(None, connect=CONNECT_SECONDS, write=SEND_SECONDS)


def incoming(response: "httpx2.Response", endpoint: Endpoint) -> Incoming:
    return Incoming(response.status_code, response.headers, _pieces(response, endpoint))


async def _pieces(response: "httpx2.Response", endpoint: Endpoint) -> AsyncIterator[bytes]:
    with translated_faults(endpoint):
        async for piece in response.aiter_bytes():
            yield piece


@contextmanager
def translated_faults(endpoint: Endpoint) -> Generator[None]:
    import httpx2

    try:
        yield
    except httpx2.HTTPError as error:
        raise faults.unreachable(endpoint.address, error) from error
    except httpx2.InvalidURL as error:
        raise faults.no_address(endpoint.base_url) from error
