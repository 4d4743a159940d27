"""What git can tell of the user's repository. Nothing of theirs is run, and nothing is written.

Git works in a folder of its own with no settings in it: the repository's hooks, filters, text converters, watchers and
includes are not known there. Only its objects and its index are read. For threads: all calls wait.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer

from agent_lsp.domain.prompting import GitState
from agent_lsp.workspace.git_repository import Head, Repository, find_repository

SECONDS = 2.0
"""A repository that takes longer is not told of."""
_MOST_STATUS = 4_000_000
_MOST_KEPT_BACK = 500
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.fileMode=false",
    "core.quotePath=false",
    "diff.renames=true",
    "log.showSignature=false",
    "protocol.allow=never",
    "color.ui=false",
)
_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all")
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_SHA256_LENGTH = 64
_MOST_EXCLUDES = 1_000_000


@dataclass(frozen=True, slots=True)
class GitText:
    """What git printed; `is_cut` where there is more."""

    text: str
    is_cut: bool = False


class GitReading:
    """Reads the repository that one folder is in, but for files that the user keeps from the agent."""

    def __init__(self, program: Path, folder: Path, is_kept_back: Callable[[Path], bool] = lambda _: False) -> None:
        self._program = program
        self._folder = folder
        self._is_kept_back = is_kept_back

    def repository(self) -> Repository | None:
        found = find_repository(self._folder)
        # Git would wait for a pipe.
        has_index = found and ((index := found.own / "index").is_file() or not index.exists())
        return found if has_index else None

    def signature(self) -> object:
        """Something that changes whenever something is committed, staged or checked out; cheap, and no git is run."""
        repository = self.repository()
        return repository and repository.signature()

    def state(self) -> GitState | None:
        """Tell what is checked out and how much of it was changed; None where there is no repository to be read."""
        repository = self.repository()
        head = repository and repository.head()
        if not repository or not head:
            return None
        arguments = ("status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignore-submodules=all")
        printed = self._run(repository, head, (*arguments, "--", f":(literal){self._folder}"), _MOST_STATUS)
        commit, where = head.commit[:10], head.under_way
        if printed is None or printed.is_cut:
            return GitState(head.branch, commit, where)
        return _counted(printed.text, GitState(head.branch, commit, where, 0, 0, 0))

    def changes(self, most: int) -> GitText | None:
        """Give what is not committed: the states of files, and the differences to the last commit."""
        repository = self.repository()
        head = repository and repository.head()
        if not repository or not head:
            return None
        arguments = ("status", "--short", "--ignore-submodules=all")
        differing = ("diff", *_DIFF, head.commit or _EMPTY_TREE)
        folder = f":(literal){self._folder}"
        names = self._names(repository, head, (*arguments, "-z", "--no-renames", "--", folder))
        left_out = self._left_out(repository, [name[3:] for name in names] if names else names)
        if left_out is None:
            return None
        status = self._run(repository, head, (*arguments, "--", folder, *left_out), most)
        diff = self._run(repository, head, (*differing, "--", folder, *left_out), most)
        if status is None or diff is None:
            return None
        text = "\n\n".join(part.text.rstrip() for part in (status, diff) if part.text.strip())
        return GitText(text, status.is_cut or diff.is_cut)

    def commit(self, commit: str, most: int) -> GitText | None:
        """Give a commit: who, when, why and what; None where there is none of this name."""
        repository = self.repository()
        head = repository and repository.head()
        if not repository or not head:
            return None
        arguments, chosen = ("show", "--no-show-signature", *_DIFF), f"{commit}^{{commit}}"
        names = self._names(
            repository, head, (*arguments, "--name-only", "-z", "--no-renames", "--format=", chosen, "--")
        )
        left_out = self._left_out(repository, names)
        if left_out is None:
            return None
        return self._run(
            repository, head, (*arguments, "--stat", "--patch", "--format=medium", chosen, "--", *left_out), most
        )

    def _names(self, repository: Repository, head: Head, arguments: tuple[str, ...]) -> list[str] | None:
        printed = self._run(repository, head, arguments, _MOST_STATUS, errors="surrogateescape")
        return None if printed is None or printed.is_cut else printed.text.split("\0")

    def _left_out(self, repository: Repository, names: Sequence[str] | None) -> tuple[str, ...] | None:
        """How git is told to pass over what is kept back; None where that is not known, or too much."""
        if names is None:
            return None
        kept_back = [name for name in names if name and self._is_kept_back(repository.worktree / name)]
        return (
            None if len(kept_back) > _MOST_KEPT_BACK else tuple(f":(top,exclude,literal){name}" for name in kept_back)
        )

    def _run(
        self, repository: Repository, head: Head, arguments: tuple[str, ...], most: int, errors: str = "replace"
    ) -> GitText | None:
        """Run git on the repository's objects and index; None where it fails or takes too long."""
        with tempfile.TemporaryDirectory(prefix="agent-lsp-git-") as folder:
            own = Path(folder)
            try:
                _prepare(own, repository, head)
                content = self._printed(_environment(repository, own), repository, arguments, most)
            except OSError:
                return None
        return GitText(content[:most].decode("utf-8", errors), len(content) > most) if content is not None else None

    def _printed(
        self, environment: Mapping[str, str], repository: Repository, arguments: tuple[str, ...], most: int
    ) -> bytes | None:
        """What git prints, and a byte more than the most where there is more of it; None where it fails."""
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        with subprocess.Popen(
            [str(self._program), "--no-pager", *settings, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=repository.worktree,
            start_new_session=True,
        ) as process:
            late = Timer(SECONDS, process.kill)
            late.start()
            try:
                content = process.stdout.read(most + 1) if process.stdout else b""
                is_cut = len(content) > most
                if not is_cut:
                    process.wait()
            finally:
                process.kill()
                late.cancel()
        return None if process.returncode and not is_cut else content


def _prepare(own: Path, repository: Repository, head: Head) -> None:
    """Make the folder that git takes for the repository: what is checked out, and nothing else."""
    (own / "objects").mkdir()
    (own / "refs").mkdir()
    (own / "info").mkdir()
    (own / "HEAD").write_text(f"{head.commit}\n" if head.commit else "ref: refs/heads/unborn\n")
    if len(head.commit) == _SHA256_LENGTH:
        (own / "config").write_text("[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\n")
    exclude = repository.common / "info/exclude"
    if exclude.is_file():
        (own / "info/exclude").write_bytes(exclude.read_bytes()[:_MOST_EXCLUDES])


def _environment(repository: Repository, own: Path) -> dict[str, str]:
    """Nothing is inherited but where the user's home is, for the files that they have git ignore everywhere."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(Path.home()),
        "LC_ALL": "C.UTF-8",
        "GIT_DIR": str(own),
        "GIT_WORK_TREE": str(repository.worktree),
        "GIT_INDEX_FILE": str(repository.own / "index"),
        "GIT_OBJECT_DIRECTORY": str(repository.common / "objects"),
        "GIT_SHALLOW_FILE": str(repository.common / "shallow"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _counted(status: str, state: GitState) -> GitState:
    """Count the entries of a status by their kinds; the old name of what was renamed is no entry."""
    kinds = list[str]()
    entries = iter(status.split("\0"))
    for entry in entries:
        kinds.append(entry[:1])
        if entry.startswith("2 "):
            next(entries, None)
    return replace(
        state, changed=kinds.count("1") + kinds.count("2"), untracked=kinds.count("?"), conflicts=kinds.count("u")
    )
