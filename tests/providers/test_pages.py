"""Pages that the user points to: fetched within bounds, and from no private address unless that is allowed."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from agent_lsp.providers.pages import LARGEST, MOST_HOPS, PageProblem, Pages, is_public, look_up


@dataclass
class Site:
    """A server on this machine with these answers, whole as they go over the wire."""

    answers: Mapping[str, bytes]
    hosts: list[str] = field(default_factory=list)
    port: int = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        self.hosts += [line.partition(": ")[2] for line in request if line.lower().startswith("host:")]
        writer.write(self.answers[request[0].split()[1]])
        await writer.drain()
        writer.close()


@asynccontextmanager
async def served(answers: Mapping[str, bytes]) -> AsyncGenerator[Site]:
    site = Site(answers)
    async with await asyncio.start_server(site.answer, "127.0.0.1", 0) as server:
        site.port = server.sockets[0].getsockname()[1]
        yield site


def page(body: bytes, head: str = "content-type: text/html", status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\n{head}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body


def moved(to: str) -> bytes:
    return page(b"", f"location: {to}", "302 Found")


async def at_home(host: str, port: int) -> tuple[str, ...]:
    del host, port
    return ("127.0.0.1",)


HERE = Pages(lambda: True, at_home)


async def test_page_is_fetched_from_the_address_that_was_checked() -> None:
    async with served({"/a?b=c": page(b"<h1>Hi</h1>there")}) as site:
        text = await HERE.fetch(f"http://shop.example:{site.port}/a?b=c")

    assert text == "# Hi\nthere"
    assert site.hosts == [f"shop.example:{site.port}"]


async def test_redirects_are_followed() -> None:
    async with served({"/": moved("/next"), "/next": moved("//other.example:%d/end"), "/end": page(b"here")}) as site:
        site.answers = {**site.answers, "/next": moved(f"//other.example:{site.port}/end")}

        assert await HERE.fetch(f"http://shop.example:{site.port}/") == "here"
        assert site.hosts[-1] == f"other.example:{site.port}"


async def test_endless_redirects_end() -> None:
    async with served({"/": moved("/")}) as site:
        with pytest.raises(PageProblem, match=f"more than {MOST_HOPS} times"):
            await HERE.fetch(f"http://shop.example:{site.port}/")


async def test_long_page_is_cut() -> None:
    async with served({"/": page(b"x" * (LARGEST + 1_000), "content-type: text/plain")}) as site:
        text = await HERE.fetch(f"http://shop.example:{site.port}/")

    assert text == "x" * LARGEST + "\n[The page goes on.]"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (page(b"", status="404 Not Found"), "the server answers 404."),
        (page(b"\0", "content-type: image/png"), "it is no text but image/png."),
        (moved("file:///etc/passwd"), "only http and https addresses are fetched."),
        (moved("http://[bad"), "cannot be had"),
        (b"nonsense\r\n\r\n", "cannot be had"),
        (b"", "cannot be had"),
    ],
)
async def test_what_cannot_be_had_is_said(answer: bytes, problem: str) -> None:
    async with served({"/": answer}) as site:
        with pytest.raises(PageProblem) as raised:
            await HERE.fetch(f"http://shop.example:{site.port}/")

    assert problem in str(raised.value)


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("93.184.216.34", "10.0.0.1"),
        ("169.254.169.254",),
        ("::1",),
        ("::ffff:192.168.0.1",),
        ("fe80::1%eth0",),
    ],
)
async def test_private_address_is_not_asked(addresses: tuple[str, ...]) -> None:
    async def look_up(host: str, port: int) -> tuple[str, ...]:
        del host, port
        return addresses

    with pytest.raises(PageProblem, match="is a private address; the setting fetchPrivateAddresses"):
        await Pages(lambda: False, look_up).fetch("http://shop.example/")


async def test_redirect_to_a_private_address_is_not_followed() -> None:
    asked = list[str]()

    async def look_up(host: str, port: int) -> tuple[str, ...]:
        del port
        asked.append(host)
        return ("127.0.0.1",)

    async with served({"/": moved("http://inner.example/")}) as site:
        pages = Pages(lambda: len(asked) < 2, look_up)
        with pytest.raises(PageProblem, match=r"inner\.example is a private address"):
            await pages.fetch(f"http://shop.example:{site.port}/")


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("ftp://shop.example/", "only http and https"),
        ("http:///", "only http and https"),
        ("http://ada:secret@shop.example/", "name or password"),
        ("http://shop.example/", "cannot be found"),
    ],
)
async def test_address_that_is_none_is_refused(url: str, problem: str) -> None:
    async def nowhere(host: str, port: int) -> tuple[str, ...]:
        del host, port
        return ()

    with pytest.raises(PageProblem, match=problem):
        await Pages(lambda: False, nowhere).fetch(url)


async def test_names_are_looked_up() -> None:
    assert "127.0.0.1" in await look_up("localhost", 80) or "::1" in await look_up("localhost", 80)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("127.1.2.3", False),
        ("169.254.169.254", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("fc00::1", False),
        ("fe80::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d822", True),
    ],
)  # fmt: skip
def test_addresses_of_the_open_internet_are_known(address: str, expected: bool) -> None:
    assert is_public(address) is expected
