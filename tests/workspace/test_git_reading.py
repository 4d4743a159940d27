"""What is read of the user's repository, and that nothing of it is run."""

import os
import subprocess
from pathlib import Path

import pytest

from agent_lsp.domain.prompting import GitState
from agent_lsp.storage.git import find_git
from agent_lsp.workspace.git_reading import GitReading
from agent_lsp.workspace.git_repository import Head, find_repository

GIT = find_git(os.environ, ()) or Path("/usr/bin/git")
ADA = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "a@b.c",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "a@b.c",
}


def git(folder: Path, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **ADA}
    command = [str(GIT), "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with one commit."""
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("one\n")
    (folder / "b.txt").write_text("two\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Open the shop")
    return folder


def state(folder: Path) -> GitState | None:
    return GitReading(GIT, folder).state()


def short(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD")[:10]


def test_clean_repository_has_nothing_changed(shop: Path) -> None:
    assert state(shop) == GitState("main", short(shop), "", 0, 0, 0)


def test_changes_are_counted_by_kind(shop: Path) -> None:
    (shop / "a.txt").write_text("three\n")
    git(shop, "mv", "b.txt", "c.txt")
    (shop / "new é.txt").write_text("")
    (shop / "folder").mkdir()
    (shop / "folder" / "x").write_text("")

    assert state(shop) == GitState("main", short(shop), "", 2, 2, 0)


def test_conflicts_and_the_merge_under_way_are_told(shop: Path) -> None:
    git(shop, "switch", "-q", "-c", "other")
    (shop / "a.txt").write_text("theirs\n")
    git(shop, "commit", "-q", "-am", "Theirs")
    git(shop, "switch", "-q", "main")
    (shop / "a.txt").write_text("ours\n")
    git(shop, "commit", "-q", "-am", "Ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(shop, "merge", "other")

    assert state(shop) == GitState("main", short(shop), "a merge", 0, 0, 1)


def test_commit_checked_out_by_itself_has_no_branch(shop: Path) -> None:
    git(shop, "checkout", "-q", "--detach")

    assert state(shop) == GitState("", short(shop), "", 0, 0, 0)


def test_repository_without_a_commit_is_told(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("one\n")

    assert state(tmp_path) == GitState("main", "", "", 0, 1, 0)
    changes = GitReading(GIT, tmp_path).changes(1_000)
    assert changes is not None
    assert changes.text == "?? a.txt"


def test_branch_is_found_among_packed_refs(shop: Path) -> None:
    git(shop, "pack-refs", "--all")

    repository = find_repository(shop)

    assert repository is not None
    assert repository.head() == Head("main", git(shop, "rev-parse", "HEAD"))


def test_linked_worktree_is_read(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side" / "a.txt").write_text("three\n")

    assert state(tmp_path / "side") == GitState("side", short(shop), "", 1, 0, 0)


def test_repository_with_long_hashes_is_read(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256")
    (tmp_path / "a.txt").write_text("one\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "One")

    assert state(tmp_path) == GitState("main", short(tmp_path), "", 0, 0, 0)


def test_shallow_clone_is_read(shop: Path, tmp_path: Path) -> None:
    git(shop, "commit", "-q", "--allow-empty", "-m", "Second")
    git(tmp_path, "clone", "-q", "--depth=1", shop.as_uri(), "clone")

    shown = GitReading(GIT, tmp_path / "clone").commit(short(shop), 1_000)

    assert shown is not None
    assert "Second" in shown.text


def test_only_the_folder_of_the_workspace_counts(shop: Path) -> None:
    (shop / "part").mkdir()
    (shop / "a.txt").write_text("three\n")

    assert state(shop / "part") == GitState("main", short(shop), "", 0, 0, 0)


def test_no_repository_is_no_state(tmp_path: Path) -> None:
    reading = GitReading(GIT, tmp_path)

    assert (reading.state(), reading.changes(100), reading.commit("1a2b3c4", 100)) == (None, None, None)


NO_PLACES = {
    "a null character": "gitdir: a\0b",
    "a name of thousands of letters": "gitdir: " + "x" * 5000,
    "a way of thousands of folders": "gitdir: " + "x/" * 3000,
    "itself": "gitdir: .git",
    "nothing": "gitdir: ",
    "no words of git's": "hello",
}


@pytest.mark.parametrize("text", NO_PLACES.values(), ids=NO_PLACES)
def test_a_file_called_git_that_leads_nowhere_is_no_repository(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)

    assert state(tmp_path) is None


SPOILT = ["ref: refs/heads/a\0b", "ref: refs/heads/a\nb", "ref: refs/heads/" + "x/" * 3000, "\0", "y" * 5000]


@pytest.mark.parametrize("text", SPOILT)
def test_a_head_that_names_no_branch_is_not_told(shop: Path, text: str) -> None:
    (shop / ".git/HEAD").write_text(text)

    assert state(shop) is None


@pytest.mark.parametrize("text", SPOILT)
@pytest.mark.parametrize("name", ["commondir", "packed-refs", "refs/heads/main"])
def test_a_spoilt_repository_is_borne(shop: Path, name: str, text: str) -> None:
    (shop / ".git" / name).write_text(text)

    told = state(shop)

    assert told is None or told.branch == "main"


def test_an_index_that_is_a_pipe_is_not_waited_for(shop: Path) -> None:
    (shop / ".git" / "index").unlink()
    os.mkfifo(shop / ".git" / "index")
    reading = GitReading(GIT, shop)

    assert (reading.state(), reading.changes(100), reading.commit("1a2b3c4", 100)) == (None, None, None)


def test_changes_are_given_with_staged_ones(shop: Path) -> None:
    (shop / "a.txt").write_text("three\n")
    git(shop, "add", "a.txt")
    (shop / "new.txt").write_text("x\n")

    changes = GitReading(GIT, shop).changes(10_000)

    assert changes is not None
    assert changes.text.startswith("M  a.txt\n?? new.txt\n\ndiff --git a/a.txt b/a.txt\n")
    assert changes.text.endswith("-one\n+three")
    assert not changes.is_cut


def test_long_changes_are_cut(shop: Path) -> None:
    (shop / "a.txt").write_text("three\n" * 10_000)

    changes = GitReading(GIT, shop).changes(500)

    assert changes is not None
    assert changes.is_cut
    assert len(changes.text) <= 520


def test_what_is_kept_from_the_agent_is_in_no_change_and_no_commit(shop: Path) -> None:
    for name in ("key *.txt", "moved.txt", os.fsdecode(b"k\xff.txt")):
        (shop / name).write_text("secret one\n")
    git(shop, "add", ".")
    (shop / "a.txt").write_text("three\n")
    git(shop, "commit", "-q", "-am", "Add")
    (shop / "key *.txt").write_text("secret two\n")
    (shop / os.fsdecode(b"k\xff.txt")).write_text("secret two\n")
    (shop / "a.txt").write_text("four\n")
    (shop / "new").write_text("secret\n")
    git(shop, "mv", "moved.txt", "key 2.txt")
    reading = GitReading(GIT, shop, lambda path: path.name.startswith(("k", "moved", "new")))

    changes, shown = reading.changes(10_000), reading.commit(short(shop), 10_000)

    assert changes
    assert shown
    assert changes.text.startswith(" M a.txt\n\ndiff --git a/a.txt b/a.txt")
    assert ("secret" in changes.text + shown.text, "+three" in shown.text) == (False, True)


@pytest.mark.parametrize("name", ["deadbeef1", "0000000", "main"])
def test_commit_that_is_not_there_gives_nothing(shop: Path, name: str) -> None:
    assert GitReading(GIT, shop).commit(name, 1_000) is None


def test_signature_changes_with_what_is_checked_out(shop: Path) -> None:
    repository = find_repository(shop)
    assert repository is not None
    before = repository.signature()
    same = repository.signature()

    git(shop, "commit", "-q", "--allow-empty", "-m", "Second")

    assert (same == before, repository.signature() == before) == (True, False)


def test_nothing_that_the_repository_configures_is_run(shop: Path, tmp_path: Path) -> None:
    bait, index = tmp_path / "ran", shop / ".git" / "index"
    script = tmp_path / "bait.sh"
    script.write_text(f"#!/bin/sh\necho ran >> {bait}\ncat\n")
    script.chmod(0o755)
    (shop / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    (shop / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil\n")
    keys = ["core.fsmonitor", "core.pager", "core.editor", "diff.external", "core.sshCommand", "gpg.program"]
    for key in [*keys, "filter.evil.clean", "filter.evil.smudge", "diff.evil.command", "diff.evil.textconv"]:
        git(shop, "config", key, str(script))
    git(shop, "config", "log.showSignature", "true")
    for hook in ("post-index-change", "post-checkout", "pre-commit"):
        (shop / ".git" / "hooks" / hook).write_text(script.read_text())
        (shop / ".git" / "hooks" / hook).chmod(0o755)
    (shop / "a.txt").write_text("three\n")
    index_before, reading = index.read_bytes(), GitReading(GIT, shop)
    bait.unlink(missing_ok=True)

    told = reading.state(), reading.changes(10_000), reading.commit(short(shop), 10_000)

    assert all(told)
    assert not bait.exists()
    assert index.read_bytes() == index_before
