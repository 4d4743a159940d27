"""What a confined command may write, what of that is held back, and what it does not see: found anew for each command.

How a system enforces it is the business of `sandbox_bubblewrap.py` and `sandbox_landlock.py`.
"""

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.workspace.protected import is_protected

HELD_LIMIT = 200
WALK_LIMIT = 5_000
"""Entries of a root that are looked at for protected names, the nearest first: some 20 ms, in a thread."""
_KEYS = (
    *(".ssh", ".gnupg", ".pki", ".password-store", ".local/share/keyrings", ".netrc", ".pgpass", ".my.cnf"),
    *(".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub"),
    *(".aws", ".azure", ".config/gcloud", ".oci", ".kube", ".docker", ".config/containers", ".vault-token"),
    *(".terraform.d", ".terraformrc", ".databrickscfg", ".config/rclone", ".config/op", ".config/doctl", ".s3cfg"),
    *(".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"),
    *(".composer/auth.json", ".config/composer/auth.json", ".m2/settings.xml", ".gradle/gradle.properties"),
    *(".huggingface", ".cache/huggingface/token", ".claude", ".claude.json", ".codex", ".gemini"),
    *(".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"),
)
_UNWALKED = frozenset(("node_modules", ".venv", "venv", "__pycache__", "target", ".tox"))
"""Full of files that others wrote, and that nobody opens as a workspace."""
_SOCKETS = Path("/proc/net/unix")
_PATH_COLUMN = 7


@dataclass(frozen=True, slots=True)
class Own:
    """Places that are the same for all commands of a task: the user's home, the program's own folders, the scratch."""

    home: Path
    private: tuple[Path, ...]
    temporary: Path
    """A folder of the task that its confined commands see as the one for temporary files."""


@dataclass(frozen=True, slots=True)
class Confines:
    """Paths that exist, links followed. Of two that hold for a file, the deeper one counts."""

    writable: tuple[Path, ...]
    temporary: Path
    held: tuple[Path, ...] = ()
    """Protected, within what is writable."""
    hidden_folders: tuple[Path, ...] = ()
    hidden_files: tuple[Path, ...] = ()
    sockets: tuple[Path, ...] = ()
    """Of programs outside, which listen there."""


def find_confines(roots: Sequence[Path], own: Own) -> Confines:
    """Look at the disk as it is now."""
    own.temporary.mkdir(mode=0o700, parents=True, exist_ok=True)
    writable = tuple(dict.fromkeys(root.resolve() for root in roots if root.is_dir()))
    hidden = [found for path in (*own.private, *(own.home / name for name in _KEYS)) if (found := _existing(path))]
    return Confines(
        writable,
        own.temporary.resolve(),
        tuple(path for root in writable for path in find_held(root)),
        tuple(path for path, is_folder in hidden if is_folder),
        tuple(path for path, is_folder in hidden if not is_folder),
        tuple(_sockets()),
    )


def find_held(root: Path) -> list[Path]:
    """The protected names below a root that lie nearest to it. What they hold is held with them."""
    found: list[str] = []
    waiting = deque([(str(root), "")])
    room = WALK_LIMIT
    while waiting and room > 0 and len(found) < HELD_LIMIT:
        folder, name = waiting.popleft()
        entries = _entries(folder)
        room -= len(entries)
        found += (entry.path for entry in entries if is_protected((name, entry.name)))
        waiting += ((entry.path, entry.name) for entry in entries if _is_walked(entry))
    return [
        path for name in found[:HELD_LIMIT] if (path := Path(name).resolve()).is_relative_to(root) and path.exists()
    ]


def _is_walked(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) and entry.name not in _UNWALKED and not is_protected((entry.name,))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []  # Gone meanwhile, or not ours to read, and so not the command's.


def _existing(path: Path) -> tuple[Path, bool] | None:
    try:
        real = path.resolve(strict=True)
        return real, stat.S_ISDIR(real.stat().st_mode)
    except (OSError, RuntimeError):
        return None


def _sockets() -> Iterator[Path]:
    """Sockets that programs outside listen on: one may be asked through them to do what a command may not."""
    for name in sorted(_socket_names()):
        found = _existing(Path(name))
        if found and stat.S_ISSOCK(found[0].stat().st_mode):
            yield found[0]


def _socket_names() -> set[str]:
    try:
        lines = _SOCKETS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return set()
    return set(_paths(line.split(None, _PATH_COLUMN) for line in lines))


def _paths(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from (row[_PATH_COLUMN] for row in rows if len(row) > _PATH_COLUMN and row[_PATH_COLUMN].startswith("/"))
