import asyncio
import os
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from checkpoints_site import GIT, Workshop

from agent_lsp.domain.checkpoints import Altered, Checkpoint, FileState, Reason
from agent_lsp.storage.checkpoints import Checkpoints
from agent_lsp.storage.checkpoints_packing import Bounds, is_packing_due, pack
from agent_lsp.storage.checkpoints_room import packing
from agent_lsp.storage.git import EMPTY_TREE, Git


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop.made(tmp_path)


async def taken(store: Checkpoints, path: Path, number: int, task_id: str = "t1") -> list[Checkpoint]:
    """That many checkpoints, each with its number in a file."""
    found = list[Checkpoint]()
    for each in range(number):
        write(path, each)
        found.append(await store.take(task_id, Reason.CHANGE, {}))
    return found


def write(path: Path, number: int) -> None:
    path.write_text(f"{number}\n")


async def contents(store: Checkpoints, path: Path, checkpoints: list[Checkpoint]) -> list[bytes]:
    """What the file has in each checkpoint, by way of one that never has it."""
    differences = [await store.compare(replace(each, tree=EMPTY_TREE), each) for each in checkpoints]
    return [state.content for each in differences if (state := each.altered[path].after)]


@dataclass(frozen=True)
class PausingGit:
    """Git that waits after it packed for the first time, until a pipe is closed."""

    program: Path
    pipe: Path

    @staticmethod
    def made(shop: Workshop) -> "PausingGit":
        pipe, program = shop.state / "pipe", shop.state / "git"
        os.mkfifo(pipe)
        wait = f'*pack-objects*) {GIT} "$@" || exit; if [ -p {pipe} ]; then exec cat {pipe}; fi ;;'
        program.write_text(f'#!/bin/sh\ncase "$*" in\n{wait}\n*) exec {GIT} "$@" ;;\nesac\n')
        program.chmod(0o755)
        return PausingGit(program, pipe)

    @asynccontextmanager
    async def paused(self) -> AsyncGenerator[None]:
        with await asyncio.to_thread(self.pipe.open, "w"):  # Returns once there is a reader.
            self.pipe.unlink()
            yield


def run_pack(shop: Workshop, bounds: Bounds | None = None) -> None:
    pack(Git(GIT, shop.site.folder), 60, bounds or Bounds())


@pytest.mark.timeout(300)
async def test_two_thousand_checkpoints_take_little_room_and_are_all_there(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("pkg/a.py", "")
    for number in range(50):
        shop.write(f"pkg/{number}.bin", random.Random(number).randbytes(1_000))

    kept = await taken(store, path, 2_000)
    await store.close()
    asked = random.Random(7).sample(range(2_000), 40)

    files = shop.stored()
    assert len(files) < 1_000
    assert sum(file.stat().st_size for file in files) < 3_000_000
    assert await store.checkpoints("t1") == tuple(kept)
    assert await contents(store, path, [kept[each] for each in asked]) == [b"%d\n" % each for each in asked]


async def test_packing_changes_nothing_but_the_number_of_files(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")
    kept = await taken(store, path, 20)
    before = len(shop.packs())

    run_pack(shop)

    assert (before, len(shop.packs())) == (20, 1)
    assert await contents(store, path, kept) == [b"%d\n" % each for each in range(20)]
    assert shop.complaints() == ""


async def test_packing_twice_is_as_good_as_once(shop: Workshop) -> None:
    await taken(shop.store(), shop.write("a", ""), 3)
    run_pack(shop)
    once = sorted(shop.packs())

    run_pack(shop)

    assert sorted(shop.packs()) == once


async def test_packing_is_due_by_the_number_of_packs(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")

    await taken(store, path, 5)
    assert not is_packing_due(shop.site.folder, Bounds(packs=5))
    await taken(store, path, 1)
    assert is_packing_due(shop.site.folder, Bounds(packs=5))


async def test_few_large_packs_are_packed_once_they_take_too_much_and_then_not_for_little(shop: Workshop) -> None:
    store, path, bounds = shop.store(), shop.write("a", ""), Bounds(size=450_000)

    async def keep(first: int, end: int) -> bool:
        for number in range(first, end):
            path.write_bytes(random.Random(number).randbytes(100_000))
            await store.take("t1", Reason.CHANGE, {})
        return is_packing_due(shop.site.folder, bounds)

    assert [await keep(0, 4), await keep(4, 6)] == [False, True]
    run_pack(shop, bounds)
    assert [await keep(6, 7), await keep(7, 12)] == [False, True]


async def test_newest_checkpoint_that_is_too_large_alone_is_not_packed_again_and_again(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", b"")
    path.write_bytes(random.Random(0).randbytes(600_000))
    await taken(store, shop.write("b", ""), 3)
    run_pack(shop, Bounds(size=450_000))

    await taken(store, shop.write("b", ""), 3)

    assert not is_packing_due(shop.site.folder, Bounds(size=450_000))


async def test_oldest_entries_of_a_task_go_first(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")
    kept = await taken(store, path, 9)
    other = await taken(store, path, 2, "t2")

    run_pack(shop, Bounds(entries=8))

    assert await store.checkpoints("t1") == tuple(kept[-6:])
    assert await store.checkpoints("t2") == tuple(other)
    assert await contents(store, path, kept[-6:]) == [b"%d\n" % each for each in range(3, 9)]
    assert shop.complaints() == ""


async def test_what_is_cut_off_once_stays_off(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")
    kept = await taken(store, path, 9)
    run_pack(shop, Bounds(entries=8))
    kept += await taken(store, path, 4)

    run_pack(shop, Bounds(entries=8))

    assert await store.checkpoints("t1") == tuple(kept[-6:])
    assert shop.complaints() == ""


async def test_store_that_is_too_large_loses_the_oldest_until_it_is_not(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")
    for number in range(8):
        path.write_bytes(random.Random(number).randbytes(100_000))
        await store.take("t1", Reason.CHANGE, {})
    newest = (await store.checkpoints("t1"))[-1]

    run_pack(shop, Bounds(size=450_000))

    assert sum(file.stat().st_size for file in shop.stored()) < 460_000
    assert (await store.checkpoints("t1"))[-1] == newest


async def test_next_checkpoint_after_a_cut_goes_on_with_the_chain(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")
    kept = await taken(store, path, 9)
    run_pack(shop, Bounds(entries=8))
    path.write_text("new\n")

    new = await store.take("t1", Reason.CHANGE, {})

    assert await store.checkpoints("t1") == (*kept[-6:], new)
    assert (await store.compare(kept[-1], new)).altered == {path: Altered(FileState(b"8\n"), FileState(b"new\n"))}


async def test_only_one_packs_at_a_time(shop: Workshop) -> None:
    await taken(shop.store(), shop.write("a", ""), 3)
    with packing(shop.site.folder):
        run_pack(shop)

    assert len(shop.packs()) == 3


async def test_checkpoints_taken_while_another_server_packs_are_whole(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")
    await taken(store, path, 30)

    async def pack_on() -> None:
        for _ in range(6):
            await asyncio.to_thread(run_pack, shop)

    packer = asyncio.create_task(pack_on())
    kept = await taken(store, path, 60)
    await packer

    assert await contents(store, path, kept) == [b"%d\n" % each for each in range(60)]
    assert shop.complaints() == ""


async def test_what_comes_back_while_objects_are_cleared_away_is_kept(shop: Workshop) -> None:
    git, path = PausingGit.made(shop), shop.write("a", "")
    first, second = Checkpoints(replace(shop.site, git=git.program)), shop.store()
    await taken(second, path, 1, "gone")
    path.write_text("other\n")
    await first.take("t1", Reason.CHANGE, {})

    clearing = asyncio.create_task(first.forget("gone"))
    async with git.paused():
        back = await taken(second, path, 1, "t2")
    await clearing

    assert await contents(second, path, back) == [b"0\n"]
    assert shop.complaints() == ""


async def test_turn_does_not_wait_for_packing(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")
    await taken(store, path, 3)
    with packing(shop.site.folder):
        await taken(store, path, 3)

    assert len(await store.checkpoints("t1")) == 6


async def test_server_that_ends_stops_packing(shop: Workshop) -> None:
    git, path = PausingGit.made(shop), shop.write("a", "")
    store = Checkpoints(replace(shop.site, git=git.program), bounds=Bounds(packs=0))
    kept = await taken(store, path, 1)

    async with git.paused():
        store.give_up()
        await store.close()

    assert await shop.store().checkpoints("t1") == tuple(kept)


async def test_task_deleted_while_its_store_is_packed_gives_its_room_back(shop: Workshop) -> None:
    git, path = PausingGit.made(shop), shop.write("a", "")
    store = Checkpoints(replace(shop.site, git=git.program), bounds=Bounds(packs=0))
    path.write_bytes(os.urandom(1_000_000))
    await store.take("t1", Reason.CHANGE, {})
    path.write_text("small")

    async with git.paused():
        await store.take("t2", Reason.CHANGE, {})
        forgetting = asyncio.create_task(store.forget("t1"))
    await forgetting

    assert sum(file.stat().st_size for file in shop.stored()) < 20_000


async def test_room_of_a_deleted_task_is_given_back_at_once(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "")
    path.write_bytes(os.urandom(1_000_000))
    await store.take("t1", Reason.CHANGE, {})
    path.write_text("small")
    await store.take("t2", Reason.CHANGE, {})

    await store.forget("t1")

    assert sum(file.stat().st_size for file in shop.stored()) < 20_000
    assert shop.complaints() == ""
