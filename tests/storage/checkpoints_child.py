"""Takes or packs checkpoints in a process of its own, and kills itself before the n-th step that changes the disk."""

import asyncio
import os
import signal
import sys
from itertools import count
from pathlib import Path

from checkpoints_site import Workshop

from agent_lsp.domain.checkpoints import Reason
from agent_lsp.storage.checkpoints_packing import Bounds, pack

CHANGING = {"os.rename", "os.remove", "os.mkdir", "subprocess.Popen"}


def kill_before(step: int) -> None:
    steps = count(1)

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        is_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if (event in CHANGING or is_write) and next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


async def take(shop: Workshop, step: int) -> None:
    store = shop.store()
    kill_before(step)
    await store.take("t1", Reason.CHANGE, {})
    await store.close()


def main(root: str, state: str, work: str, step: int) -> None:
    shop = Workshop(Path(root), Path(state))
    if work == "take":
        asyncio.run(take(shop, step))
        return
    git = shop.store()._packing_git
    kill_before(step)
    pack(git, 60, Bounds(entries=3))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
