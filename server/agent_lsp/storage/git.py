"""Git as a program that keeps bytes: found once, run on a folder of our own, deaf to everything else on the machine.

No repository, hook, setting, filter or variable of the user's has a say in what runs here. For threads: all calls wait.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from agent_lsp.domain.errors import StorageProblem

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class GitFailed(StorageProblem):
    """Git ran, and could not do what it was asked for."""


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
        self._process: subprocess.Popen[bytes] | None = None
        self.is_stopped = False

    def run(self, *arguments: str, stdin: bytes = b"", seconds: float) -> bytes:
        """Run to the end and give what was printed; StorageProblem where it fails or takes too long."""
        try:
            with self._started(arguments) as process:
                try:
                    printed, complaint = process.communicate(stdin, timeout=max(seconds, 0.001))
                finally:
                    process.kill()
        except subprocess.TimeoutExpired as error:
            raise StorageProblem(f"git {arguments[0]} took longer than {seconds:.0f} s and was ended.") from error
        except OSError as error:
            raise StorageProblem(f"git cannot be run ({error.strerror}): install it anew or mend PATH.") from error
        finally:
            self._process = None
        if process.returncode:
            raise _failure(arguments[0], complaint)
        return printed

    def stop(self) -> None:
        """End what is running, and run nothing any more."""
        self.is_stopped = True
        if process := self._process:
            process.kill()

    def _started(self, arguments: Iterable[str]) -> subprocess.Popen[bytes]:
        process = self._process = subprocess.Popen(
            self._command(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment(),
            cwd=self.folder,
            start_new_session=True,
        )
        if self.is_stopped:
            process.kill()
        return process

    def _command(self, arguments: Iterable[str]) -> list[str]:
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        return [str(self._program), "--literal-pathspecs", *settings, *arguments]

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


def _failure(command: str, complaint: bytes) -> GitFailed:
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    return GitFailed(f"git {command} failed: {lines[0][:200] if lines else 'it was ended'}.")
