"""Plays hostile input, written down as cases of steps and expectations, to a server that is a process."""

import asyncio
import base64
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from support.lsp_client import LspClient

Case = dict[str, Any]
PROBE_CODES = {"fresh": -32002, "ready": -32601, "shutdown": -32600}
INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


def read_cases(file: Path) -> list[Case]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


class HostileClient:
    """One server after another, as cases use them up: what leaves a server as it was is followed by the next case."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command = command
        self._folder = folder
        self._client: LspClient | None = None
        self._probes = 0
        self._dummy: asyncio.subprocess.Process | None = None

    async def play(self, case: Case) -> list[str]:
        """Play a case; what was not as it should be."""
        client = await self._reach(case["phase"])
        client.responses.clear()
        client.notifications.clear()
        most = case["expect"].get("rss_growth_mb")
        before = await self._settled_memory(client) if most else 0.0
        for step in case["send"]:
            await self._take(client, step)
        wrong = await self._check(client, case)
        if most and self._client and (grown := memory_mb(client, "VmHWM") - before) > most:
            wrong.append(f"memory grew by {grown:.0f} MB")
        if wrong or case["phase"] != "ready" or not case["expect"].keys() & {"alive", "alive_or_exit"}:
            await self.aclose()
        return wrong

    async def survives(self, frames: Sequence[bytes]) -> bool:
        """Send all of them; whether a right request is answered rightly after them."""
        client = await self._reach("ready")
        client.write(b"".join(frames))
        await drained(client)
        is_right = await self._probe(client) == PROBE_CODES["ready"]
        client.responses.clear()
        client.notifications.clear()
        return is_right

    async def aclose(self) -> None:
        if self._client:
            await self._client.aclose()
        self._client = None
        if self._dummy and self._dummy.returncode is None:
            self._dummy.kill()
            await self._dummy.wait()
        self._dummy = None

    async def _reach(self, phase: str) -> LspClient:
        if self._client is None:
            environment = {"AGENT_LSP_STATE": str(self._folder), "AGENT_LSP_HOME": str(self._folder)}
            self._client = await LspClient.start(self._command, env=environment)
            if phase != "fresh":
                await self._client.initialize(agent=None)
            if phase == "shutdown":
                await self._client.request("shutdown")
        return self._client

    async def _settled_memory(self, client: LspClient) -> float:
        assert client.process
        await self._probe(client)
        forget_peak(client.process.pid)
        return memory_mb(client, "VmRSS")

    # Steps

    async def _take(self, client: LspClient, step: Case) -> None:
        ((kind, what),) = step.items()
        match kind:
            case "eof":
                client.end_input()
            case "stop_reading":
                client.is_reading.clear()
            case "resume_reading":
                client.is_reading.set()
            case "close_reading":
                close_output(client)
            case "kill_client_pid":
                assert self._dummy
                self._dummy.kill()
                await self._dummy.wait()
            case "wait_ms":
                await drained(client)
            case "bytewise":
                for byte in what.encode():
                    client.write(bytes([byte]))
                    await asyncio.sleep(0)
            case "repeat":
                inner = {key: value for key, value in what.items() if key != "times"}
                for number in range(what["times"]):
                    client.write(await self._encoded(inner, number))
            case _:
                client.write(await self._encoded(step, 0))
        if kind != "eof":
            await drained(client)

    async def _encoded(self, step: Case, number: int) -> bytes:
        ((kind, what),) = step.items()
        match kind:
            case "msg":
                return framed(json.dumps(await self._filled(what, number)).encode())
            case "frame":
                return framed(what.encode("utf-8", "surrogatepass"))
            case "frame_b64":
                return framed(base64.b64decode(what))
            case "frame_parts":
                return framed(joined(what))
            case "raw":
                return what.encode()
            case "raw_parts":
                return joined(what)
            case _:
                raise ValueError(f"no such step: {kind}")

    async def _filled(self, value: Any, number: int) -> Any:
        match value:
            case "@N@":
                return 100_000 + number
            case "@DEAD@":
                ended = await asyncio.create_subprocess_exec("true")
                await ended.wait()
                return ended.pid
            case "@CLIENT@":
                self._dummy = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE)
                return self._dummy.pid
            case dict():
                return {key: await self._filled(item, number) for key, item in value.items()}
            case list():
                return [await self._filled(item, number) for item in value]
            case _:
                return value

    # Expectations

    async def _check(self, client: LspClient, case: Case) -> list[str]:
        expect = case["expect"]
        phase = expect.get("then_phase", case["phase"])
        if "exit" in expect or "exit_or_alive_ms" in expect:
            code = await client.wait_for_exit()
            return [] if code in expect.get("exit", (0, 1)) else [f"exit {code}"]
        if expect.get("alive_or_exit"):
            return await self._alive_or_ended(client, phase)
        wrong = [] if await self._probe(client) == PROBE_CODES[phase] or not expect.get("alive") else ["not alive"]
        await self._until_answered(client, expect)
        if expect.get("alive_fresh") and "result" not in await response_to(client, "initialize", INITIALIZE, "again"):
            wrong.append("a right initialize no longer works")
        return wrong + list(wrong_answers(client, expect))

    async def _until_answered(self, client: LspClient, expect: Case) -> None:
        """Some requests are answered behind later ones."""
        ids = [] if any(r.get("or_null_id") for r in expect.get("replies", ())) else expect.get("replies", ())
        least = expect.get("count_replies", 0)
        await client.until(
            lambda: all(answers(client, reply["id"]) for reply in ids) and len(client.responses) >= least
        )

    async def _alive_or_ended(self, client: LspClient, phase: str) -> list[str]:
        assert client.process
        probe, end = (
            asyncio.create_task(self._probe(client)),
            asyncio.create_task(client.process.wait()),
        )
        await asyncio.wait((probe, end), return_when=asyncio.FIRST_COMPLETED)
        is_ended = end.done()
        for waiting in (probe, end):
            waiting.cancel()
        await asyncio.gather(probe, end, return_exceptions=True)
        if is_ended:
            code = client.process.returncode
            await self.aclose()
            return [] if code else ["ended with status 0"]
        return [] if probe.result() == PROBE_CODES[phase] else ["answers wrongly"]

    async def _probe(self, client: LspClient) -> int | None:
        self._probes += 1
        response = await response_to(client, "$/probe", {}, f"probe {self._probes}")
        client.responses.remove(response)
        return code_of(response)


def wrong_answers(client: LspClient, expect: Case) -> list[str]:
    wrong: list[str] = []
    for reply in expect.get("replies", ()):
        found = answers(client, reply["id"])
        if len(found) != 1:
            wrong.append(f"{len(found)} answers to {reply['id']!r}")
        elif not fits(found[0], reply):
            wrong.append(f"{found[0]} to {reply['id']!r}")
    if codes := expect.get("null_id_error"):
        either, *others = expect.get("or_reply", [None])
        given = [code_of(r) for r in client.responses if r["id"] is None]
        if not set(given) & set(codes) and not any(code_of(r) in others for r in answers(client, either)):
            wrong.append(f"no error {codes} without an id")
    if wanted := expect.get("any_reply_of"):
        wrong += [] if any(answers(client, each) for each in wanted) else ["no answer at all"]
    wrong += [f"an answer to {each}" for each in expect.get("no_reply", ()) if answers(client, each)]
    if "count_replies" in expect and len(client.responses) != expect["count_replies"]:
        wrong.append(f"{len(client.responses)} answers")
    return wrong


def fits(response: Case, reply: Case) -> bool:
    if reply.get("any"):
        return True
    return "result" in response if reply.get("result") else code_of(response) in reply["error"]


def answers(client: LspClient, request_id: Any) -> list[Case]:
    return [r for r in client.responses if type(r["id"]) is type(request_id) and r["id"] == request_id]


async def response_to(client: LspClient, method: str, params: Any, request_id: str) -> Case:
    client.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
    return (await client.until(lambda: answers(client, request_id)))[0]


def code_of(response: Case) -> int | None:
    return response.get("error", {}).get("code")


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def joined(parts: list[list[Any]]) -> bytes:
    return "".join(text * times for text, times in parts).encode()


def memory_mb(client: LspClient, name: str) -> float:
    assert client.process
    lines = Path(f"/proc/{client.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def forget_peak(process_id: int) -> None:
    Path(f"/proc/{process_id}/clear_refs").write_text("5")


async def drained(client: LspClient) -> None:
    assert client.process
    assert client.process.stdin
    if client.is_reading.is_set():
        # What ended in the middle of the input is looked at afterwards.
        with suppress(ConnectionError):
            await client.process.stdin.drain()


def close_output(client: LspClient) -> None:
    """Close the pipe that the server writes to."""
    assert client.process
    transport = client.process._transport.get_pipe_transport(1)  # pyright: ignore[reportAttributeAccessIssue] - no public way
    transport.close()
