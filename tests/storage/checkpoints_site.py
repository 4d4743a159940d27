"""A workspace with checkpoints for tests: a folder, a store of its own, and trees as plain values."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.checkpoints import FileState
from agent_lsp.storage.checkpoints import Checkpoints, Site

GIT = Path(shutil.which("git") or "/usr/bin/git")


@dataclass(frozen=True)
class Workshop:
    """A workspace, and where its checkpoints are kept."""

    root: Path
    state: Path

    @staticmethod
    def made(folder: Path) -> "Workshop":
        root, state = folder / "project", folder / "state"
        root.mkdir()
        state.mkdir()
        return Workshop(root, state)

    @property
    def site(self) -> Site:
        return Site((self.root,), self.state, GIT)

    def store(self) -> Checkpoints:
        return Checkpoints(self.site)

    def write(self, name: str | bytes, content: bytes | str) -> Path:
        path = Path(os.fsdecode(b"%b/%b" % (os.fsencode(self.root), os.fsencode(name))))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def packs(self) -> list[Path]:
        return list((self.site.folder / "objects/pack").glob("*.pack"))

    def stored(self) -> list[Path]:
        """The files of the store."""
        return [path for path in self.site.folder.rglob("*") if path.is_file()]

    def complaints(self) -> str:
        """What git has to say against the store, if anything."""
        command = [str(GIT), f"--git-dir={self.site.folder}", "fsck", "--full", "--no-dangling", "--no-progress"]
        environment = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        said = (done.stdout + done.stderr).splitlines()
        return "\n".join(line for line in said if not line.startswith("notice: "))

    def rubbish(self) -> list[str]:
        """What no kill may leave behind for good."""
        odd = (".lock", ".idx", ".pack")
        return [
            str(path.relative_to(self.site.folder))
            for path in self.stored()
            if path.parent.name == "tmp"
            or path.name.startswith("tmp_")
            or (path.suffix in odd[1:] and not all(path.with_suffix(suffix).exists() for suffix in odd[1:]))
            or (path.suffix == ".lock" and path.parent != self.site.folder)
        ]

    def tree(self) -> dict[Path, FileState]:
        """All files below the root as they are."""
        paths = [Path(folder, name) for folder, folders, files in os.walk(self.root) for name in (*folders, *files)]
        return {path: state for path in paths if (state := state_of(path))}


def state_of(path: Path) -> FileState | None:
    if path.is_symlink():
        return FileState(os.readlink(os.fsencode(path)), is_link=True)  # noqa: PTH115  # Its bytes.
    if not path.is_file():
        return None
    return FileState(path.read_bytes(), permissions=path.stat().st_mode & 0o7777)
