import asyncio
import os
import time
from pathlib import Path

import pytest
from workspace_editor import FakeEditor

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import Base, FileText, Standing
from agent_lsp.workspace.files import WorkspaceFiles
from agent_lsp.workspace.opened import NoDocuments
from agent_lsp.workspace.reading import LARGE_BYTES, MOST_BYTES
from agent_lsp.workspace.texts import digest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "W"
    root.mkdir()
    (root / "a.txt").write_bytes(b"on disk\r\n")
    return root


@pytest.fixture
def files(root: Path, editor: FakeEditor) -> WorkspaceFiles:
    return WorkspaceFiles([root], editor, environment={})


async def test_closed_file_is_read_from_disk(files: WorkspaceFiles) -> None:
    text = await files.read(files.locate("a.txt", "read"))

    assert text == FileText("on disk\r\n", Base(None, digest(b"on disk\r\n")), is_open=False)


async def test_unsaved_text_is_what_is_read(files: WorkspaceFiles, editor: FakeEditor, root: Path) -> None:
    editor.type(editor.open(root / "a.txt"), "typed ü")

    text = await files.read(files.locate("a.txt", "read"))

    assert text == FileText("typed ü", Base(2, digest("typed ü".encode())), is_open=True)


async def test_document_that_was_never_saved_is_read(files: WorkspaceFiles, editor: FakeEditor, root: Path) -> None:
    editor.open(root / "new.txt", "not on disk")

    assert (await files.read(files.locate("new.txt", "read"))).text == "not on disk"


def spellings(root: Path) -> dict[str, str]:
    (root.parent / "link").symlink_to(root)
    (root / "b.txt").symlink_to("a.txt")
    return {
        "encoded": f"file://{root}/%61.txt",
        "by a linked folder": (root.parent / "link" / "a.txt").as_uri(),
        "by a linked file": (root / "b.txt").as_uri(),
    }


@pytest.mark.parametrize("kind", ["encoded", "by a linked folder", "by a linked file"])
async def test_document_is_known_by_any_address(
    kind: str, files: WorkspaceFiles, editor: FakeEditor, root: Path
) -> None:
    editor.open(root / "a.txt", "typed", uri=spellings(root)[kind])
    editor.open(root / "other.txt", "other")
    editor.open(root / "x", "a remote one", uri="vscode-remote://host/a.txt")

    assert (await files.read(files.locate("a.txt", "read"))).text == "typed"


async def test_large_file_is_read_whole(files: WorkspaceFiles, root: Path) -> None:
    content = "line\n" * LARGE_BYTES
    (root / "large.txt").write_text(content)

    assert (await files.read(files.locate("large.txt", "read"))).text == content


def make_giant(path: Path) -> None:
    path.touch()
    os.truncate(path, MOST_BYTES + 1)


REFUSED = {
    "binary": (lambda path: path.write_bytes(b"\x7fELF\x00"), FileProblem, r"x\.bin is binary, not text"),
    "giant": (make_giant, FileProblem, "20,000,001 bytes, more than the 20,000,000"),
    "folder": (Path.mkdir, FileProblem, "is a folder"),
    "missing": (lambda path: None, FileMissing, "There is no file"),
    "pipe": (os.mkfifo, FileProblem, "is a pipe"),
    "ignored": (lambda path: (path.parent / ".agentignore").write_text("*.bin"), FileProblem, "kept from you"),
    "link in the place of the file": (lambda path: path.symlink_to("/etc/passwd"), FileProblem, "leads elsewhere"),
}


@pytest.mark.parametrize(("make", "error", "message"), REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_read_is_refused_by_name(
    make, error: type[FileProblem], message: str, files: WorkspaceFiles, root: Path
) -> None:
    place = files.locate("x.bin", "read")
    make(root / "x.bin")

    with pytest.raises(error, match=message):
        await files.read(place)


async def test_path_that_leads_nowhere_cannot_be_read_whatever_was_approved(files: WorkspaceFiles) -> None:
    with pytest.raises(FileProblem, match="begins with a drive letter"):
        await files.read(files.locate("C:\\secret", "read"))


async def test_approved_file_outside_is_read(files: WorkspaceFiles, root: Path) -> None:
    (root.parent / "outside.txt").write_text("far")

    assert (await files.read(files.locate("../outside.txt", "read"))).text == "far"


async def test_bytes_are_read_as_they_are(files: WorkspaceFiles, root: Path) -> None:
    (root / "x.png").write_bytes(b"\x89PNG\0")
    place = files.locate("x.png", "read")

    assert await files.read_bytes(place, 5) == b"\x89PNG\0"
    with pytest.raises(FileProblem, match="more than the 4"):
        await files.read_bytes(place, 4)


async def test_swapped_folder_never_lets_a_read_escape(root: Path) -> None:
    outside = root.parent / "O"
    for folder, text in ((root / "d", "inside"), (outside, "secret")):
        folder.mkdir()
        (folder / "x.txt").write_text(text)
    files = WorkspaceFiles([root], NoDocuments(), environment={})
    place = files.locate("d/x.txt", "read")
    stop = asyncio.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "d").rename(root / "kept")
            (root / "d").symlink_to(outside)
            (root / "d").unlink()
            (root / "kept").rename(root / "d")

    swapping = asyncio.create_task(asyncio.to_thread(swap))
    seen = set[str]()
    end = time.monotonic() + 1
    while time.monotonic() < end:
        try:
            seen.add((await files.read(place)).text)
        except FileProblem:
            # So that the swapping thread gets its turn.
            await asyncio.to_thread(int)
    stop.set()
    await swapping

    assert seen <= {"inside"}


async def test_path_below_a_file_is_told_to_be_none(files: WorkspaceFiles, root: Path) -> None:
    (root / "f.txt").touch()
    place = files.locate("f.txt/d/g.txt", "write")

    with pytest.raises(FileProblem, match=r"^f\.txt is a file, not a folder, so nothing can be in it\.$"):
        await files.read(place)

    assert place.standing is Standing.INSIDE
