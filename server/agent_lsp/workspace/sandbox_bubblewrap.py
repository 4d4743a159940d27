"""Confining a command by bubblewrap: its own view of the disk, no network, its own processes, no rights to gain.

The disk is there to be read. Writable are the roots and a private folder for temporary files; what is protected is
bound onto itself, so that it can be neither written nor moved away. Sockets of programs outside are covered.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agent_lsp.workspace.commands_launch import Launch
from agent_lsp.workspace.sandbox_places import Confines

TRIAL_SECONDS = 10.0
_TEMPORARY = Path("/tmp")  # noqa: S108  a folder of the task's own stands there for a confined command
_FRESH = (Path("/run"), Path("/var/tmp"))  # noqa: S108  covered by an empty folder each
_NEEDED = (Path("/run/current-system"), Path("/run/opengl-driver"))
"""Where a system without /usr/bin keeps its programs."""
_ALWAYS = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
)


def find_bubblewrap(search_path: str, roots: Sequence[Path]) -> Path | None:
    """Find bwrap by an absolute path. One that lies in the workspace is not run."""
    real_roots = [root.resolve() for root in roots]
    for folder in search_path.split(os.pathsep):
        path = Path(os.path.realpath(Path(folder, "bwrap")))
        is_theirs = any(path.is_relative_to(root) for root in real_roots)
        if folder.startswith("/") and not is_theirs and path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def trial_problem(program: Path, shell: str) -> str:
    """Confine a command that does nothing; why that cannot be done, or nothing."""
    command = [str(program), *_ALWAYS, "--", shell, "-c", ":"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIAL_SECONDS,
            check=False,
            env={},
            cwd="/",
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return "bubblewrap does not answer"
    except OSError as problem:
        return f"bubblewrap could not be started ({problem.strerror})"
    if not done.returncode:
        return ""
    said = done.stderr.decode("utf-8", "replace").strip()
    return said[-200:] or f"bubblewrap ended with exit code {done.returncode}"


def bubblewrapped(program: Path, confines: Confines, launch: Launch) -> Launch:
    """Have bubblewrap start what was to be started."""
    mounts = sorted(_mounts(confines), key=lambda mount: len(mount[0].parts))
    options = [word for _, words in mounts for word in words]
    arguments = (str(program), *_ALWAYS, *options, "--chdir", str(launch.cwd), "--", *launch.arguments)
    environment = {**launch.environment, **_variables(launch.environment)}
    return replace(launch, arguments=arguments, environment=environment, attendants=1)


def _mounts(confines: Confines) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Each place with the options for it. The deeper a place, the later it is mounted; so it covers the others.

    Of one place named twice the later options hold: what is both protected and hidden is hidden.
    """
    yield _TEMPORARY, ("--bind", str(confines.temporary), str(_TEMPORARY))
    yield from ((path, ("--tmpfs", str(path))) for path in _FRESH if path.is_dir() and not path.is_symlink())
    yield from ((path, ("--ro-bind-try", str(path), str(path))) for path in _NEEDED)
    yield from ((path, ("--bind", str(path), str(path))) for path in confines.writable)
    yield from ((path, ("--ro-bind-try", str(path), str(path))) for path in _seen(confines.held, confines))
    files = (*confines.hidden_files, *confines.sockets)
    folders = _seen(confines.hidden_folders, confines)
    yield from ((path, ("--tmpfs", str(path), "--remount-ro", str(path))) for path in folders)
    yield from ((path, ("--ro-bind", os.devnull, str(path))) for path in _seen(files, confines))


def _seen(paths: Sequence[Path], confines: Confines) -> Iterator[Path]:
    """Leave out what lies under something that is covered whole: no mount could be made there, and none is needed."""
    covers = (_TEMPORARY, *_FRESH, Path("/dev"), Path("/proc"), *confines.hidden_folders)
    for path in paths:
        if path in confines.writable:
            continue  # The user works on it.
        around = [place for place in (*covers, *confines.writable) if place in path.parents]
        if not around or max(around, key=lambda place: len(place.parts)) in confines.writable:
            yield path


def _variables(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Programs keep temporary and cached files where they can be written."""
    named = {name: str(_TEMPORARY) for name in ("TMPDIR", "TMP", "TEMP") if name == "TMPDIR" or name in environment}
    return named | {"XDG_CACHE_HOME": f"{_TEMPORARY}/.cache"}
