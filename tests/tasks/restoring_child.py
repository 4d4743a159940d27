"""Restores a workspace, and is killed at one of its deeds on the disk: `restoring_child.py FOLDER CHECKPOINT DEED`."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from restoring_site import TASK, Desk

DEEDS = frozenset(("os.rename", "os.remove", "os.link", "os.symlink", "os.chmod", "os.mkdir", "os.rmdir"))


def main(folder: Path, checkpoint: str, last: int) -> None:
    deeds = 0

    def count(event: str, _: object) -> None:
        nonlocal deeds
        if event not in DEEDS:
            return
        deeds += 1
        if deeds == last:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    asyncio.run(Desk.at(folder).kept.restore(TASK, checkpoint))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
