"""`agent-lsp permissions list` and `revoke`, and `agent-lsp trust`: what was allowed is seen, and can be taken back."""

import io
import json
from pathlib import Path

import pytest

from agent_lsp.approvals.permissions import Asker, offer, permission
from agent_lsp.cli import main
from agent_lsp.domain.permissions import Grant, Permission, Scope
from agent_lsp.storage.permissions import PermissionStore

Captured = pytest.CaptureFixture[str]


class Disk:
    def __init__(self, folder: Path) -> None:
        self.home, self.state, self.project = folder / "home", folder / "state", folder / "project"
        (self.project / ".agent-lsp").mkdir(parents=True)
        self.store = PermissionStore(self.home, self.state)

    def kept(self, kind: Grant, rule: str, scope: Scope = Scope.USER) -> Permission:
        made = permission(offer(kind, rule), scope, Asker(now=3, root="/w"))
        self.store.add(made)
        return made

    def wish(self, settings: object) -> None:
        (self.project / ".agent-lsp" / "settings.json").write_text(json.dumps(settings))


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    monkeypatch.setenv("AGENT_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AGENT_LSP_STATE", str(tmp_path / "state"))
    return Disk(tmp_path)


def test_what_is_allowed_for_good_is_listed_by_place(disk: Disk, capsys: Captured) -> None:
    user, exact = disk.kept(Grant.COMMAND, "git log"), disk.kept(Grant.EXACT_COMMAND, "ls\n\x1b[2J")
    project = disk.kept(Grant.EDIT, "/w/src", Scope.PROJECT)

    code = main(["permissions", "list"])

    assert (code, capsys.readouterr().out.splitlines()) == (
        0,
        [
            "Everywhere:",
            f"  {user.id}  run     commands that begin with git log",
            f"  {exact.id}  run     exactly ls\\n\\x1b[2J",
            "In /w:",
            f"  {project.id}  edit    /w/src",
        ],
    )


def test_list_says_so_where_there_is_nothing(disk: Disk, capsys: Captured) -> None:
    assert main(["permissions", "list"]) == 0
    assert capsys.readouterr().out == "Nothing is allowed for good.\n"
    assert not disk.home.exists()


def test_list_answers_in_json_for_programs(disk: Disk, capsys: Captured) -> None:
    user = disk.kept(Grant.COMMAND, "git log")

    assert main(["permissions", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "permissions": [{"id": user.id, "scope": "user", "kind": "command", "rule": "git log", "created": 3}]
    }


def test_a_broken_file_is_told_and_makes_the_list_fail(disk: Disk, capsys: Captured) -> None:
    disk.home.mkdir()
    (disk.home / "permissions.json").write_text("{")

    assert main(["permissions", "list"]) == 1
    assert "permissions.json is not understood" in capsys.readouterr().err


def test_permissions_are_revoked_by_their_ids(disk: Disk, capsys: Captured) -> None:
    first, second = disk.kept(Grant.COMMAND, "git log"), disk.kept(Grant.EDIT, "/w/src", Scope.PROJECT)

    code = main(["permissions", "revoke", first.id, "nothing"])

    assert (code, capsys.readouterr()) == (1, ("1 revoked.\n", "agent-lsp: There is no permission nothing.\n"))
    assert disk.store.listed().permissions == (second,)


def test_everything_can_be_revoked_at_once(disk: Disk, capsys: Captured) -> None:
    disk.kept(Grant.COMMAND, "git log")
    disk.kept(Grant.EDIT, "/w/src", Scope.PROJECT)

    assert (main(["permissions", "revoke", "--all"]), capsys.readouterr().out) == (0, "2 revoked.\n")
    assert disk.store.listed().permissions == ()


@pytest.mark.parametrize("words", [[], ["--all", "id"]])
def test_revoke_wants_ids_or_everything_and_not_both(disk: Disk, words: list[str]) -> None:
    kept = disk.kept(Grant.COMMAND, "git log")

    assert main(["permissions", "revoke", *words]) == 2
    assert disk.store.listed().permissions == (kept,)


def test_a_folder_is_trusted_until_it_asks_for_something_else(disk: Disk, capsys: Captured) -> None:
    disk.wish({"permissionMode": "acceptEdits"})
    assert main(["trust", "add", str(disk.project)]) == 0
    assert 'permissionMode = "acceptEdits"' in capsys.readouterr().out

    main(["trust", "list"])
    disk.wish({"permissionMode": "bypassPermissions"})
    main(["trust", "list"])

    assert capsys.readouterr().out.splitlines() == [
        f"trusted   {disk.project}",
        f"trusted   {disk.project}  (it asks for something else now)",
    ]


class Terminal(io.StringIO):
    """Somebody who types this."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("Yes\n", 0), ("\n", 1), ("n\n", 1), ("", 1)])
def test_whoever_sits_at_a_terminal_is_asked_once_they_have_seen_it(
    disk: Disk, monkeypatch: pytest.MonkeyPatch, typed: str, code: int
) -> None:
    disk.wish({"permissionMode": "acceptEdits"})
    monkeypatch.setattr("sys.stdin", Terminal(typed))

    assert main(["trust", "add", str(disk.project)]) == code
    assert main(["trust", "remove", str(disk.project)]) == code


def test_a_folder_that_asks_for_nothing_is_not_trusted(disk: Disk, capsys: Captured) -> None:
    disk.wish({"permissionMode": "plan"})

    assert main(["trust", "add", str(disk.project)]) == 1
    assert capsys.readouterr().err == f"agent-lsp: {disk.project} asks for nothing beyond your settings.\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "all of it is ignored: line 1, column 2 is not JSON"),
        ('{"permissionmode": "plan"}', "there is no setting `permissionmode`"),
        (json.dumps({"currentProvider": "x" * 60_000}), "it asks for more than can be shown"),
    ],
)
def test_what_keeps_a_folder_from_being_trusted_is_told(disk: Disk, capsys: Captured, text: str, reason: str) -> None:
    file = disk.project / ".agent-lsp" / "settings.json"
    file.write_text(text)

    assert main(["trust", "add", str(disk.project)]) == 1
    assert capsys.readouterr().err.startswith(f"agent-lsp: {file}: {reason}")


def test_a_folder_that_is_not_there_is_told(disk: Disk, capsys: Captured) -> None:
    missing = disk.project / "missing"

    assert main(["trust", "add", str(missing)]) == 1
    assert capsys.readouterr().err == f"agent-lsp: There is no folder {missing}.\n"


def test_trust_can_be_taken_back(disk: Disk, capsys: Captured) -> None:
    disk.wish({"permissionMode": "acceptEdits"})
    main(["trust", "add", str(disk.project)])

    assert [main(["trust", "remove", str(disk.project)]) for _ in range(2)] == [0, 1]
    capsys.readouterr()
    main(["trust", "list"])

    assert capsys.readouterr().out == "Nothing was decided about any folder.\n"


def test_this_folder_is_meant_where_none_is_named(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    disk.wish({"permissionMode": "acceptEdits"})
    monkeypatch.chdir(disk.project)

    assert [main(["trust", "add"]), main(["trust", "remove"])] == [0, 0]


def test_a_state_folder_that_cannot_be_made_is_told(disk: Disk, capsys: Captured) -> None:
    disk.state.write_text("no folder")

    for words in (["permissions", "list"], ["permissions", "revoke", "x"], ["trust", "list"]):
        assert main(words) == 1
        assert capsys.readouterr().err.startswith("agent-lsp: ")
