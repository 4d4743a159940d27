"""A workspace that wants programs run: none is, whatever its repositories, files and the environment say."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from checkpoints_site import Workshop

from agent_lsp.domain.checkpoints import Altered, FileState, Reason
from agent_lsp.storage.checkpoints_packing import Bounds, pack
from agent_lsp.storage.git import find_git

CONFIGS = {
    "fsmonitor": "[core]\n\tfsmonitor = {run}\n",
    "hooks": "[core]\n\thooksPath = {hooks}\n",
    "pager": "[core]\n\tpager = {run}\n[pager]\n\tlog = {run}\n\tls-tree = {run}\n",
    "editor": "[core]\n\teditor = {run}\n\tsshCommand = {run}\n\taskPass = {run}\n",
    "alternates": "[core]\n\talternateRefsCommand = {run}\n\tgitProxy = {run}\n",
    "clean and smudge": '[filter "bait"]\n\tclean = {run}\n\tsmudge = {run}\n\trequired = true\n',
    "filter process": '[filter "bait"]\n\tprocess = {run}\n\trequired = true\n',
    "textconv": '[diff "bait"]\n\ttextconv = {run}\n\tcommand = {run}\n',
    "external diff": "[diff]\n\texternal = {run}\n",
    "merge driver": '[merge "bait"]\n\tdriver = {run}\n',
    "signing": "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {run}\n[commit]\n\tgpgSign = true\n",
    "packing": "[uploadpack]\n\tpackObjectsHook = {run}\n[gc]\n\trecentObjectsHook = {run}\n[maintenance]\n\tauto = true\n",
    "aliases": "[alias]\n\tlog = !{run}\n\tcat-file = !{run}\n\tpack-objects = !{run}\n",
    "include": "[include]\n\tpath = {included}\n",
    "credentials": "[credential]\n\thelper = !{run}\n[trace2]\n\teventTarget = {bait}\n",
}
VARIABLES = {
    "GIT_DIR": "{root}/.git",
    "GIT_EXTERNAL_DIFF": "{run}",
    "GIT_CONFIG_PARAMETERS": "'core.fsmonitor={run}'",
    "GIT_EXEC_PATH": "{folder}",
    "GIT_TRACE": "{bait}",
    "GIT_PAGER": "{run}",
    "GIT_SSH_COMMAND": "{run}",
    "GIT_OBJECT_DIRECTORY": "{root}/.git/objects",
    "GIT_INDEX_FILE": "{root}/.git/index",
    "GIT_CONFIG_GLOBAL": "{included}",
    "HOME": "{folder}",
    "XDG_CONFIG_HOME": "{folder}",
    "LD_PRELOAD_PATH": "{folder}",
}


class Bait:
    """A workspace with a program in it that leaves a trace when it is run."""

    def __init__(self, folder: Path) -> None:
        self.shop = Workshop.made(folder)
        self.bait, self.run = folder / "bait", folder / "run"
        self._program(self.run)
        hooks, names = folder / "hooks", ("post-index-change", "reference-transaction", "pre-auto-gc", "post-commit")
        hooks.mkdir()
        for hook in names:
            self._program(hooks / hook)
        self.fields = {
            "run": self.run,
            "bait": self.bait,
            "hooks": hooks,
            "folder": folder,
            "root": self.shop.root,
            "included": folder / ".gitconfig",
        }
        (folder / ".gitconfig").write_text(self.filled(CONFIGS["fsmonitor"] + CONFIGS["external diff"]))
        self.shop.write(".gitattributes", "* filter=bait diff=bait merge=bait text eol=crlf ident\n")

    def filled(self, text: str) -> str:
        return text.format(**self.fields)

    def repository(self, folder: str, config: str) -> None:
        """A repository in the workspace with these settings and hooks of its own."""
        self.shop.write(f"{folder}.git/HEAD", "ref: refs/heads/main\n")
        self.shop.write(f"{folder}.git/config", "[core]\n\trepositoryformatversion = 0\n" + self.filled(config))
        self.shop.write(f"{folder}.git/info/attributes", "* filter=bait diff=bait\n")
        for name in ("objects", "refs"):
            (self.shop.root / f"{folder}.git" / name).mkdir()
        for hook in ("post-index-change", "reference-transaction", "pre-auto-gc"):
            path = self.shop.write(f"{folder}.git/hooks/{hook}", "")
            self._program(path)

    def _program(self, path: Path) -> None:
        path.write_text(f"#!/bin/sh\necho ran >> {self.bait}\n")
        path.chmod(0o755)


@pytest.fixture
def bait(tmp_path: Path) -> Bait:
    return Bait(tmp_path)


def everything(bait: Bait) -> bytes:
    """Take, note, list, compare, pack and forget; what the changed file had in the end."""

    async def work() -> bytes:
        store, path = bait.shop.store(), bait.shop.write("a.txt", "one\r\n$Id$\n")
        first = await store.take("t1", Reason.MESSAGE, {path: "unsaved"})
        path.write_bytes(b"two\r\n$Id$\n")
        await store.note_changes("t1", Reason.CHANGE, {path: Altered(FileState(b"one"), FileState(b"two"))})
        second = await store.take("t1", Reason.CHANGE, {})
        pack(store._packing_git, 60, Bounds())
        shown = await store.compare_shown(first, second)
        await store.changes_since("t1", second.id)
        await store.checkpoints("t1")
        await store.forget("t1")
        await store.close()
        after = shown.altered[path].after
        return after.content if after else b""

    return asyncio.run(work())


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("folder", ["", "nested/"])
def test_settings_of_a_repository_run_nothing(bait: Bait, config: str, folder: str) -> None:
    bait.repository(folder, config)
    own = {path: path.read_bytes() for path in bait.shop.root.rglob("*") if ".git/" in str(path) and path.is_file()}

    assert everything(bait) == b"two\r\n$Id$\n"
    assert not bait.bait.exists()
    assert {path: path.read_bytes() for path in own} == own


@pytest.mark.parametrize(("name", "value"), VARIABLES.items(), ids=VARIABLES)
def test_variables_of_the_environment_run_nothing(
    bait: Bait, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bait.repository("", "".join(CONFIGS.values()))
    monkeypatch.setenv(name, bait.filled(value))

    assert everything(bait) == b"two\r\n$Id$\n"
    assert not bait.bait.exists()


PLANTED: dict[str, Callable[[Bait], object]] = {
    "git in the workspace": lambda bait: bait.shop.write("bin/git", bait.run.read_bytes()).chmod(0o755),
    "git as a link into it": lambda bait: (
        bait.shop.write("bin/real", bait.run.read_bytes()).chmod(0o755),
        (bait.shop.state / "git").symlink_to(bait.shop.root / "bin/real"),
    ),
}


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_git_that_lies_in_the_workspace_is_not_found(bait: Bait, plant: Callable[[Bait], object]) -> None:
    plant(bait)
    path = os.pathsep.join([str(bait.shop.root / "bin"), str(bait.shop.state), "bin", ".", "/usr/bin"])

    assert find_git({"PATH": path}, (bait.shop.root,)) in {Path("/usr/bin/git"), None}
