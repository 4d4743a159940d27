"""A folder of the workspace is swapped for a link that leads outside, over and over, while files in it are used."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.workspace.disk import create_file, delete_file, read_file, replace_file
from agent_lsp.workspace.leftovers import Leftovers

SWAPS = 10_000
INSIDE, OUTSIDE = b"inside", b"outside"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """`W/d` is a folder at first; `O` lies outside of `W`, and has files of the same names."""
    for folder, content in (("W/d", INSIDE), ("O", OUTSIDE)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.txt").write_bytes(content)
    return tmp_path


@contextmanager
def swapping(site: Path) -> Generator[threading.Thread]:
    """Swap the folder for the link and back until there were enough swaps; each is one step for the system."""
    stop = threading.Event()

    def swap() -> None:
        folder, aside, link = site / "W" / "d", site / "W" / "aside", site / "W" / "link"
        for _ in range(SWAPS // 2):
            if stop.is_set():
                return
            link.symlink_to(site / "O")
            folder.rename(aside)
            link.rename(folder)
            folder.unlink()
            aside.rename(folder)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        thread.join()


def outside(site: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (site / "O").iterdir()}


def test_no_swap_lets_a_read_out_of_the_workspace(site: Path) -> None:
    contents = set[bytes]()

    with swapping(site) as swaps:
        while swaps.is_alive():
            try:
                contents.add(read_file(site / "W" / "d" / "a.txt", 100).content)
            except (FileProblem, FileMissing):
                continue

    assert contents <= {INSIDE}


def test_no_swap_lets_a_change_out_of_the_workspace(site: Path) -> None:
    path, new, leftovers = site / "W" / "d" / "a.txt", site / "W" / "d" / "new.txt", Leftovers(site / "state")

    with swapping(site) as swaps:
        while swaps.is_alive():
            for change in (
                lambda: replace_file(path, OUTSIDE, b"changed", leftovers),
                lambda: replace_file(path, INSIDE, INSIDE, leftovers),
                lambda: create_file(new, b"new", leftovers),
                lambda: delete_file(new, b"new"),
            ):
                try:
                    change()
                except (FileProblem, FileMissing):
                    continue

    assert outside(site) == {"a.txt": OUTSIDE}
