from pathlib import Path

import pytest

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import Listing
from agent_lsp.workspace.files import OwnFolders, WorkspaceFiles
from agent_lsp.workspace.listing import list_entries
from agent_lsp.workspace.opened import NoDocuments
from agent_lsp.workspace.places import Places
from agent_lsp.workspace.walking import Walk


def build(root: Path, *names: str) -> WorkspaceFiles:
    for name in names:
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return WorkspaceFiles([root], NoDocuments(), environment={})


async def listed(files: WorkspaceFiles, path: str = ".", *, is_recursive: bool = True, limit: int = 1000) -> Listing:
    return await files.list_folder(files.locate(path, "read"), is_recursive=is_recursive, limit=limit)


async def test_levels_come_one_after_the_other(tmp_path: Path) -> None:
    files = build(tmp_path, "b/c/d.txt", "b/a.txt", "z.txt", "a/x.txt", ".env", "empty/")

    listing = await listed(files)

    expected = (".env", "a/", "b/", "empty/", "z.txt", "a/x.txt", "b/a.txt", "b/c/", "b/c/d.txt")
    assert listing == Listing(expected, 0)


async def test_top_level_alone(tmp_path: Path) -> None:
    files = build(tmp_path, "b/c.txt", "a.txt")

    assert await listed(files, is_recursive=False) == Listing(("a.txt", "b/"), 0)
    assert await listed(files, "b", is_recursive=False) == Listing(("c.txt",), 0)


@pytest.mark.parametrize("limit", range(7))
async def test_what_does_not_fit_is_counted(limit: int, tmp_path: Path) -> None:
    files = build(tmp_path, "a/b/c.txt", "a/d.txt", "e.txt")

    listing = await listed(files, limit=limit)

    everything = ("a/", "e.txt", "a/b/", "a/d.txt", "a/b/c.txt")
    assert listing == Listing(everything[:limit], max(5 - limit, 0))


async def test_ignore_files_are_obeyed_at_every_level(tmp_path: Path) -> None:
    files = build(tmp_path, ".git/config", "node_modules/x/y.js", "src/a.log", "src/keep.log", "src/b.py", "src/out/z")
    (tmp_path / ".gitignore").write_text("node_modules/\n*.log\n")
    (tmp_path / "src" / ".gitignore").write_text("!keep.log\n/out/\n")

    assert (await listed(files)).entries == (".gitignore", "src/", "src/.gitignore", "src/b.py", "src/keep.log")


async def test_agent_ignore_cannot_be_taken_back(tmp_path: Path) -> None:
    files = build(tmp_path, "secret/a", "z.key", "src/secret/b", "src/c.py")
    (tmp_path / ".agentignore").write_text("secret/\n*.key\n")
    (tmp_path / ".gitignore").write_text("!secret/\n!*.key\n")

    assert (await listed(files)).entries == (".agentignore", ".gitignore", "src/", "src/c.py")
    assert (await listed(files, "src")).entries == ("c.py",)


async def test_repository_around_the_root_has_its_say(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("node_modules/\n/pkg/a/dist\n")
    files = build(tmp_path / "pkg" / "a", "node_modules/x.js", "dist/y.js", "src/z.js")

    assert (await listed(files)).entries == ("src/", "src/z.js")


async def test_root_that_is_ignored_from_above_is_seen_all_the_same(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*\n")
    files = build(tmp_path / "project", "a.py", "b.log")
    (tmp_path / "project" / ".gitignore").write_text("*.log\n")

    assert (await listed(files)).entries == (".gitignore", "a.py")


async def test_ignored_folder_that_is_named_is_looked_into(tmp_path: Path) -> None:
    files = build(tmp_path, "build/out/x.js")
    (tmp_path / ".gitignore").write_text("build/\n")

    assert (await listed(files, "build/out")).entries == ("x.js",)


async def test_links_are_shown_and_not_followed(tmp_path: Path) -> None:
    files = build(tmp_path, "a/b.txt")
    (tmp_path / "folder").symlink_to("a")
    (tmp_path / "file").symlink_to("a/b.txt")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "dangling").symlink_to("nowhere")

    assert (await listed(files)).entries == ("a/", "dangling", "file", "folder/", "loop/", "a/b.txt")


async def test_names_that_cannot_be_shown_are_marked(tmp_path: Path) -> None:
    files = build(tmp_path, "two\nlines", "\x1b[31m", "\udcff", "ü")

    assert (await listed(files)).entries == ("\ufffd[31m", "two\ufffdlines", "ü", "\ufffd")


async def test_folder_outside_is_listed_once_approved(tmp_path: Path) -> None:
    build(tmp_path / "O", "x.txt")

    assert (await listed(build(tmp_path / "W", "a.txt"), "../O")).entries == ("x.txt",)


async def test_what_is_no_folder_is_refused_by_name(tmp_path: Path) -> None:
    files = build(tmp_path, "a.txt")

    with pytest.raises(FileProblem, match=r"a\.txt is a file, not a folder"):
        await listed(files, "a.txt")
    with pytest.raises(FileMissing, match=r"There is no folder b\."):
        await listed(files, "b")


def test_very_large_tree_is_counted_in_bounds(tmp_path: Path) -> None:
    build(tmp_path, *(f"{folder}/{name}" for folder in "abcde" for name in "xyz"))
    walk = Walk(Places([tmp_path], home=tmp_path), tmp_path)

    assert list_entries(walk, is_recursive=True, limit=2, most_seen=5) == (("a/", "b/"), 3)


async def test_agent_ignore_of_a_folder_holds_below_it(tmp_path: Path) -> None:
    files = build(tmp_path, "a.log", "src/a.log", "src/deep/b.log", "src/c.py")
    (tmp_path / "src" / ".agentignore").write_text("*.log\n")

    assert (await listed(files)).entries == ("a.log", "src/", "src/.agentignore", "src/c.py", "src/deep/")


async def test_private_folders_are_gone_by_unless_they_are_named(tmp_path: Path) -> None:
    build(tmp_path, "home/settings.json", "src/home/a.py", "state/tasks/1")
    (tmp_path / "link").symlink_to("state")
    private = (tmp_path / "home", tmp_path / "link")
    files = WorkspaceFiles([tmp_path], NoDocuments(), own=OwnFolders(private=private), environment={})

    assert (await listed(files)).entries == ("link/", "src/", "src/home/", "src/home/a.py")
    assert (await listed(files, "home")).entries == ("settings.json",)
