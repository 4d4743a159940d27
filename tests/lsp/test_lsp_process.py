"""The front door as a process, with a fake hall behind it."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_lsp.domain.errors import BadParams, Denied
from agent_lsp.lsp.ports import OpenHall
from agent_lsp.lsp.tcp import run_tcp
from support.lsp_client import LspClient, RpcError

SERVER = Path(__file__).parent.parent / "support" / "fake_server.py"
COMMAND = (sys.executable, str(SERVER))
HEADER = b"Content-Length: %d\r\n\r\n"


@pytest.fixture
async def client() -> AsyncIterator[LspClient]:
    client = await LspClient.start(COMMAND)
    yield client
    await client.aclose()


async def test_ordinary_life_ends_with_0(client: LspClient) -> None:
    await client.initialize()
    report = await client.request("agent/debugReport")

    assert (report, await client.shut_down()) == ("All is well.", 0)
    assert bytes(client.stderr) == b""
    assert [response["id"] for response in client.responses] == [1, 2, 3]


async def test_exit_without_shutdown_ends_with_1(client: LspClient) -> None:
    await client.initialize()

    client.notify("exit", None)

    assert await client.wait_for_exit() == 1


@pytest.mark.parametrize("is_initialized", [True, False])
async def test_end_of_input_ends_the_process(client: LspClient, is_initialized: bool) -> None:
    if is_initialized:
        await client.initialize()

    client.end_input()

    assert await client.wait_for_exit() == 1
    assert bytes(client.stderr) == b""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signal_ends_the_process_without_a_traceback(client: LspClient, number: signal.Signals) -> None:
    await client.initialize()
    await client.request("agent/debugReport")
    assert client.process

    client.process.send_signal(number)

    assert await client.wait_for_exit() == 1
    assert bytes(client.stderr) == b""


async def test_end_of_the_clients_process_ends_the_server(client: LspClient) -> None:
    parent = await asyncio.create_subprocess_exec("sleep", "600")
    await client.request("initialize", {"processId": parent.pid, "capabilities": {}})

    parent.kill()
    await parent.wait()

    assert await client.wait_for_exit() == 1


async def test_clients_process_that_is_gone_already_ends_the_server(client: LspClient) -> None:
    parent = await asyncio.create_subprocess_exec("true")
    await parent.wait()

    await client.request("initialize", {"processId": parent.pid, "capabilities": {}})

    assert await client.wait_for_exit() == 1


async def test_closed_output_ends_the_server() -> None:
    read_end, write_end = os.pipe()
    process = await asyncio.create_subprocess_exec(*COMMAND, stdin=asyncio.subprocess.PIPE, stdout=write_end)
    os.close(write_end)
    os.close(read_end)
    assert process.stdin

    process.stdin.write(_frame({"id": 1, "method": "initialize", "params": {"capabilities": {}}}))

    async with asyncio.timeout(15):
        assert await process.wait() == 1
    process.stdin.close()
    with contextlib.suppress(ConnectionError):
        await process.stdin.wait_closed()


async def test_everything_at_once_is_answered_in_order(client: LspClient) -> None:
    first = client.send_request("initialize", {"capabilities": {}})
    client.notify("initialized", {})
    later = [client.send_request("agent/listTasks") for _ in range(200)]

    await client.response(later[-1])

    assert [response["id"] for response in client.responses] == [first, *later]


async def test_first_message_may_be_a_wrong_one(client: LspClient) -> None:
    with pytest.raises(RpcError) as error:
        await client.request("agent/state")

    assert error.value.code == -32002
    assert await client.initialize()


@pytest.mark.parametrize(
    "body", [b"{", b"7", b'{"jsonrpc":"2.0","id":{},"method":"initialize","params":{"capabilities":{}}}']
)
async def test_first_message_may_be_none_at_all(client: LspClient, body: bytes) -> None:
    client.write(HEADER % len(body) + body)

    answer = await client.until(lambda: client.responses)

    assert answer[0]["id"] is None
    assert await client.initialize()


async def test_input_that_is_not_made_of_frames_ends_the_server(client: LspClient) -> None:
    client.write(b"x" * 2_000_000)

    assert await client.wait_for_exit() == 1


async def test_client_that_does_not_read_does_not_stop_the_server(client: LspClient) -> None:
    await client.initialize()
    client.is_reading.clear()

    ids = [client.send_request("agent/renameTask", {"taskId": "t", "title": "x" * 5_000}) for _ in range(500)]
    ids += [client.send_request("no/such/" + "y" * 5_000) for _ in range(200)]
    assert client.process
    assert client.process.stdin
    async with asyncio.timeout(15):
        await client.process.stdin.drain()
    client.is_reading.set()

    assert (await client.response(ids[-1]))["error"]["code"] == -32601


async def test_stray_prints_do_not_reach_the_wire() -> None:
    code = f"import sys; sys.path.insert(0, {str(SERVER.parent)!r}); import fake_server as f; from agent_lsp.lsp import boot"
    load = "def load():\n print('stray')\n import os; os.system('echo stray; cat')\n return f.load()"
    client = await LspClient.start((sys.executable, "-c", f"{code}\n{load}\nsys.exit(boot.run_stdio(load))"))

    await client.initialize()
    report = await client.request("agent/debugReport")

    assert report == "All is well."
    assert await client.shut_down() == 0
    assert bytes(client.stderr).count(b"stray") == 2


def test_initialize_is_answered_before_anything_heavy_is_imported() -> None:
    code = "import sys; had = set(sys.modules); from agent_lsp.lsp import boot; print(sorted(set(sys.modules) - had))"
    loaded = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True).stdout

    heavy = (
        "asyncio",
        "pygls",
        "lsprotocol",
        "pydantic",
        "logging",
        "dataclasses",
        "subprocess",
        "anthropic",
        "openai",
    )
    assert [name for name in heavy if f"'{name}'" in loaded] == []


def test_input_may_be_a_file(tmp_path: Path) -> None:
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": "agent/debugReport"},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    (tmp_path / "in").write_bytes(b"".join(map(_frame, messages)))

    with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
        code = subprocess.run(COMMAND, stdin=stdin, stdout=stdout, check=False, timeout=30).returncode

    assert code == 0
    assert b"All is well." in (tmp_path / "out").read_bytes()


async def test_log_tells_of_the_connection_and_not_of_what_is_said(tmp_path: Path) -> None:
    log = tmp_path / "log"
    client = await LspClient.start((*COMMAND, "--log", str(log)))
    await client.initialize(options={"providers": {"p": {"apiKey": "s3cret"}}})
    await client.request("agent/newTask", {"text": "s3cret"})
    with pytest.raises(RpcError):
        await client.request("agent/newTask", {"text": {"s3cret": 1}})
    client.notify("textDocument/didOpen", {"textDocument": {"uri": "s3cret"}})

    await client.shut_down()

    assert "The connection ends with 0" in log.read_text()
    assert "s3cret" not in log.read_text()


# Over TCP


async def _listen(*arguments: str) -> tuple[asyncio.subprocess.Process, int]:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--tcp", *arguments, stderr=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
    )
    assert process.stderr
    async with asyncio.timeout(15):
        line = await process.stderr.readline()
    return process, int(line.rpartition(b":")[2])


async def _connect(port: int) -> tuple[LspClient, asyncio.StreamWriter, asyncio.Task[None]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    client = LspClient(writer.write)

    async def read() -> None:
        while piece := await reader.read(65536):
            client.feed(piece)

    return client, writer, asyncio.create_task(read())


async def _hang_up(client: LspClient, writer: asyncio.StreamWriter, reading: asyncio.Task[None]) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    reading.cancel()
    await asyncio.wait((reading,))
    await client.aclose()


async def test_client_is_served_over_tcp() -> None:
    process, port = await _listen("127.0.0.1:0")
    client, writer, reading = await _connect(port)

    await client.initialize()
    await client.request("shutdown")
    client.notify("exit", None)

    async with asyncio.timeout(15):
        assert await process.wait() == 0
    await _hang_up(client, writer, reading)


async def test_only_who_knows_the_token_is_served() -> None:
    process, port = await _listen("127.0.0.1:0", "s3cret")
    stranger = await _connect(port)
    with pytest.raises(RpcError) as error:
        await stranger[0].initialize(options={"agentToken": "guess"})
    await _hang_up(*stranger)

    friend = await _connect(port)
    await friend[0].initialize(options={"agentToken": "s3cret"})
    report = await friend[0].request("agent/debugReport")
    await _hang_up(*friend)

    assert (error.value.kind, report) == ("Denied", "All is well.")
    async with asyncio.timeout(15):
        assert await process.wait() == 1


async def test_browser_is_sent_away_and_the_client_still_served() -> None:
    process, port = await _listen("127.0.0.1:0")
    body = _frame({"id": 1, "method": "initialize", "params": {"capabilities": {}}})
    with socket.create_connection(("127.0.0.1", port)) as browser:
        browser.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        answer = await asyncio.to_thread(_read_to_end, browser)

    friend = await _connect(port)
    await friend[0].initialize()
    await _hang_up(*friend)

    assert answer == b""
    async with asyncio.timeout(15):
        assert await process.wait() == 1


def _read_to_end(connection: socket.socket) -> bytes:
    with contextlib.suppress(ConnectionError):
        return b"".join(iter(lambda: connection.recv(4096), b""))
    return b""


def _frame(message: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return HEADER % len(body) + body


@pytest.mark.parametrize(
    ("address", "token", "error"),
    [
        ("0.0.0.0:0", None, Denied),
        ("example.org:1", None, Denied),
        ("[2001:db8::1]:1", None, Denied),
        ("127.0.0.1", None, BadParams),
        ("127.0.0.1:http", "t", BadParams),
    ],
)
def test_address_that_strangers_can_reach_needs_a_token(
    address: str, token: str | None, error: type[Exception]
) -> None:
    def load() -> OpenHall:
        raise AssertionError("nobody is served")

    with pytest.raises(error):
        run_tcp(address, token, load)
