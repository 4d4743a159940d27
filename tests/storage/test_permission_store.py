"""Permissions on the disk: shared by servers, never half-written, and nothing allowed by what is not understood."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from agent_lsp.approvals.permissions import Asker, offer, permission
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.domain.permissions import Grant, Permission, PermissionList, Scope
from agent_lsp.storage.permissions import PermissionStore


def made(rule: str, scope: Scope = Scope.USER, root: str = "/w", kind: Grant = Grant.COMMAND) -> Permission:
    return permission(offer(kind, rule), scope, Asker(now=3, root=root))


class Disk:
    def __init__(self, folder: Path) -> None:
        self.home, self.state = folder / "home", folder / "state"
        self.store = self.opened()
        self.user_file = self.home / "permissions.json"

    def opened(self) -> PermissionStore:
        return PermissionStore(self.home, self.state)

    def written(self, *entries: object) -> None:
        self.home.mkdir(exist_ok=True)
        self.user_file.write_text(json.dumps({"format": 1, "entries": entries}))


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def test_without_files_nothing_is_allowed(disk: Disk) -> None:
    assert disk.store.listed() == PermissionList()
    assert not disk.home.exists()


def test_what_is_added_is_there_for_every_server(disk: Disk) -> None:
    given = (made("git log"), made("git push", Scope.PROJECT), made("/w/src", Scope.PROJECT, kind=Grant.EDIT))

    for each in (*given, given[0]):
        disk.store.add(each)

    assert disk.store.listed() == disk.opened().listed() == PermissionList(given)


def test_another_servers_change_is_seen_at_once(disk: Disk) -> None:
    disk.store.add(made("git log"))
    assert disk.store.listed().permissions == (made("git log"),)

    disk.opened().add(made("git push"))
    disk.opened().revoke(made("git log").id)

    assert disk.store.listed().permissions == (made("git push"),)


def test_a_project_lies_with_its_real_path_and_not_in_itself(disk: Disk) -> None:
    for root in ("/w", "/v"):
        disk.store.add(made("git log", Scope.PROJECT, root))
    disk.store.add(made("ls"))

    listed = disk.store.listed([Path("/v")]).permissions

    assert [(each.rule, each.root) for each in listed] == [("ls", None), ("git log", "/v")]
    assert not (disk.home / "permissions.json").read_text().count("/v")


def test_what_is_revoked_allows_nothing_any_more(disk: Disk) -> None:
    for each in (made("ls"), made("git log", Scope.PROJECT)):
        disk.store.add(each)

    assert disk.store.revoke(made("git log", Scope.PROJECT).id)
    assert not disk.store.revoke("nothing")
    assert disk.store.listed().permissions == (made("ls"),)


def test_only_the_user_may_read_what_is_kept(disk: Disk) -> None:
    disk.store.add(made("ls"))

    assert disk.user_file.stat().st_mode & 0o777 == 0o600
    assert disk.home.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in disk.home.iterdir()) == [".permissions.json.lock", "permissions.json"]


def test_a_rule_may_hold_any_character(disk: Disk) -> None:
    odd = made('echo "ü\n\ud800"', kind=Grant.EXACT_COMMAND)

    disk.store.add(odd)

    assert disk.opened().listed().permissions == (odd,)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000, b" " * 4_000_001),
        *(b'{"entries": []}', b'{"format": 2, "entries": []}', b'{"format": 1, "entries": {}}'),
        b'{"format": 1, "entries": [7]}',
    ],
)
def test_a_file_that_is_not_understood_allows_nothing_and_is_kept(disk: Disk, content: bytes) -> None:
    disk.home.mkdir()
    disk.user_file.write_bytes(content)
    sentence = f"{disk.user_file} is not understood, so nothing in it holds: repair it, or delete it to begin anew."

    assert disk.store.listed() == PermissionList((), (sentence,))
    with pytest.raises(StorageProblem, match="is not understood"):
        disk.store.add(made("ls"))
    assert not disk.store.revoke(made("ls").id)
    assert disk.user_file.read_bytes() == content


def test_only_a_file_is_read(disk: Disk) -> None:
    disk.home.mkdir()
    os.mkfifo(disk.user_file)  # Reading it would wait for ever.

    assert len(disk.store.listed().problems) == 1


GOOD = {"id": "a", "scope": "user", "kind": "command", "rule": "git log"}
BAD = {
    "nothing": {},
    "no id": {**GOOD, "id": ""},
    "an id of another type": {**GOOD, "id": 7},
    "an unknown kind": {**GOOD, "kind": "everything"},
    "a kind of another type": {**GOOD, "kind": ["command"]},
    "a scope that lies elsewhere": {**GOOD, "scope": "project", "root": "/w"},
    "a scope that is never kept": {**GOOD, "scope": "task"},
    "the user's, with a root": {**GOOD, "root": "/w"},
    "an empty rule": {**GOOD, "rule": " "},
    "a rule of another type": {**GOOD, "rule": ["git"]},
    "any command": {**GOOD, "rule": "*"},
    "a relative path": {**GOOD, "kind": "edit", "rule": "src"},
    "every path": {**GOOD, "kind": "edit", "rule": "/"},
}


@pytest.mark.parametrize("entry", BAD.values(), ids=BAD)
def test_an_entry_that_is_not_understood_costs_nothing_but_itself(disk: Disk, entry: object) -> None:
    disk.written(entry, GOOD)

    listed = disk.store.listed()

    assert [each.rule for each in listed.permissions] == ["git log"]
    assert listed.problems == (f"{disk.user_file}: entry 1 is not understood, and allows nothing.",)


def test_an_entry_of_a_newer_server_is_kept(disk: Disk) -> None:
    newer = {**GOOD, "id": "b", "kind": "mcp", "rule": "server/tool"}
    disk.written(GOOD, newer)

    disk.store.revoke("a")

    assert json.loads(disk.user_file.read_text())["entries"] == [newer]


def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(disk: Disk) -> None:
    disk.home.write_text("no folder")

    with pytest.raises(StorageProblem, match="check"):
        disk.store.add(made("ls"))


def add_many(home: Path, state: Path, name: str) -> None:
    store = PermissionStore(home, state)
    for number in range(20):
        store.add(made(f"{name} {number}"))


def test_servers_that_write_at_once_lose_nothing(disk: Disk) -> None:
    context = multiprocessing.get_context("spawn")
    servers = [context.Process(target=add_many, args=(disk.home, disk.state, name)) for name in ("a", "b", "c")]

    for server in servers:
        server.start()
    for server in servers:
        server.join(60)

    rules = {each.rule for each in disk.store.listed().permissions}
    assert rules == {f"{name} {number}" for name in "abc" for number in range(20)}
