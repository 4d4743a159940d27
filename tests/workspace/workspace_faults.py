"""A program that changes files over and over, one system call failing each time, and says how the files stood.

Called with an empty folder; prints one JSON line for each fault, and one for the run without any.
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

FAULTS = (errno.ENOSPC, errno.EIO)


def main(base: Path) -> None:
    for fault in FAULTS:
        calls, was_hit = 0, True
        while was_hit:
            shutil.rmtree(base)
            make(base)
            outcome, was_hit = failing(calls, fault, base)
            folders = sorted(str(path.relative_to(base / "W")) for path in (base / "W").rglob("*") if path.is_dir())
            run = {"call": calls, "fault": errno.errorcode[fault], "was_hit": was_hit, "outcome": outcome}
            print(json.dumps({**run, "left": tree(base / "W"), "folders": folders}))
            calls += 1


def failing(number: int, fault: int, base: Path) -> tuple[str, bool]:
    """Change the files while the call with this number fails; the outcome's name, and whether there was such a call."""
    left = [number]

    def counting(call: Callable[..., Any]) -> Callable[..., Any]:  # Any: whatever the calls of the system take.
        def counted(*arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise OSError(fault, os.strerror(fault))
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
    main(Path(sys.argv[1]))
