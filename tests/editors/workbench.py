"""A real VS Code workbench in headless Chromium with our extension in it, and a scripted model behind the server."""

import asyncio
import json
import os
import shutil
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debian_folder import run
from editors_site import ROOT, chromium, site
from playwright.async_api import FrameLocator, Locator, Page, async_playwright, expect

from support.model_server import ScriptedServer, scripted_model

EXTENSION = ROOT / "editors" / "vscode"
BROWSER = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
]
SETTINGS: dict[str, object] = {
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "chat.disableAIFeatures": True,
    "update.mode": "none",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "files.autoSave": "off",  # The web build's default is not the desktop's.
    "git.enabled": False,
}
PATIENCE_MS = 30_000
PROFILE = {"type": "anthropic", "model": "scripted", "apiKey": "sk-planted-0123456789"}


def build_extension(folder: Path) -> Path:
    """Package the extension as a user would, and install it into a folder that workbenches share."""
    node = site().workbench.parent
    environment = {**os.environ, "PATH": f"{node}:{os.environ['PATH']}"}
    npm = str(node / "npm")
    if not (EXTENSION / "node_modules").exists():
        run([npm, "install", "--no-audit", "--no-fund"], cwd=EXTENSION, env=environment)
    run([npm, "run", "package"], cwd=EXTENSION, env=environment)
    extensions = folder / "extensions"
    vsix = str(EXTENSION / "agent-lsp.vsix")
    run(
        [
            str(site().workbench),
            "--user-data-dir",
            str(folder / "data"),
            "--extensions-dir",
            str(extensions),
            "--install-extension",
            vsix,
        ]
    )
    return extensions


@dataclass
class Workbench:
    """One window. Everything here waits for what it wants to see, never for time. What is saved is on the disk."""

    page: Page
    model: ScriptedServer
    folder: Path

    @property
    def view(self) -> FrameLocator:
        """The agent's view: a page in a frame in a frame."""
        return self.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")

    async def command(self, title: str) -> None:
        """Run a command by its title, from the palette."""
        await self.page.keyboard.press("F1")
        box = self.page.locator(".quick-input-widget input")
        await expect(box).to_be_visible()
        await box.fill(f">{title}")
        await self.page.locator(".quick-input-list .monaco-list-row", has_text=title).first.click()

    async def show_view(self) -> None:
        await self.command("Agent: Show the Task")
        await expect(self.prompt).to_be_visible()

    @property
    def prompt(self) -> Locator:
        return self.view.locator("#prompt")

    async def send(self, text: str) -> None:
        await self.prompt.fill(text)
        await self.prompt.press("Enter")

    def row(self, kind: str) -> Locator:
        return self.view.locator(f".row.k-{kind}")

    def action(self, label: str) -> Locator:
        """A button of the ask that waits."""
        return self.view.locator(".row.waits .actions").get_by_role("button", name=label, exact=True)

    async def open(self, name: str) -> None:
        await self.page.keyboard.press("Control+p")
        box = self.page.locator(".quick-input-widget input")
        await expect(box).to_be_visible()
        await box.fill(name)
        await self.page.locator(".quick-input-list .monaco-list-row", has_text=name).first.click()
        await expect(self.page.locator(".tab.active", has_text=name)).to_be_visible()

    async def save(self, line: str) -> None:
        """Save the document in front, as a user does: click into it, at a line that says this, and press the keys."""
        await self.page.locator(".monaco-editor .view-line", has_text=line).first.click()
        await expect(self.page.locator(".tab.active.dirty")).to_have_count(1)
        await self.page.keyboard.press("Control+s")
        await expect(self.page.locator(".tab.active.dirty")).to_have_count(0)

    def file(self, name: str) -> Path:
        return self.folder / name

    async def shot(self, path: Path) -> None:
        await self.page.screenshot(path=str(path))


@asynccontextmanager
async def workbench(
    folder: Path, extensions: Path, turns: Any, files: dict[str, str], settings: dict[str, object] | None = None
) -> AsyncGenerator[Workbench]:
    project = folder / "project"
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    async with scripted_model(turns) as model, async_playwright() as playwright:
        _write_settings(folder, model, settings or {})
        port = _free_port()
        process, printed = await _start_code_server(folder, extensions, port)
        try:
            browser = await playwright.chromium.launch(executable_path=str(chromium()), args=BROWSER)
            page = await browser.new_page(viewport={"width": 1400, "height": 900})
            page.set_default_timeout(PATIENCE_MS)
            expect.set_options(timeout=PATIENCE_MS)
            await page.goto(f"http://127.0.0.1:{port}/?folder={project}")
            await expect(page.locator(".statusbar-item", has_text="agent").first).to_be_visible()
            yield Workbench(page, model, project)
            await browser.close()
        finally:
            process.terminate()
            await process.wait()
            await printed


def _write_settings(folder: Path, model: ScriptedServer, settings: dict[str, object]) -> None:
    starter = folder / "agent-lsp"
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agent_lsp "$@"\n')
    starter.chmod(0o755)
    # Settings of the machine's scope are read there alone where the workbench is a remote one, as this one is.
    for place, values in (("User", {**SETTINGS, **settings}), ("Machine", {"agentLsp.server.path": str(starter)})):
        (folder / "data" / place).mkdir(parents=True)
        (folder / "data" / place / "settings.json").write_text(json.dumps(values))
    home = folder / "home"
    home.mkdir()
    profile = {**PROFILE, "baseURL": model.base_url("anthropic")}
    (home / "settings.json").write_text(json.dumps({"currentProvider": "test", "providers": {"test": profile}}))


async def _start_code_server(
    folder: Path, extensions: Path, port: int
) -> tuple[asyncio.subprocess.Process, asyncio.Task[None]]:
    own = folder / "extensions"
    shutil.copytree(extensions, own)
    words = [
        "--user-data-dir",
        str(folder / "data"),
        "--extensions-dir",
        str(own),
        "--disable-telemetry",
        "--disable-update-check",
    ]
    environment = {
        **os.environ,
        "AGENT_LSP_HOME": str(folder / "home"),
        "AGENT_LSP_STATE": str(folder / "state"),
        "EXTENSIONS_GALLERY": '{"serviceUrl": "http://127.0.0.1:9"}',  # It asks a shop for news: here, nobody.
    }
    process = await asyncio.create_subprocess_exec(
        str(site().workbench), *words, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}",
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_MS / 1000):
        while b"listening on" not in (line := await process.stdout.readline()):
            assert line, "code-server has ended"
    return process, asyncio.create_task(_drain(process.stdout))


async def _drain(printed: asyncio.StreamReader) -> None:
    while await printed.readline():
        pass


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
