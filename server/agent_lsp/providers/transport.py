"""How a request's bytes reach a service and its answer's bytes come back: the seam behind which HTTP lies."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

CONNECT_SECONDS = 20.0
SEND_SECONDS = 60.0


def is_address(url: str) -> bool:
    """Whether a URL says where to connect to."""
    try:
        parts = urlsplit(url)
        # Asking for the port checks it.
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_whole and url.isprintable() and " " not in url


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine, and nowhere else."""
    return is_address(url) and urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a service is, and what it is told with every request."""

    base_url: str
    path: str
    key: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    """The profile's own, over those of the API."""

    @property
    def url(self) -> str:
        """The path, with the base URL before it; a query of the base URL stays at the end (`?api-version=…`)."""
        base, mark, query = self.base_url.partition("?")
        return base.rstrip("/") + self.path + mark + query

    @property
    def is_plain_loopback(self) -> bool:
        """Whether the service is on this machine and spoken to without TLS."""
        return urlsplit(self.base_url).scheme == "http" and is_loopback(self.base_url)

    @property
    def address(self) -> str:
        """The host as it is shown: no path, and no credentials that may stand in a URL."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname or self.base_url


@dataclass(frozen=True, slots=True)
class Incoming:
    """An answer that has begun. Header names are in lower case; `pieces` come as the network gives them."""

    status: int
    headers: Mapping[str, str]
    pieces: AsyncIterator[bytes]


class Transport(Protocol):
    """Both transports pass one contract suite. What fails on the way raises ModelFault."""

    def post(self, body: bytes) -> AbstractAsyncContextManager[Incoming]:
        """Send a request; leaving the block before the answer's end closes the connection."""
        ...

    async def aclose(self) -> None: ...
