"""A real VS Code workbench in headless Chromium with our extension in it, and a scripted model behind the server."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debian_folder import run
from editors_site import ROOT, chromium, site
from playwright.async_api import FrameLocator, Locator, Page, async_playwright, expect
from playwright.async_api import TimeoutError as PlaywrightTimeout

from support.model_server import Refusal, ScriptedServer, SeenRequest, scripted_model

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
    "terminal.integrated.gpuAcceleration": "off",  # So that what a terminal shows can be read.
}
PATIENCE_MS = 50_000
AGAIN_MS = 8_000
STARTER = """#!/bin/sh
beside=$(dirname "$PWD")
AGENT_LSP_HOME="$beside/home" AGENT_LSP_STATE="$beside/state" exec "{python}" -m agent_lsp "$@"
"""
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
        ours = 'iframe.webview.ready[src*="extensionId=agent-lsp.agent-lsp"]'
        return self.page.frame_locator(ours).frame_locator("iframe#active-frame")

    async def command(self, title: str) -> None:
        """Run a command by its title, from the palette."""
        await self._take("F1", f">{title}", title)

    async def _take(self, key: str, words: str, label: str) -> None:
        """Take a row of the list that a key opens."""
        box = self.page.locator(".quick-input-widget input")
        row = self.page.locator(".quick-input-list .monaco-list-row", has_text=label).first

        async def take() -> None:
            await self.page.keyboard.press(key)
            await expect(box).to_be_visible(timeout=AGAIN_MS)
            await box.fill(words, timeout=AGAIN_MS)
            await row.click(timeout=AGAIN_MS)

        await until_done(take)

    async def show_view(self) -> None:
        """Bring the user into the prompt. What is done before the focus is there would lose it again."""
        await self.command("Agent: Show the Task")
        await expect(self.prompt).to_be_focused()

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

    @property
    def chips(self) -> Locator:
        """What goes with the words."""
        return self.view.locator(".chip")

    @property
    def offers(self) -> Locator:
        return self.view.locator(".offer")

    @property
    def queued(self) -> Locator:
        return self.view.locator(".queued")

    async def choose(self, title: str, label: str) -> None:
        """Take a row of the list that opens under this title."""
        await expect(self.page.locator(".quick-input-title")).to_have_text(title)
        await self.page.locator(".quick-input-list .monaco-list-row", has_text=label).first.click()

    async def pick_from(self, command: str, label: str) -> None:
        """Take a row of the list that a command opens."""
        row = self.page.locator(".quick-input-list .monaco-list-row", has_text=label).first

        async def pick() -> None:
            await self.command(command)
            await row.click(timeout=AGAIN_MS)

        await until_done(pick)

    async def history(self, action: str, title: str = "") -> None:
        """Do something with the first of the earlier tasks, by its button in their list."""
        row = self.page.locator(".quick-input-list .monaco-list-row", has_text=title).first

        async def choose() -> None:
            await self.command("Agent: History")
            await row.hover(timeout=AGAIN_MS)
            await row.locator(f'[aria-label="{action}"]').click(timeout=AGAIN_MS)

        await until_done(choose)

    async def open(self, name: str) -> None:
        await self._take("Control+p", name, name)
        await expect(self.page.locator(".tab.active", has_text=name)).to_be_visible()
        # What is typed earlier goes elsewhere.
        await expect(self.page.locator(".editor-group-container.active .monaco-editor.focused")).to_be_visible()

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


async def until_done(act: Callable[[], Awaitable[None]]) -> None:
    """Do it, and again where what came up late took a key, or closed a list by taking the focus."""
    async with asyncio.timeout(PATIENCE_MS / 1000):
        while True:
            try:
                return await act()
            except (AssertionError, PlaywrightTimeout):
                continue


@dataclass(frozen=True, slots=True)
class CodeServer:
    """One server of windows, for all tests: each window opens a project of its own, and each project's agent keeps beside it."""

    address: str


@contextmanager
def code_server(folder: Path, extensions: Path, settings: Mapping[str, object] | None = None) -> Generator[CodeServer]:
    """`settings` are those of the machine, beside where our server is."""
    _write_settings(folder, settings or {})
    port = _free_port()
    words = ["--user-data-dir", str(folder / "data"), "--extensions-dir", str(extensions)]
    quiet = ["--disable-telemetry", "--disable-update-check", "--auth", "none"]
    # It asks a shop for news: here, nobody.
    environment = {**os.environ, "EXTENSIONS_GALLERY": '{"serviceUrl": "http://127.0.0.1:9"}'}
    process = subprocess.Popen(
        [str(site().workbench), *words, *quiet, "--bind-addr", f"127.0.0.1:{port}"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    with process, process.stdout as printed:  # pyright: ignore[reportOptionalContextManager]  It is a pipe.
        try:
            assert any(b"listening on" in line for line in printed), "code-server has ended"
            drain = threading.Thread(target=printed.read)
            drain.start()
            yield CodeServer(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
        drain.join()


def _write_settings(folder: Path, settings: Mapping[str, object]) -> None:
    """The server is started in its project's folder: from there it knows which settings and which state are its own."""
    starter = folder / "agent-lsp"
    starter.write_text(STARTER.format(python=sys.executable))
    starter.chmod(0o755)
    # Settings of the machine's scope are read there alone where the workbench is a remote one, as this one is.
    for place, values in (("User", SETTINGS), ("Machine", {"agentLsp.server.path": str(starter), **settings})):
        (folder / "data" / place).mkdir(parents=True)
        (folder / "data" / place / "settings.json").write_text(json.dumps(values))


@asynccontextmanager
async def workbench(
    folder: Path,
    windows: CodeServer,
    turns: Any,
    files: dict[str, str],
    *,
    size: tuple[int, int] = (1400, 900),
    settings: Mapping[str, object] | None = None,
) -> AsyncGenerator[Workbench]:
    """A window on a project with these files, and a model that answers so; `settings` are the user's own, instead of those for it."""
    project = folder / "project"
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    async with scripted_model(turns) as model, async_playwright() as playwright:
        write_home(folder, _profile(model) if settings is None else settings)
        browser = await playwright.chromium.launch(executable_path=str(chromium()), args=BROWSER)
        page = await browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        await page.goto(f"{windows.address}/?folder={project}")
        await expect(page.locator(".statusbar-item", has_text="agent").first).to_be_visible()
        yield Workbench(page, model, project)
        # Away from the page, so that the window says that it goes, and what was started for it ends.
        await page.goto("about:blank")
        await browser.close()


@dataclass(frozen=True, slots=True)
class SharedWindow:
    """One window for tests that each need no more than a task of their own: opening one takes longer than most of them."""

    window: Workbench
    turns: list[Any]

    async def task(self, *turns: Any) -> Workbench:
        """The window without a task and with nothing in its prompt; the model answers with these turns."""
        self.turns[:] = turns
        self.window.model.requests.clear()
        await self.window.command("Agent: New Task")
        await expect(self.window.view.locator(".welcome")).to_be_visible()
        await self.window.prompt.fill("")
        return self.window


@asynccontextmanager
async def shared_window(folder: Path, windows: CodeServer, files: dict[str, str]) -> AsyncGenerator[SharedWindow]:
    turns: list[Any] = []

    def play(index: int, _: SeenRequest) -> Any:
        return turns[index] if index < len(turns) else Refusal(400, f"the script has {len(turns)} turns")

    async with workbench(folder, windows, play, files) as window:
        await window.show_view()
        yield SharedWindow(window, turns)


def write_home(folder: Path, settings: Mapping[str, object]) -> None:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (home / "settings.json").write_text(json.dumps(dict(settings)))


def _profile(model: ScriptedServer) -> dict[str, object]:
    profile = {**PROFILE, "baseURL": model.base_url("anthropic")}
    return {"currentProvider": "test", "providers": {"test": profile}}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
