import os
from pathlib import Path

import pytest
from restoring_site import GIT, Editor

from agent_lsp.domain.checkpoints import Reason
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.tasks.keeping import NO_GIT, Keeping, Surroundings, Unkept
from agent_lsp.tasks.restoring import KeptWorkspace
from agent_lsp.workspace.files import WorkspaceFiles
from agent_lsp.workspace.leftovers import Leftovers


def keeping(folder: Path, path: str = str(GIT.parent)) -> Keeping:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return Keeping(Surroundings(folder / "state", {"PATH": path}, Editor(), Leftovers(None), home))


def workspace(at: Keeping, *roots: Path) -> KeptWorkspace | Unkept:
    return at.workspace(roots, lambda: WorkspaceFiles(roots, Editor()))


def test_home_and_what_is_above_it_are_not_kept(tmp_path: Path) -> None:
    at = keeping(tmp_path)

    kept = [workspace(at, root) for root in (tmp_path / "home", tmp_path, Path("/"))]

    assert [isinstance(each, Unkept) and "holds more than a project" in each.reason for each in kept] == [True] * 3


def test_folder_in_the_home_is_kept_also_by_a_link(tmp_path: Path) -> None:
    at = keeping(tmp_path)
    (tmp_path / "home/project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "home")

    assert isinstance(workspace(at, tmp_path / "home/project"), KeptWorkspace)
    assert isinstance(workspace(at, tmp_path / "link"), Unkept)


@pytest.mark.parametrize("path", ["", "relative", "/nowhere"])
async def test_without_git_whoever_asks_is_told(tmp_path: Path, path: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    kept = workspace(keeping(tmp_path, path), root)

    with pytest.raises(StorageProblem, match="git is not installed"):
        await kept.take("t1", Reason.COMMAND)
    assert kept == Unkept(NO_GIT)


def test_git_of_the_workspace_is_not_run(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    planted = root / "git"
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)

    assert workspace(keeping(tmp_path, str(root)), root) == Unkept(NO_GIT)
    assert isinstance(workspace(keeping(tmp_path, f"{root}{os.pathsep}{GIT.parent}"), root), KeptWorkspace)


async def test_checkpoints_of_a_task_are_forgotten_whatever_the_roots_are_now(tmp_path: Path) -> None:
    roots = tmp_path / "one", tmp_path / "two"
    for root in roots:
        root.mkdir()
        await workspace(keeping(tmp_path), root).take("t1", Reason.MESSAGE)
    at = keeping(tmp_path)
    now = workspace(at, roots[0])

    await at.forget("t1")

    assert list((tmp_path / "state/checkpoints").glob("*/refs/tasks/*")) == []
    assert isinstance(now, KeptWorkspace)
    assert await now.checkpoints("t1") == ()
