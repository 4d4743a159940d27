"""Git as a program that keeps bytes: found once, run on a folder of our own, deaf to everything else on the machine.

No repository, hook, setting, filter or variable of the user's has a say in what runs here. For threads: all calls wait.
"""

import os
import shutil
import subprocess
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import IO

from agent_lsp.domain.errors import StorageProblem

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.compression": "1",
    "core.fsync": "none",
    "gc.auto": "0",
    "protocol.allow": "never",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
}
"""Without `core.fsync`, a pack costs a wait for the disk; what a power cut takes is a checkpoint, never a file."""


def find_git(environment: Mapping[str, str], roots: Iterable[Path]) -> Path | None:
    """Find git by an absolute path. One that lies in the workspace is not run."""
    folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if folder.startswith("/")]
    real_roots = [root.resolve() for root in roots]
    for folder in folders:
        found = shutil.which("git", path=folder)
        if found and not any(Path(found).resolve().is_relative_to(root) for root in real_roots):
            return Path(found)
    return None


class Git:
    """Plumbing commands on one bare repository, each with a time after which it is killed."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._program = program
        self.folder = folder

    def init(self, seconds: float) -> None:
        """Make the repository, unless it is there."""
        if not (self.folder / "HEAD").exists():
            self.run("init", "--quiet", "--bare", "--template=", "--object-format=sha1", seconds=seconds)

    def run(self, *arguments: str, stdin: bytes = b"", seconds: float) -> bytes:
        """Run to the end and give what was printed; StorageProblem where it fails or takes too long."""
        try:
            done = subprocess.run(
                self._command(arguments),
                input=stdin,
                capture_output=True,
                env=self._environment(),
                cwd=self.folder,
                timeout=max(seconds, 0.001),
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise StorageProblem(f"git {arguments[0]} took longer than {seconds:.0f} s and was ended.") from error
        except OSError as error:
            raise StorageProblem(f"git cannot be run: {error.strerror}.") from error
        if done.returncode:
            raise _failure(arguments[0], done.stderr)
        return done.stdout

    @contextmanager
    def importing(self, seconds: float) -> Generator[tuple[IO[bytes], IO[bytes]]]:
        """Run `fast-import`: a pipe to write to and one to read from. What is not ended by `done` leaves no trace."""
        arguments = ("fast-import", "--quiet", "--done", "--force", "--date-format=raw")
        process = subprocess.Popen(
            self._command(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment(),
            cwd=self.folder,
            start_new_session=True,
        )
        assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018  # Asked for two lines above.
        timer = Timer(max(seconds, 0.001), process.kill)
        timer.start()
        is_done = False
        try:
            yield process.stdin, process.stdout
            process.stdin.close()
            complaint = process.stderr.read()
            is_done = process.wait() == 0
        except (BrokenPipeError, EOFError):
            complaint = process.stderr.read()
        finally:
            timer.cancel()
            if not is_done:
                process.kill()
            _close(process)
        if not is_done:
            raise _failure("fast-import", complaint)

    def _command(self, arguments: Iterable[str]) -> list[str]:
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        return [str(self._program), *settings, *arguments]

    def _environment(self) -> dict[str, str]:
        """Nothing is inherited: neither GIT_*, nor a HOME with settings in it."""
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.folder),
            "LC_ALL": "C",
            "GIT_DIR": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
        }


def _close(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe and not pipe.closed:
            try:
                pipe.close()
            except BrokenPipeError:  # What was still to be written has nowhere to go.
                continue


def _failure(command: str, complaint: bytes) -> StorageProblem:
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    return StorageProblem(f"git {command} failed: {lines[0][:200] if lines else 'it was ended'}.")
