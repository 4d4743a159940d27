"""Stores in a bad state: each is mended, or told in one sentence that says what to do."""

import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from checkpoints_site import Workshop

from agent_lsp.domain.checkpoints import Altered, Checkpoint, FileState, Reason
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.storage.checkpoints import Checkpoints
from agent_lsp.storage.checkpoints_packing import Bounds, pack
from agent_lsp.storage.git import Git
from support.full_disk import files_of_at_most

NOBODY = 65_534


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop.made(tmp_path)


async def begun(shop: Workshop) -> tuple[Checkpoints, Path, Checkpoint]:
    store, path = shop.store(), shop.write("a", "1")
    shop.write("same/b", "b")
    first = await store.take("t1", Reason.CHANGE, {})
    await store.close()
    path.write_text("22")
    return store, path, first


def of_store(name: str) -> Callable[[Workshop], object]:
    return lambda shop: remove(shop.site.folder / name)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def overwritten(name: str, content: bytes) -> Callable[[Workshop], object]:
    return lambda shop: (shop.site.folder / name).write_bytes(content)


HARMS: dict[str, Callable[[Workshop], object]] = {
    "store gone": of_store(""),
    "HEAD gone": of_store("HEAD"),
    "objects gone": of_store("objects"),
    "packs gone": of_store("objects/pack"),
    "refs gone": of_store("refs"),
    "all but HEAD gone": lambda shop: [remove(each) for each in shop.site.folder.iterdir() if each.name != "HEAD"],
    "config gone": of_store("config"),
    "epoch gone": of_store("epoch"),
    "index gone": of_store("index.json"),
    "temporary folder gone": of_store("tmp"),
    "HEAD torn": overwritten("HEAD", b""),
    "HEAD garbled": overwritten("HEAD", b"\0" * 20),
    "ref torn": overwritten("refs/tasks/t1", b""),
    "ref garbled": overwritten("refs/tasks/t1", b"\xff" * 40),
    "ref to nothing": overwritten("refs/tasks/t1", b"1" * 40),
    "index garbled": overwritten("index.json", b'{"files": {"a": [1, 2, 3]}}'),
    "index of another": overwritten(
        "index.json", b'{"files": {"x": ["' + b"1" * 40 + b'", 33188, null]}, "unsaved": {}, "leftOut": []}'
    ),
    "pack torn": lambda shop: os.truncate(shop.packs()[0], 40),
    "index of a pack torn": lambda shop: os.truncate(shop.packs()[0].with_suffix(".idx"), 100),
    "rubbish": overwritten("tmp/abc", b"rubbish"),
}


@pytest.mark.parametrize("is_running", [True, False], ids=["running", "started anew"])
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
async def test_checkpoints_go_on_whatever_happened_to_the_store(
    shop: Workshop, harm: Callable[[Workshop], object], is_running: bool
) -> None:
    store, path, _ = await begun(shop)
    harm(shop)
    store = store if is_running else shop.store()
    await taken_if_it_can_be(store)  # The damage may come to light by this one.
    now = await store.take("t2", Reason.CHANGE, {})
    path.write_text("333")
    last = await store.take("t2", Reason.CHANGE, {})

    assert (await store.compare(now, last)).altered == {path: Altered(FileState(b"22"), FileState(b"333"))}
    assert await store.checkpoints("t2") == (now, last)


async def taken_if_it_can_be(store: Checkpoints) -> None:
    try:
        await store.compare(*[await store.take("t1", Reason.CHANGE, {})] * 2)
        await store.changes_since("t1", (await store.checkpoints("t1"))[0].id)
    except StorageProblem:
        return


async def test_damaged_content_is_told_and_kept_anew_by_the_next_checkpoint(shop: Workshop) -> None:
    store, path, first = await begun(shop)
    second = await store.take("t1", Reason.CHANGE, {})
    damage(shop.packs())

    with pytest.raises(StorageProblem, match="The checkpoint is damaged, choose another one"):
        await store.compare(first, second)
    third = await store.take("t1", Reason.CHANGE, {})
    path.write_text("333")
    fourth = await store.take("t1", Reason.CHANGE, {})
    assert (await store.compare(third, fourth)).altered == {path: Altered(FileState(b"22"), FileState(b"333"))}


def damage(packs: list[Path]) -> None:
    """Change what is in the middle of each, and leave its length."""
    for pack_ in packs:
        content = bytearray(pack_.read_bytes())
        content[14:-20] = bytes(byte ^ 0x55 for byte in content[14:-20])
        pack_.chmod(0o600)
        pack_.write_bytes(content)


@contextmanager
def as_another_user(shop: Workshop) -> Generator[None]:
    """Without root's rights, which no permission stops."""
    if os.geteuid():
        yield
        return
    for folder in (shop.root.parent, *shop.root.parent.parents):
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def give(folder: Path) -> None:
    """Let the other user own all of it."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)


@pytest.mark.parametrize("where", ["", "checkpoints", "store"])
async def test_folder_that_cannot_be_written_is_named_with_a_remedy(shop: Workshop, where: str) -> None:
    store, _, _ = await begun(shop)
    folder = shop.site.folder if where == "store" else shop.state / where
    if where != "store":
        shutil.rmtree(shop.site.folder)
    folder.chmod(0o555)

    with as_another_user(shop), pytest.raises(StorageProblem) as caught:
        await store.take("t1", Reason.CHANGE, {})

    assert "writable for you, or set AGENT_LSP_STATE to another folder." in str(caught.value)


async def test_files_and_folders_that_cannot_be_read_are_named_and_stop_nothing(shop: Workshop) -> None:
    shop.write("open", "o")
    secret, within = shop.write("secret", "s"), shop.write("closed/in", "i")
    listed = shop.write("listed/in", "l")
    give(shop.root.parent)
    secret.chmod(0o000)
    within.parent.chmod(0o000)
    listed.parent.chmod(0o444)

    with as_another_user(shop):
        store = shop.store()
        first = await store.take("t1", Reason.CHANGE, {})
        (shop.root / "open").write_text("oo")
        difference = await store.compare(first, await store.take("t1", Reason.CHANGE, {}))

    within.parent.chmod(0o755)
    assert difference.altered == {shop.root / "open": Altered(FileState(b"o"), FileState(b"oo"))}
    assert difference.left_out == (within.parent, listed, secret)


async def test_full_disk_is_told_with_a_remedy_and_leaves_the_store_whole(shop: Workshop) -> None:
    store, path, first = await begun(shop)
    path.write_bytes(os.urandom(100_000))
    with files_of_at_most(50_000), pytest.raises(StorageProblem, match="The checkpoint cannot be stored"):
        await store.take("t1", Reason.CHANGE, {})

    assert (shop.complaints(), shop.rubbish()) == ("", [])
    last = await store.take("t1", Reason.CHANGE, {})
    assert await store.checkpoints("t1") == (first, last)


PROGRAMS = {
    "gone": None,
    "no program": "#!/nowhere/sh\n",
    "failing": "#!/bin/sh\necho 'fatal: broken' >&2\nexit 3\n",
    "too old for its options": '#!/bin/sh\necho "error: unknown option" >&2\nexit 129\n',
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
async def test_git_that_cannot_be_used_is_told_at_the_first_checkpoint(shop: Workshop, program: str | None) -> None:
    git = shop.state / "git"
    if program:
        git.write_text(program)
        git.chmod(0o755)

    with pytest.raises(StorageProblem, match=r"git (init failed|cannot be run)"):
        await Checkpoints(replace(shop.site, git=git)).take("t1", Reason.CHANGE, {})


async def test_git_that_goes_away_later_stops_no_checkpoint(shop: Workshop) -> None:
    _, path, _ = await begun(shop)
    git = shop.state / "git"
    git.symlink_to(shop.site.git)
    store = Checkpoints(replace(shop.site, git=git))
    await store.take("t1", Reason.CHANGE, {})
    git.unlink()
    path.write_text("333")

    last = await store.take("t1", Reason.CHANGE, {})

    assert (await shop.store().checkpoints("t1"))[-1] == last


async def test_packing_that_finds_damage_deletes_nothing(shop: Workshop) -> None:
    await begun(shop)
    damage(shop.packs())
    before = sorted(shop.stored())

    with pytest.raises(StorageProblem, match="git pack-objects failed"):
        pack(Git(shop.site.git, shop.site.folder), 10, Bounds())

    assert sorted(shop.stored()) == before
