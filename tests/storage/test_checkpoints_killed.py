"""A process that is killed before any of its steps leaves a store in which nothing is missing, and no rubbish for long."""

import asyncio
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from checkpoints_site import Workshop

from agent_lsp.domain.checkpoints import Altered, Checkpoint, FileState, Reason

CHILD = Path(__file__).with_name("checkpoints_child.py")
MOST_STEPS = 200


def is_killed(shop: Workshop, work: str, step: int) -> bool:
    done = subprocess.run(
        [sys.executable, str(CHILD), str(shop.root), str(shop.state), work, str(step)], check=False, timeout=60
    )
    assert done.returncode in {0, -signal.SIGKILL}
    return done.returncode != 0


async def prepared(shop: Workshop, number: int) -> list[Checkpoint]:
    """A store with that many checkpoints, one number in each."""
    if not number:
        return []
    store, path = shop.store(), shop.write("a", "")
    shop.write("same/b", "b")
    taken = list[Checkpoint]()
    for each in range(number):
        path.write_text(f"{each}\n")
        taken.append(await store.take("t1", Reason.CHANGE, {}))
    await store.close()
    return taken


def copied(original: Workshop, folder: Path) -> Workshop:
    """The same store for the same workspace, to be harmed."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original.state, folder)
    return Workshop(original.root, folder)


async def check(shop: Workshop, taken: list[Checkpoint], kept: int) -> None:
    """All that were taken are there, or the newest that are to be kept, whole; and it goes on."""
    store, path = shop.store(), shop.root / "a"
    now = await store.take("t2", Reason.CHANGE, {})
    listed = tuple(each for each in await store.checkpoints("t1") if each in taken)

    assert listed in {tuple(taken), tuple(taken[len(taken) - kept :])}
    for checkpoint in listed:
        assert (await store.compare(checkpoint, now)).altered == {
            path: Altered(FileState(b"%d\n" % taken.index(checkpoint)), FileState(b"last\n"))
        }
    await store.close()
    assert (shop.complaints(), shop.rubbish()) == ("", [])


WORK = {
    "the first checkpoint of a workspace": ("take", 0),
    "one more checkpoint": ("take", 3),
    "packing, and letting go of the oldest": ("pack", 4),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("work", "number"), WORK.values(), ids=WORK)
def test_kill_before_any_step_loses_nothing(tmp_path: Path, work: str, number: int) -> None:
    original = Workshop.made(tmp_path)
    taken = asyncio.run(prepared(original, number))
    original.write("a", "last\n")
    step, was_killed = 0, True
    while was_killed:
        step += 1
        shop = copied(original, tmp_path / "harmed")
        was_killed = is_killed(shop, work, step)

        asyncio.run(check(shop, taken, 2))
    assert 10 < step < MOST_STEPS
