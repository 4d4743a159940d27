"""The transport that speaks HTTP itself: our bytes as they are, and raw bytes back. httpx2 is imported when used.

HTTP/1.1, one client for as long as the model is used; proxies and certificates as httpx2 finds them, but for models on
this machine; no redirects, so that the key goes nowhere else.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from agent_lsp.providers.http import incoming, timeouts, translated_faults
from agent_lsp.providers.transport import Endpoint, Incoming

if TYPE_CHECKING:
    import httpx2

_KEEP_ALIVE_SECONDS = 60.0
"""A step may run a command for a while; longer than this, services close the connection themselves."""

_HEADERS = {
    "accept": "text/event-stream",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "user-agent": "agent-lsp",
}


class DirectTransport:
    """`signing` are the headers by which the API knows the key; the endpoint's own come on top."""

    def __init__(self, endpoint: Endpoint, signing: Mapping[str, str]) -> None:
        self._endpoint = endpoint
        self._headers = {**_HEADERS, **signing, **endpoint.headers}
        self._opening = asyncio.Lock()
        self._client: httpx2.AsyncClient | None = None

    @asynccontextmanager
    async def post(self, body: bytes) -> AsyncGenerator[Incoming]:
        client = self._client or await self._opened()
        with translated_faults(self._endpoint):
            response = await self._sent(client, body)
        try:
            yield incoming(response, self._endpoint)
        finally:
            await response.aclose()

    async def _sent(self, client: "httpx2.AsyncClient", body: bytes) -> "httpx2.Response":
        """Send a request, and send it again where the service had closed the connection that was kept.

        llama.cpp does that after each streamed answer, though it promises to wait: the news races with the request.
        """
        import httpx2

        while True:
            connecting = _Connecting()
            request = client.build_request(
                "POST", self._endpoint.url, content=body, extensions={"trace": connecting.trace}
            )
            try:
                return await client.send(request, stream=True)
            except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
                # A connection that was closed is not kept, so this ends with a new one at the latest.
                if connecting.is_new:
                    raise

    async def aclose(self) -> None:
        if self._client:
            await self._client.aclose()
            self._client = None

    async def _opened(self) -> "httpx2.AsyncClient":
        async with self._opening:
            if self._client is None:
                # The import, and reading the certificates, take longer than the event loop should stand still.
                self._client = await asyncio.to_thread(opened, self._endpoint, self._headers)
            return self._client


class _Connecting:
    """Whether a request went over a connection that was opened for it."""

    def __init__(self) -> None:
        self.is_new = False

    async def trace(self, event: str, _: object) -> None:
        self.is_new |= event == "connection.connect_tcp.started"


def opened(endpoint: Endpoint, headers: Mapping[str, str]) -> "httpx2.AsyncClient":
    import httpx2

    return httpx2.AsyncClient(
        headers=headers,
        # Reading the system's certificates takes 90 ms, and a model on this machine shows none. Without them nothing is
        # trusted, rather than everything.
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if endpoint.is_plain_loopback else True,
        # What is on this machine is not asked by way of a proxy, whatever the environment says of the rest.
        trust_env=not endpoint.is_plain_loopback,
        timeout=timeouts(),
        limits=httpx2.Limits(keepalive_expiry=_KEEP_ALIVE_SECONDS),
        follow_redirects=False,
    )
