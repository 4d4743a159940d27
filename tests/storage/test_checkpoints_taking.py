import asyncio
import os
from pathlib import Path

import pytest
from checkpoints_site import GIT, Workshop

from agent_lsp.domain.checkpoints import Altered, Difference, FileState, Reason
from agent_lsp.domain.errors import BadParams, StorageProblem
from agent_lsp.storage.checkpoints import Checkpoints, Site


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop.made(tmp_path)


async def test_two_checkpoints_tell_what_changed_between_them(shop: Workshop) -> None:
    store = shop.store()
    kept, gone = shop.write("kept.txt", "one\n"), shop.write("old/gone.txt", "bye\n")
    shop.write("same.txt", "same\n")
    first = await store.take("t1", Reason.MESSAGE, {})
    kept.write_text("two\n")
    gone.unlink()
    new = shop.write("new/a b.txt", "hello")

    difference = await store.compare(first, await store.take("t1", Reason.CHANGE, {}))

    assert difference == Difference(
        {
            kept: Altered(FileState(b"one\n"), FileState(b"two\n")),
            new: Altered(None, FileState(b"hello")),
            gone: Altered(FileState(b"bye\n"), None),
        }
    )


async def test_nothing_changed_gives_the_same_checkpoint_again(shop: Workshop) -> None:
    store = shop.store()
    shop.write("a", "1")
    first = await store.take("t1", Reason.MESSAGE, {})

    assert await store.take("t1", Reason.COMMAND, {}) == first
    assert await store.checkpoints("t1") == (first,)


async def test_change_of_equal_size_right_after_a_checkpoint_is_seen(shop: Workshop) -> None:
    store = shop.store()
    path = shop.write("a", "1")
    for number in range(2, 10):
        before = await store.take("t1", Reason.CHANGE, {})
        path.write_text(str(number))
        after = await store.take("t1", Reason.CHANGE, {})

        assert (await store.compare(before, after)).altered[path].after == FileState(str(number).encode())


async def test_links_modes_and_odd_names_are_kept(shop: Workshop) -> None:
    store = shop.store()
    empty = await store.take("t1", Reason.MESSAGE, {})
    names = [
        b"a b",
        b'quo"te',
        b"back\\slash",
        b"tab\t",
        b"line\nfeed",
        b"\xff\xfe",
        "ü☃".encode(),
        b" lead",
        b".GIT",
        b"*",
    ]
    for name in names:
        shop.write(b"odd/" + name, name)
    shop.write("script", "#!/bin/sh").chmod(0o755)
    shop.write("secret", "key").chmod(0o600)
    (shop.root / "link").symlink_to("odd/nowhere")
    (shop.root / "folder-link").symlink_to("odd")

    difference = await store.compare(empty, await store.take("t1", Reason.MESSAGE, {}))

    assert {path: altered.after for path, altered in difference.altered.items()} == shop.tree()


async def test_permissions_alone_are_a_change(shop: Workshop) -> None:
    store = shop.store()
    path = shop.write("secret", "key")
    path.chmod(0o600)
    first = await store.take("t1", Reason.MESSAGE, {})
    path.chmod(0o644)

    difference = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))

    assert difference.altered == {path: Altered(FileState(b"key", permissions=0o600), FileState(b"key"))}


async def test_file_that_becomes_a_folder_and_back_is_kept(shop: Workshop) -> None:
    store = shop.store()
    path = shop.write("a", "file")
    first = await store.take("t1", Reason.MESSAGE, {})
    path.unlink()
    inner = shop.write("a/b", "inner")
    second = await store.take("t1", Reason.MESSAGE, {})
    inner.unlink()
    path.rmdir()
    path.write_text("again")

    third = await store.take("t1", Reason.MESSAGE, {})

    assert (await store.compare(first, second)).altered.keys() == {path, inner}
    assert (await store.compare(second, third)).altered.keys() == {path, inner}


@pytest.mark.parametrize(
    "name",
    [
        "big.bin",
        ".git/config",
        "nested/.git/HEAD",
        "sub/.git",
        "node_modules/x/index.js",
        "target/out",
        "env/bin/python",
    ],
)
async def test_what_is_left_out_is_named_and_no_change(shop: Workshop, name: str) -> None:
    store = shop.store()
    first = await store.take("t1", Reason.MESSAGE, {})
    shop.write("target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55")
    shop.write("env/pyvenv.cfg", "home = /usr")
    path = shop.write(name, b"x" * (5_000_001 if name == "big.bin" else 1))

    difference = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))

    assert difference.altered == {}
    assert any(path.is_relative_to(left_out) for left_out in difference.left_out)


async def test_file_that_was_too_large_before_does_not_seem_new(shop: Workshop) -> None:
    store = shop.store()
    path = shop.write("data", b"x" * 5_000_001)
    first = await store.take("t1", Reason.MESSAGE, {})
    path.write_bytes(b"small")

    difference = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))

    assert difference == Difference({}, left_out=(path,), lost=(path,))


async def test_files_of_a_nested_repository_are_kept_and_its_own_are_not_touched(shop: Workshop) -> None:
    store = shop.store()
    head = shop.write("nested/.git/HEAD", "ref: refs/heads/main\n")
    path = shop.write("nested/a.py", "1\n")
    first = await store.take("t1", Reason.MESSAGE, {})
    path.write_text("2\n")

    difference = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))

    assert difference.altered.keys() == {path}
    assert head.read_text() == "ref: refs/heads/main\n"


async def test_ignored_and_binary_files_are_kept(shop: Workshop) -> None:
    store = shop.store()
    shop.write(".gitignore", "*\n")
    shop.write(".gitattributes", "* text eol=crlf filter=bait\n")
    first = await store.take("t1", Reason.MESSAGE, {})
    env, picture = shop.write(".env", "A=1\r\nB=2\n"), shop.write("a.png", bytes(range(256)))

    difference = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))

    assert difference.altered == {
        env: Altered(None, FileState(b"A=1\r\nB=2\n")),
        picture: Altered(None, FileState(bytes(range(256)))),
    }


async def test_unsaved_texts_are_kept_beside_the_disk(shop: Workshop) -> None:
    store = shop.store()
    path = shop.write("a.py", "disk\n")

    first = await store.take("t1", Reason.MESSAGE, {path: "only in the editor \ud83d\n"})
    second = await store.take("t1", Reason.MESSAGE, {})

    assert await store.unsaved(first) == {path: "only in the editor \ud83d\n"}
    assert await store.unsaved(second) == {}
    assert (await store.compare(first, second)).altered == {}


async def test_named_changes_come_back_in_order_from_a_checkpoint_on(shop: Workshop) -> None:
    store = shop.store()
    path, new = shop.write("a", "1"), shop.root / "new"
    one, two, three = FileState(b"1"), FileState(b"2", permissions=0o600), FileState(b"3", permissions=0o755)
    await store.take("t1", Reason.MESSAGE, {})
    await store.note_changes("t1", Reason.CHANGE, {path: Altered(one, one)})
    start = await store.take("t1", Reason.CHANGE, {})
    await store.note_changes("t1", Reason.CHANGE, {path: Altered(one, two), new: Altered(None, three)})
    await store.note_changes("t1", Reason.CHANGE, {path: Altered(two, three), new: Altered(three, None)})

    assert [change.altered for change in await store.changes_since("t1", start.id)] == [
        {path: Altered(one, two), new: Altered(None, three)},
        {path: Altered(two, three), new: Altered(three, None)},
    ]


INTENTS = {
    "killed": (["intent"], ["intent"]),
    "made": (["intent", "made"], ["made"]),
    "come to nothing": (["intent", "nothing"], ["nothing"]),
    "words came meanwhile": (["intent", "words", "made"], ["made"]),
    "killed, and the next one made": (["intent", "intent", "made"], ["intent", "made"]),
    "killed, and then a command": (["intent", "command"], ["intent", "command"]),
    "killed, and then words": (["intent", "words"], ["intent"]),
}


@pytest.mark.parametrize(("deeds", "counted"), INTENTS.values(), ids=INTENTS)
async def test_intent_counts_where_it_is_not_known_what_became_of_it(
    shop: Workshop, deeds: list[str], counted: list[str]
) -> None:
    store, path = shop.store(), shop.write("a", "1")
    start = await store.take("t1", Reason.MESSAGE, {})
    changes = {deed: {path: Altered(FileState(b"1"), FileState(deed.encode()))} for deed in deeds} | {"nothing": {}}
    for deed in deeds:
        match deed:
            case "intent":
                await store.note_intent("t1", changes[deed])
            case "words":
                await store.take("t1", Reason.MESSAGE, {})
            case "command":
                await store.note_changes("t1", Reason.COMMAND, changes[deed])
            case _:
                await store.note_changes("t1", Reason.CHANGE, changes[deed])

    found = await store.changes_since("t1", start.id)

    assert [difference.altered for difference in found] == [changes[deed] for deed in counted]


async def test_what_a_command_did_is_what_changed_since_its_checkpoint(shop: Workshop) -> None:
    store = shop.store()
    path = shop.write("a", "1")
    start = await store.take("t1", Reason.COMMAND, {path: "unsaved"})
    path.write_text("2")
    new = shop.write("new", "n")

    await store.note_changes_since("t1", start)

    assert [change.altered for change in await store.changes_since("t1", start.id)] == [
        {path: Altered(FileState(b"1"), FileState(b"2")), new: Altered(None, FileState(b"n"))}
    ]


async def test_command_that_changed_nothing_leaves_no_change(shop: Workshop) -> None:
    store = shop.store()
    shop.write("a", "1")
    start = await store.take("t1", Reason.COMMAND, {})

    await store.note_changes_since("t1", start)

    assert await store.changes_since("t1", start.id) == ()


async def test_unknown_checkpoint_is_refused(shop: Workshop) -> None:
    with pytest.raises(BadParams, match="agent/checkpoints"):
        await shop.store().changes_since("t1", "0" * 40)


async def test_tasks_see_their_own_checkpoints_only(shop: Workshop) -> None:
    store = shop.store()
    shop.write("a", "1")

    first, second = await store.take("t1", Reason.MESSAGE, {}), await store.take("t2", Reason.MESSAGE, {})

    assert await store.checkpoints("t1") == (first,)
    assert await store.checkpoints("t2") == (second,)
    assert first.tree == second.tree


async def test_next_server_goes_on_with_what_the_last_one_knew(shop: Workshop) -> None:
    path = shop.write("a", "1")
    first = await shop.store().take("t1", Reason.MESSAGE, {})
    path.write_text("22")
    store = shop.store()

    second = await store.take("t1", Reason.MESSAGE, {})

    assert await store.checkpoints("t1") == (first, second)
    assert (await store.compare(first, second)).altered.keys() == {path}


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b"\xff", b'{"tree": "x", "files": {"a": 1}}'])
async def test_damaged_index_is_made_anew(shop: Workshop, damage: bytes) -> None:
    shop.write("a", "1")
    first = await shop.store().take("t1", Reason.MESSAGE, {})
    (shop.site.folder / "index.json").write_bytes(damage)

    assert (await shop.store().take("t2", Reason.MESSAGE, {})).tree == first.tree


async def test_deleted_task_gives_its_room_back(shop: Workshop) -> None:
    store = shop.store()
    path = shop.write("a", os.urandom(1_000_000))
    await store.take("t1", Reason.MESSAGE, {})
    path.write_bytes(b"small")
    kept = await store.take("t2", Reason.MESSAGE, {})

    await store.forget("t1")

    assert await store.checkpoints("t1") == ()
    assert await store.checkpoints("t2") == (kept,)
    assert sum(file.stat().st_size for file in shop.site.folder.rglob("*") if file.is_file()) < 100_000


async def test_server_whose_objects_another_one_cleared_away_begins_anew(shop: Workshop) -> None:
    store, other = shop.store(), shop.store()
    path = shop.write("a", "1")
    await store.take("t1", Reason.MESSAGE, {})
    path.write_text("22")
    await other.take("t2", Reason.MESSAGE, {})
    await other.forget("t1")
    path.write_text("333")

    last = await store.take("t3", Reason.MESSAGE, {})

    assert await store.checkpoints("t3") == (last,)


async def test_forgetting_a_task_without_checkpoints_does_nothing(shop: Workshop) -> None:
    await shop.store().forget("t1")

    assert not shop.site.folder.exists()


async def test_time_that_runs_out_is_said_and_leaves_no_checkpoint(shop: Workshop) -> None:
    shop.write("a", "1")
    await shop.store().take("t1", Reason.MESSAGE, {})
    hurried = Checkpoints(shop.site, seconds=0.0)

    with pytest.raises(StorageProblem, match="longer than 0 s"):
        await hurried.take("t2", Reason.MESSAGE, {})
    assert await shop.store().checkpoints("t2") == ()


async def test_checkpoint_under_way_is_given_up_when_the_server_ends(shop: Workshop) -> None:
    store = shop.store()
    for number in range(2_000):
        shop.write(f"{number}", str(number))
    taking = asyncio.create_task(store.take("t1", Reason.MESSAGE, {}))
    async with asyncio.timeout(10):
        while not taking.done():
            store.give_up()
            await asyncio.sleep(0)

    with pytest.raises(StorageProblem, match="The server ends"):
        await taking


async def test_state_folder_inside_the_workspace_is_left_out(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, tmp_path / ".state")
    shop.state.mkdir()
    shop.write("a", "1")
    store = Checkpoints(Site((tmp_path,), shop.state, GIT))
    first = await store.take("t1", Reason.MESSAGE, {})
    shop.write(".state/tasks/journal.jsonl", "{}")

    difference = await store.compare(first, await store.take("t1", Reason.MESSAGE, {}))

    assert difference == Difference({}, (shop.state,))
