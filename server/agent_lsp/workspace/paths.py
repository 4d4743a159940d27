"""From a path as somebody wrote it to the path it leads to: spellings, links followed part by part. Judges nothing."""

import os
import re
from dataclasses import dataclass
from errno import EINVAL, ENOENT, ENOTDIR
from pathlib import Path
from urllib.parse import unquote_to_bytes

from agent_lsp.domain.errors import FileProblem

MOST_LINKS = 40
"""As Linux has it; more are taken for a loop."""

_SYSTEM = ("/proc", "/dev", "/sys")
_DRIVE = re.compile(r"/?[A-Za-z]:")
# Two colons name a stream of a file, on systems that have such.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?!:)")
_FILE_URI = re.compile(r"file:///(?!/)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spelling:
    """A path as it was meant, before any link is followed; it may be relative."""

    path: str
    is_from_home: bool = False


def read_spelling(path: str, home: Path) -> Spelling:
    """Understand how a path is written; raises FileProblem for what names no file here."""
    if _FILE_URI.match(path):
        path = _decoded_uri(path)
    elif _SCHEME.match(path):
        raise FileProblem(f"{path} is an address, not a path of a file; give the path.")
    if not path.strip() or "\0" in path:
        raise FileProblem("The path is empty or has a character that no path can have; give the path of a file.")
    if path.startswith("$"):
        raise FileProblem(f"Variables in paths are not filled in; write {path} out.")
    if _DRIVE.match(path):
        raise FileProblem(f"{path} begins with a drive letter, and there are no drives here.")
    path = path.replace("\\", "/")
    if path.startswith("//"):
        raise FileProblem(f"{path} names a network share; give the path of a local file.")
    if not path.startswith("~"):
        return Spelling(path)
    name, _, rest = path.partition("/")
    if name != "~":
        raise FileProblem(f"The home folder of {name} is not looked up; write the path out.")
    return Spelling(f"{home}/{rest}", is_from_home=True)


def resolve(path: str) -> str:
    """Follow an absolute path's links part by part, as the system does; what does not exist yet is added."""
    try:
        return _resolved(path)
    except UnicodeEncodeError as error:
        raise FileProblem("The path has characters that no path can have; give the path of a file.") from error
    except OSError as error:
        raise FileProblem(f"{path} cannot be looked up: {error.strerror}.") from error


def normalized(path: str) -> list[str]:
    """The parts of an absolute path without its dots, no link followed."""
    parts = list[str]()
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return parts


def _decoded_uri(uri: str) -> str:
    if "?" in uri or "#" in uri:
        raise FileProblem(f"{uri} has more to it than a path; give the path of a file.")
    return os.fsdecode(unquote_to_bytes(uri[len("file://") :].encode("utf-8", "surrogatepass")))


def _resolved(path: str) -> str:
    pending, done, links = path.split("/")[::-1], "", 0
    while pending:
        part = pending.pop()
        if part in ("", "."):
            continue
        if part == "..":
            done = done.rpartition("/")[0]
            continue
        candidate = f"{done}/{part}"
        if candidate in _SYSTEM:
            raise FileProblem(f"{path} leads into {candidate}, which holds no files to work on.")
        target = _link_target(candidate)
        if target is None:
            done = candidate
            continue
        links += 1
        if links > MOST_LINKS:
            raise FileProblem(f"{path} goes through links that lead in a circle.")
        pending.extend(target.split("/")[::-1])
        done = "" if target.startswith("/") else done
    return done or "/"


def _link_target(path: str) -> str | None:
    """Where a link points; None for what is no link, or not there."""
    try:
        return os.readlink(path)  # noqa: PTH115  # Strings: this runs for each part of each path.
    except OSError as error:
        if error.errno in (EINVAL, ENOENT, ENOTDIR):
            return None
        raise
