"""A program that changes files over and over, something happening at one system call each time, and says how they stood.

Called with an empty folder and what is to happen (the name of an error, or `swap`); prints one JSON line for each time, the last for nothing happening.
"""

import asyncio
import errno
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workspace_kills import CHANGING, change, make, tree

Happening = Callable[[Path], None]


def main(base: Path, happening: Happening) -> None:
    calls, was_hit = 0, True
    while was_hit:
        shutil.rmtree(base)
        make(base)
        shutil.copytree(base / "W", base / "O")
        outcome, was_hit = with_happening(calls, happening, base)
        print(json.dumps({"call": calls, "was_hit": was_hit, "outcome": outcome, **standing(base)}))
        calls += 1


def failing(number: int) -> Happening:
    def fail(base: Path) -> None:
        raise OSError(number, os.strerror(number), str(base))

    return fail


def swapped(base: Path) -> None:
    """Put a link to another folder in the place of the one that is worked in."""
    (base / "W").rename(base / "kept")
    (base / "W").symlink_to(base / "O")


def standing(base: Path) -> dict[str, object]:
    root = base / "kept" if (base / "kept").exists() else base / "W"
    folders = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir())
    return {"left": tree(root), "folders": folders, "outside": tree(base / "O")}


def with_happening(number: int, happening: Happening, base: Path) -> tuple[str, bool]:
    """Change the files while something happens at the call with this number: the outcome, and if it came to that."""
    left = [number]

    def counting(call: Callable[..., Any]) -> Callable[..., Any]:  # Any: whatever the calls of the system take.
        def counted(*arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                happening(base)
            return call(*arguments, **named)

        return counted

    whole = {name: getattr(os, name) for name in CHANGING}
    for name, call in whole.items():
        setattr(os, name, counting(call))
    try:
        return type(asyncio.run(change(base))).__name__, left[0] < 0
    finally:
        for name, call in whole.items():
            setattr(os, name, call)


if __name__ == "__main__":
    main(Path(sys.argv[1]), swapped if sys.argv[2] == "swap" else failing(getattr(errno, sys.argv[2])))
