"""Reading checkpoints and changes back. One chain of commits for each task holds both, in the order they were made."""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from agent_lsp.domain.checkpoints import Altered, Checkpoint, Difference, FileState, Reason
from agent_lsp.storage.checkpoints_index import usual_permissions
from agent_lsp.storage.checkpoints_objects import LINK
from agent_lsp.storage.git import EMPTY_TREE, Git, GitFailed

_NO_OBJECT = "0" * 40
_MADE_ANEW = frozenset((b"node_modules", b"__pycache__"))
"""Nobody misses these."""

Kind = Literal["checkpoint", "change", "intent"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A commit of a task's chain: a checkpoint, or what the agent changed, or was about to change."""

    id: str
    tree: str
    kind: Kind
    ts: int
    reason: Reason

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.id, self.ts, self.reason, self.tree)


@dataclass(frozen=True, slots=True)
class _Side:
    mode: bytes
    id: str


class CheckpointReader:
    """Answers from one repository. For threads."""

    def __init__(self, git: Git, seconds: float) -> None:
        self._git = git
        self._seconds = seconds

    def chain(self, tip: str) -> tuple[Entry, ...]:
        """All of a task's entries up to this one, the oldest first."""
        return self._log("--reverse", tip)

    def entry(self, name: str) -> Entry:
        return self._log("--max-count=1", name)[0]

    def compare(self, older: str, newer: str) -> Difference:
        """How the files differ between two trees; a file that was left out of either is not among them."""
        omitted = self._names(older, "omitted"), self._names(newer, "omitted")
        left_out = omitted[0] | omitted[1]
        files = self._pairs(self._inner(older, "files"), self._inner(newer, "files"))
        modes = self._permissions(older), self._permissions(newer)
        wanted = {path: sides for path, sides in files.items() if not _is_below(path, left_out)}
        for path in modes[0].keys() | modes[1].keys():
            if modes[0].get(path) != modes[1].get(path) and path not in wanted and not _is_below(path, left_out):
                wanted |= self._same_on_both(newer, path)
        contents = self._contents({side.id for sides in wanted.values() for side in sides if side})
        return Difference(
            {
                _path(path): Altered(
                    _state(before, contents, modes[0].get(path)), _state(after, contents, modes[1].get(path))
                )
                for path, (before, after) in sorted(wanted.items())
            },
            tuple(_path(path) for path in sorted(left_out)),
            tuple(
                _path(path) for path in sorted(omitted[0] - omitted[1]) if path.rpartition(b"/")[2] not in _MADE_ANEW
            ),
        )

    def compare_shown(self, older: str, newer: str) -> Difference:
        """The same as an editor shows the files: unsaved texts in place of what is on the disk."""
        difference = self.compare(older, newer)
        altered = dict(difference.altered)
        for path in self.unsaved(older).keys() | self.unsaved(newer).keys():
            before, after = self._shown(older, path), self._shown(newer, path)
            altered.pop(path, None)
            if before != after:
                altered[path] = Altered(before, after)
        return replace(difference, altered=dict(sorted(altered.items())))

    def change(self, entry: Entry) -> Difference:
        """What one entry says that the agent changed."""
        return self.compare(self._inner(entry.tree, "before"), self._inner(entry.tree, "after"))

    def unsaved(self, tree: str) -> Mapping[Path, str]:
        """The texts that were only in the editor."""
        sides = self._pairs(EMPTY_TREE, self._inner(tree, "unsaved"))
        texts = self._contents({after.id for _, after in sides.values() if after})
        return {
            _path(path): texts[after.id].decode("utf-8", "surrogatepass") for path, (_, after) in sides.items() if after
        }

    def empty_folders(self, tree: str) -> frozenset[Path]:
        return frozenset(map(_path, self._names(tree, "empty")))

    def has_all(self, ids: Iterable[str]) -> bool:
        """Whether nothing is missing of these objects."""
        said = self._run("cat-file", "--batch-check=", "--buffer", stdin="\n".join(ids).encode() + b"\n")
        return b" missing" not in said

    def _log(self, *arguments: str) -> tuple[Entry, ...]:
        log = self._run("log", "-z", "--first-parent", "--format=%H %T %B", *arguments)
        return tuple(_entry(line) for line in os.fsdecode(log).split("\0") if line.strip())

    def _shown(self, tree: str, path: Path) -> FileState | None:
        name = os.fsencode(path)[1:]
        for side in (b"unsaved/", b"files/"):
            line = self._run("ls-tree", "-z", tree, "--", os.fsdecode(side + name))
            if line:
                mode, _, blob = line.split(b"\t")[0].split()
                found = _Side(mode, os.fsdecode(blob))
                return _state(found, self._contents({found.id}), None)
        return None

    def _inner(self, tree: str, name: str) -> str:
        """A folder of a tree; where there is none, the empty one."""
        line = self._run("ls-tree", tree, name)
        return os.fsdecode(line).split()[2] if line else EMPTY_TREE

    def _names(self, tree: str, within: str) -> set[bytes]:
        names = self._run("ls-tree", "-r", "-z", "--name-only", self._inner(tree, within))
        return set(names.split(b"\0")) - {b""}

    def _permissions(self, tree: str) -> Mapping[bytes, int]:
        sides = self._pairs(EMPTY_TREE, self._inner(tree, "modes"))
        contents = self._contents({after.id for _, after in sides.values() if after})
        return {path: int(contents[after.id], 8) for path, (_, after) in sides.items() if after}

    def _pairs(self, older: str, newer: str) -> dict[bytes, tuple[_Side | None, _Side | None]]:
        if older == newer:
            return {}
        raw = self._run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", older, newer)
        fields = raw.split(b"\0")
        return {path: _sides(head) for head, path in zip(fields[0::2], fields[1::2], strict=False)}

    def _same_on_both(self, tree: str, path: bytes) -> dict[bytes, tuple[_Side | None, _Side | None]]:
        """A file whose permissions alone have changed."""
        line = self._run("ls-tree", "-z", tree, "--", f"files/{os.fsdecode(path)}")
        if not line:
            return {}
        mode, _, name = line.split(b"\t")[0].split()
        side = _Side(mode, os.fsdecode(name))
        return {path: (side, side)}

    def _contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        wanted = sorted(ids)
        if not wanted:
            return {}
        return dict(_batch(self._run("cat-file", "--batch", stdin="\n".join(wanted).encode() + b"\n")))

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return self._git.run(*arguments, stdin=stdin, seconds=self._seconds)


def agents_doings(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries that say what the agent did.

    An intent is one of them where no word of the change follows: the server was killed meanwhile, or the editor did
    not show whether it made it. Taking back what was never made changes nothing.
    """
    doings = [entry for entry in entries if entry.kind != "checkpoint"]
    for entry, following in zip_longest(doings, doings[1:]):
        is_settled = following and following.kind == "change" and following.reason is Reason.CHANGE
        if entry.kind == "change" or not is_settled:
            yield entry


def message_of(kind: Kind, ts: int, reason: Reason) -> str:
    """What a commit of the chain says of itself."""
    return json.dumps({"kind": kind, "ts": ts, "reason": reason.value})


def _entry(line: str) -> Entry:
    name, tree, message = line.strip().split(" ", 2)
    said = json.loads(message)
    return Entry(name, tree, said["kind"], said["ts"], Reason(said["reason"]))


def _sides(head: bytes) -> tuple[_Side | None, _Side | None]:
    """Read `:100644 100755 <id> <id> M`."""
    old_mode, new_mode, old, new, _ = os.fsdecode(head[1:]).split()
    return _side(old_mode, old), _side(new_mode, new)


def _side(mode: str, name: str) -> _Side | None:
    return None if name == _NO_OBJECT else _Side(mode.encode(), name)


def _state(side: _Side | None, contents: Mapping[str, bytes], permissions: int | None) -> FileState | None:
    if side is None:
        return None
    usual = usual_permissions(side.mode)
    return FileState(contents[side.id], side.mode == LINK, stat.S_IMODE(usual if permissions is None else permissions))


def _batch(output: bytes) -> Iterator[tuple[str, bytes]]:
    """Read what `cat-file --batch` prints: `<id> blob <size>`, the content, a line feed."""
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        name, kind, *size = os.fsdecode(output[at:end]).split()
        if kind != "blob":
            raise GitFailed(f"the object {name} is {kind}")
        start, length = end + 1, int(size[0])
        yield name, output[start : start + length]
        at = start + length + 1


def _is_below(path: bytes, folders: set[bytes]) -> bool:
    parts = path.split(b"/")
    return any(b"/".join(parts[:count]) in folders for count in range(1, len(parts) + 1))


def _path(path: bytes) -> Path:
    return Path(os.fsdecode(b"/" + path))
