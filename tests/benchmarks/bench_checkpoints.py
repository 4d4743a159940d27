"""Checkpoints of 5,000 files against `git stash create`-like plumbing: `python tests/benchmarks/bench_checkpoints.py`."""

import asyncio
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.checkpoints import Checkpoint, Reason
from agent_lsp.storage.checkpoints import Checkpoints, Site

GIT = Path(shutil.which("git") or "/usr/bin/git")
ROUNDS = 7


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder, "project"), Path(folder, "state")
        state.mkdir()
        files = make_project(root, count)
        size = sum(path.stat().st_size for path in files) / 1e6
        print(f"{count} files, {size:.1f} MB")
        plumbing = Plumbing(root, Path(folder, "floor"))
        own = Own(root, state)
        for name, change in (("first", 0), ("after 1 file", 1), ("after 5 files", 5), ("unchanged", 0)):
            floor, ours = list[Cost](), list[Cost]()
            for _ in range(1 if name == "first" else ROUNDS):
                touch(files, change)
                floor.append(timed(plumbing.take))
                ours.append(timed(own.take))
            report(name, floor, ours)
        print(f"on the disk: floor {size_of(plumbing.folder):.1f} MB, ours {size_of(state):.1f} MB")


class Plumbing:
    """What git itself does for such a commit, with one index kept from time to time."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        self._root = root
        self._environment = {
            "PATH": os.environ["PATH"],
            "GIT_DIR": str(folder),
            "GIT_WORK_TREE": str(root),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        self._run("init", "-q")

    def take(self) -> None:
        self._run("add", "-A", ".")
        self._run("commit-tree", self._run("write-tree"), "-m", "checkpoint")

    def _run(self, *arguments: str) -> str:
        command = [str(GIT), "-c", "core.fsync=none", "-c", "core.compression=1", *arguments]
        done = subprocess.run(
            command, env=self._environment, cwd=self._root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()


class Own:
    """Ours, as a server runs it."""

    def __init__(self, root: Path, state: Path) -> None:
        self._store = Checkpoints(Site((root,), state, GIT), seconds=120)

    def take(self) -> Checkpoint:
        return asyncio.run(self._store.take("task", Reason.CHANGE, {}))


def make_project(root: Path, count: int) -> list[Path]:
    chance = random.Random(3)
    paths = [root / f"pkg{i % 50}" / f"sub{i % 7}" / f"f{i}.py" for i in range(count)]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = chance.randint(20, 200)
        path.write_text("".join(f"x{line} = {chance.random()}\n" for line in range(lines)))
    return paths


def touch(files: list[Path], count: int) -> None:
    for path in random.Random(time.time_ns()).sample(files, count):
        with path.open("a") as file:
            file.write("# edit\n")


@dataclass(frozen=True)
class Cost:
    """Milliseconds on the clock, and of computing, by this process and those it started."""

    wall: float
    cpu: float


def timed(take: Callable[[], object]) -> Cost:
    start, before = time.perf_counter(), cpu_seconds()
    take()
    return Cost((time.perf_counter() - start) * 1e3, (cpu_seconds() - before) * 1e3)


def cpu_seconds() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def report(name: str, floor: list[Cost], ours: list[Cost]) -> None:
    for what in ("wall", "cpu"):
        least, taken = (statistics.median(getattr(cost, what) for cost in costs) for costs in (floor, ours))
        print(f"{name:14} {what:4} floor {least:7.0f} ms   ours {taken:7.0f} ms   ratio {taken / least:.2f}")


def size_of(folder: Path) -> float:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
