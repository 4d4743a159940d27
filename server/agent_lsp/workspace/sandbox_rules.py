"""Writing the rules that `sandbox_landlock.py` holds a command to: what it may read, list and write.

Landlock can only allow. What is not to be read is left out, by allowing all that stands beside it. In a folder of the
workspace that holds such things, the home for one, nothing new can therefore be made.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agent_lsp.workspace.commands_launch import Launch
from agent_lsp.workspace.sandbox_places import Confines

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


def landlocked(confines: Confines, launch: Launch) -> Launch:
    """Have the keeper hold the command before it starts it."""
    hidden = (*confines.hidden_folders, *confines.hidden_files)
    rules = (
        "l/",
        *(f"r{path}" for path in _beside(Path("/"), hidden)),
        *(f"w{path}" for root in confines.writable for path in _beside(root, _below(root, hidden))),
        f"w{confines.temporary}",
        *(f"u/dev/{name}" for name in _DEVICES),
    )
    return replace(launch, rules=rules, environment={**launch.environment, **_variables(launch, confines.temporary)})


def _below(folder: Path, paths: Sequence[Path]) -> list[Path]:
    return [path for path in paths if folder in path.parents]


def _beside(folder: Path, hidden: Sequence[Path]) -> Iterator[Path]:
    """The paths that together hold all of a folder but what is hidden."""
    if folder in hidden:
        return
    below = _below(folder, hidden)
    if not below:
        yield folder
        return
    for path in _entries(folder):
        yield from _beside(path, below)


def _entries(folder: Path) -> list[Path]:
    try:
        return [path for path in sorted(folder.iterdir()) if not path.is_symlink()]
    except OSError:
        return []  # Not ours to read, and so not the command's.


def _variables(launch: Launch, temporary: Path) -> Mapping[str, str]:
    named = [name for name in ("TMPDIR", "TMP", "TEMP") if name == "TMPDIR" or name in launch.environment]
    return {**dict.fromkeys(named, str(temporary)), "XDG_CACHE_HOME": str(temporary / ".cache")}
