"""Fetching a web page that the user points to: bounded, and from no private address unless the user allows it.

Addresses are checked after the name was looked up, and the connection goes to just the address that was checked.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from agent_lsp.domain.errors import AgentError
from agent_lsp.providers.page_text import page_text

if TYPE_CHECKING:
    import httpx2

SECONDS = 20.0
LARGEST = 2_000_000
"""Bytes of a page that are read."""
MOST_HOPS = 5
_TRANSLATED = IPv6Network("64:ff9b::/96")

LookUp = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""The addresses of a host."""


class PageProblem(AgentError):
    """A page cannot be had; one sentence says why."""

    kind = "PageProblem"


async def look_up(host: str, port: int) -> tuple[str, ...]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise PageProblem(f"{host} cannot be found; check the address.") from error
    return tuple(dict.fromkeys(str(address[4][0]) for address in found))


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    content: bytes
    content_type: str
    location: str = ""
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Pages:
    """Fetches pages. Nothing is imported and no socket opened before one is wanted."""

    is_private_allowed: Callable[[], bool]
    look_up: LookUp = field(default=look_up)

    async def fetch(self, url: str) -> str:
        """Give a page's text; PageProblem where there is none."""
        try:
            async with asyncio.timeout(SECONDS):
                answer = await self._followed(url)
        except TimeoutError as error:
            raise PageProblem(f"the page did not come within {SECONDS:.0f} s.") from error
        if answer.status >= 400:
            raise PageProblem(f"the server answers {answer.status}.")
        text = await asyncio.to_thread(page_text, answer.content, answer.content_type)
        if text is None:
            raise PageProblem(f"it is no text but {answer.content_type.split(';')[0] or 'something else'}.")
        return text + ("\n[The page goes on.]" if answer.is_cut else "")

    async def _followed(self, url: str) -> _Answer:
        import httpx2

        for _ in range(MOST_HOPS + 1):
            try:
                parsed = httpx2.URL(url)
                answer = await self._asked(parsed)
                if not answer.location:
                    return answer
                url = str(parsed.join(answer.location))
            except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
                raise PageProblem(f"the page cannot be had ({type(error).__name__}: {error}).") from error
        raise PageProblem(f"it leads on to other addresses more than {MOST_HOPS} times.")

    async def _asked(self, url: "httpx2.URL") -> _Answer:
        import httpx2

        if url.scheme not in ("http", "https") or not url.host:
            raise PageProblem("only http and https addresses are fetched.")
        if url.userinfo:
            raise PageProblem("an address with a name or password in it is not fetched.")
        port = url.port or (443 if url.scheme == "https" else 80)
        pinned = url.copy_with(host=await self._address(url.host, port))
        headers = {
            "host": url.netloc.decode("ascii"),
            "user-agent": "agent-lsp",
            "accept": "text/html, text/*;q=0.9, */*;q=0.5",
        }
        extensions = {"sni_hostname": url.host}
        # The environment's proxies are left aside: what one of them may reach is not known here.
        async with (
            httpx2.AsyncClient(trust_env=False, timeout=SECONDS) as client,
            client.stream("GET", pinned, headers=headers, extensions=extensions) as response,
        ):
            location = response.headers.get("location", "") if response.is_redirect else ""
            content = b"" if location else await _content(response)
        kind = response.headers.get("content-type", "")
        return _Answer(response.status_code, content[:LARGEST], kind, location, len(content) > LARGEST)

    async def _address(self, host: str, port: int) -> str:
        """One address of a host; none at all where any of them is private, so that no name leads two ways."""
        addresses = await self.look_up(host, port)
        if not addresses:
            raise PageProblem(f"{host} cannot be found; check the address.")
        if not self.is_private_allowed() and not all(map(is_public, addresses)):
            raise PageProblem(f"{host} is a private address; the setting fetchPrivateAddresses allows those.")
        return addresses[0]


def is_public(address: str) -> bool:
    """Whether an address is one of the open internet, also when it carries another one within."""
    ip: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _TRANSLATED else None)
        if inner or ip.teredo:
            return inner is not None and is_public(str(inner))
    return ip.is_global and not ip.is_multicast


async def _content(response: "httpx2.Response") -> bytes:
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > LARGEST:
            break
    return bytes(content)
