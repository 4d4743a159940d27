"""A world around a sandbox: files, sockets and a process that a confined command must not touch; and what it did touch."""

import contextlib
import os
import socket
import subprocess
import tempfile
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.workspace.commands import find_bash
from agent_lsp.workspace.sandbox_bubblewrap import find_bubblewrap, trial_problem
from agent_lsp.workspace.sandbox_landlock import LEAST_ABI, abi

FOUND = find_bubblewrap(os.environ["PATH"], ())
HAS_BUBBLEWRAP = FOUND is not None and not trial_problem(FOUND, find_bash())
CONFINERS = [*(["bubblewrap"] if HAS_BUBBLEWRAP else []), *(["landlock"] if abi() >= LEAST_ABI else [])]
"""What this system has. Where that is nothing, `test_sandbox.py` holds that it is said."""
SECRET = "the-secret-of-the-test"
INTACT = "intact\n"


@dataclass
class Outside:
    folder: Path
    victim: subprocess.Popen[bytes]
    sockets: dict[str, socket.socket] = field(default_factory=dict[str, socket.socket])

    @property
    def root(self) -> Path:
        return self.folder / "workspace"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def names(self) -> dict[str, str]:
        """What attempts are written with."""
        ports = {name: str(self.sockets[name].getsockname()[1]) for name in ("tcp", "udp")}
        return ports | {
            "out": str(self.folder),
            "file": str(self.folder / "file"),
            "root": str(self.root),
            "home": str(self.home),
            "state": str(self.state),
            "pid": str(self.victim.pid),
            "server": str(os.getpid()),
            "abstract": self.sockets["abstract"].getsockname()[1:].decode(),
        }

    def touched(self) -> list[str]:
        """What is not as it was."""
        changed = [name for name, text in self._texts() if text != _made_of(name)]
        missing = sorted(set(_FILES) - {name for name, _ in self._texts()})
        reached = [name for name, listening in self.sockets.items() if _was_reached(listening)]
        return changed + missing + reached + (["victim"] if self.victim.poll() is not None else [])

    def _texts(self) -> list[tuple[str, str]]:
        """Everything but what a command may write: new files in the workspace."""
        files = (path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink())
        named = ((str(path.relative_to(self.folder)), path) for path in files)
        return [(name, path.read_text()) for name, path in named if name in _FILES or not _may_be_written(name)]


_FILES = {
    "file": INTACT,
    "home/.bashrc": INTACT,
    "home/.ssh/id": SECRET,
    "home/.netrc": SECRET,
    "state/journal": SECRET,
    "workspace/.git/config": "[core]\n\tbare = false\n",
    "workspace/.git/HEAD": "ref: refs/heads/main\n",
    "workspace/AGENTS.md": INTACT,
    "workspace/sub/.vscode/tasks.json": INTACT,
}


def _made_of(name: str) -> str | None:
    return _FILES.get(name)


def _may_be_written(name: str) -> bool:
    is_repository = name.startswith("workspace/.git/")
    return name.startswith("state/tmp/") or (name.startswith("workspace/") and not is_repository)


def _was_reached(listening: socket.socket) -> bool:
    try:
        if listening.type == socket.SOCK_DGRAM:
            return bool(listening.recv(1))
        listening.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def outside() -> Generator[Outside]:
    # Not below /tmp, where a confined command sees nothing of the world at all.
    with (
        tempfile.TemporaryDirectory(prefix="agent-lsp-test-", dir=Path.home()) as name,
        contextlib.ExitStack() as stack,
    ):
        folder = Path(name)
        for path, text in _FILES.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        victim = stack.enter_context(subprocess.Popen(["sleep", "600"], env={"KEY": SECRET}))
        stack.callback(victim.kill)
        made = Outside(folder, victim)
        for kind, address in _ADDRESSES.items():
            made.sockets[kind] = stack.enter_context(_listening(kind, address, folder))
        yield made


_ADDRESSES = {
    "tcp": ("127.0.0.1", 0),
    "udp": ("127.0.0.1", 0),
    "abstract": f"\0agent-lsp-test-{os.getpid()}",
    "unix": "socket",
    "unix in the workspace": "workspace/socket",
    "unix datagram": "datagram",
}


def _listening(kind: str, address: "str | tuple[str, int]", folder: Path) -> socket.socket:
    family = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
    made = socket.socket(family, socket.SOCK_DGRAM if kind in ("udp", "unix datagram") else socket.SOCK_STREAM)
    made.bind(str(folder / address) if isinstance(address, str) and not address.startswith("\0") else address)
    if made.type == socket.SOCK_STREAM:
        made.listen()
    made.setblocking(False)
    return made
