"""Several editors at one server: the first one's files, everybody's tasks."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from story import CAPABILITIES, NO, WORDS, YES, Picture, environment, settings_for

from support.fake_editor import FakeEditor
from support.lsp_client import AGENT, Json, LspClient, RpcError
from support.model_server import CallTool, Hold, Say, scripted_model

TOKEN = "s3cret"
EDIT = [Say("I change it."), CallTool("write_to_file", path="a.txt", content="new\n")]
ASK = [CallTool("ask_followup_question", question="Which?", follow_up=[{"text": "this"}])]
DONE = [CallTool("attempt_completion", result="Done.")]


@dataclass
class Seat:
    """One editor's connection, and what it knows of the task."""

    client: LspClient
    picture: Picture
    writer: asyncio.StreamWriter
    reading: asyncio.Task[None]

    async def ask(self, kind: str) -> Json:
        return await self.client.until(lambda: (a := self.picture.ask()) and a["ask"] == kind and a)

    async def answer(self, ask: Json, response: str, **fields: Any) -> Json:
        params = {"taskId": self.picture.status["taskId"], "ts": ask["ts"], "response": response, **fields}
        return await self.client.request("agent/askResponse", params)

    async def leave(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()
        await asyncio.wait((self.reading,))
        await self.client.aclose()


@dataclass
class Table:
    """A server over TCP, and those who sit at it."""

    port: int
    folder: Path
    settings: Json
    process: asyncio.subprocess.Process

    async def sit(self, *, options: Json | None = None, agent: Json | None = AGENT) -> Seat:
        seat = await self.connect()
        chosen = {"agent": self.settings, "agentToken": TOKEN} if options is None else options
        await seat.client.initialize(capabilities=CAPABILITIES, options=chosen, root=self.folder, agent=agent)
        return seat

    async def connect(self) -> Seat:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        client = LspClient(writer.write)

        async def read() -> None:
            with contextlib.suppress(ConnectionError):
                while piece := await reader.read(65536):
                    client.feed(piece)

        return Seat(client, Picture(client), writer, asyncio.create_task(read()))


@asynccontextmanager
async def table(folder: Path, turns: Any) -> AsyncGenerator[Table]:
    workspace = folder / "workspace"
    workspace.mkdir()
    (workspace / "a.txt").write_text("old\n")
    async with scripted_model(turns) as model:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "agent_lsp", "--tcp", "127.0.0.1:0", "--token", TOKEN,
            env={**os.environ, **environment(folder)},
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stderr
        try:
            port = int((await process.stderr.readline()).rpartition(b":")[2])
            yield Table(port, workspace, settings_for(model, "anthropic"), process)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            await process.stderr.read()


async def test_guest_reads_and_answers_and_the_first_answer_wins(tmp_path: Path) -> None:
    async with table(tmp_path, [EDIT, DONE]) as t:
        host, guest = await t.sit(), await t.sit()
        host.client.use(FakeEditor(host.client))
        await host.client.request("agent/newTask", {"text": "do it"})
        asks = [await seat.ask("tool") for seat in (host, guest)]

        answers = [await guest.answer(asks[1], YES), await host.answer(asks[0], NO)]
        ends = [await seat.ask("completion_result") for seat in (host, guest)]

        assert asks[0] == asks[1]
        assert answers == [{"accepted": True}, {"accepted": False, "reason": "AskGone"}]
        assert ends[0] == ends[1]
        assert (t.folder / "a.txt").read_text() == "new\n"
        assert host.picture.update().messages == guest.picture.update().messages
        assert guest.client.questions == []
        for seat in (guest, host):
            await seat.leave()


async def test_who_comes_late_sees_all_and_who_goes_takes_nothing_along(tmp_path: Path) -> None:
    hold = Hold()
    async with table(tmp_path, [[Say("I begin. "), hold, Say("I go on."), *ASK], DONE]) as t:
        host = await t.sit()
        await host.client.request("agent/newTask", {"text": "do it"})
        async with asyncio.timeout(15):
            await hold.reached.wait()
        guest = await t.sit()
        seen = (await guest.client.request("agent/state", {}))["messages"]
        guest.picture.messages.update({message["ts"]: message for message in seen})
        hold.release.set()
        ask = await guest.ask("followup")
        await guest.client.request("shutdown")
        guest.client.notify("exit", None)
        await guest.leave()

        await host.answer(ask, WORDS, text="this")
        end = await host.ask("completion_result")

        assert seen[0]["text"] == "do it"
        assert end["text"] == "Done."
        await host.leave()


async def test_guest_changes_neither_settings_nor_folders(tmp_path: Path) -> None:
    async with table(tmp_path, [EDIT, DONE]) as t:
        host = await t.sit()
        other = {"agentToken": TOKEN, "agent": {"permissionMode": "bypassPermissions", "currentProvider": "none"}}
        guest = await t.sit(options=other)
        guest.client.notify("workspace/didChangeConfiguration", {"settings": {"agent": other["agent"]}})
        await guest.client.request("agent/newTask", {"text": "do it"})

        asked = await host.ask("tool")

        assert asked["ask"] == "tool"
        assert guest.picture.status["profile"] == "test"
        for seat in (guest, host):
            await seat.leave()


async def test_server_ends_with_its_first_client_and_its_guests_hear_of_it(tmp_path: Path) -> None:
    async with table(tmp_path, [ASK]) as t:
        host, guest = await t.sit(), await t.sit()
        await host.client.request("agent/newTask", {"text": "do it"})
        await guest.ask("followup")

        await host.client.request("shutdown")
        host.client.notify("exit", None)

        async with asyncio.timeout(15):
            assert await t.process.wait() == 0
        await guest.client.until(lambda: guest.picture.update().messages[max(guest.picture.messages)].get("state"))
        for seat in (guest, host):
            await seat.leave()


async def test_guest_without_a_plugin_is_served_too(tmp_path: Path) -> None:
    async with table(tmp_path, [ASK, DONE]) as t:
        host, guest = await t.sit(), await t.sit(agent=None)
        await host.client.request("agent/newTask", {"text": "do it"})
        await host.ask("followup")

        await guest.client.request("workspace/executeCommand", {"command": "agent.answer", "arguments": ["this"]})

        await host.ask("completion_result")
        for seat in (guest, host):
            await seat.leave()


async def test_guest_without_the_token_is_refused_and_nobody_is_disturbed(tmp_path: Path) -> None:
    async with table(tmp_path, [DONE]) as t:
        host, stranger = await t.sit(), await t.connect()

        with pytest.raises(RpcError, match="token"):
            await stranger.client.initialize(options={"agentToken": "guess"})

        await stranger.leave()
        await host.client.request("agent/newTask", {"text": "do it"})
        assert (await host.ask("completion_result"))["text"] == "Done."
        await host.leave()
