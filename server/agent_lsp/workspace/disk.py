"""The disk below the editor: files opened part by part without following links, and replaced whole or not at all."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EEXIST, ELOOP, EMLINK, ENOTDIR, ENOTSUP, EPERM
from pathlib import Path

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.workspace.leftovers import Leftovers

# O_PATH, where the system has it, needs no right to list the folder, only to pass through.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Opening a pipe or a device must not wait for its other end.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_NO_LINKS = (EPERM, ENOTSUP, EMLINK)
_ANYONE_WRITES = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Unconfirmed(FileProblem):
    """The change is made, and may not outlive a loss of power."""


@dataclass(frozen=True, slots=True)
class DiskFile:
    content: bytes
    status: os.stat_result


def read_file(path: Path, limit: int) -> DiskFile:
    """Read a regular file at a path without links; raises FileMissing where there is none."""
    with explained(path), opened_folder(path.parent) as folder:
        descriptor = os.open(path.name, _READ, dir_fd=folder)
        try:
            return _read(descriptor, path, limit)
        finally:
            os.close(descriptor)


def size_of(path: Path) -> int:
    """The size of a file, for deciding who reads it; 0 where there is none."""
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


@contextmanager
def opened_folder(path: Path) -> Generator[int]:
    """Open a folder part by part: a part that has become a link meanwhile is refused by the system itself."""
    descriptor = os.open("/", _FOLDER)
    try:
        for part in path.parts[1:]:
            inner = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def explained(path: Path) -> Generator[None]:
    """Turn what the system says into a sentence about the path."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        if error.errno == ENOTDIR and _has_link(path):
            raise FileProblem(f"{path} leads elsewhere than when it was judged; look at it again.") from error
        raise FileMissing(f"There is no file {path}.") from error
    except IsADirectoryError as error:
        raise FileProblem(f"{path} is a folder; name a file in it.") from error
    except FileExistsError as error:
        raise FileProblem(f"{path} exists already; read it first.") from error
    except OSError as error:
        if error.errno == ELOOP:
            raise FileProblem(f"{path} leads elsewhere than when it was judged; look at it again.") from error
        raise FileProblem(f"{path} cannot be used: {error.strerror}.") from error


def create_file(path: Path, content: bytes, leftovers: Leftovers, like: os.stat_result | None = None) -> None:
    """Write a new file; raises FileProblem where there is one by now. `like`: another file's mode and owner."""
    with explained(path), opened_folder(path.parent) as folder:
        with _temporary(path.parent, folder, content, like, leftovers) as name:
            # A link, unlike a rename, never takes the place of something that came meanwhile.
            _link(name, path.name, folder)
        _confirm(path, folder)


def replace_file(path: Path, expected: bytes, content: bytes, leftovers: Leftovers) -> None:
    """Replace a file's content whole; raises FileProblem if it is not the expected one, or may not be replaced."""
    with explained(path), opened_folder(path.parent) as folder:
        status = _checked(path, folder, expected)
        with _temporary(path.parent, folder, content, status, leftovers) as name:
            _checked(path, folder, expected)
            os.replace(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        _confirm(path, folder)


def delete_file(path: Path, expected: bytes) -> None:
    """Delete a file; raises FileProblem if it no longer has the expected content."""
    with explained(path), opened_folder(path.parent) as folder:
        _checked(path, folder, expected)
        os.unlink(path.name, dir_fd=folder)
        _confirm(path, folder)


def make_folders(path: Path) -> tuple[Path, ...]:
    """Make a folder and those above it that are missing: all of them or none; the ones made, the outermost first."""
    made = list[Path]()
    try:
        with explained(path):
            for folder in (*path.parents[::-1][1:], path):
                _make_folder(folder, made)
    except FileProblem:
        remove_folders(tuple(made))
        raise
    return tuple(made)


def remove_folders(paths: tuple[Path, ...]) -> None:
    """Take folders away again, as far as they are still empty."""
    for path in reversed(paths):
        try:
            path.rmdir()
        except OSError:
            return


def _make_folder(path: Path, made: list[Path]) -> None:
    with opened_folder(path.parent) as folder:
        try:
            os.mkdir(path.name, dir_fd=folder)
        except FileExistsError:
            if path.is_dir():
                return
            raise FileProblem(f"{path} is a file, not a folder, so nothing can be put into it.") from None
        made.append(path)
        _sync(folder)


def _confirm(path: Path, folder: int) -> None:
    try:
        _sync(folder)
    except OSError as error:
        raise Unconfirmed(f"{path} was changed, and the disk does not confirm it: {error.strerror}.") from error


def _sync(folder: int) -> None:
    """Bring the folder's own entries to the disk."""
    descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(name: str, new_name: str, folder: int) -> None:
    """Give a file its lasting name, unless something has that name by now."""
    try:
        os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # The file system knows no hard links, and so nothing better than to look first.
        if _is_there(new_name, folder):
            raise FileExistsError(EEXIST, os.strerror(EEXIST)) from error
        os.replace(name, new_name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        os.unlink(name, dir_fd=folder)
    except OSError as error:
        raise Unconfirmed(f"{new_name} was made, and its passing name stays: {error.strerror}.") from error


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _read(descriptor: int, path: Path, limit: int) -> DiskFile:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise FileProblem(f"{path} is a folder; name a file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise FileProblem(f"{path} is a pipe, a socket or a device, which is not read.")
    pieces, left = list[bytes](), limit + 1
    while left and (piece := os.read(descriptor, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise FileProblem(f"{path} has {status.st_size:,} bytes, more than the {limit:,} that are read; use a command.")
    return DiskFile(b"".join(pieces), status)


def _checked(path: Path, folder: int, expected: bytes) -> os.stat_result:
    """Make sure that the file may be replaced, and still is what the change was made for."""
    descriptor = os.open(path.name, _READ, dir_fd=folder)
    try:
        file = _read(descriptor, path, len(expected))
    except FileProblem as problem:
        raise FileProblem(f"{path} has changed on disk meanwhile; read it again.") from problem
    finally:
        os.close(descriptor)
    if file.content != expected:
        raise FileProblem(f"{path} has changed on disk meanwhile; read it again.")
    if file.status.st_nlink > 1:
        raise FileProblem(f"{path} has other names (hard links), which a safe write would cut off; use a command.")
    if not file.status.st_mode & _ANYONE_WRITES:
        raise FileProblem(f"{path} is read-only; make it writable first.")
    return file.status


@contextmanager
def _temporary(
    path: Path, folder: int, content: bytes, like: os.stat_result | None, leftovers: Leftovers
) -> Generator[str]:
    """Write a file under a passing name in the same folder; if it is still there at the end, it goes."""
    with leftovers.noted(path) as name:
        descriptor = os.open(name, _CREATE, 0o600 if like else 0o666, dir_fd=folder)
        try:
            try:
                _write(descriptor, content)
                if like:
                    _take_after(descriptor, like)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            yield name
        except BaseException:
            _unlink_if_there(name, folder)
            raise


def _write(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _take_after(descriptor: int, like: os.stat_result) -> None:
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        os.fchown(descriptor, like.st_uid, like.st_gid)
    # After the owner: a change of owner takes the set-user bits away.
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode))


def _unlink_if_there(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return


def _has_link(path: Path) -> bool:
    return any(parent.is_symlink() for parent in (path, *path.parents))
