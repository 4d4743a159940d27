"""The transport that goes through a vendor's own client, for endpoints that need its ways of signing in.

The client sends our bytes and hands back raw ones; it retries nothing. It is imported in a thread when first used: that
takes up to a second.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from agent_lsp.providers import faults
from agent_lsp.providers.http import incoming, timeouts, translated_faults
from agent_lsp.providers.transport import Endpoint, Incoming

if TYPE_CHECKING:
    import anthropic
    import httpx2
    import openai
    from anthropic.lib.bedrock import AsyncAnthropicBedrockMantle
    from anthropic.lib.vertex import AsyncAnthropicVertex

    Client = anthropic.AsyncAnthropic | AsyncAnthropicBedrockMantle | AsyncAnthropicVertex | openai.AsyncOpenAI


@dataclass(frozen=True, slots=True)
class Opened:
    """A vendor's client, and the errors it raises: for a status, for a connection, and where it cannot sign in."""

    client: "Client"
    status_error: "type[anthropic.APIStatusError | openai.APIStatusError]"
    connection_error: "type[anthropic.APIConnectionError | openai.APIConnectionError]"
    sign_in_errors: tuple[type[Exception], ...] = ()
    sign_in_hint: str = ""


class SdkTransport:
    """`open_client` imports the vendor's package and makes its client; it runs in a thread."""

    def __init__(self, endpoint: Endpoint, open_client: Callable[[Endpoint], Opened]) -> None:
        self._endpoint = endpoint
        self._open_client = open_client
        self._opening = asyncio.Lock()
        self._vendor: Opened | None = None

    @asynccontextmanager
    async def post(self, body: bytes) -> AsyncGenerator[Incoming]:
        vendor = self._vendor or await self._opened()
        try:
            with translated_faults(self._endpoint):
                response = await _sent(vendor, self._endpoint, body)
        except vendor.status_error as error:
            yield Incoming(error.response.status_code, error.response.headers, _once(error.response.content))
            return
        except vendor.connection_error as error:
            reason = error.__cause__ if isinstance(error.__cause__, Exception) else error
            raise faults.unreachable(self._endpoint.address, reason) from error
        except vendor.sign_in_errors as error:
            raise faults.not_signed_in(self._endpoint.address, error, vendor.sign_in_hint) from error
        try:
            yield incoming(response, self._endpoint)
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        if self._vendor:
            await self._vendor.client.close()
            self._vendor = None

    async def _opened(self) -> Opened:
        async with self._opening:
            if self._vendor is None:
                self._vendor = await asyncio.to_thread(self._open_client, self._endpoint)
            return self._vendor


async def _sent(vendor: Opened, endpoint: Endpoint, body: bytes) -> "httpx2.Response":
    import httpx2

    headers = {"accept": "text/event-stream", "accept-encoding": "identity", "content-type": "application/json"}
    is_streamed: bool = True
    return await vendor.client.post(
        endpoint.path,
        cast_to=httpx2.Response,
        content=body,
        options={"headers": headers, "follow_redirects": False},
        stream=is_streamed,
    )


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


def open_anthropic(endpoint: Endpoint) -> Opened:
    import anthropic

    client = anthropic.AsyncAnthropic(
        api_key=endpoint.key,
        base_url=endpoint.base_url.partition("?")[0],
        max_retries=0,
        timeout=timeouts(),
        default_headers=endpoint.headers,
        default_query=dict(parse_qsl(endpoint.base_url.partition("?")[2])),
    )
    return Opened(client, anthropic.APIStatusError, anthropic.APIConnectionError)


def open_openai(endpoint: Endpoint) -> Opened:
    import openai

    client = openai.AsyncOpenAI(
        api_key=endpoint.key,
        base_url=endpoint.base_url.partition("?")[0],
        max_retries=0,
        timeout=timeouts(),
        default_headers=endpoint.headers,
        default_query=dict(parse_qsl(endpoint.base_url.partition("?")[2])),
    )
    return Opened(client, openai.APIStatusError, openai.APIConnectionError)
