"""What goes wrong is told with the names that files have everywhere else: from their root, never from the disk's."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from workspace_garden import Garden

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import NotApplied


def make_folder(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_binary(path: Path) -> None:
    path.write_bytes(b"\0")


def make_nothing(_: Path) -> None:
    """Leave it out."""


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (make_nothing, FileMissing, "There is no file d/a.txt."),
        (make_folder, FileProblem, "d/a.txt is a folder; name a file in it."),
        (make_pipe, FileProblem, "d/a.txt is a pipe, a socket or a device, which is not read."),
        (make_binary, FileProblem, "d/a.txt is binary, not text; use a command to look into it."),
    ],
)
async def test_file_that_cannot_be_read_is_named_from_its_root(
    garden: Garden, make: Callable[[Path], None], kind: type[FileProblem], words: str
) -> None:
    (garden.root / "d").mkdir()
    make(garden.root / "d/a.txt")

    with pytest.raises(kind) as problem:
        await garden.files.read(garden.files.locate("d/a.txt", "read"))

    assert (type(problem.value), str(problem.value)) == (kind, words)


async def test_file_that_cannot_be_written_is_named_from_its_root(garden: Garden) -> None:
    (garden.root / "a.txt").write_text("old\n")
    (garden.root / "a.txt").chmod(0o444)

    assert await garden.make({"a.txt": "new\n"}) == NotApplied("a.txt is read-only; make it writable first.")


async def test_file_with_other_names_is_named_from_its_root(garden: Garden) -> None:
    (garden.root / "a.txt").write_text("old\n")
    os.link(garden.root / "a.txt", garden.root.parent / "other")

    with pytest.raises(FileProblem, match=r"^a\.txt has other names \(hard links\)"):
        await garden.make({"a.txt": "new\n"})


async def test_file_outside_keeps_its_whole_name(garden: Garden) -> None:
    outside = garden.root.parent / f"x{garden.root}" / "a.txt"
    outside.parent.mkdir(parents=True)

    with pytest.raises(FileMissing, match=f"^There is no file {outside}.$"):
        await garden.files.read(garden.files.locate(str(outside), "read"))
