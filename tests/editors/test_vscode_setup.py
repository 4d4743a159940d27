"""The first run in a real VS Code workbench, and a second editor at the same task."""

import asyncio
import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import expect
from workbench import CodeServer, Workbench, code_server, workbench

from support.lsp_client import LspClient
from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="All done.")]
EDIT = [CallTool("edit_file", path="a.txt", old_string="one\n", new_string="uno\n")]
FILES = {"a.txt": "one\ntwo\n"}


async def test_the_walkthrough_leads_to_the_demo_and_to_the_view(tmp_path: Path, windows: CodeServer) -> None:
    async with workbench(tmp_path, windows, [DONE], FILES) as w:
        await w.pick_from("Welcome: Open Walkthrough...", "Start with the agent")
        await w.page.locator(".getting-started-step", has_text="Try it without a key").click()
        await w.page.locator(".monaco-button", has_text="Play the demo").click()
        await expect(w.page.locator(".terminal-tab, .single-terminal-tab", has_text="Agent's demo")).to_be_visible()
        await w.page.locator(".getting-started-step", has_text="Give it a task").click()
        await w.page.locator(".monaco-button", has_text="Open the view").click()
        await w.command("View: Close All Editors")  # The walkthrough has a page of its own.

        await expect(w.prompt).to_be_visible()


async def test_without_a_model_the_view_says_what_is_missing_and_sets_it_up(
    tmp_path: Path, windows: CodeServer
) -> None:
    async with workbench(tmp_path, windows, [DONE], FILES, settings={}) as w:
        await w.show_view()
        await expect(w.view.locator(".welcome h1")).to_have_text("Choose a model")
        await w.send("do it anyway")
        await expect(w.view.locator(".notice")).to_contain_text("configure")
        await expect(w.prompt).to_have_value("do it anyway")
        await w.view.get_by_role("button", name="Set up a model").click()

        await expect(w.page.locator(".terminal-tab, .single-terminal-tab", has_text="Agent's model")).to_be_visible()


async def test_a_folder_that_asks_for_more_is_trusted_only_by_a_yes(tmp_path: Path, windows: CodeServer) -> None:
    looser = {".agent-lsp/settings.json": json.dumps({"permissionMode": "acceptEdits"})}
    async with workbench(tmp_path, windows, [EDIT, DONE], FILES | looser) as w:
        toast = w.page.locator(".notification-toast", has_text="ask for more than yours allow")
        await expect(toast).to_contain_text("acceptEdits")
        await toast.get_by_role("button", name="Trust this folder").click()
        await expect(toast).to_have_count(0)
        await w.show_view()
        await w.send("change it")

        await expect(w.row("completion_result")).to_be_visible()
        assert w.file("a.txt").read_text() == "uno\ntwo\n"


async def test_a_server_is_found_once_it_runs_and_a_second_client_answers(tmp_path: Path, extensions: Path) -> None:
    port = free_port()
    address = {"agentLsp.server.address": f"127.0.0.1:{port}", "agentLsp.server.token": "s3cret"}
    windows = tmp_path / "windows"
    windows.mkdir()
    with code_server(windows, extensions, address) as running:
        async with workbench(tmp_path, running, [EDIT, DONE], FILES) as w:
            await w.show_view()
            await expect(w.view.locator(".welcome h1")).to_have_text("The server does not run")
            async with served(tmp_path, port):
                await w.view.get_by_role("button", name="Start it").click()
                await expect(w.view.locator(".welcome h1")).to_have_text("What shall the agent do?")
                await w.open("a.txt")
                await w.show_view()
                await w.send("change it")
                await expect(w.action("Approve")).to_be_visible()
                async with guest(port, "s3cret") as other:
                    await _is_answered_by(other, w)


async def _is_answered_by(other: LspClient, w: Workbench) -> None:
    seen = await other.request("agent/state", {})
    task = {"taskId": seen["taskId"], "ts": seen["ask"]["ts"]}
    answers = [
        await other.request("agent/askResponse", {**task, "response": response})
        for response in ("yesButtonClicked", "noButtonClicked")
    ]
    await expect(w.row("completion_result")).to_be_visible()

    assert answers == [{"accepted": True}, {"accepted": False, "reason": "AskGone"}]
    await expect(w.page.locator(".view-line", has_text="uno")).to_be_visible()
    await expect(w.row("tool").locator(".mark.approved")).to_be_visible()


@asynccontextmanager
async def served(folder: Path, port: int) -> AsyncGenerator[None]:
    """A server that both find there; its first client is the one that edits."""
    places = {"AGENT_LSP_HOME": str(folder / "home"), "AGENT_LSP_STATE": str(folder / "state")}
    words = ("--tcp", f"127.0.0.1:{port}", "--token", "s3cret")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "agent_lsp", *words, env={**os.environ, **places}, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr
    try:
        await process.stderr.readline()
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        await process.stderr.read()


@asynccontextmanager
async def guest(port: int, token: str) -> AsyncGenerator[LspClient]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    client = LspClient(writer.write)

    async def read() -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65536):
                client.feed(piece)

    reading = asyncio.create_task(read())
    try:
        await client.initialize(options={"agentToken": token})
        yield client
    finally:
        writer.close()
        await asyncio.wait((reading,))
        await client.aclose()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
