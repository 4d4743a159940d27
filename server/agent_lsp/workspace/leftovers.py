"""The passing names under which files are first written, noted so that what a killed server leaves is found."""

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX, _SUFFIX = ".agent-lsp-", ".tmp"


class Leftovers:
    """Notes in a folder of our own, one for each file under a passing name. Without a folder nothing is noted."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @contextmanager
    def noted(self, folder: Path) -> Generator[str]:
        """Give a passing name for a file in the folder; the note goes when the block ends."""
        token = secrets.token_hex(8)
        name = f"{_PREFIX}{token}{_SUFFIX}"
        if self._folder is None:
            yield name
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        note = self._folder / f"{os.getpid()}-{token}"
        note.write_bytes(os.fsencode(folder / name))
        try:
            yield name
        finally:
            # A note that stays names nothing; the next sweep removes it.
            with suppress(OSError):
                note.unlink()

    def sweep(self) -> None:
        """Remove the files that servers which are gone have left under passing names."""
        if self._folder is None or not self._folder.is_dir():
            return
        for note in self._folder.glob("[0-9]*-*"):
            # Another server may sweep at the same time.
            with suppress(FileNotFoundError):
                if not _is_writer_alive(note):
                    _remove(Path(os.fsdecode(note.read_bytes())))
                    note.unlink()


def _remove(path: Path) -> None:
    # A note may be torn: nothing is touched but what can be ours by its name.
    if path.name.startswith(_PREFIX) and path.name.endswith(_SUFFIX):
        path.unlink(missing_ok=True)


def _is_writer_alive(note: Path) -> bool:
    """Whether the server that wrote the note still runs, and not a later process that was given its number."""
    import psutil

    pid = note.name.partition("-")[0]
    try:
        return pid.isdigit() and psutil.Process(int(pid)).create_time() <= note.stat().st_mtime
    except psutil.Error:
        return False
