"""Keeping the room small that checkpoints take: many packs become one, and what no task needs is given back.

All that is to stay is copied first, while others go on; only then, for a moment alone, the old files are deleted.
Whenever that is interrupted, nothing is missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.storage.checkpoints_objects import write_whole
from agent_lsp.storage.checkpoints_room import (
    TASKS,
    alone,
    begin_epoch,
    delete_ref,
    is_there,
    packing,
    refs,
    shared,
    task_ref,
)
from agent_lsp.storage.git import Git
from agent_lsp.storage.problems import storage_problem

_BYTES_FOR_ANOTHER = 5_000_000
"""The more there is to be copied, the more packs may gather first."""

_SHALLOW = "shallow"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What checkpoints of one workspace may take. Beyond that the oldest ones go, a quarter at a time."""

    entries: int = 5_000
    """Of one task: checkpoints, and changes noted between them."""
    size: int = 1_000_000_000
    """Of all packs together, in bytes."""
    packs: int = 200
    """That many may gather before they become one."""


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    seconds: int


def is_packing_due(folder: Path, bounds: Bounds) -> bool:
    packs = _packs(folder)
    if len(packs) > bounds.packs and len(packs) > bounds.packs + _size(packs) // _BYTES_FOR_ANOTHER:
        return True
    # Packed again for each little, a store whose newest entry alone is too large would never rest.
    added = _size(packs) - max(map(_size_of, packs), default=0)
    return _size(packs) > bounds.size and added > bounds.size // 4


def pack(git: Git, seconds: float, bounds: Bounds) -> None:
    """Pack all that is needed and delete all that is not; nothing where another server is at it."""
    try:
        with packing(git.folder):
            _pack(git, seconds)
            while _cut(git, seconds, bounds):
                _pack(git, seconds)
    except BlockingIOError:
        return
    except OSError as error:
        raise storage_problem("The checkpoints cannot be packed", git.folder, error) from error


def forget(git: Git, task_id: str, seconds: float, bounds: Bounds | None = None) -> None:
    """Delete a task's checkpoints, and give back the room they take."""
    if not is_there(git.folder):
        return
    try:
        with shared(git.folder):
            was_there = delete_ref(git.folder, task_ref(task_id))
    except OSError as error:
        raise storage_problem("The checkpoints cannot be deleted", git.folder, error) from error
    if was_there:
        pack(git, seconds, bounds or Bounds())


def _pack(git: Git, seconds: float) -> None:
    old, tips = _packs(git.folder), set(refs(git.folder).values())
    made = _packed(git, tips, (), seconds)
    with alone(git.folder):
        # Whatever was written meanwhile may rely on something that was not needed before.
        now = set(refs(git.folder).values())
        made |= _packed(git, now - tips, tips, seconds)
        begin_epoch(git.folder)
        _delete([path for path in old if path.stem not in made])


def _packed(git: Git, tips: Iterable[str], known: Iterable[str], seconds: float) -> set[str]:
    """Copy all that these tips need and the known ones do not; the names of the packs."""
    wanted = _list_of(tips)
    if not wanted:
        return set()
    options = ("--revs", "--non-empty", "--quiet", "--threads=1", "--delta-base-offset", "objects/pack/pack")
    said = git.run("pack-objects", *options, stdin=wanted + _list_of(known, "^"), seconds=seconds)
    return {f"pack-{name}" for name in said.decode().split()}


def _delete(packs: Iterable[Path]) -> None:
    for path in packs:
        # Without its index a pack is not looked into any more.
        for suffix in (".idx", ".rev", ".pack"):
            path.with_suffix(suffix).unlink(missing_ok=True)


def _cut(git: Git, seconds: float, bounds: Bounds) -> bool:
    """Let go of the oldest entries where there are too many, or they are too large. Whether there were any."""
    chains = _chains(git, seconds)
    oldest = _oldest_to_keep(git.folder, chains, bounds)
    firsts = [_first_kept(chain, oldest, bounds) for chain in chains]
    if not any(firsts):
        return False
    # To git, a commit named there has no parents.
    known = _lines(git.folder / _SHALLOW) & {entry.id for chain in chains for entry in chain}
    edges = known | {chain[first].id for chain, first in zip(chains, firsts, strict=True) if first}
    with alone(git.folder):
        write_whole(git.folder, git.folder / _SHALLOW, "".join(f"{edge}\n" for edge in sorted(edges)).encode())
    return True


def _oldest_to_keep(folder: Path, chains: Iterable[Sequence[_Entry]], bounds: Bounds) -> int:
    """The second before which all is let go, where the packs are too large; 0 where they are not."""
    size = _size(_packs(folder))
    seconds = sorted(entry.seconds for chain in chains for entry in chain)
    return seconds[len(seconds) // 4] + 1 if size > bounds.size and seconds else 0


def _first_kept(chain: Sequence[_Entry], oldest: int, bounds: Bounds) -> int:
    """The position of the first entry of a task that stays: the last one does, at least."""
    by_count = len(chain) - bounds.entries * 3 // 4 if len(chain) > bounds.entries else 0
    by_age = next((at for at, entry in enumerate(chain) if entry.seconds >= oldest), len(chain))
    return min(max(by_count, by_age), len(chain) - 1)


def _chains(git: Git, seconds: float) -> list[list[_Entry]]:
    """The entries of each task, the oldest first."""
    tips = [tip for ref, tip in refs(git.folder).items() if ref.startswith(TASKS)]
    said = git.run("rev-list", "--timestamp", "--parents", "--stdin", stdin=_list_of(tips), seconds=seconds)
    entries = dict[str, tuple[_Entry, str | None]]()
    for line in said.decode().splitlines() if tips else ():
        time, name, *parents = line.split()
        entries[name] = _Entry(name, int(time)), parents[0] if parents else None
    return [_chain(tip, entries) for tip in tips]


def _chain(tip: str, entries: Mapping[str, tuple[_Entry, str | None]]) -> list[_Entry]:
    chain, name = list[_Entry](), tip
    while name:
        entry, name = entries[name]
        chain.append(entry)
    return chain[::-1]


def _list_of(names: Iterable[str], mark: str = "") -> bytes:
    return "".join(f"{mark}{name}\n" for name in names).encode()


def _lines(path: Path) -> set[str]:
    try:
        return set(path.read_text("ascii").split())
    except FileNotFoundError:
        return set()


def _packs(folder: Path) -> list[Path]:
    return list((folder / "objects" / "pack").glob("pack-*.pack"))


def _size(packs: Iterable[Path]) -> int:
    return sum(map(_size_of, packs))


def _size_of(pack: Path) -> int:
    return pack.stat().st_size
