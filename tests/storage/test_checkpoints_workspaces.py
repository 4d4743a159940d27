"""Workspaces as they come: whatever lies in them is kept byte for byte, or named as left out."""

import asyncio
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from checkpoints_site import GIT, Workshop

from agent_lsp.domain.checkpoints import Altered, Checkpoint, Difference, FileState, Reason
from agent_lsp.storage.checkpoints import Checkpoints, Site
from agent_lsp.storage.git import EMPTY_TREE


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop.made(tmp_path)


async def kept(shop: Workshop, make: Callable[[Workshop], object]) -> Difference:
    """What a checkpoint has of what was made, compared with the empty workspace before."""
    store = shop.store()
    empty = await store.take("t1", Reason.MESSAGE, {})
    make(shop)
    return await store.compare(empty, await store.take("t1", Reason.MESSAGE, {}))


def states(difference: Difference) -> dict[Path, FileState | None]:
    return {path: altered.after for path, altered in difference.altered.items()}


NAMES = [
    b"-rf",
    b"--help",
    b"trailing ",
    b" ",
    b"a\nb",
    b"\n",
    b'"',
    b"\\",
    b"\xc3\x28",
    b"\x01\x7f",
    b"x" * 255,
    b":(glob)*",
    b"~",
    b"HEAD",
    b"index",
    b".gitignore",
    b".gitmodules",
    b"CON",
    "e\u0301".encode(),
    "é".encode(),
    b"Case",
    b"case",
    b"a",
    b"a.b",
    b"a-b",
    b"..x",
]


async def test_every_name_is_kept_at_every_depth(shop: Workshop) -> None:
    def make(shop: Workshop) -> None:
        for name in NAMES:
            shop.write(name, name)
            shop.write(b"folder " + name[:200] + b"/" + name, b"inner")

    assert states(await kept(shop, make)) == shop.tree()


async def test_path_deeper_than_any_recursion_is_kept(shop: Workshop) -> None:
    depth = (4_000 - len(os.fsencode(shop.root))) // 2
    folder = shop.root.joinpath(*("d" * depth))
    in_shell("mkdir", "-p", folder)

    difference = await kept(shop, lambda _: folder.joinpath("f").write_bytes(b"deep"))
    in_shell("rm", "-rf", shop.root / "d")  # Python's own way is recursive.

    assert states(difference) == {folder / "f": FileState(b"deep")}


def in_shell(*arguments: str | Path) -> None:
    subprocess.run(arguments, check=True)


async def test_case_of_a_name_that_changes_is_a_change(shop: Workshop) -> None:
    store = shop.store()
    old = shop.write("readme", "text")
    first = await store.take("t1", Reason.MESSAGE, {})
    new = old.rename(shop.root / "README")

    difference = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))

    text = FileState(b"text")
    assert difference.altered == {old: Altered(text, None), new: Altered(None, text)}


def special(shop: Workshop) -> None:
    os.mkfifo(shop.root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(shop.root)  # A socket's name has to be short.
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
    shop.write("file", "f")
    (shop.root / "empty/folders").mkdir(parents=True)


async def test_pipes_and_sockets_are_named_and_not_read(shop: Workshop) -> None:
    difference = await kept(shop, special)

    assert difference == Difference(
        {shop.root / "file": Altered(None, FileState(b"f"))}, (shop.root / "pipe", shop.root / "socket")
    )


async def test_links_are_kept_and_never_followed(shop: Workshop, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s")

    def make(shop: Workshop) -> None:
        (shop.root / "out").symlink_to(outside)
        (shop.root / "file").symlink_to(outside / "secret")
        (shop.root / "loop").symlink_to("loop")
        (shop.root / "up").symlink_to("..")
        (shop.root / "odd").symlink_to(os.fsdecode(b"\xff\n"))

    assert states(await kept(shop, make)) == {
        shop.root / "out": FileState(os.fsencode(outside), is_link=True),
        shop.root / "file": FileState(os.fsencode(outside / "secret"), is_link=True),
        shop.root / "loop": FileState(b"loop", is_link=True),
        shop.root / "up": FileState(b"..", is_link=True),
        shop.root / "odd": FileState(b"\xff\n", is_link=True),
    }


@pytest.mark.parametrize("mode", [0o400, 0o444, 0o600, 0o644, 0o664, 0o700, 0o755, 0o777, 0o4755, 0o2644])
async def test_permissions_come_back(shop: Workshop, mode: int) -> None:
    difference = await kept(shop, lambda shop: shop.write("a", "x").chmod(mode))

    assert states(difference) == {shop.root / "a": FileState(b"x", permissions=mode)}


@pytest.mark.parametrize("size", [0, 1, 65_536, 1_000_001, 4_999_999, 5_000_000])
async def test_binary_files_are_kept_up_to_a_size(shop: Workshop, size: int) -> None:
    content = random.Random(size).randbytes(size)

    assert states(await kept(shop, lambda shop: shop.write("a", content))) == {shop.root / "a": FileState(content)}


def submodules(shop: Workshop) -> None:
    shop.write("sub/.git", "gitdir: ../.git/modules/sub\n")
    shop.write("sub/code.c", "int x;\n")
    shop.write("vendored/.git/HEAD", "ref: refs/heads/main\n")
    shop.write("vendored/.git/config", "[core]\n\tbare = false\n")
    shop.write("vendored/inner/.git/HEAD", "garbage")
    shop.write("vendored/inner/a", "a")
    shop.write(".gitmodules", '[submodule "sub"]\n')
    shop.write("bare.git/HEAD", "ref: refs/heads/main\n")


async def test_files_of_repositories_within_are_kept_and_their_git_is_left_alone(shop: Workshop) -> None:
    difference = await kept(shop, submodules)

    assert sorted(str(path.relative_to(shop.root)) for path in difference.altered) == [
        ".gitmodules",
        "bare.git/HEAD",
        "sub/code.c",
        "vendored/inner/a",
    ]
    assert difference.left_out == tuple(shop.root / name / ".git" for name in ("sub", "vendored", "vendored/inner"))


async def test_folder_of_ten_thousand_files_is_kept(shop: Workshop) -> None:
    def make(shop: Workshop) -> None:
        original = shop.write("original", "same")
        for number in range(10_000):
            original.with_name(str(number)).hardlink_to(original)

    assert len((await kept(shop, make)).altered) == 10_001


async def test_roots_within_each_other_are_kept_once(shop: Workshop) -> None:
    shop.write("inner/a", "1")
    store = Checkpoints(Site((shop.root, shop.root / "inner"), shop.state, GIT))

    checkpoint = await store.take("t1", Reason.MESSAGE, {})

    assert checkpoint.tree == (await shop.store().take("t1", Reason.MESSAGE, {})).tree


async def seen(shop: Workshop, change: Callable[[Path], object]) -> bool:
    """Whether a change after a checkpoint is in the next one."""
    store, path = shop.store(), shop.write("folder/a", "old\n")
    settle(path.parent)
    first = await store.take("t1", Reason.MESSAGE, {})
    change(path)
    before = {path: FileState(b"old\n")}
    after = {path: state for path, state in shop.tree().items() if not path.is_dir()}

    found = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))
    return {path: (altered.before, altered.after) for path, altered in found.altered.items()} == {
        path: (before.get(path), after.get(path)) for path in before | after if before.get(path) != after.get(path)
    }


def settle(folder: Path) -> None:
    """Let all of it look as if it had not changed for long."""
    while time.time_ns() < folder.stat().st_ctime_ns + 60_000_000:
        os.sched_yield()


def keep_times(path: Path, change: Callable[[Path], object]) -> None:
    """Change something so that the times look as before."""
    times = [(each, each.stat()) for each in (path, path.parent)]
    change(path)
    for each, status in times:
        os.utime(each, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("new\n"),
        lambda path: keep_times(path, lambda path: path.write_text("new\n")),
        lambda path: keep_times(path, lambda path: shutil.copy(path, path.with_name("b"))),
        lambda path: path.rename(path.with_name("b")),
        lambda path: path.with_name("b").write_text("b"),
        lambda path: (path.with_name("b").write_text("new\n"), path.with_name("b").replace(path)),
        lambda path: (path.unlink(), path.symlink_to("a")),
        lambda path: (path.unlink(), path.mkdir(), (path / "in").write_text("x")),
        lambda path: path.chmod(0o600),
        lambda path: os.utime(path, (1, 1)),
        lambda path: os.utime(path.parent, (2**33, 2**33)),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.parent.rmdir()),
    ],
    ids=str,
)
async def test_change_is_seen_however_it_hides(shop: Workshop, change: Callable[[Path], object]) -> None:
    assert await seen(shop, change)


async def test_file_whose_times_lie_in_the_future_is_read_each_time(shop: Workshop) -> None:
    store, path = shop.store(), shop.write("a", "1")
    os.utime(path, (2**33, 2**33))
    first = await store.take("t1", Reason.MESSAGE, {})
    path.write_text("2")
    os.utime(path, (2**33, 2**33))

    difference = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))

    assert difference.altered == {path: Altered(FileState(b"1"), FileState(b"2"))}


async def test_clock_that_goes_back_harms_no_chain(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    store, path, taken = shop.store(), shop.write("a", ""), list[Checkpoint]()
    for now_ns in (2**61, 10**9, 0, -(10**9)):
        monkeypatch.setattr(time, "time_ns", lambda now_ns=now_ns: now_ns)
        path.write_text(str(now_ns))
        taken.append(await store.take("t1", Reason.MESSAGE, {}))

    assert await shop.store().checkpoints("t1") == tuple(taken)


async def test_nothing_is_read_where_nothing_changed(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    store = shop.store()
    shop.write("folder/a", "1")
    settle(shop.root / "folder")
    first = await store.take("t1", Reason.MESSAGE, {})
    opened = list[object]()
    original = os.open
    monkeypatch.setattr(
        os, "open", lambda path, *rest, **named: (opened.append(path), original(path, *rest, **named))[1]
    )

    assert await store.take("t1", Reason.MESSAGE, {}) == first
    assert [path for path in opened if str(path).endswith(("a", "a'"))] == []


def grow(path: Path, stop: list[bool]) -> None:
    while not stop:
        path.write_bytes(os.urandom(random.randint(0, 100_000)))


async def test_file_that_changes_while_it_is_read_is_kept_as_it_settles(shop: Workshop) -> None:
    store, path, stop = shop.store(), shop.write("a", ""), list[bool]()
    writer = asyncio.create_task(asyncio.to_thread(grow, path, stop))
    for _ in range(20):
        await store.take("t1", Reason.MESSAGE, {})
    stop.append(True)
    await writer
    last = await store.take("t1", Reason.MESSAGE, {})
    nothing = replace(last, tree=EMPTY_TREE)

    assert states(await store.compare(nothing, last)) == shop.tree()


def random_tree(shop: Workshop, chance: random.Random) -> None:
    """Write, delete, link, chmod: a few of each, anywhere."""
    for _ in range(chance.randint(1, 12)):
        path = shop.root.joinpath(*(chance.choice(PARTS) for _ in range(chance.randint(1, 3))))
        if any(parent.is_symlink() or parent.is_file() for parent in (path, *path.parents)) or path.is_dir():
            remove(next(each for each in (*reversed(path.parents), path) if is_in(each, shop.root) and exists(each)))
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if chance.random() < 0.2:
            path.symlink_to(chance.choice(PARTS))
        else:
            path.write_bytes(chance.randbytes(chance.choice((0, 1, 40, 5_000))))
            path.chmod(chance.choice((0o644, 0o755, 0o600)))


PARTS = ["a", "a.b", "b", " c ", "-d", "e\n", "\udcff", "ü", "A"]


def is_in(path: Path, root: Path) -> bool:
    return path != root and path.is_relative_to(root)


def exists(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


@pytest.mark.parametrize("seed", range(10))
async def test_any_twenty_trees_come_back_from_their_checkpoints(shop: Workshop, seed: int) -> None:
    chance, store = random.Random(seed), shop.store()
    empty = await store.take("t1", Reason.MESSAGE, {})
    trees = list[tuple[Checkpoint, dict[Path, FileState]]]()
    for _ in range(20):
        random_tree(shop, chance)
        trees.append((await store.take("t1", Reason.CHANGE, {}), shop.tree()))
        if chance.random() < 0.2:
            await store.close()
            store = shop.store()

    for checkpoint, tree in trees:
        assert states(await store.compare(empty, checkpoint)) == tree
    assert shop.complaints() == ""
