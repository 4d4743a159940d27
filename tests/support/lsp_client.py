"""A language server client for tests: raw JSON-RPC, over a process's standard streams or straight in memory.

Everything it gets is kept in order. Questions of the server are answered by a table; edits and saves go to a simulated
editor, if there is one.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

Json = dict[str, Any]
AGENT = {"protocolVersion": 1, "messages": {}, "save": {}, "editorContext": {}}
SECONDS = 60.0


class RpcError(Exception):
    """The server answered with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.kind: str | None = (error.get("data") or {}).get("kind")


class NoAnswer(Exception):
    """Raised by what answers a question, to leave it unanswered."""


class AnswersQuestions(Protocol):
    """A simulated editor: what it knows to answer, by method."""

    def answers(self) -> Mapping[str, Callable[[Json], Any]]: ...


@dataclass(eq=False)
class LspClient:
    """`write` is where bytes go; bytes that come are given to `feed`."""

    write: Callable[[bytes], None]
    notifications: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])
    questions: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])
    responses: list[Json] = field(default_factory=list[Json])
    answers: dict[str, Callable[[Json], Any]] = field(default_factory=dict[str, Callable[[Json], Any]])
    process: asyncio.subprocess.Process | None = None
    stderr: bytearray = field(default_factory=bytearray)
    is_reading: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._buffer = b""
        self._last_id = 0
        self._pending: dict[int, asyncio.Future[Json]] = {}
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_reading.set()

    # Starting and ending

    @classmethod
    async def start(
        cls, command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> "LspClient":
        """Start a server and talk over its standard streams; its standard error is kept."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdin
        client = cls(process.stdin.write, process=process)
        client._own(client._read(process))
        client._own(client._drain(process))
        return client

    async def initialize(
        self,
        *,
        capabilities: Json | None = None,
        agent: Json | None = AGENT,
        options: Json | None = None,
        root: Path | None = None,
        name: str = "test",
    ) -> Json:
        """Shake hands; `agent` None makes this a client that does not know the agent."""
        announced = dict(capabilities or {})
        if agent is not None:
            announced["experimental"] = {**announced.get("experimental", {}), "agent": agent}
        params: Json = {
            "processId": os.getpid() if self.process else None,
            "rootUri": root.as_uri() if root else None,
            "capabilities": announced,
            "clientInfo": {"name": name},
        }
        if options is not None:
            params["initializationOptions"] = options
        result = await self.request("initialize", params)
        self.notify("initialized", {})
        return result

    async def shut_down(self) -> int:
        """End as the protocol says; the exit code."""
        await self.request("shutdown", None)
        self.notify("exit", None)
        return await self.wait_for_exit()

    async def wait_for_exit(self) -> int:
        assert self.process
        async with asyncio.timeout(SECONDS):
            code = await self.process.wait()
        await self.aclose()
        return code

    async def aclose(self) -> None:
        """End whatever is left: the process too, if it still runs."""
        if self.process and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()
        if self.process and self.process.stdin:
            self.process.stdin.close()
            with suppress(ConnectionError):
                await self.process.stdin.wait_closed()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def end_input(self) -> None:
        assert self.process
        assert self.process.stdin
        self.process.stdin.close()

    # Talking

    async def request(self, method: str, params: Any = None, *, request_id: int | None = None) -> Any:
        """Ask the server; RpcError where it answers with one."""
        response = await self.response(self.send_request(method, params, request_id=request_id))
        if "error" in response:
            raise RpcError(response["error"])
        return response["result"]

    def send_request(self, method: str, params: Any = None, *, request_id: int | None = None) -> int:
        """Ask without waiting; the id, for `response`."""
        self._last_id += 1
        chosen = request_id if request_id is not None else self._last_id
        self._pending[chosen] = asyncio.get_running_loop().create_future()
        self.send({"jsonrpc": "2.0", "id": chosen, "method": method, "params": params})
        return chosen

    async def response(self, request_id: int) -> Json:
        async with asyncio.timeout(SECONDS):
            return await self._pending[request_id]

    def notify(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    # Listening

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until the condition is true of what has come; it is asked again after each message."""
        async with asyncio.timeout(SECONDS), self._changed:
            while not (found := condition()):
                await self._changed.wait()
            return found

    async def notification(self, method: str, where: Callable[[Json], bool] = lambda _: True) -> Json:
        """Wait for the first notification of a method, of those that came and those to come."""
        return await self.until(lambda: next((p for m, p in self.notifications if m == method and where(p)), None))

    async def question(self, method: str, where: Callable[[Json], bool] = lambda _: True) -> Json:
        return await self.until(lambda: next((p for m, p in self.questions if m == method and where(p)), None))

    def named(self, method: str) -> list[Json]:
        return [params for name, params in self.notifications if name == method]

    def use(self, editor: AnswersQuestions) -> None:
        self.answers.update(editor.answers())

    def feed(self, piece: bytes) -> None:
        self._buffer += piece
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            header = self._buffer[:end]
            assert header.startswith(b"Content-Length: "), f"no header: {header[:80]!r}"
            length = int(header.removeprefix(b"Content-Length: "))
            if len(self._buffer) < end + 4 + length:
                return
            body = self._buffer[end + 4 : end + 4 + length]
            self._buffer = self._buffer[end + 4 + length :]
            self._take(json.loads(body))

    def _take(self, message: Json) -> None:
        if "method" not in message:
            self.responses.append(message)
            pending = self._pending.get(message["id"])
            if pending and not pending.done():
                pending.set_result(message)
        elif "id" in message:
            self.questions.append((message["method"], message.get("params") or {}))
            self._own(self._answer(message))
        else:
            self.notifications.append((message["method"], message.get("params") or {}))
        self._own(self._tell())

    async def _answer(self, message: Json) -> None:
        answer: Json = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            result = self.answers.get(message["method"], lambda _: None)(message.get("params") or {})
            answer["result"] = await result if isinstance(result, Awaitable) else result
        except NoAnswer:
            return
        except RpcError as error:
            answer["error"] = {"code": error.code, "message": error.message}
        self.send(answer)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout
        while piece := await process.stdout.read(65536):
            self.feed(piece)
            await self.is_reading.wait()

    async def _drain(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr
        while piece := await process.stderr.read(65536):
            self.stderr += piece

    def _own(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
