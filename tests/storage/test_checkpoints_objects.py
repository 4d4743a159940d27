import os
import random
import subprocess
from pathlib import Path

import pytest
from checkpoints_site import GIT, Workshop
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.errors import StorageProblem
from agent_lsp.storage.checkpoints_objects import Commit, Names, depositing
from agent_lsp.storage.checkpoints_packs import _FAR, _index, _object_head, _Place
from agent_lsp.storage.checkpoints_room import prepare
from agent_lsp.storage.checkpoints_trees import Folders, Put, changed
from agent_lsp.storage.git import EMPTY_TREE, Git

SIZES = [0, 1, 15, 16, 2_047, 2_048, 262_143, 262_144, 5_000_000]


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    shop = Workshop.made(tmp_path)
    shop.site.folder.mkdir(parents=True)
    prepare(Git(GIT, shop.site.folder), 10)
    return shop


def git(shop: Workshop, *arguments: str, stdin: bytes = b"") -> bytes:
    return Git(GIT, shop.site.folder).run(*arguments, stdin=stdin, seconds=10)


@pytest.mark.parametrize("size", SIZES)
def test_git_reads_back_what_was_stored(shop: Workshop, size: int) -> None:
    content = random.Random(size).randbytes(size)
    with depositing(shop.site.folder) as deposit:
        name = deposit.add(b"blob", content)
        deposit.store()

    assert git(shop, "cat-file", "blob", name) == content
    assert shop.complaints() == ""


def test_many_objects_become_one_pack_that_git_accepts(shop: Workshop) -> None:
    with depositing(shop.site.folder) as deposit:
        blobs = [deposit.add(b"blob", b"%d" % number) for number in range(1_000)]
        tree = changed(Folders(), (), [Put(b"d/%d" % n, b"100644", id_) for n, id_ in enumerate(blobs)], deposit).tree
        commit = deposit.commit(Commit(tree, "all of it", 1))
        deposit.store()

    assert len(git(shop, "ls-tree", "-r", commit).splitlines()) == 1_000
    assert (len(shop.packs()), shop.complaints(), shop.rubbish()) == (1, "", [])


def test_nothing_is_there_before_all_is_stored(shop: Workshop) -> None:
    with depositing(shop.site.folder) as deposit:
        name = deposit.add(b"blob", b"hello")

        with pytest.raises(StorageProblem):
            git(shop, "cat-file", "blob", name)
    assert (shop.packs(), shop.rubbish()) == ([], [])


def test_what_is_known_is_not_stored_again(shop: Workshop) -> None:
    with depositing(shop.site.folder, {Names().add(b"blob", b"hello")}) as deposit:
        deposit.add(b"blob", b"hello")
        deposit.store()

    assert shop.packs() == []


def test_commit_of_nothing_at_all_is_whole(shop: Workshop) -> None:
    with depositing(shop.site.folder) as deposit:
        commit = deposit.commit(Commit(EMPTY_TREE, "nothing", -5))
        deposit.store()
    (shop.site.folder / "refs/x").write_text(commit)

    assert shop.complaints() == ""


def test_offsets_beyond_two_gigabytes_stand_in_a_table_of_their_own() -> None:
    places = {f"{number:040x}": _Place(offset, 0) for number, offset in enumerate((12, _FAR + 7, _FAR - 1, 2**40))}

    index = _index(places, b"\0" * 20)

    near = [12, _FAR, _FAR - 1, _FAR | 1]
    assert index[-72:-56] == b"".join(number.to_bytes(4, "big") for number in near)
    assert index[-56:-40] == b"".join(number.to_bytes(8, "big") for number in (_FAR + 7, 2**40))


@given(st.integers(min_value=0, max_value=2**40), st.sampled_from([1, 2, 3]))
def test_head_of_an_object_gives_its_kind_and_size_back(size: int, kind: int) -> None:
    head = _object_head(kind, size)

    read, shift = head[0] & 15, 4
    for byte in head[1:]:
        read, shift = read | (byte & 0x7F) << shift, shift + 7
    assert (head[0] >> 4 & 7, read) == (kind, size)
    assert [byte >> 7 for byte in head] == [1] * (len(head) - 1) + [0]


PARTS = st.sampled_from([b"a", b"a.b", b"a-", b"A", b"b", b"\xff", b"x y", b"n\n"])
PATHS = st.lists(PARTS, min_size=1, max_size=4).map(b"/".join)


def is_above(path: bytes, other: bytes) -> bool:
    return other.startswith(path + b"/")


@given(st.lists(st.sets(PATHS, max_size=12), min_size=1, max_size=4))
def test_folders_after_any_changes_are_those_made_at_once(states: list[set[bytes]]) -> None:
    folders, before = Folders(), set[bytes]()
    for state in states:
        paths = {path for path in state if not any(is_above(path, other) for other in state)}
        puts = [Put(path, b"100644", Names().add(b"blob", path)) for path in paths]
        folders = changed(folders, before - paths, [put for put in puts if put.path not in before], Names())
        before = paths

    at_once = changed(Folders(), (), [Put(p, b"100644", Names().add(b"blob", p)) for p in before], Names())
    assert folders == at_once


def test_folders_are_named_as_git_names_them(shop: Workshop) -> None:
    chance = random.Random(5)
    names = ["a", "a.b", "a-b", "a0", "b", "B", "ü", "x y"]
    paths = sorted({"/".join(chance.choices(names, k=chance.randint(1, 5))) for _ in range(200)})
    paths = [path for path in paths if not any(other.startswith(path + "/") for other in paths)]
    puts = [Put(path.encode(), b"100644", Names().add(b"blob", path.encode())) for path in paths]
    lines = "".join(f"100644 {put.id}\t{os.fsdecode(put.path)}\0" for put in puts)
    environment = {"GIT_DIR": str(shop.site.folder), "GIT_INDEX_FILE": str(shop.state / "index")}
    into_index = [str(GIT), "update-index", "-z", "--index-info"]
    subprocess.run(into_index, input=lines.encode(), env=environment, check=True)
    written = subprocess.run([str(GIT), "write-tree", "--missing-ok"], env=environment, check=True, capture_output=True)

    assert changed(Folders(), (), puts, Names()).tree == written.stdout.decode().strip()
