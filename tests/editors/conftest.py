"""Real editors, where they are set up; in CI they have to be."""

import os
import shutil
from pathlib import Path

import pytest
from editors_site import chromium, site

HOW = "python tests/editors/provision.py sets it up"


def needed(program: Path | None, name: str) -> Path:
    """The program; where it is missing, the test is left out on a developer's machine, and fails in CI."""
    if program is not None and program.exists():
        return program
    reason = f"{name} is not set up: uv run {HOW}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def extensions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with our extension in it, packaged and installed once."""
    needed(site().workbench, "the VS Code workbench")
    needed(chromium(), "Chromium")
    from workbench import build_extension

    return build_extension(tmp_path_factory.mktemp("extension"))


@pytest.fixture(scope="session", params=["sid", "trixie"])
def helix(request: pytest.FixtureRequest) -> Path:
    return needed(site().helix(request.param), f"Helix of {request.param}")


@pytest.fixture(scope="session")
def nvim() -> Path:
    return needed(site().nvim("sid"), "Neovim of sid")


@pytest.fixture(scope="session")
def old_nvim() -> Path:
    """One that our plugin does not run in."""
    return needed(site().nvim("trixie"), "Neovim of trixie")


@pytest.fixture(scope="session")
def emacs() -> Path:
    return needed(site().emacs, "Emacs")


@pytest.fixture(scope="session")
def tmux() -> Path:
    found = shutil.which("tmux")
    return needed(Path(found) if found else None, "tmux")
