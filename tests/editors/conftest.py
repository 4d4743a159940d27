"""Real editors, where they are set up. Their tests are left out where they are not, and that is said; in CI they have to be."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from editors_site import chromium, site

if TYPE_CHECKING:
    from workbench import CodeServer  # Imported where it is used: only its tests need what it needs.

SUITES = ("sid", "trixie")
HERE = Path(__file__).parent
HOW = "uv run python tests/editors/provision.py"


def _missing() -> Iterator[tuple[str, str]]:
    """Each file of tests that cannot run here, and the program that it lacks."""
    tmux = shutil.which("tmux")
    terminal = [("tmux", Path(tmux) if tmux else None)]
    browser = [("Chromium", chromium())]
    needs = {
        "test_vscode": [("the VS Code workbench", site().workbench), *browser],
        "test_nvim": [*((f"Neovim of {suite}", site().nvim(suite)) for suite in SUITES), *terminal, *browser],
        "test_helix": [*((f"Helix of {suite}", site().helix(suite)) for suite in SUITES), *terminal],
        "test_emacs": [("Emacs", site().emacs)],
    }
    for file, programs in needs.items():
        for name, program in programs:
            if program is None or not program.exists():
                yield f"{file}*.py", name


LEFT_OUT = [] if os.environ.get("CI") else list(_missing())
collect_ignore_glob = sorted({file for file, _ in LEFT_OUT})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave each the time to say itself what never came: its own limits are shorter."""
    for item in items:
        if item.path.parent == HERE and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(300))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LEFT_OUT:
        names = ", ".join(dict.fromkeys(name for _, name in LEFT_OUT))
        terminalreporter.write_line(f"Not tried in real editors, since these are not set up: {names}. {HOW} does it.")


@pytest.fixture(scope="session")
def extensions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with our extension in it, packaged and installed once."""
    from workbench import build_extension

    return build_extension(tmp_path_factory.mktemp("extension"))


@pytest.fixture(scope="session")
def windows(tmp_path_factory: pytest.TempPathFactory, extensions: Path) -> "Iterator[CodeServer]":
    """A server of VS Code windows with our extension in them."""
    from workbench import code_server

    with code_server(tmp_path_factory.mktemp("windows"), extensions) as running:
        yield running


@pytest.fixture(params=SUITES)
def helix(request: pytest.FixtureRequest) -> Path:
    return site().helix(request.param)


@pytest.fixture
def nvim() -> Path:
    return site().nvim("sid")


@pytest.fixture
def old_nvim() -> Path:
    """One that our plugin does not run in."""
    return site().nvim("trixie")


@pytest.fixture
def emacs() -> Path:
    return site().emacs
